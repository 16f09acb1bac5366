"""Serve the app on the fake service: ``python serve_fake.py PORT``."""

from __future__ import annotations

import sys

from elmo_tasks.ui.class_link import ClassPages, ClassRoom
from elmo_tasks.ui.layout import build_app, launch_options
from tests.ui.fake_service import FakeService

if __name__ == "__main__":
    room = ClassRoom()
    pages = {"middleware": [(ClassPages, (), {"room": room})]}
    app = build_app(FakeService(), room)
    app.launch(
        server_name="127.0.0.1", server_port=int(sys.argv[1]), app_kwargs=pages, **launch_options()
    )

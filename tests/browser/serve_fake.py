"""Serve the app on the fake service: ``python serve_fake.py PORT``."""

from __future__ import annotations

import sys

from elmo_tasks.ui.layout import build_app, launch_options
from tests.ui.fake_service import FakeService

if __name__ == "__main__":
    build_app(FakeService()).launch(server_name="127.0.0.1", server_port=int(sys.argv[1]), **launch_options())

"""What a hosted Space runs: ``python app.py``. The app itself is :mod:`elmo_tasks.app`."""

from __future__ import annotations

from typing import Any

from elmo_tasks import app


def __getattr__(name: str) -> Any:
    """``demo``, for gradio's own commands: it is built when something asks for it."""
    return getattr(app, name)


if __name__ == "__main__":
    app.main()

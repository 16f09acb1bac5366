"""The scripts and styles of the page."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def joined(*names: str) -> str:
    """Files of this folder as one text; of scripts, what one defines, those after it can use: gradio runs them as one function."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)

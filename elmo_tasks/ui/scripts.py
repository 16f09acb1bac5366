"""The scripts of the page's parts."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def script(*names: str) -> str:
    """Files of this folder as one function body, as gradio runs it: what a file defines, those after it can use."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)

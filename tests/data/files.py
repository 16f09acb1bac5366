"""Small files for the tests of readers."""

from pathlib import Path


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file, text in UTF-8, and return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path

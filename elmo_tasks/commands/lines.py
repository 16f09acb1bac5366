"""The lines of a file or of standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

STANDARD = "-"


def lines_of(path: str) -> Iterator[str]:
    """The lines, without what ends them.

    Args:
        path: a text file, plain or ``.xz``; ``-`` for standard input.

    Raises:
        DataError: there is no such file, or it is not UTF-8.
    """
    from elmo_tasks.text.vocabulary import open_text

    return (line.rstrip("\r\n") for line in (_standard_input() if path == STANDARD else open_text(Path(path))))


def _standard_input() -> Iterator[str]:
    """As a file is read: UTF-8 whatever the terminal says, and only a line feed ends a line."""
    from elmo_tasks.errors import DataError

    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(f"standard input, line {number}: expected UTF-8 text ({error})") from None

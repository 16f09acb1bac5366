"""The lines of a file or of standard input."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import cast

STANDARD = "-"
_BYTES_AT_ONCE = 1 << 16


def lines_of(path: str) -> Iterator[str]:
    """Read the lines of a text file, plain or ``.xz``, or of standard input (``-``).

    Raises:
        DataError: there is no such file, or it is not UTF-8.
    """
    from elmo_tasks.text.vocabulary import open_text

    if path == STANDARD:
        return chain.from_iterable(_standard_input())
    return (line.rstrip("\r\n") for line in open_text(Path(path)))


def batches_of(path: str, max_lines: int) -> Iterator[list[str]]:
    """Batch the lines of :func:`lines_of`, for incremental output.

    Of standard input, a batch is what is available: a single line is passed on at once, fast input many lines at a
    time.

    Raises:
        DataError: see :func:`lines_of`; the lines before a bad one of standard input were given.
    """
    for lines in _standard_input() if path == STANDARD else [lines_of(path)]:
        part = iter(lines)
        while batch := list(islice(part, max_lines)):
            yield batch


def _standard_input() -> Iterator[list[str]]:
    """Yield the complete lines of standard input as they arrive; only a line feed ends a line."""
    from elmo_tasks.errors import DataError

    source = cast(io.BufferedReader, sys.stdin.buffer)
    number, rest = 0, b""
    while chunk := source.read1(_BYTES_AT_ONCE) or (rest and b"\n"):  # waits for the first byte only
        *complete, rest = (rest + chunk).split(b"\n")
        lines: list[str] = []
        for line in complete:
            number += 1
            try:
                lines.append(line.decode("utf-8").rstrip("\r"))
            except UnicodeDecodeError as error:
                yield lines
                raise DataError(f"standard input, line {number}: expected UTF-8 text ({error})") from None
        yield lines

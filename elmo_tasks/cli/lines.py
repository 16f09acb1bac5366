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
        return chain.from_iterable(_standard_input(_BYTES_AT_ONCE))
    return (line.rstrip("\r\n") for line in open_text(Path(path)))


def batches_of(path: str, max_lines: int) -> Iterator[list[str]]:
    """Batch the lines of :func:`lines_of`, for incremental output.

    Of standard input, a batch is what is available: a single line is passed on at once, fast input many lines at a
    time.

    Raises:
        DataError: see :func:`lines_of`; the lines before a bad one of standard input were given.
    """
    if path == STANDARD:
        yield from _standard_input(max_lines)
        return
    lines = lines_of(path)
    while batch := list(islice(lines, max_lines)):
        yield batch


def _standard_input(max_lines: int) -> Iterator[list[str]]:
    """Read UTF-8 lines from standard input; only a line feed ends a line."""
    from elmo_tasks.errors import DataError

    batch: list[str] = []
    for number, lines in _arrived():
        for k, line in enumerate(lines, start=number):
            try:
                batch.append(line.decode("utf-8").rstrip("\r"))
            except UnicodeDecodeError as error:
                yield batch
                raise DataError(f"standard input, line {k}: expected UTF-8 text ({error})") from None
            if len(batch) == max_lines:
                yield batch
                batch = []
        if batch:
            yield batch
            batch = []


def _arrived() -> Iterator[tuple[int, list[bytes]]]:
    """Yield complete lines of standard input as they arrive, with line numbers."""
    source = cast(io.BufferedReader, sys.stdin.buffer)
    number = 1
    begun: list[bytes] = []
    while chunk := source.read1(_BYTES_AT_ONCE):  # waits for the first byte only
        head, end, tail = chunk.rpartition(b"\n")
        if end:
            lines = b"".join([*begun, head]).split(b"\n")
            yield number, lines
            number, begun = number + len(lines), []
        begun.append(tail)
    if last := b"".join(begun):
        yield number, [last]

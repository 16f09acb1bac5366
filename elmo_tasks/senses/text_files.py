"""A person's own text files -> sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.uses import MOST_CHARACTERS, sentences_of


def read_corpus(paths: Sequence[Path]) -> list[str]:
    """The sentences of text files (UTF-8; .csv as a table, anything else as text), in order.

    Raises:
        DataError: a file is missing, no text, or a table that cannot be read.
    """
    found: list[str] = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: expected a text file in UTF-8 ({error})") from None
        try:
            # In pieces that end with a line: what a request may hold is no limit here.
            for piece in [text] if path.suffix.lower() == ".csv" else _pieces(text):
                found += sentences_of(piece, path.name, None)
        except InputError as error:
            raise DataError(f"{path}: {error}") from None
    return found


def _pieces(text: str) -> list[str]:
    pieces, start = [], 0
    while start < len(text):
        stop = (
            len(text) if len(text) - start <= MOST_CHARACTERS else text.rfind("\n", start, start + MOST_CHARACTERS) + 1
        )
        stop = stop if stop > start else min(len(text), start + MOST_CHARACTERS)
        pieces.append(text[start:stop])
        start = stop
    return pieces

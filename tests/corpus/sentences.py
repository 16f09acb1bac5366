"""Sentences of files, as `index` reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from elmo_tasks.corpus.reader import read_rows
from elmo_tasks.senses.use_sources import sentences_of_rows


def sentences_in(
    path: Path, column: str | None = None, report: Callable[[str], object] = str
) -> list[str]:
    """Return the sentences of a file; ``report`` gets the description of how it was read."""
    return list(
        sentences_of_rows(read_rows([str(path)], column, report=lambda text: report(text) and None))
    )

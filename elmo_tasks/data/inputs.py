"""Reader of files of texts to predict or encode: lines, tables, tagged sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from elmo_tasks.data.column_guess import MISSING, TEXT_NAMES, named_column
from elmo_tasks.data.delimited import DELIMITERS
from elmo_tasks.data.row_files import is_json
from elmo_tasks.data.tables import (
    Table,
    TextColumns,
    find_columns,
    form_of,
    read_table,
    texts_of,
)
from elmo_tasks.data.tag_files import is_tag_file, read_tag_file
from elmo_tasks.data.tag_rows import WORD_KEYS
from elmo_tasks.data.text_lines import RowErrors, shown, text_file
from elmo_tasks.errors import DataError

#: Number of lines from which the format of a text file is detected.
_LINES_TO_GUESS_FROM = 2_000


class InputRow(NamedTuple):
    """One text of a file."""

    number: int  #: its line or row, from 1
    text: str  #: tokens are joined by spaces
    tokens: tuple[str, ...] | None = None  #: where the file gives tokens, or tagged words


@dataclass(frozen=True)
class Inputs:
    """The texts of a file, in order; an empty line or cell is an empty text."""

    rows: Iterable[InputRow]  #: those of a text file are read as they are needed
    description: str  #: how the file was read, in words; empty for one text per line
    unit: str = "line"  #: name of a row: ``line``, ``row`` or ``sentence``


def read_inputs(path: Path, column: str | None = None) -> Inputs:
    """Read the texts of a file as ``fit`` and ``evaluate`` read it, whatever its name.

    From tagged sentences (columns, CoNLL-U, marked text) it reads the words, from tables the
    text column, and from other files one text per line.

    Args:
        path: the file, plain or compressed.
        column: name or position of the text column; detected if ``None``.

    Raises:
        DataError: it cannot be read.
    """
    form = form_of(path)
    if form in ("parquet", "xlsx"):
        return _of_table(path, column)
    start, encoding = _start_of(path)
    if column is None and is_tag_file(path, start):
        return _of_tags(path)
    if form != "txt" or column is not None or is_json(start) or _names_columns(start):
        # A list of words or tags is found by its name as well.
        return _of_table(path, column)
    return Inputs(
        _lines(path), "" if encoding == "utf-8" else f"one text per line, encoding {encoding}"
    )


def _start_of(path: Path) -> tuple[str, str]:
    """Return the first lines of a text file, JSON of one line as a whole, and its encoding."""
    with text_file(path) as file:
        return "".join(islice(file.lines, _LINES_TO_GUESS_FROM)), file.encoding


def _lines(path: Path) -> Iterator[InputRow]:
    with text_file(path) as file:
        for number, line in enumerate(file.lines, start=1):
            yield InputRow(number, line.rstrip("\r\n"))


def _of_tags(path: Path) -> Inputs:
    is_conllu = path.name.lower().partition(".conllu")[1] != ""
    file = read_tag_file(path, tag_column="upos" if is_conllu else None)
    rows = [
        InputRow(sentence.line, " ".join(sentence.tokens), sentence.tokens)
        for sentence in file.sentences
    ]
    words = f"tagged sentences: {file.describe()}" if file.names else "tagged sentences"
    return Inputs(rows, words, "sentence")


def _names_columns(start: str) -> bool:
    """Check if the first line of a text file names the columns of a table, texts among them."""
    first = next((line for line in start.split("\n") if line.strip()), "")
    for mark in DELIMITERS["txt"]:
        names = [name.strip().strip('"') for name in first.split(mark)]
        places = range(len(names))
        if len(names) > 1 and named_column(names, TEXT_NAMES, places, loose=False) is not None:
            return all(re.fullmatch(r"[\w .#-]{0,40}", name) for name in names)
    return False


def _of_table(path: Path, column: str | None) -> Inputs:
    place: Any = int(column) if column is not None and re.fullmatch(r"-?\d+", column) else column
    given = TextColumns(text=place)
    table = read_table(path, given=given, keep_empty=True)
    if column is None and table.names is not None and (words := _word_column(table)) is not None:
        given = TextColumns(text=words)
    layout = find_columns(table, given, labelled=False)
    errors = RowErrors(table.where, table.unit)
    has_lists = any(
        isinstance(row[layout.text], (list, tuple))
        for _, row in table.rows
        if len(row) > layout.text
    )
    if not has_lists:
        rows = [InputRow(number, text) for number, text in texts_of(table, layout)]
        return Inputs(rows, layout.describe(), table.unit)

    def tokens(number: int, row: Any) -> InputRow:
        value = row[layout.text]
        if value in (None, MISSING, ""):
            return InputRow(number, "", ())
        if isinstance(value, str) or not all(isinstance(word, str) for word in value):
            raise DataError(
                f"{layout.names[layout.text]}: expected a list of words, found {shown(value)}"
            )
        return InputRow(number, " ".join(value), tuple(value))

    found = errors.collect(layout.body(table, errors), tokens)
    errors.check(len(found), "text")
    return Inputs(found, layout.describe().replace("texts from", "words from"), table.unit)


def _word_column(table: Table) -> str | None:
    """Find the column of words of tokenized rows, unless one is named as texts are."""
    names = table.names or ()
    if any(name.lower() in TEXT_NAMES for name in names):
        return None
    lists = [
        name for at, name in enumerate(names) if isinstance(table.rows[0][1][at], (list, tuple))
    ]
    return next((name for name in WORD_KEYS if name in lists), None)

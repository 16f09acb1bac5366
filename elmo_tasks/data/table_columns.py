"""TSV and CSV files: their rows, and which columns hold the texts and the labels."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from elmo_tasks.data.column_guess import LABEL_NAMES, TEXT_NAMES, TableShape, guess_keys, guess_shape
from elmo_tasks.data.records import listed
from elmo_tasks.data.tables import Column, json_rows, parquet_first
from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown
from elmo_tasks.errors import DataError

TableFormat = Literal["tsv", "csv"]
RowsFormat = Literal["tsv", "csv", "jsonl", "parquet"]
Numbered = Iterator[tuple[int, list[str]]]
#: Columns are guessed from so many rows.
_LOOKED_AT = 200
_LONGEST_FIELD = 10_000_000
_DELIMITERS = {"csv": (",", ";", "\t"), "tsv": ("\t",)}


@dataclass(frozen=True)
class TextColumns:
    """How a table of texts is laid out, for which see :class:`elmo_tasks.data.classification.ClassificationData`."""

    text: Column | None = None
    label: Column | None = None
    header: bool | None = None
    escaped_newlines: bool = False
    encoding: str = "utf-8"
    delimiter: str | None = None


#: All of it is found out.
NOTHING_GIVEN = TextColumns()


@dataclass(frozen=True)
class FoundColumns:
    """The names of all columns of a file; places (of TSV and CSV) or names of the texts and labels, and how the file is read."""

    names: tuple[str, ...]
    layout: TextColumns

    def name(self, column: Column | None) -> str:
        """What a person calls a column."""
        return self.names[column] if isinstance(column, int) else str(column)

    def said(self) -> str:
        """In words."""
        layout = self.layout
        header = {True: ", named by the first line", False: ", there is no line of names", None: ""}[layout.header]
        return f"texts from '{self.name(layout.text)}', labels from '{self.name(layout.label)}'{header}"


def find_columns(
    path: Path, file_format: RowsFormat, columns: TextColumns = NOTHING_GIVEN, like: FoundColumns | None = None
) -> FoundColumns:
    """Find the columns of a file by its header or first rows; what ``columns`` says is believed.

    Names of columns of the training file, ``like`` (or their places, if there are as many), win over a guess.

    Raises:
        DataError: there is one column only, or none of those that are wanted.
    """
    if file_format in ("tsv", "csv"):
        return _of_table(path, file_format, columns, like)  # type: ignore[arg-type]
    if file_format == "parquet":
        first = parquet_first(path)
    else:
        # What is wrong with a line is said when the file is read.
        _, first = next(json_rows(path, RowErrors(path), columns.encoding), (0, {}))
    text, label = (columns.text, columns.label)
    if like is not None and {like.layout.text, like.layout.label} <= set(first):
        text, label = text or like.layout.text, label or like.layout.label
    guess = guess_keys(first)
    layout = replace(columns, text=guess[0] if text is None else text, label=guess[1] if label is None else label)
    return FoundColumns(tuple(map(str, first)), layout)


def table_rows(path: Path, file_format: TableFormat, columns: TextColumns = NOTHING_GIVEN) -> Numbered:
    """The rows of a table with the number of the line that each begins on, whatever they hold.

    Raises:
        DataError: the file cannot be read, or has a quote that is never closed.
    """
    read = _tsv_rows if file_format == "tsv" else _csv_rows
    return read(path, columns.encoding, columns.delimiter or _delimiter(path, file_format, columns.encoding))


def _delimiter(path: Path, file_format: TableFormat, encoding: str) -> str:
    """The first of the usual ones that the first line holds."""
    first = next((line for _, line in numbered_lines(path, encoding) if line.strip()), "")
    usual = _DELIMITERS[file_format]
    return next((mark for mark in usual if len(next(csv.reader([first], delimiter=mark), [])) > 1), usual[0])


def _tsv_rows(path: Path, encoding: str, delimiter: str) -> Numbered:
    for number, line in numbered_lines(path, encoding):
        if line.strip():
            yield number, line.split(delimiter)


def _csv_rows(path: Path, encoding: str, delimiter: str) -> Numbered:
    """Rows with the number of the line they begin on: a quoted field may hold line breaks."""
    lines = (f"{line}\n" for _, line in numbered_lines(path, encoding))
    try:
        reader = csv.reader(lines, strict=True, delimiter=delimiter)
    except TypeError:
        raise DataError(f"{path}: delimiter: expected one character between columns, found {delimiter!r}") from None
    # A long text is no error. The limit is the whole process's and stays: another thread may be reading, too.
    csv.field_size_limit(_LONGEST_FIELD)
    while True:
        number = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # A quote that is never closed swallows the rest of the file: nothing after it can be trusted.
            raise DataError(f"{path}, line {number}: expected comma-separated fields ({error})") from None
        if fields:
            yield number, fields


def _of_table(path: Path, file_format: TableFormat, columns: TextColumns, like: FoundColumns | None) -> FoundColumns:
    columns = replace(columns, delimiter=columns.delimiter or _delimiter(path, file_format, columns.encoding))
    rows = [fields for _, fields in islice(table_rows(path, file_format, columns), _LOOKED_AT)]
    if not rows:
        raise DataError(f"{path}: no text in this file")
    first = rows[0]
    if len(first) < 2:
        mark = {"\t": "a tab", ",": "a comma"}.get(str(columns.delimiter), f"'{columns.delimiter}'")
        raise DataError(
            f"{path}, line 1: expected a text and a label with {mark} between them, found one column only; set delimiter "
            "if the file has another mark there"
        )
    by_name = any(isinstance(column, str) for column in (columns.text, columns.label))
    header = True if by_name and columns.header is None else columns.header
    text, label = (
        None if column is None else _place(column, name, first, header is not False, path)
        for column, name in ((columns.text, "text"), (columns.label, "label"))
    )
    if columns.text is None and columns.label is None and like is not None:
        header, text, label = _as_in(like, first, header)
    shape = guess_shape(rows, header, text, label)
    if shape.text == shape.label:
        raise DataError(f"{path}: text_column and label_column are one and the same column, {shape.text}")
    _check_not_swapped(shape, path)
    return FoundColumns(shape.columns, replace(columns, text=shape.text, label=shape.label, header=shape.header))


def _as_in(like: FoundColumns, first: list[str], header: bool | None) -> tuple[bool | None, int | None, int | None]:
    """Header and places as in the training file: by name, else by place."""
    names = [field.strip() for field in first]
    wanted = like.name(like.layout.text), like.name(like.layout.label)
    if like.layout.header and all(names.count(name) == 1 for name in wanted):
        return True, names.index(wanted[0]), names.index(wanted[1])
    text, label = like.layout.text, like.layout.label
    if len(like.names) == len(first) and isinstance(text, int) and isinstance(label, int):
        return header, text, label
    return header, None, None


def _check_not_swapped(shape: TableShape, path: Path) -> None:
    """Places that were right for another file must not read labels as texts."""
    text, label = shape.columns[shape.text].lower(), shape.columns[shape.label].lower()
    if shape.header and text in LABEL_NAMES and label in TEXT_NAMES:
        raise DataError(
            f"{path}: text_column is {shape.text} and label_column is {shape.label}, counted from 0, but the first line calls "
            f"them '{text}' and '{label}': leave both out, and the columns are found by their names"
        )


def _place(column: Column, name: str, first: list[str], header: bool, path: Path) -> int:
    """Where a column is, given the first line."""
    found = f"the first line has {len(first)} columns: {listed(shown(field)[1:-1] for field in first)}"
    if isinstance(column, int):
        if -len(first) <= column < len(first):
            return column % len(first)
        raise DataError(f"{path}: {name}_column is {column}, counted from 0, but {found}")
    if not header:
        raise DataError(
            f"{path}: header is false, so {name}_column must be a place, counted from 0; it is {column!r}, and {found}"
        )
    places = [k for k, field in enumerate(first) if field.strip() == column]
    if len(places) == 1:
        return places[0]
    raise DataError(
        f"{path}: expected one column named '{column}', and {found}. Set text_column and label_column to names of the "
        "header, or to places counted from 0 if there is no header"
    )

"""Files and hub data sets -> labelled texts."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from elmo_tasks.data.records import LabelledText, listed
from elmo_tasks.data.sentiment_trees import read_trees
from elmo_tasks.data.tables import Column, Rows, column_name, hub_columns, hub_rows, json_rows, parquet_rows
from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown, suffix_of
from elmo_tasks.errors import DataError

TextFormat = Literal["tsv", "csv", "jsonl", "parquet", "trees"]

_FORMATS: dict[str, TextFormat] = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
_LONGEST_FIELD = 10_000_000
_Numbered = Iterator[tuple[int, list[str]]]


@dataclass(frozen=True)
class TextColumns:
    """How a table of texts is laid out.

    Attributes:
        text: the column of the text; by default the one named ``text``.
        label: the column of the label; by default the one named ``label``.
        header: whether the first line names the columns; by default it does unless both columns are given by place.
        escaped_newlines: the two characters ``\\n`` stand for a line break.
    """

    text: Column | None = None
    label: Column | None = None
    header: bool | None = None
    escaped_newlines: bool = False


def read_labelled(
    path: str | Path,
    file_format: TextFormat | None = None,
    columns: TextColumns = TextColumns(),
    phrases: bool = False,
) -> list[LabelledText]:
    """Read labelled texts.

    Args:
        path: the file; text files may be ``.xz``.
        file_format: ``tsv``: tabs between columns, no quoting. ``csv``: commas, fields may be quoted. ``jsonl``,
            ``parquet``: a text a row. ``trees``: one bracketed tree a line, each node with a label (Stanford Sentiment
            Treebank). By default from the file's name: ``.tsv``, ``.csv``, ``.jsonl``, ``.json``, ``.parquet``.
        columns: which columns to read.
        phrases: of trees, read every node's phrase, not only the whole sentence.

    Raises:
        DataError: the file, a line of it, or a column is not as expected, or it is not clear which column is which; the
            text names lines, what was expected and what came, or the parameter to set.
    """
    path = Path(path)
    chosen = file_format or _FORMATS.get(suffix_of(path))
    if chosen is None:
        raise DataError(
            f"{path}: the name does not tell the format: set file_format to one of tsv, csv, jsonl, parquet, trees"
        )
    if phrases and chosen != "trees":
        raise DataError(f"{path}: phrases are labelled in trees only, and this file is read as {chosen}")
    if chosen == "trees":
        return read_trees(path, phrases)
    errors = RowErrors(path, "row" if chosen == "parquet" else "line")
    if chosen in ("tsv", "csv"):
        rows = table_rows(path, chosen)
        texts = list(_from_table(rows, path, errors, columns))
    else:
        text_key = column_name(columns.text, "text", "text_column", path)
        label_key = column_name(columns.label, "label", "label_column", path)
        named = json_rows(path, errors) if chosen == "jsonl" else parquet_rows(path, (text_key, label_key))
        texts = list(_from_rows(named, errors, text_key, label_key))
    errors.check(len(texts), "text")
    return [_with_line_breaks(row) for row in texts] if columns.escaped_newlines else texts


def read_labelled_hub(name: str, split: str, columns: TextColumns = TextColumns()) -> list[LabelledText]:
    """Read labelled texts of a data set on the hub.

    Args:
        name: ``sst2``, ``sst5``, ``imdb``, or a hub id.
        split: such as ``train``.
        columns: which columns to read; by default those of a known data set, else ``text`` and ``label``.

    Raises:
        DataError: it cannot be loaded, or a row or column is not as expected.
    """
    text, label = hub_columns(name)
    text_key = column_name(columns.text, text or "text", "text_column", name)
    label_key = column_name(columns.label, label or "label", "label_column", name)
    errors = RowErrors(f"{name}, split '{split}'", "row")
    texts = list(_from_rows(hub_rows(name, split, (text_key, label_key)), errors, text_key, label_key))
    errors.check(len(texts), "text")
    return [_with_line_breaks(row) for row in texts] if columns.escaped_newlines else texts


def table_rows(path: Path, file_format: Literal["tsv", "csv"]) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table with the number of the line that each begins on, whatever they hold.

    Raises:
        DataError: see :func:`read_labelled`.
    """
    return _tsv_rows(path) if file_format == "tsv" else _csv_rows(path)


def _with_line_breaks(row: LabelledText) -> LabelledText:
    return replace(row, text=row.text.replace("\\n", "\n"))


def _tsv_rows(path: Path) -> _Numbered:
    for number, line in numbered_lines(path):
        if line.strip():
            yield number, line.split("\t")


def _csv_rows(path: Path) -> _Numbered:
    """Rows with the number of the line they begin on: a quoted field may hold line breaks."""
    reader = csv.reader((f"{line}\n" for _, line in numbered_lines(path)), strict=True)
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


def _from_table(rows: _Numbered, path: Path, errors: RowErrors, columns: TextColumns) -> Iterator[LabelledText]:
    """Texts of a file whose columns have places."""
    first_number, first = next(rows, (0, []))
    if not first_number:
        return
    by_name = any(column is None or isinstance(column, str) for column in (columns.text, columns.label))
    header = by_name if columns.header is None else columns.header
    text_at = _place(columns.text, "text", first, header, path)
    label_at = _place(columns.label, "label", first, header, path)
    if text_at == label_at:
        raise DataError(f"{path}: text_column and label_column are one and the same column, {text_at}")
    labels: Counter[str] = Counter()

    def read(number: int, fields: list[str]) -> Iterator[LabelledText]:
        if len(fields) != len(first):
            errors.add(
                number, f"expected {len(first)} columns as in the first line, found {len(fields)}: {shown(fields)}"
            )
            return
        text, label = fields[text_at].strip(), fields[label_at].strip()
        if text and label:
            labels[label] += 1
            yield LabelledText(text, label, number)
        else:
            errors.add(
                number, f"expected a text and a label, found an empty {'label' if text else 'text'}: {shown(fields)}"
            )

    if not header:
        yield from read(first_number, first)
    for number, fields in rows:
        yield from read(number, fields)
    first_label = first[label_at].strip()
    if columns.header is None and not header and labels[first_label] == 1 and sum(labels.values()) > 2 * len(labels):
        # No other row is like the first: it may be names of columns, which must not become a label.
        raise DataError(
            f"{path}, line {first_number}: is this line a header? Its label '{first_label}' comes nowhere else: "
            "set header to true or false"
        )


def _place(column: Column | None, name: str, first: list[str], header: bool, path: Path) -> int:
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
    wanted = column or name
    places = [k for k, field in enumerate(first) if field.strip() == wanted]
    if len(places) == 1:
        return places[0]
    raise DataError(
        f"{path}: expected one column named '{wanted}', and {found}. Set text_column and label_column to names of the "
        "header, or to places counted from 0 if there is no header"
    )


def _from_rows(rows: Rows, errors: RowErrors, text_key: str, label_key: str) -> Iterator[LabelledText]:
    for number, row in rows:
        if text_key not in row or label_key not in row:
            errors.add(
                number,
                f"expected the keys '{text_key}' and '{label_key}', found {listed(row)}: "
                "set text_column and label_column",
            )
            continue
        text, label = row[text_key], row[label_key]
        if isinstance(label, int) and not isinstance(label, bool):
            label = str(label)
        if not isinstance(text, str) or not text.strip():
            errors.add(number, f"{text_key}: expected a text, found {shown(text)}")
        elif label is None:
            errors.add(number, f"{label_key}: expected a label, found none (the labels of a test split may be hidden)")
        elif not isinstance(label, str) or not label.strip():
            errors.add(number, f"{label_key}: expected a string or a whole number, found {shown(label)}")
        else:
            yield LabelledText(text.strip(), label.strip(), number)

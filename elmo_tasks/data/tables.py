"""Reader of user tables: CSV, TSV, plain text, JSON, parquet and Excel files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from elmo_tasks.data.annotations import plain_rows
from elmo_tasks.data.column_guess import (
    LABEL_NAMES,
    MISSING,
    TEXT_NAMES,
    column_names,
    guess_label,
    guess_text,
    is_header,
)
from elmo_tasks.data.delimited import delimiter_name, read_delimited, width_of
from elmo_tasks.data.other_formats import check_markup
from elmo_tasks.data.records import in_quotes
from elmo_tasks.data.row_files import excel_rows, is_json, json_rows, parquet_rows
from elmo_tasks.data.text_lines import RowErrors, encoding_remark, read_text, shown, suffix_of
from elmo_tasks.errors import DataError

TableFormat = Literal["csv", "tsv", "json", "jsonl", "parquet", "xlsx", "txt"]
#: A column by its place, from 0 (negative: from the end), or by its name.
Column = int | str

FORMATS: dict[str, TableFormat] = {
    **{f".{name}": name for name in get_args(TableFormat)},
    ".ndjson": "jsonl",
    ".tab": "tsv",
    ".xlsm": "xlsx",
}


@dataclass(frozen=True)
class TextColumns:
    """User settings for the layout of a table; ``None`` values are inferred."""

    text: Column | None = None
    label: Column | None = None
    header: bool | None = None
    escaped_newlines: bool = False
    encoding: str | None = None
    delimiter: str | None = None
    skip_incomplete: bool = False  #: leave out rows without a text or a label

    @property
    def has_names(self) -> bool:
        """Check if a column is given by its name."""
        return isinstance(self.text, str) or isinstance(self.label, str)


NOTHING_GIVEN = TextColumns()


@dataclass(frozen=True)
class Table:
    """Table in memory."""

    where: str  #: the file, for messages
    #: number of each row and its values, in the order of the names
    rows: Sequence[tuple[int, Sequence[Any]]]
    #: of the columns; ``None`` where the first row may hold them
    names: tuple[str, ...] | None = None
    unit: str = "row"  #: the unit that the numbers count: ``line`` or ``row``
    #: between the columns of a text file; empty in others and where there is one column
    delimiter: str = ""
    remarks: tuple[str, ...] = ()  #: on its format
    form: str = ""  #: of a text file without names of columns: ``csv``, ``tsv`` or ``txt``

    @classmethod
    def of_records(
        cls, where: str, records: Iterable[tuple[int, Mapping[str, Any]]], unit: str = "row"
    ) -> Table:
        """Build a table of rows with named columns."""
        numbered = list(records)
        names = tuple(dict.fromkeys(name for _, row in numbered for name in row))
        rows = [(number, [row.get(name, MISSING) for name in names]) for number, row in numbered]
        return cls(where, rows, names, unit)


@dataclass(frozen=True)
class TableLayout:
    """Names of all columns, positions of texts and labels, and the header flag."""

    names: tuple[str, ...]
    text: int
    label: int | None = None
    header: bool | None = None
    remarks: tuple[str, ...] = ()

    def describe(self) -> str:
        """Describe the columns that are read."""
        labels = "" if self.label is None else f", labels from “{self.names[self.label]}”"
        header = {
            True: ", named by the first line",
            False: ", there is no line of names",
            None: "",
        }[self.header]
        return "; ".join([f"texts from “{self.names[self.text]}”{labels}{header}", *self.remarks])

    def body(self, table: Table, errors: RowErrors) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield the rows below the header; collect those of a wrong length in ``errors``."""
        width = len(self.names)
        names = list(table.rows[0][1]) if self.header else None
        for number, row in table.rows[1:] if self.header else table.rows:
            if list(row) == names:  # of files that were joined
                continue
            if len(row) == width:
                yield number, row
            else:
                message = (
                    f"expected {width} columns as in the first line, found {len(row)}:"
                    f" {shown(list(row))}"
                )
                if len(row) > width:
                    marks = delimiter_name(table.delimiter)
                    message += f". A text with {marks} in it needs double quotes around it"
                errors.add(number, message)


def form_of(path: Path) -> TableFormat:
    """Infer the format of a file from its name; ``txt`` if unknown."""
    return FORMATS.get(suffix_of(path), "txt")


def read_table(
    path: Path,
    form: str | None = None,
    given: TextColumns = NOTHING_GIVEN,
    keep_empty: bool = False,
) -> Table:
    """Read a file into a table; text files may be compressed.

    Rows of empty cells are left out, as programs write many of them below a table, unless
    ``keep_empty`` is set.
    """
    form = form or form_of(path)
    if form == "parquet":
        return Table.of_records(str(path), parquet_rows(path))
    if form == "xlsx":
        sheet = excel_rows(path)
        return Table(
            str(path),
            [(number, row) for number, row in sheet.rows if keep_empty or any(row)],
            remarks=sheet.remarks,
        )
    text, encoding = read_text(path, given.encoding)
    return parse_table(text, path, form, given, encoding, keep_empty)


def parse_table(
    text: str,
    path: Path,
    form: str,
    given: TextColumns = NOTHING_GIVEN,
    encoding: str = "utf-8",
    keep_empty: bool = False,
) -> Table:
    """Parse a text as a table: JSON, delimited columns, or one text per line."""
    remarks = tuple(encoding_remark(text, encoding, given.encoding is not None))
    check_markup(text, str(path))
    if form in ("json", "jsonl") or (given.delimiter is None and is_json(text)):
        errors = RowErrors(path)
        plain = plain_rows(json_rows(text, errors, columns=form != "jsonl"), str(path))
        errors.check(len(plain.rows), "text")
        table = Table.of_records(str(path), plain.rows, errors.unit)
        return replace(table, remarks=(*remarks, *plain.remarks))
    found = read_delimited(text, path, form, given.delimiter)
    used = max((width_of(fields) for _, fields in found.rows), default=0)
    kept = [
        (number, fields[:used])
        for number, fields in found.rows
        # As in pandas, an empty line without any delimiter is not a row.
        if width_of(fields) or (keep_empty and len(fields) > 1)
    ]
    kept = kept[next((k for k, (_, fields) in enumerate(kept) if width_of(fields)), 0) :]
    if found.is_unusual:
        remarks = (f"{delimiter_name(found.delimiter)} between columns", *remarks)
    remarks = (*remarks, *found.remarks)
    return Table(
        where=str(path),
        rows=kept,
        names=None,
        unit="line",
        delimiter=found.delimiter,
        remarks=remarks,
        form=form,
    )


def find_columns(
    table: Table,
    given: TextColumns = NOTHING_GIVEN,
    like: TableLayout | None = None,
    labelled: bool = True,
    ask: bool = True,
) -> TableLayout:
    """Find the column of the texts and, if ``labelled``, of the labels.

    Columns that are ``given`` are taken as they are. Names of the columns of another file, ``like``
    (or their places, if there are as many), win over a guess. Where several columns may hold the
    labels, a remark says so if not ``ask``.

    Raises:
        DataError: there is no such column, or several may hold the labels.
    """
    first = _first_row(table, labelled)
    fields = tuple(first) if table.names is None else table.names
    header = given.header
    if table.names is None and header is None and given.has_names:
        header = True
    text = _place(given.text, "text", fields, table, header)
    label = _place(given.label, "label", fields, table, header) if labelled else None
    is_as_like = like is not None and text is None and label is None
    if like is not None and is_as_like:
        header, text, label = _as_in(like, fields, header, table)
    if table.names is None and header is None:
        header = is_header(first, [row for _, row in table.rows[1:]])
    remarks = (*table.remarks, *_repeated_names(table, header))
    names = table.names if table.names is not None else column_names(first, bool(header))
    columns = _columns(table, bool(header), len(fields))
    if text is None:
        text = guess_text(names, _without(columns, label))
    if labelled and label is None:
        label, fitting = guess_label(names, _without(columns, text))
        if fitting:
            values = _values_of(fitting, names, columns)
            if ask:
                raise DataError(
                    f"{table.where}: which column holds the labels? {values}: set label_column to"
                    " one of them"
                )
            remarks = (*remarks, f"WHICH COLUMN HOLDS THE LABELS? {values}")
    if label is not None and is_as_like and table.names is None and not header:
        text, label = _swapped_if_other_way_round(names, columns, text, label)
    layout = TableLayout(names=names, text=text, label=label, header=header, remarks=remarks)
    _check_layout(layout, table.where)
    return layout


def _first_row(table: Table, labelled: bool) -> list[str]:
    """Return the cells of the first row.

    Raises:
        DataError: the table is empty, or has one column where texts and labels are needed.
    """
    if not table.rows or table.names == ():
        raise DataError(f"{table.where}: no text in this file")
    number, row = table.rows[0]
    first = [str(cell).strip() for cell in row]
    fields = first if table.names is None else table.names
    if labelled and len(fields) < 2:
        set_mark = "; set delimiter to the mark between them"
        advice = set_mark if table.form else f", '{fields[0]:.40}'"
        raise DataError(
            f"{table.where}, {table.unit} {number}: expected a text and a label, found"
            f" one column only{advice}"
        )
    return first


def _repeated_names(table: Table, header: bool | None) -> list[str]:
    """Return a remark on further rows that hold the names of the columns, if there are any."""
    if not header:
        return []
    n_repeats = sum(row == table.rows[0][1] for _, row in table.rows[1:])
    if not n_repeats:
        return []
    return [f"lines that repeat the names of the columns are left out: {n_repeats:,}"]


def _values_of(
    places: Sequence[int], names: Sequence[str], columns: Mapping[int, list[Any]]
) -> str:
    """Say how many values each of several columns has, any of which may hold the labels."""
    counts = [str(len(set(map(str, columns[at])))) for at in places]
    columns_have = f"{in_quotes(names[at] for at in places)} have"
    if len(set(counts)) == 1:
        return f"{columns_have} {counts[0]} values each"
    return f"{columns_have} {', '.join(counts[:12])} values"


def _swapped_if_other_way_round(
    names: Sequence[str], columns: Mapping[int, list[Any]], text: int, label: int
) -> tuple[int, int]:
    """Return the places of text and label, which were taken from another file: swapped if this
    file seems to have them the other way round.
    """
    guessed = guess_text(names, columns)
    if (guessed, guess_label(names, _without(columns, guessed))[0]) == (label, text):
        return label, text
    return text, label


def _columns(table: Table, header: bool, width: int) -> dict[int, list[Any]]:
    """Return the cells of each column, from the rows that have all columns."""
    rows = [values for _, values in table.rows]
    body = [row for row in (rows[1:] if header else rows) if len(row) == width] or rows[:1]
    return {at: [row[at] for row in body] for at in range(width)}


def _without(columns: Mapping[int, list[Any]], place: int | None) -> dict[int, list[Any]]:
    return {at: cells for at, cells in columns.items() if at != place}


def _check_layout(layout: TableLayout, where: str) -> None:
    """Reject one column for texts and labels, and positions that contradict the names."""
    if layout.text == layout.label:
        raise DataError(
            f"{where}: text_column and label_column are one and the same column, {layout.text}"
        )
    if layout.label is None or not layout.header:
        return
    text_name, label_name = layout.names[layout.text], layout.names[layout.label]
    if text_name.lower() in LABEL_NAMES and label_name.lower() in TEXT_NAMES:
        raise DataError(
            f"{where}: text_column is {layout.text} and label_column is {layout.label}, counted"
            f" from 0, but the first line calls them '{text_name}' and '{label_name}': leave both"
            " out, and the columns are found by their names"
        )


def texts_of(table: Table, layout: TableLayout) -> list[tuple[int, str]]:
    """Return the texts of a table with their row numbers; empty for an empty cell."""
    errors, key = RowErrors(table.where, table.unit), layout.names[layout.text]

    def text(number: int, row: Sequence[Any]) -> tuple[int, str]:
        value = row[layout.text]
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = " ".join(value)
        if value is not None and not isinstance(value, str):
            raise DataError(
                f"{key}: expected a text, found"
                f" {'no such key' if value is MISSING else shown(value)}"
            )
        return number, value or ""

    texts = errors.collect(layout.body(table, errors), text)
    errors.check(len(texts), "text")
    check_not_digits((text for _, text in texts), f"{table.where}: the texts ('{key}')")
    return texts


def check_not_digits(texts: Iterable[str], what: str) -> None:
    """Reject texts of which nine in ten hold a digit and no letter."""
    kinds = Counter(
        (any(map(str.isdigit, text)), any(map(str.isalpha, text))) for text in texts if text
    )
    n_texts = sum(kinds.values())
    if n_texts >= 8 and kinds[True, False] >= 0.9 * n_texts:
        raise DataError(
            f"{what} are numbers alone, from which nothing can be learned. Name the right column"
        )


def _as_in(
    like: TableLayout, names: Sequence[str], header: bool | None, table: Table
) -> tuple[bool | None, int | None, int | None]:
    """Use header and positions of another file: by name, else by position."""
    by_name = [None if at is None else like.names[at] for at in (like.text, like.label)]
    if (like.header or table.names is not None) and all(
        name is None or names.count(name) == 1 for name in by_name
    ):
        text, label = (None if name is None else names.index(name) for name in by_name)
        return True if table.names is None else header, text, label
    if table.names is None and len(like.names) == len(names):
        return header, like.text, like.label
    return header, None, None


def _place(
    column: Column | None, name: str, names: Sequence[str], table: Table, header: bool | None
) -> int | None:
    """Find the position of a given column."""
    if column is None:
        return None
    if isinstance(column, int) and table.names is None and -len(names) <= column < len(names):
        return column % len(names)
    if isinstance(column, str) and (table.names is not None or header) and names.count(column) == 1:
        return names.index(column)
    expected = "the name of a column"
    if table.names is None:
        named = "" if header is False else "name in the first line, or the "
        expected = f"the {named}place of a column, counted from 0"
    columns = in_quotes(shown(field)[1:-1] for field in names)
    raise DataError(
        f"{table.where}: {name}_column: expected {expected}, found {column!r}; there are"
        f" {len(names)} columns: {columns}"
    )

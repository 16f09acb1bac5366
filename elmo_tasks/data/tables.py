"""Reader of user tables: CSV, TSV, plain text, JSON, parquet and Excel files."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from elmo_tasks.data.annotations import plain_rows
from elmo_tasks.data.column_guess import LABEL_NAMES, MISSING, guess_label, guess_text, named_column
from elmo_tasks.data.records import is_number, listed
from elmo_tasks.data.row_files import TEXT_NAMES, excel_rows, is_json, json_rows, parquet_rows
from elmo_tasks.data.text_lines import RowErrors, read_text, shown, suffix_of
from elmo_tasks.errors import DataError

TableFormat = Literal["csv", "tsv", "json", "jsonl", "parquet", "xlsx", "txt"]
#: A column by its place, from 0 (negative: from the end), or by its name.
Column = int | str

FORMATS: dict[str, TableFormat] = {
    **{f".{name}": name for name in get_args(TableFormat)},
    **{".ndjson": "jsonl", ".tab": "tsv", ".xlsm": "xlsx"},
}
_LOOKED_AT = 200  # the delimiter is guessed from these rows
_MARKS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
_DELIMITERS = {"csv": ",;\t|", "tsv": "\t;,|", "txt": "\t;,|"}
_SEP_LINE = re.compile(r'"?sep=([^"\w ]|\\t)"?\s*', re.IGNORECASE)
_QUOTED = re.compile(r'(?:^|\t)"((?:[^"]|"")*)"(?=\t|$)', re.MULTILINE)
csv.field_size_limit(2**31 - 1)  # a long text is no error


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


NOTHING_GIVEN = TextColumns()


@dataclass(frozen=True)
class Table:
    """Table in memory."""

    where: str  #: the file, for messages
    #: number of each row and its values, in the order of the names
    rows: Sequence[tuple[int, Sequence[Any]]]
    names: tuple[str, ...] | None = (
        None  #: of the columns; ``None`` where the first row may hold them
    )
    unit: str = "row"  #: what the numbers count: ``line`` or ``row``
    delimiter: str = (
        ""  #: between the columns of a text file; empty in others and where there is one column
    )
    remarks: tuple[str, ...] = ()  #: what was found about its format, in words
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
        labels = "" if self.label is None else f", labels from '{self.names[self.label]}'"
        header = {
            True: ", named by the first line",
            False: ", there is no line of names",
            None: "",
        }[self.header]
        return "; ".join([f"texts from '{self.names[self.text]}'{labels}{header}", *self.remarks])

    def body(self, table: Table, errors: RowErrors) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield the rows below the header; collect those of a wrong length in ``errors``."""
        width = len(self.names)
        for number, row in table.rows[1:] if self.header else table.rows:
            if len(row) == width:
                yield number, row
            else:
                marks = _MARKS.get(table.delimiter, repr(table.delimiter))
                advice = (
                    f". A text with {marks} in it needs quotes around it"
                    if len(row) > width
                    else ""
                )
                wrong = f"expected {width} columns as in the first line, found {len(row)}"
                errors.add(number, f"{wrong}: {shown(list(row))}{advice}")


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
        return Table(
            str(path), [(number, row) for number, row in excel_rows(path) if keep_empty or any(row)]
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
    remarks = () if encoding in ("utf-8", "ascii") or given.encoding else (f"encoding {encoding}",)
    if form in ("json", "jsonl") or (given.delimiter is None and is_json(text)):
        errors = RowErrors(path)
        plain = plain_rows(json_rows(text, errors, columns=form != "jsonl"))
        errors.check(len(plain.rows), "text")
        table = Table.of_records(str(path), plain.rows, errors.unit)
        return replace(table, remarks=(*remarks, *plain.remarks))
    start, delimiter = 0, given.delimiter
    first, _, rest = text.partition("\n")
    if delimiter is None and (match := _SEP_LINE.fullmatch(first)):
        text = rest
        start = 1
        delimiter = match[1].replace("\\t", "\t")
    rows, delimiter = _delimited(text, path, form, delimiter)
    used = max((_width(fields) for _, fields in rows), default=0)
    kept = [
        (number + start, fields[:used])
        for number, fields in rows
        # A line without any mark between cells is no row, as for pandas.
        if _width(fields) or (keep_empty and len(fields) > 1)
    ]
    kept = kept[next((k for k, (_, fields) in enumerate(kept) if _width(fields)), 0) :]
    if delimiter and delimiter != _DELIMITERS.get(form, " ")[0] and given.delimiter is None:
        remarks = (f"{_MARKS.get(delimiter, repr(delimiter))} between columns", *remarks)
    return Table(
        where=str(path),
        rows=kept,
        names=None,
        unit="line",
        delimiter=delimiter,
        remarks=remarks,
        form=form,
    )


def is_named(start: str) -> bool:
    """Check if the first line of a text file names the columns of a table, texts among them."""
    first = next((line for line in start.split("\n") if line.strip()), "")
    for mark in _DELIMITERS["txt"]:
        names = [name.strip().strip('"') for name in first.split(mark)]
        places = range(len(names))
        if len(names) > 1 and named_column(names, TEXT_NAMES, places, loose=False) is not None:
            return all(re.fullmatch(r"[\w .#-]{0,40}", name) for name in names)
    return False


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
    remarks = table.remarks
    if not table.rows or table.names == ():
        raise DataError(f"{table.where}: no text in this file")
    header, first = given.header, [str(field).strip() for field in table.rows[0][1]]
    if (
        table.names is None
        and any(isinstance(column, str) for column in (given.text, given.label))
        and header is None
    ):
        header = True
    there = tuple(first) if table.names is None else table.names
    if labelled and len(there) < 2:
        raise DataError(
            f"{table.where}, {table.unit} {table.rows[0][0]}: expected a text and a label, found"
            " one column only; set delimiter to the mark between them"
        )
    rows = [values for _, values in table.rows]
    text = _place(given.text, "text", there, table, header)
    label = _place(given.label, "label", there, table, header) if labelled else None
    if like is not None and text is None and label is None:
        header, text, label = _as_in(like, there, header, table)
    if table.names is None and header is None:
        header = _is_header(first, rows[1:])
    names = table.names if table.names is not None else column_names(first, bool(header))
    body = [row for row in (rows[1:] if header else rows) if len(row) == len(there)] or rows[:1]
    columns = {at: [row[at] for row in body] for at in range(len(there))}
    if text is None:
        text = guess_text(names, {at: cells for at, cells in columns.items() if at != label})
    if labelled and label is None:
        label, fitting = guess_label(
            names, {at: cells for at, cells in columns.items() if at != text}
        )
        if fitting:
            fit = (
                f"{listed(names[at] for at in fitting)} have {len(set(map(str, columns[label])))}"
                " values each"
            )
            if ask:
                raise DataError(
                    f"{table.where}: which column holds the labels? {fit}: set label_column to one"
                    " of them"
                )
            remarks = (*remarks, f"WHICH COLUMN HOLDS THE LABELS? {fit}")
    by_place = like is not None and table.names is None and not header
    if label is not None and by_place and given.text is None and given.label is None:
        # Taken by their places in another file, but the columns of this one may lie the other way
        # round.
        guessed = guess_text(names, columns)
        others = {at: cells for at, cells in columns.items() if at != guessed}
        if (guessed, guess_label(names, others)[0]) == (label, text):
            text, label = label, text
    if text == label:
        raise DataError(
            f"{table.where}: text_column and label_column are one and the same column, {text}"
        )
    if (
        label is not None
        and header
        and names[text].lower() in LABEL_NAMES
        and names[label].lower() in TEXT_NAMES
    ):
        raise DataError(
            f"{table.where}: text_column is {text} and label_column is {label}, counted from 0, but"
            f" the first line calls them '{names[text]}' and '{names[label]}': leave both out, and"
            " the columns are found by their names"
        )
    return TableLayout(
        names=names, text=text, label=label if labelled else None, header=header, remarks=remarks
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
    kinds = Counter((any(map(str.isdigit, t)), any(map(str.isalpha, t))) for t in texts if t)
    if sum(kinds.values()) >= 8 and kinds[True, False] >= 0.9 * sum(kinds.values()):
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
    columns = listed(shown(field)[1:-1] for field in names)
    raise DataError(
        f"{table.where}: {name}_column: expected {expected}, found {column!r}; there are"
        f" {len(names)} columns: {columns}"
    )


def _width(fields: Sequence[str]) -> int:
    """Count the fields up to the last one that is not empty."""
    return max((place for place, field in enumerate(fields, start=1) if field.strip()), default=0)


def _delimited(
    text: str, path: Path, form: str, delimiter: str | None
) -> tuple[list[tuple[int, list[str]]], str]:
    """Split a text into rows by the best delimiter, or into one text per line."""
    usual = _DELIMITERS.get(form, _DELIMITERS["txt"])
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise DataError(
            f"{path}: delimiter: expected one character between columns, found {delimiter!r}"
        )
    if delimiter is None:
        best = max(usual, key=lambda mark: (_fit(text, mark, form), -usual.index(mark)))
        delimiter = best if _fit(text, best, form) > 0 else ""
    if delimiter:
        return _rows(text, delimiter, path), delimiter
    if form != "txt" and '"' in text:
        rows = _rows(text, usual[0], path)
        if all(len(fields) == 1 for _, fields in rows):
            return rows, ""
    return [(number, [line]) for number, line in enumerate(text.split("\n"), start=1)], ""


def _fit(text: str, delimiter: str, form: str) -> float:
    """Score a delimiter: the share of the first rows as wide as the first; 0 for none."""
    if delimiter not in text:
        return 0.0
    rows: list[list[str]] = []
    failed = False
    try:
        for _, fields in islice(_parsed(text, delimiter, dialect_of(text, delimiter)), _LOOKED_AT):
            if width := _width(fields):
                rows.append(fields[:width])
    except csv.Error:
        failed = True
    width = len(rows[0]) if rows else 0
    if width < 2:
        return 0.0
    share = sum(len(row) == width for row in rows) / len(rows)
    named = _is_header(rows[0], [])
    inside = [field for row in rows for field in row[1:]]
    # there, commas are punctuation
    is_prose = len(inside) > 0 and all(field[:1] == " " for field in inside)
    if not named and delimiter == "," and is_prose:
        return 0.0
    if form == "txt" and (
        share < 1 or (delimiter != "\t" and not named and (len(rows) < 3 or is_prose))
    ):
        return 0.0
    return share * (0.5 if failed else 1.0)


def _rows(text: str, delimiter: str, path: Path) -> list[tuple[int, list[str]]]:
    rows: list[tuple[int, list[str]]] = []
    try:
        rows.extend(_parsed(text, delimiter, dialect_of(text, delimiter)))
    except csv.Error as error:
        # A quote that is never closed swallows the rest of the file: nothing after it can be
        # trusted.
        line = rows[-1][0] + 1 + sum(field.count("\n") for field in rows[-1][1]) if rows else 1
        raise DataError(
            f"{path}, line {line}: expected fields with {_MARKS.get(delimiter, delimiter)} between"
            f" ({error}): a quote that opens a text must close it, and quotes inside are doubled"
        ) from None
    return [(number, fields) for number, fields in rows if fields]


def _parsed(
    text: str, delimiter: str, dialect: Mapping[str, Any]
) -> Iterator[tuple[int, list[str]]]:
    """Parse rows with their first lines' numbers; quoted fields may have several."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, **dialect)
    number = 1
    for fields in reader:
        yield number, fields
        number = reader.line_num + 1


def dialect_of(text: str, delimiter: str) -> dict[str, Any]:
    """Detect the quoting of fields."""
    if delimiter == "\t" and not _is_quoted_tsv(text):
        return {"quoting": csv.QUOTE_NONE}
    dialect: dict[str, Any] = {
        "strict": True,
        "skipinitialspace": delimiter not in "\t " and f'{delimiter} "' in text,
    }
    if '\\"' in text and '""' not in text.replace('\\"', ""):
        dialect |= {"escapechar": "\\", "doublequote": False}
    return dialect


def _is_quoted_tsv(text: str) -> bool:
    """Check if quotes in a tab-separated file enclose fields.

    Excel and pandas write them so; they are then no part of the texts.
    """
    if '"' not in text:
        return False
    try:
        rows = [fields for _, fields in _parsed(text, "\t", {"strict": True}) if fields]
    except csv.Error:
        return False
    if len({len(row) for row in rows}) != 1:
        return False
    quoted = _QUOTED.findall(text)
    needed = sum(any(mark in field for mark in ('""', "\t", "\n", ",")) for field in quoted)
    return bool(quoted) and (needed == len(quoted) or len(quoted) >= len(rows))


def column_names(first: Sequence[str], header: bool) -> tuple[str, ...]:
    """Return unique, non-empty column names; ``"column 2"`` where there is none."""
    names: list[str] = []
    for place, field in enumerate(first, start=1):
        name = field.strip() if header else ""
        names.append(name if name and name not in names else f"column {place}")
    return tuple(names)


def _is_header(first: Sequence[str], rest: Sequence[Sequence[Any]]) -> bool:
    """Check if the first row names the columns."""
    body = [row for row in rest if len(row) == len(first)]
    below = [{str(row[at]).strip() for row in body} for at in range(len(first))]
    if named_column(first, (*TEXT_NAMES, *LABEL_NAMES), range(len(first)), loose=False) is not None:
        # Unless it is a value as those below: the label "comment", say.
        return not any(
            field and field in values for field, values in zip(first, below, strict=True)
        )
    if any(is_number(field) or len(field) >= 40 for field in first):
        return False
    if len(body) > 1 and any(
        values - {""} and all(is_number(v) for v in values - {""}) for values in below
    ):
        return True
    # Unlike anything below it in its column, everywhere, where labels come again and again.
    repeats = len(body) >= 4 and any(len(values) < len(body) / 2 for values in below)
    return repeats and all(field not in values for field, values in zip(first, below, strict=True))

"""Reader of delimited text: the mark between columns, the quoting, and the rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from elmo_tasks.data.column_guess import is_header
from elmo_tasks.data.text_lines import shown
from elmo_tasks.errors import DataError

NumberedFields = tuple[int, list[str]]  #: line where a row begins, from 1, and its fields
#: Marks between columns by the ending of the file, the likeliest first.
DELIMITERS = {"csv": ",;\t|", "tsv": "\t;,|", "txt": "\t;,|"}
_DELIMITER_NAMES = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
_SEP_LINE = re.compile(r'"?sep=([^"\w ]|\\t)"?\s*', re.IGNORECASE)
_QUOTED = re.compile(r'(?:^|\t)"((?:[^"]|"")*)"(?=\t|$)', re.MULTILINE)
_ROWS_TO_GUESS_FROM = 200
_ONE_MARK = "\x1f"  # stands for a mark of several characters
_RULE = re.compile(r"\s*(:?-+:?)?\s*")
_MOST_LINES_ABOVE = 5
_FEWEST_LINES_BELOW = 4
csv.field_size_limit(2**31 - 1)  # a long text is no error


class DelimitedRows(NamedTuple):
    """Rows of a text, and the mark between their columns."""

    rows: list[NumberedFields]
    delimiter: str  #: empty where each line is one text
    is_unusual: bool  #: True if the mark was guessed and is not the usual one of the file's ending
    remarks: tuple[str, ...] = ()  #: on lines above the table that are left out


def delimiter_name(delimiter: str) -> str:
    """Name a mark in words: ``commas``."""
    return _DELIMITER_NAMES.get(delimiter, repr(delimiter))


def width_of(fields: Sequence[str]) -> int:
    """Count the fields up to the last one that is not empty."""
    return max((place for place, field in enumerate(fields, start=1) if field.strip()), default=0)


def read_delimited(text: str, path: Path, form: str, delimiter: str | None = None) -> DelimitedRows:
    """Split a text into rows by a given or the best delimiter, or into one text per line.

    Args:
        text: content of the file.
        path: the file, for messages.
        form: ``csv``, ``tsv`` or ``txt``.
        delimiter: mark between columns; detected if ``None``, also from Excel's line ``sep=;``.

    Raises:
        DataError: a quote is not closed, or the delimiter is none.
    """
    is_given = delimiter is not None
    n_before = 0
    first, _, rest = text.partition("\n")
    if delimiter is None and (match := _SEP_LINE.fullmatch(first)):
        text = rest
        n_before = 1
        delimiter = match[1].replace("\\t", "\t")
    usual = DELIMITERS.get(form, DELIMITERS["txt"])
    remarks: tuple[str, ...] = ()
    if delimiter is None:
        delimiter = _best_delimiter(text, usual, form)
        # Programs write a title or comments above a table.
        n_above = 0 if delimiter or form == "txt" else _n_lines_above(text, usual, form)
        if n_above:
            above, text = _parted(text, n_above)
            delimiter = _best_delimiter(text, usual, form)
            n_before += n_above
            remarks = (f"LINES ABOVE THE TABLE ARE LEFT OUT: {n_above}, the first {shown(above)}",)
    elif not delimiter or set(delimiter) & set('"\r\n'):
        raise DataError(
            f"{path}: delimiter: expected the mark between columns, found {delimiter!r}"
        )
    elif len(delimiter) > 1:
        text, delimiter = text.replace(delimiter, _ONE_MARK), _ONE_MARK
    rows = _rows(text, delimiter, path) if delimiter else _one_per_line(text, usual[0], path, form)
    if delimiter == "|":  # the line below the names in Markdown
        rows = [row for row in rows if not all(map(_RULE.fullmatch, row[1]))]
    return DelimitedRows(
        rows=[(number + n_before, fields) for number, fields in rows],
        delimiter=delimiter,
        is_unusual=bool(delimiter) and not is_given and delimiter != DELIMITERS.get(form, " ")[0],
        remarks=remarks,
    )


def _n_lines_above(text: str, usual: str, form: str) -> int:
    """Count the lines above a table: up to five that are comments or have one column."""
    for number in range(1, _MOST_LINES_ABOVE + 1):
        above, rest = _parted(text, number)
        last = above.rpartition("\n")[2]
        if (
            rest.count("\n") >= _FEWEST_LINES_BELOW
            and not any(width_of(last.split(mark)) > 1 for mark in usual if last[:1] != "#")
            and _best_delimiter(rest, usual, form)
        ):
            return number
    return 0


def _parted(text: str, n_lines: int) -> tuple[str, str]:
    """Part a text behind a number of lines."""
    lines = text.split("\n", n_lines)
    return "\n".join(lines[:n_lines]), "".join(lines[n_lines:])


def dialect_of(text: str, delimiter: str) -> dict[str, Any]:
    """Detect the quoting of fields."""
    if delimiter == "\t" and not _is_quoted_tsv(text):
        return {"quoting": csv.QUOTE_NONE}
    if '"' not in text and _is_in_single_quotes(text, delimiter):
        return {"quotechar": "'", "strict": True}
    dialect: dict[str, Any] = {
        "strict": True,
        "skipinitialspace": delimiter not in "\t " and f'{delimiter} "' in text,
    }
    if '\\"' in text and '""' not in text.replace('\\"', ""):
        dialect |= {"escapechar": "\\", "doublequote": False}
    return dialect


def _is_in_single_quotes(text: str, delimiter: str) -> bool:
    """Check if each of the first lines, but for the names, has a field in single quotes."""
    mark = re.escape(delimiter)
    quoted = re.compile(rf"(^|{mark})'([^']|'')*'({mark}|$)")
    lines = [line for line in text.split("\n", _ROWS_TO_GUESS_FROM)[1:-1] if line]
    return bool(lines) and all(map(quoted.search, lines))


def _best_delimiter(text: str, usual: str, form: str) -> str:
    """Return the mark that fits best; empty if none fits."""
    scores = {mark: _fit(text, mark, form) for mark in usual}
    best = max(usual, key=lambda mark: (scores[mark], -usual.index(mark)))
    return best if scores[best] > 0 else ""


def _fit(text: str, delimiter: str, form: str) -> float:
    """Score a delimiter: the share of the first rows as wide as the first; 0 for none."""
    if delimiter not in text:
        return 0.0
    rows: list[list[str]] = []
    failed = False
    try:
        parsed = _parsed(text, delimiter, dialect_of(text, delimiter))
        for _, fields in islice(parsed, _ROWS_TO_GUESS_FROM):
            if width := width_of(fields):
                rows.append(fields[:width])
    except csv.Error:
        failed = True
    width = len(rows[0]) if rows else 0
    if width < 2:
        return 0.0
    share = sum(len(row) == width for row in rows) / len(rows)
    is_named = is_header(rows[0], [])
    inside = [field for row in rows for field in row[1:]]
    # In prose, commas are punctuation.
    is_prose = len(inside) > 0 and all(field[:1] == " " for field in inside)
    if not is_named and delimiter == "," and is_prose:
        return 0.0
    if form == "txt" and (
        share < 1 or (delimiter != "\t" and not is_named and (len(rows) < 3 or is_prose))
    ):
        return 0.0
    return share * (0.5 if failed else 1.0)


def _one_per_line(text: str, delimiter: str, path: Path, form: str) -> list[NumberedFields]:
    """Read one text per line, or per quoted field where a table has one column."""
    if form != "txt" and '"' in text:
        rows = _rows(text, delimiter, path)
        if all(len(fields) == 1 for _, fields in rows):
            return rows
    return [(number, [line]) for number, line in enumerate(text.split("\n"), start=1)]


def _rows(text: str, delimiter: str, path: Path) -> list[NumberedFields]:
    rows: list[NumberedFields] = []
    try:
        rows.extend(_parsed(text, delimiter, dialect_of(text, delimiter)))
    except csv.Error as error:
        # A quote that is never closed swallows the rest of the file: nothing after it can be
        # trusted.
        line = rows[-1][0] + 1 + sum(field.count("\n") for field in rows[-1][1]) if rows else 1
        raise DataError(
            f"{path}, line {line}: expected fields with"
            f" {_DELIMITER_NAMES.get(delimiter, delimiter)} between ({error}): a quote that opens a"
            " text must close it, and quotes inside are doubled"
        ) from None
    return [(number, fields) for number, fields in rows if fields]


def _parsed(text: str, delimiter: str, dialect: Mapping[str, Any]) -> Iterator[NumberedFields]:
    """Yield each row with the number of its first line; quoted fields may span lines."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, **dialect)
    number = 1
    for fields in reader:
        yield number, fields
        number = reader.line_num + 1


def _is_quoted_tsv(text: str) -> bool:
    """Check if quotes in a tab-separated file enclose fields.

    Excel and pandas write such quotes, which do not belong to the texts.
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

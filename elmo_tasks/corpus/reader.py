"""Rows of files, folders and addresses, streamed: no large file is held in memory."""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from elmo_tasks.corpus.blocks import TextRow
from elmo_tasks.corpus.store import arrow_filesystem, is_address
from elmo_tasks.data.delimited import dialect_of
from elmo_tasks.data.inputs import InputRow, read_inputs
from elmo_tasks.data.tables import (
    FORMATS,
    Table,
    TextColumns,
    find_columns,
    form_of,
    parse_table,
)
from elmo_tasks.data.text_lines import shown, suffix_of
from elmo_tasks.errors import DataError
from elmo_tasks.text.compressed import READ_ERRORS, open_binary, unpacked

STANDARD = "-"
#: Number of lines from which the columns of a table are detected.
_HEAD_LINES = 200
#: Tables up to this many bytes are read whole, in any format and encoding; larger ones are
#: streamed.
_MAX_WHOLE_BYTES = 50_000_000
#: Endings of the files that are read in a folder.
_ENDINGS = {*FORMATS, ".conll", ".conllu", ".iob", ".bio", ".marked"}
Numbered = Iterator[tuple[int, str]]
Report = Callable[[str], None]


@dataclass(frozen=True)
class Input:
    """Texts of a job, as given."""

    sources: Sequence[str]  #: files, folders, patterns, addresses, or ``-`` for standard input
    column: str | None = None  #: column of the texts in tables; detected if ``None``
    skip_bad: bool = False  #: set aside rows that cannot be read
    #: returns the reason why a text cannot be used, ``None`` where it can
    check: Callable[[str], str | None] | None = None


class BadRows:
    """Rows that cannot be read: refused, or set aside and counted.

    Args:
        skip: set them aside, instead of raising a DataError at the first one.
    """

    def __init__(self, skip: bool = False) -> None:
        self.skip = skip
        self.rows: list[tuple[str, int, str]] = []  #: file, line or row in it, and the reason

    def add(self, source: str, place: int, message: str) -> None:
        """Set a row aside, or raise."""
        if not self.skip:
            raise DataError(
                f"{source}, line {place}: {message}; correct it, or leave such rows out with"
                " --skip-bad"
            )
        self.rows.append((source, place, message))


def files_of(source: str) -> list[str]:
    """Return the files of a path, a folder, a pattern with ``*``, or an address.

    Raises:
        DataError: there is none.
    """
    if source == STANDARD:
        return [source]
    if is_address(source):
        return _addresses(source)
    path = Path(source)
    if path.is_dir():
        inside = sorted(
            file for file in path.rglob("*") if file.is_file() and not file.name.startswith(".")
        )
        # In a folder, files with other endings are not texts.
        found = [str(file) for file in inside if suffix_of(file) in _ENDINGS]
        expected = ", ".join(sorted(_ENDINGS))
        if not found:
            raise DataError(f"{source}: no file to read in this folder; expected {expected}")
        return found
    if path.exists():
        return [source]
    if found := sorted(filter(os.path.isfile, glob.glob(source, recursive=True))):
        return found
    raise DataError(f"{source}: no such file; expected a text, a table, a folder or an address")


def _addresses(source: str) -> list[str]:
    from pyarrow import fs

    filesystem, path = arrow_filesystem(source)
    start = (
        source[: len(source) - len(path)]
        if source.endswith(path)
        else f"{source.split('://')[0]}://"
    )
    try:
        (info,) = filesystem.get_file_info([path])
        if info.type == fs.FileType.File:
            return [source]
        chosen = fs.FileSelector(path, recursive=True)
        found = sorted(i.path for i in filesystem.get_file_info(chosen) if i.is_file)
    except OSError as error:
        raise DataError(f"{source}: cannot be read ({error})") from None
    if not found:
        raise DataError(f"{source}: no file to read there")
    return [f"{start}{place}" for place in found]


def read_rows(
    sources: Sequence[str],
    column: str | None = None,
    bad: BadRows | None = None,
    check: Callable[[str], str | None] | None = None,
    report: Report = lambda text: print(text, file=sys.stderr),
) -> Iterator[TextRow]:
    """Yield the rows of files, numbered from 0 over all of them.

    Args:
        sources: files, folders, patterns, addresses, or ``-`` for standard input.
        column: column of the texts in tables; detected if ``None``.
        bad: takes the rows that cannot be read; by default, the first one is an error.
        check: returns the reason why a text cannot be used, ``None`` where it can.
        report: called with a description of how a table is read.

    Raises:
        DataError: a file is missing or cannot be read, or a row of it.
    """
    bad = bad or BadRows()
    n_good = 0
    for source in chain.from_iterable(map(files_of, sources)):
        for place, text, tokens in _texts(source, column, bad, report):
            reason = check(text) if check is not None else None
            if reason is not None:
                bad.add(source, place, reason)
            else:
                yield TextRow(
                    number=n_good + len(bad.rows),
                    text=text,
                    source=source,
                    place=place,
                    tokens=tokens,
                )
                n_good += 1


def _texts(source: str, column: str | None, bad: BadRows, report: Report) -> Iterator[InputRow]:
    form = "txt" if source == STANDARD else form_of(Path(source))
    is_local_file = source != STANDARD and not is_address(source)
    # Small files, and those that are read line by line, may have any format and encoding.
    if (
        is_local_file
        and not bad.skip
        and (form in ("txt", "json", "xlsx") or Path(source).stat().st_size <= _MAX_WHOLE_BYTES)
    ):
        inputs = read_inputs(Path(source), column)
        if inputs.description:
            report(f"{source}: {inputs.description}")
        yield from inputs.rows
        return
    for place, text in _streamed(source, form, column, bad, report):
        yield InputRow(place, text)


def _streamed(source: str, form: str, column: str | None, bad: BadRows, report: Report) -> Numbered:
    """Yield the texts of a file of any size, in UTF-8."""
    if form in ("json", "xlsx"):
        raise DataError(
            f"{source}: expected .txt, .csv, .tsv, .jsonl or .parquet, at an address or with"
            " --skip-bad"
        )
    if form == "parquet":
        return _parquet(source, column, bad, report)
    lines = _lines(source, bad)
    if form == "jsonl":
        return _json_lines(source, lines, column, bad, report)
    if form == "txt" and column is None:
        return lines
    return _delimited(source, form, lines, column, bad, report)


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    if source == STANDARD:
        yield cast(BinaryIO, sys.stdin.buffer)
        return
    try:
        if is_address(source):
            filesystem, path = arrow_filesystem(source)
            with filesystem.open_input_stream(path, compression=None) as stream:
                yield unpacked(io.BufferedReader(stream), source)
        else:
            with open_binary(Path(source)) as file:
                yield file
    except READ_ERRORS as error:
        raise DataError(f"{source}: the compressed data is broken ({error})") from None


def _lines(source: str, bad: BadRows) -> Numbered:
    """Yield the lines of a text in UTF-8, without their ends."""
    name = "standard input" if source == STANDARD else source
    with _opened(source) as file:
        # A line ends at a line feed only: a carriage return may stand within a text.
        for number, line in enumerate(file, start=1):
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            try:
                yield number, line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                found = f"expected UTF-8 text, found the byte 0x{line[error.start]:02x}"
                bad.add(name, number, f"{found} (save the file as UTF-8)")


def _json_lines(
    source: str, lines: Numbered, column: str | None, bad: BadRows, report: Report
) -> Numbered:
    def parsed() -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in lines:
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                bad.add(source, number, f"expected one JSON object, found {shown(line)} ({error})")
                continue
            if isinstance(row, dict):
                yield number, row
            else:
                bad.add(source, number, f"expected one JSON object, found {shown(line)}")

    rows = parsed()
    head = list(islice(rows, _HEAD_LINES))
    layout = find_columns(Table.of_records(source, head), TextColumns(text=column), labelled=False)
    report(f"{source}: {layout.describe()}")
    key = layout.names[layout.text]
    for number, row in chain(head, rows):
        yield from _cell(source, number, row.get(key), key, bad)


def _delimited(
    source: str, form: str, lines: Numbered, column: str | None, bad: BadRows, report: Report
) -> Numbered:
    """Yield the texts of a CSV or TSV file; its format is found from its first lines."""
    first = list(islice(lines, _HEAD_LINES))
    head = "\n".join(line for _, line in first)
    given = TextColumns(text=column)
    table = parse_table(_whole_rows(head), Path(source), form, given)
    layout = find_columns(table, given, labelled=False)
    report(f"{source}: {layout.describe()}")
    every = (f"{line}\n" for _, line in chain(first, lines))
    if not table.delimiter:
        rows: Iterable[tuple[int, list[str]]] = (
            (n, [line.rstrip("\n")]) for n, line in enumerate(every, 1)
        )
    else:
        rows = _csv_rows(source, every, table.delimiter, dialect_of(head, table.delimiter))
    skipped = table.rows[0][0] if layout.header else table.rows[0][0] - 1
    for number, row in rows:
        if number <= skipped or not any(field.strip() for field in row):
            continue
        if len(row) < len(layout.names) or any(field.strip() for field in row[len(layout.names) :]):
            wrong = f"expected {len(layout.names)} columns as in the first line, found {len(row)}"
            bad.add(source, number, f"{wrong}: {shown(row)}")
        else:
            yield number, row[layout.text]


def _whole_rows(head: str) -> str:
    """Cut a head that ends inside a quoted text back to where the quotes are even."""
    while head.count('"') % 2 and "\n" in head:
        head = head.rpartition("\n")[0]
    return head


def _csv_rows(
    source: str, lines: Iterable[str], delimiter: str, dialect: Any
) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=delimiter, **dialect)
    number = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # A quote that is never closed swallows the rest: nothing after it can be trusted.
            raise DataError(
                f"{source}, line {number}: expected fields between quotes ({error})"
            ) from None
        yield number, row
        number = reader.line_num + 1


def _parquet(source: str, column: str | None, bad: BadRows, report: Report) -> Numbered:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        filesystem, path = arrow_filesystem(source) if is_address(source) else (None, source)
        with pq.ParquetFile(path, filesystem=filesystem) as file:
            schema = file.schema_arrow
            names = [field.name for field in schema if "binary" not in str(field.type)]
            head = next(file.iter_batches(_HEAD_LINES, columns=names), None)
            records = enumerate([] if head is None else head.to_pylist(), start=1)
            layout = find_columns(
                Table.of_records(source, records), TextColumns(text=column), labelled=False
            )
            report(f"{source}: {layout.describe()}")
            key, number = layout.names[layout.text], 0
            for batch in file.iter_batches(4096, columns=[key]):
                for value in batch.column(0).to_pylist():
                    number += 1
                    yield from _cell(source, number, value, key, bad)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{source}: expected a parquet file ({error})") from None


def _cell(source: str, number: int, value: Any, key: str, bad: BadRows) -> Numbered:
    """Yield the text of a cell: a list of tokens is joined, and nothing is an empty text."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    if value is None or isinstance(value, str):
        yield number, value or ""
    else:
        bad.add(source, number, f"'{key}': expected a text, found {shown(value)}")

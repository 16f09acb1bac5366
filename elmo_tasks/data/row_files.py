"""Rows of JSON, parquet and Excel files, and of Hugging Face data sets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from elmo_tasks.data.column_guess import TEXT_NAMES, named_column
from elmo_tasks.data.records import in_quotes
from elmo_tasks.data.text_lines import RowErrors, check_file, shown
from elmo_tasks.errors import DataError

#: The number of a row, from 1, and its columns. A class is given by its name, or ``None`` where it
#: is hidden.
ColumnRows = Iterator[tuple[int, dict[str, Any]]]

_SURROGATE = re.compile("[\ud800-\udfff]")
_FEWEST_PAIRS = 6  #: of texts and labels that one object has as keys and values
FROM_CACHE = "load it on a machine that has one and copy its cache (HF_HOME)"

#: Hub data sets by short name: their address, and the columns of the inputs and the labels.
HUB_DATA_SETS = {
    "conll2003": ("lhoestq/conll2003", "tokens", "ner_tags"),
    "sst2": ("stanfordnlp/sst2", "sentence", "label"),
    "sst5": ("SetFit/sst5", "text", "label"),
    "imdb": ("stanfordnlp/imdb", "text", "label"),
}


def is_json(text: str) -> bool:
    """Check if a text is JSON objects or an array, whatever the file's name."""
    start = text.lstrip()
    if not re.match(r'\{\s*"|\[\s*[\[{"]', start):
        return False
    return any(
        isinstance(_parsed(piece), (dict, list)) for piece in (start.partition("\n")[0], text)
    )


def json_rows(text: str, errors: RowErrors, columns: bool = True) -> ColumnRows:
    """Yield objects of JSON lines, an array, or an object that holds the array.

    Malformed rows are collected in ``errors``. A text or a list in place of an object has its
    columns numbered. With ``columns``, an object of lists of the same length is a table by columns.
    """
    lines = [
        (number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()
    ]
    one_each = len(lines) > 1 and _parsed(lines[0][1]) is not None
    whole = None if one_each else _parsed(text)
    if (
        whole is None
        and not one_each
        and len(lines) > 1
        and (lines[0][1].strip() == "{" or text.lstrip()[:1] == "[")
    ):
        whole = _concatenated(text)
        if whole is None:
            _refuse_broken(text, errors)
            return
    if isinstance(whole, dict):
        whole = _rows_within(whole, columns)
    if isinstance(whole, list) and not (
        len(lines) == 1 and all(isinstance(value, (int, float)) for value in whole)
    ):
        if len(whole) > 1:
            errors.unit = "row"
        numbered: Iterable[tuple[int, Any]] = enumerate(whole, start=1)
    else:
        numbered = _json_lines(lines, errors)
    for number, row in numbered:
        if isinstance(row, str):
            row = {"text": row}
        elif isinstance(row, list) and row and not isinstance(row[0], (int, float)):
            row = {f"column {place}": value for place, value in enumerate(row, start=1)}
        if not isinstance(row, dict):
            errors.add(
                number, f"expected one JSON object on the line, found {shown(json.dumps(row))}"
            )
        elif _SURROGATE.search(json.dumps(row, ensure_ascii=False)):
            # No encoding can write it, so it would fail wherever the row is kept.
            half = shown(json.dumps(row))
            errors.add(
                number, f"expected whole characters, found half of one (a lone surrogate): {half}"
            )
        else:
            yield number, row


def _concatenated(text: str) -> list[Any] | None:
    """Read objects of several lines each, one after the other, as jq writes them."""
    decoder, rows, at = json.JSONDecoder(), [], 0
    text = text.strip()
    while at < len(text):
        try:
            row, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        rows.append(row)
        while at < len(text) and text[at].isspace():
            at += 1
    return rows


def _refuse_broken(text: str, errors: RowErrors) -> None:
    """Add the place where JSON over several lines is broken."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        errors.add(error.lineno, f"expected JSON, found {shown(line)} ({error.msg})")
    except (ValueError, RecursionError) as error:
        errors.add(1, f"expected JSON, found what cannot be read ({error})")


def _rows_within(whole: dict[str, Any], columns: bool) -> list[Any]:
    """Return the rows that one JSON object holds; itself if it is a row."""
    if isinstance(whole.get("data"), dict) and "annotations" in whole:  # a task of Label Studio
        return [whole]
    has_text = named_column(list(whole), TEXT_NAMES, range(len(whole))) is not None
    lists = [value for value in whole.values() if isinstance(value, list)]
    arrays = [value for value in lists if value and isinstance(value[0], dict)]
    named = [whole[key] for key in ("rows", "data") if whole.get(key) in arrays]
    if len(arrays) > 1 and named:
        arrays = named[:1]
    beside = [value[0] if isinstance(value, list) and value else value for value in whole.values()]
    if len(arrays) == 1 and not any(isinstance(value, str) for value in beside):
        return arrays[0]
    if _are_classes(whole):
        return [{"text": text, "label": label} for label, texts in whole.items() for text in texts]
    if (
        len(whole) >= _FEWEST_PAIRS
        and not has_text
        and all(isinstance(value, str) and " " in key.strip() for key, value in whole.items())
    ):
        return [{"text": text, "label": label} for text, label in whole.items()]
    by_columns = columns or all(value and isinstance(value[0], list) for value in lists)
    if (
        by_columns
        and lists
        and len(lists) == len(whole)
        and len({len(value) for value in lists}) == 1
    ):
        return [dict(zip(whole, row, strict=True)) for row in zip(*lists, strict=True)]
    # As pandas writes with orient="split".
    if isinstance(whole.get("columns"), list) and isinstance(whole.get("data"), list):
        return [
            dict(zip(whole["columns"], row, strict=False))
            for row in whole["data"]
            if isinstance(row, list)
        ]
    inner = [value for value in whole.values() if isinstance(value, dict)]
    if (
        len(inner) == 1
        and not (lists or has_text)
        and (found := _rows_within(inner[0], columns)) != inner
    ):
        return found
    if whole and len(inner) == len(whole):
        return _of_indexed(whole)
    return [whole]


def _are_classes(whole: dict[str, Any]) -> bool:
    """Check if an object has the texts of each class, under its name."""
    lists = list(whole.values())
    texts = [text for value in lists if isinstance(value, list) for text in value]
    return (
        len(whole) > 1
        and all(isinstance(value, list) and value for value in lists)
        and all(isinstance(text, str) and " " in text.strip() for text in texts)
        and len(set(texts)) > len(texts) / 2
        and named_column(list(whole), TEXT_NAMES, range(len(whole))) is None
    )


def _of_indexed(whole: dict[str, dict[str, Any]]) -> list[Any]:
    """Return the rows of an object of objects: by column, as pandas writes them, or by row."""
    first = next(iter(whole.values()))
    by_column = (
        first
        and all(key.isdecimal() for key in first)
        and not all(key.isdecimal() for key in whole)
    )
    if not by_column:
        return list(whole.values())
    return [{column: cells.get(index) for column, cells in whole.items()} for index in first]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_lines(lines: Iterable[tuple[int, str]], errors: RowErrors) -> Iterator[tuple[int, Any]]:
    for number, line in lines:
        try:
            yield number, json.loads(line)
        # ValueError: also a number with more digits than Python reads.
        except (ValueError, RecursionError) as error:
            errors.add(
                number, f"expected one JSON object on the line, found {shown(line)} ({error})"
            )


def parquet_rows(path: Path) -> ColumnRows:
    """Yield the rows of a parquet file, without columns of bytes, such as images."""
    # Imported here: most files do without it.
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_file(path)
    try:
        schema = pq.read_schema(path)
        table = pq.read_table(
            path, columns=[field.name for field in schema if "binary" not in str(field.type)]
        )
        rows = table.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{path}: expected a parquet file ({_reason(error)})") from None
    names: dict[str, list[str] | None] = {}
    if b"huggingface" in (schema.metadata or {}):
        from datasets import Features  # a second to import

        names = {
            name: class_names(feature)
            for name, feature in Features.from_arrow_schema(schema).items()
        }
    for number, row in enumerate(rows, start=1):
        yield number, {key: named_classes(value, names.get(key)) for key, value in row.items()}


class Sheet(NamedTuple):
    """Rows of a sheet of a workbook, and remarks on the other sheets."""

    rows: list[tuple[int, list[str]]]
    remarks: tuple[str, ...]


def excel_rows(path: Path) -> Sheet:
    """Read the first sheet of an Excel file that has two columns, else the first, as texts."""
    check_file(path)
    try:
        import pandas

        sheets = pandas.read_excel(
            path, sheet_name=None, header=None, dtype=object, na_filter=False
        )
    except Exception as error:  # openpyxl is not installed, or raises any kind of error
        raise DataError(
            f"{path}: expected an Excel file (.xlsx): save the sheet as CSV UTF-8"
            f" ({_reason(error)})"
        ) from None
    filled = [name for name, sheet in sheets.items() if len(sheet)]
    wide = [name for name in filled if sheets[name].shape[1] > 1]
    chosen = next(iter(wide or filled or sheets))
    others = [str(name) for name in filled if name != chosen]
    remarks = (
        (
            f"ONLY THE SHEET {in_quotes([str(chosen)])} IS READ; for {in_quotes(others)}, save the"
            " sheet as a file of its own",
        )
        if others
        else ()
    )
    rows = sheets[chosen].itertuples(index=False)
    return Sheet(
        [(k, ["" if cell is None else str(cell) for cell in row]) for k, row in enumerate(rows, 1)],
        remarks,
    )


def hub_rows(name: str, split: str, columns: Sequence[str]) -> ColumnRows:
    """Yield the rows of a split (``train[:10%]``) of :data:`HUB_DATA_SETS` or a hub id."""
    import datasets

    hub_id, *_ = HUB_DATA_SETS.get(name, (name,))
    files = "give files instead of data.hub: data.train, data.validation, data.test"
    with hub_errors(
        f"the data set '{hub_id}' (split '{split}')", f"Without a network, {FROM_CACHE}, or {files}"
    ):
        table = datasets.load_dataset(hub_id, split=split)
    assert isinstance(table, datasets.Dataset)
    if missing := [column for column in columns if column not in table.column_names]:
        raise DataError(
            f"{hub_id}, split '{split}': no column {in_quotes(missing)}; it has"
            f" {in_quotes(table.column_names)}"
        )
    table = table.select_columns(list(columns))
    names = {column: class_names(table.features[column]) for column in columns}
    for number, row in enumerate(table, start=1):
        yield number, {key: named_classes(value, names[key]) for key, value in row.items()}


@contextmanager
def hub_errors(where: str, advice: str) -> Iterator[None]:
    """Describe errors of a hub data set."""
    from datasets.exceptions import DatasetsError

    try:
        yield
    except DataError:
        raise
    except (DatasetsError, OSError, ValueError, RuntimeError) as error:
        hint = f". {advice}" if isinstance(error, OSError) else ""
        reason = _reason(error).rstrip(".")
        raise DataError(
            f"{where} cannot be read from the Hugging Face hub: {reason}{hint}"
        ) from error


def class_names(feature: Any) -> list[str] | None:
    """Return the class names of a column, or of a column of lists of classes."""
    return getattr(getattr(feature, "feature", feature), "names", None)


def named_classes(value: Any, names: list[str] | None) -> Any:
    """Replace the number of a class, or a list of them, by names; keep values without names."""
    if names is None:
        return value
    if isinstance(value, list):
        return [named_classes(item, names) for item in value]
    # Hidden labels of a test split are -1.
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else None


def _reason(error: Exception) -> str:
    """Return the first line of a library's error message."""
    line = (str(error).strip() or type(error).__name__).splitlines()[0]
    return "".join(character if character.isprintable() else "?" for character in line)

"""Rows of JSON, parquet and Excel files, and of Hugging Face data sets."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from elmo_tasks.data.column_guess import TEXT_NAMES
from elmo_tasks.data.records import listed
from elmo_tasks.data.text_lines import Budget, RowErrors, check_file, shown
from elmo_tasks.errors import DataError

#: The number of a row, from 1, and its columns. A class is given by its name, or ``None`` where it is hidden.
Rows = Iterator[tuple[int, dict[str, Any]]]

_SURROGATE = re.compile("[\ud800-\udfff]")
_PARQUET_ROWS, _ROW_BYTES = 64, 100
_NO_NETWORK = (
    "This needs a network. Without one, load it on a machine that has one and copy its cache (HF_HOME), without --rows; "
    "or give text files"
)

#: Short names of hub data sets, their places, and the columns that hold what is labelled and the labels.
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
    return any(isinstance(_parsed(piece), (dict, list)) for piece in (start.partition("\n")[0], text))


def json_rows(text: str, errors: RowErrors, columns: bool = True) -> Rows:
    """Yield objects of JSON lines, an array, or an object that holds the array.

    Malformed rows are collected in ``errors``.

    A text or a list in place of an object has its columns numbered. With ``columns``, an object of lists of the same length is a
    table by columns.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    one_each = len(lines) > 1 and _parsed(lines[0][1]) is not None
    whole = None if one_each else _parsed(text)
    if isinstance(whole, dict):
        inside = [value for value in whole.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        lists = [value for value in whole.values() if isinstance(value, list)]
        if len(inside) == 1 and not any(isinstance(value, str) for value in whole.values()):
            whole = inside[0]
        elif (
            (columns or all(value and isinstance(value[0], list) for value in lists))
            and lists
            and len(lists) == len(whole)
            and len({len(value) for value in lists}) == 1
        ):
            whole = [dict(zip(whole, row, strict=True)) for row in zip(*lists, strict=True)]
        elif len(lists) < len(whole) and whole and all(isinstance(value, dict) for value in whole.values()):
            whole = list(whole.values())
        else:
            whole = [whole]
    if isinstance(whole, list) and not (len(lines) == 1 and all(isinstance(v, (int, float)) for v in whole)):
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
            errors.add(number, f"expected one JSON object on the line, found {shown(json.dumps(row))}")
        elif _SURROGATE.search(json.dumps(row, ensure_ascii=False)):
            # No encoding can write it, so it would fail wherever the row is kept.
            half = shown(json.dumps(row))
            errors.add(number, f"expected whole characters, found half of one (a lone surrogate): {half}")
        else:
            yield number, row


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_lines(lines: Iterable[tuple[int, str]], errors: RowErrors) -> Iterator[tuple[int, Any]]:
    for number, line in lines:
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:  # ValueError: also a number of more digits than Python reads
            errors.add(number, f"expected one JSON object on the line, found {shown(line)} ({error})")


def parquet_rows(path: Path) -> Rows:
    """Yield the rows of a parquet file: columns of texts, numbers and lists.

    Raises:
        DataError: the file is missing, or is no parquet file.
    """
    # Imported here: most files do without it.
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_file(path)
    budget = Budget(path)
    try:
        with pq.ParquetFile(path) as file:
            wanted = [field.name for field in file.schema_arrow if _is_plain(field.type)]
            leaves = [file.schema.column(k).path for k in range(len(file.schema))]
        # Values that repeat stay written once, so that a value of a megabyte in a million rows is seen before it is copied.
        with pq.ParquetFile(path, read_dictionary=leaves) as file:
            _check_unpacked(file.metadata, wanted, budget)
            names = _names_in(file.schema_arrow)
            for batch in file.iter_batches(_PARQUET_ROWS, columns=wanted):
                for column in batch.columns:
                    budget.take(_ROW_BYTES * len(column) + _written_out(column))
            number = 0
            for batch in file.iter_batches(_PARQUET_ROWS, columns=wanted):
                for row in batch.to_pylist():
                    number += 1
                    yield number, {key: _named(value, names.get(key)) for key, value in row.items()}
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path}: expected a parquet file ({_reason(error)})") from None


def excel_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the first sheet of an Excel file as texts.

    Raises:
        DataError: the file is missing or damaged, or what reads it is not installed.
    """
    check_file(path)
    try:
        with zipfile.ZipFile(path) as packed:
            Budget(path).take(sum(part.file_size for part in packed.infolist()))
        import pandas

        sheet = pandas.read_excel(path, header=None, dtype=object, na_filter=False)
    except ImportError:
        raise DataError(
            f"{path}: Excel files are read with openpyxl: pip install openpyxl, or save the sheet as CSV UTF-8"
        ) from None
    except (zipfile.BadZipFile, OSError, ValueError, KeyError, TypeError, SyntaxError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{path}: expected an Excel file (.xlsx): save the sheet as CSV UTF-8 ({_reason(error)})"
        ) from None
    for number, row in enumerate(sheet.itertuples(index=False), start=1):
        yield number, ["" if cell is None else str(cell) for cell in row]


def hub_rows(name: str, split: str, columns: Sequence[str]) -> Rows:
    """Yield the rows of a split such as ``train[:10%]`` of a hub data set.

    It is one of :data:`HUB_DATA_SETS`, or a hub id such as ``user/name``.

    Raises:
        DataError: it cannot be loaded, or has no such column.
    """
    import datasets
    from datasets.exceptions import DatasetsError

    hub_id = HUB_DATA_SETS[name][0] if name in HUB_DATA_SETS else name
    try:
        table = datasets.load_dataset(hub_id, split=split)
    except (DatasetsError, OSError, ValueError, RuntimeError) as error:
        raise DataError(
            f"the data set '{hub_id}' (split '{split}') cannot be loaded from the Hugging Face hub: {_reason(error)}. Without "
            "a network, load it once on a machine that has one and copy its cache (HF_HOME), or give files instead of "
            "data.hub: data.train, data.validation, data.test"
        ) from error
    assert isinstance(table, datasets.Dataset)
    where = f"{hub_id}, split '{split}'"
    table = table.select_columns(_known(columns, table.column_names, where))
    names = {name: _class_names(table.features[name]) for name in table.column_names}
    for number, row in enumerate(table, start=1):
        yield number, {key: _named(value, names[key]) for key, value in row.items()}


def hub_texts(
    name: str, column: str | None = None, split: str = "train", config: str | None = None, most: int | None = None
) -> Iterator[str]:
    """Yield the texts of a split of a hub data set, or of a local folder.

    They serve as a corpus to search.

    Args:
        name: hub id such as ``user/name``, or the folder.
        column: that holds the texts, or lists of words; the one called text, sentence, review, ... if ``None``.
        split: such as ``train``, or ``train[:10%]``.
        config: of the data set, where it has several.
        most: read so many rows; the rest is not downloaded then.

    Raises:
        DataError: it cannot be loaded, or has no such column of text.
    """
    import datasets
    from datasets.exceptions import DatasetsError

    where = f"the data set '{name}' (split '{split}')"
    try:
        table = datasets.load_dataset(name, config, split=split, streaming=most is not None)
        for number, row in enumerate(table if most is None else table.take(most), start=1):
            column = column if column in row else _text_column(list(row), column, where)
            text = row[column]
            text = " ".join(map(str, text)) if isinstance(text, list) else text
            if text is not None and not isinstance(text, str):
                raise DataError(f"{where}, row {number}: column '{column}': expected text, found {type(text).__name__}")
            yield text or ""
    except DataError:
        raise
    # A stream may break at any row.
    except (DatasetsError, OSError, ValueError, RuntimeError) as error:
        hint = f". {_NO_NETWORK}" if isinstance(error, OSError) else ""
        raise DataError(
            f"{where} cannot be read from the Hugging Face hub: {_reason(error).rstrip('.')}{hint}"
        ) from error


def _text_column(names: list[str], wanted: str | None, where: str) -> str:
    found = wanted or next((name for known in TEXT_NAMES for name in names if name.lower() == known), None)
    if found is None and len(names) == 1:
        found = names[0]
    if found not in names:
        which = (
            f"no column '{wanted}'" if wanted else "no column that is called like one of texts; name it with --column"
        )
        raise DataError(f"{where}: {which}; it has {', '.join(names)}")
    return found


def hub_columns(name: str | None) -> tuple[str | None, str | None]:
    """Return the input columns and the label column of a known data set."""
    return HUB_DATA_SETS[name][1:] if name in HUB_DATA_SETS else (None, None)


def _is_plain(kind: Any) -> bool:
    """Check if a parquet column holds texts, numbers, or lists of them.

    Images and nested rows are excluded.
    """
    import pyarrow as pa

    while pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_struct(kind):  # spans of characters
        return all(_is_plain(kind.field(k).type) for k in range(kind.num_fields))
    return not pa.types.is_binary(kind) and not pa.types.is_large_binary(kind)


def _check_unpacked(metadata: Any, wanted: Sequence[str], budget: Budget) -> None:
    """Check the decompressed size of the columns against the file's metadata."""
    for k in range(metadata.num_row_groups):
        group = metadata.row_group(k)
        for c in range(group.num_columns):
            column = group.column(c)
            if column.path_in_schema.partition(".")[0] in wanted and column.total_uncompressed_size > budget.left:
                budget.take(column.total_uncompressed_size)


def _written_out(column: Any) -> int:
    """Compute the bytes of a column's strings when each is written in full."""
    import pyarrow as pa
    import pyarrow.compute as pc

    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = column.flatten()
    if pa.types.is_dictionary(column.type):
        lengths = pc.binary_length(column.dictionary.cast(pa.large_binary()))
        return int(pc.sum(lengths.take(column.indices)).as_py() or 0)
    return int(column.nbytes)


def _names_in(schema: Any) -> dict[str, list[str] | None]:
    """Return the class names of columns that hold class numbers.

    The metadata are as `datasets` writes them.
    """
    if b"huggingface" not in (schema.metadata or {}):
        return {}
    from datasets import Features  # a second to import

    return {name: _class_names(feature) for name, feature in Features.from_arrow_schema(schema).items()}


def _class_names(feature: Any) -> list[str] | None:
    """Return the class names of a column, or of a column of lists of classes."""
    inner = getattr(feature, "feature", feature)
    return getattr(inner, "names", None)


def _named(value: Any, names: list[str] | None) -> Any:
    if names is None:
        return value
    if isinstance(value, list):
        return [_named(item, names) for item in value]
    # Hidden labels of a test split are -1.
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else None


def _reason(error: Exception) -> str:
    """Return the first line of a library's error message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _known(columns: Sequence[str], there: Sequence[str], where: str) -> list[str]:
    missing = [name for name in columns if name not in there]
    if missing:
        raise DataError(f"{where}: no column {listed(missing)}; it has {listed(there)}")
    return list(columns)

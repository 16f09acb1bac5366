"""Rows with named columns: JSON lines, parquet files and data sets on the Hugging Face hub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_tasks.data.records import listed
from elmo_tasks.data.text_lines import Budget, RowErrors, check_file, numbered_lines, shown
from elmo_tasks.errors import DataError

if TYPE_CHECKING:
    from datasets import Dataset

#: The number of a row, from 1, and its columns. A class is given by its name, or ``None`` where it is hidden.
Rows = Iterator[tuple[int, dict[str, Any]]]
#: A column by its place, from 0 (negative: from the end), or by its name.
Column = int | str

_SURROGATE = re.compile("[\ud800-\udfff]")
_PARQUET_ROWS, _ROW_BYTES = 64, 100

#: Short names of hub data sets, their places, and the columns that hold what is labelled and the labels.
HUB_DATA_SETS = {
    "conll2003": ("lhoestq/conll2003", "tokens", "ner_tags"),
    "sst2": ("stanfordnlp/sst2", "sentence", "label"),
    "sst5": ("SetFit/sst5", "text", "label"),
    "imdb": ("stanfordnlp/imdb", "text", "label"),
}


def json_rows(path: Path, errors: RowErrors, encoding: str = "utf-8") -> Rows:
    """The objects of a file with one JSON object a line; empty lines are passed over, wrong ones go to ``errors``.

    Raises:
        DataError: see :func:`elmo_tasks.data.text_lines.numbered_lines`.
    """
    for number, line in numbered_lines(path, encoding):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # ValueError: also a number of more digits than Python reads
            errors.add(number, f"expected one JSON object on the line, found {shown(line)} ({error})")
            continue
        if "\\ud" in line.lower() and _SURROGATE.search(json.dumps(row, ensure_ascii=False)):
            # No encoding can write it, so it would fail wherever the row is kept.
            errors.add(number, f"expected whole characters, found half of one (a lone surrogate): {shown(line)}")
        elif isinstance(row, dict):
            yield number, row
        else:
            errors.add(number, f"expected one JSON object on the line, found {shown(line)}")


def parquet_rows(path: Path, columns: Sequence[Column]) -> Rows:
    """The rows of a parquet file.

    Args:
        path: the file.
        columns: those that are read.

    Raises:
        DataError: the file is missing, is no parquet file, or has no such column.
    """
    # Imported here: most files do without it.
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_file(path)
    budget = Budget(path)
    try:
        with pq.ParquetFile(path) as file:
            wanted = _known([str(name) for name in columns], file.schema_arrow.names, str(path))
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
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(f"{path}: expected a parquet file ({reason})") from None


def hub_rows(name: str, split: str, columns: Sequence[Column]) -> Rows:
    """The rows of one split of a data set on the hub.

    Args:
        name: one of :data:`HUB_DATA_SETS`, or a hub id such as ``user/name``.
        split: such as ``train``, or ``train[:10%]``.
        columns: those that are read.

    Raises:
        DataError: it cannot be loaded, or has no such column.
    """
    import datasets
    from datasets.exceptions import DatasetsError

    hub_id = HUB_DATA_SETS[name][0] if name in HUB_DATA_SETS else name
    try:
        table = datasets.load_dataset(hub_id, split=split)
    except (DatasetsError, OSError, ValueError, RuntimeError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(
            f"the data set '{hub_id}' (split '{split}') cannot be loaded from the Hugging Face hub: {reason}. Without "
            "a network, load it once on a machine that has one and copy its cache (HF_HOME), or give files instead of "
            "data.hub: data.train, data.validation, data.test"
        ) from error
    assert isinstance(table, datasets.Dataset)
    yield from _rows(table, columns, f"{hub_id}, split '{split}'")


def hub_columns(name: str | None) -> tuple[str | None, str | None]:
    """The columns of a data set that is known here: what is labelled, and the labels."""
    return HUB_DATA_SETS[name][1:] if name in HUB_DATA_SETS else (None, None)


def column_name(column: Column | None, default: str, parameter: str, where: object) -> str:
    """The name of a column.

    Raises:
        DataError: it is given by its place.
    """
    if isinstance(column, int):
        raise DataError(f"{where}: {parameter}: expected the name of a column, found the number {column}")
    return default if column is None else column


def _rows(table: Dataset, columns: Sequence[Column], where: str) -> Rows:
    table = table.select_columns(_known([str(name) for name in columns], table.column_names, where))
    names = {name: _class_names(table.features[name]) for name in table.column_names}
    for number, row in enumerate(table, start=1):
        yield number, {key: _named(value, names[key]) for key, value in row.items()}


def _known(columns: list[str], there: Sequence[str], where: str) -> list[str]:
    missing = [name for name in columns if name not in there]
    if missing:
        raise DataError(f"{where}: no column {listed(missing)}; it has {listed(there)}")
    return columns


def _check_unpacked(metadata: Any, wanted: Sequence[str], budget: Budget) -> None:
    """What the file itself says that its columns take once decompressed."""
    for k in range(metadata.num_row_groups):
        group = metadata.row_group(k)
        for c in range(group.num_columns):
            column = group.column(c)
            if column.path_in_schema.partition(".")[0] in wanted and column.total_uncompressed_size > budget.left:
                budget.take(column.total_uncompressed_size)


def _written_out(column: Any) -> int:
    """Bytes of a column's strings when each is written where it stands."""
    import pyarrow as pa
    import pyarrow.compute as pc

    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = column.flatten()
    if pa.types.is_dictionary(column.type):
        lengths = pc.binary_length(column.dictionary.cast(pa.large_binary()))
        return int(pc.sum(lengths.take(column.indices)).as_py() or 0)
    return int(column.nbytes)


def _names_in(schema: Any) -> dict[str, list[str] | None]:
    """Names of the classes of the columns that hold their numbers, as `datasets` writes them."""
    if b"huggingface" not in (schema.metadata or {}):
        return {}
    from datasets import Features  # a second to import

    return {name: _class_names(feature) for name, feature in Features.from_arrow_schema(schema).items()}


def _class_names(feature: Any) -> list[str] | None:
    """Names of the classes of a column, or of a column of lists of classes."""
    inner = getattr(feature, "feature", feature)
    return getattr(inner, "names", None)


def _named(value: Any, names: list[str] | None) -> Any:
    if names is None:
        return value
    if isinstance(value, list):
        return [_named(item, names) for item in value]
    # Hidden labels of a test split are -1.
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else None


def parquet_first(path: Path) -> dict[str, Any]:
    """The names of the columns of a parquet file, with a value of each column's kind: no row is read.

    Raises:
        DataError: the file is missing, or is no parquet file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_file(path)
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{path}: expected a parquet file ({str(error).strip().splitlines()[0]})") from None
    listlike = (pa.types.is_list, pa.types.is_large_list)
    return {f.name: [] if any(is_(f.type) for is_ in listlike) else "" for f in schema}

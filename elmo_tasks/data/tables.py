"""Rows with named columns: JSON lines, parquet files and data sets on the Hugging Face hub."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_tasks.data.records import listed
from elmo_tasks.data.text_lines import RowErrors, check_file, numbered_lines, shown
from elmo_tasks.errors import DataError

if TYPE_CHECKING:
    from datasets import Dataset

#: The number of a row, from 1, and its columns. A class is given by its name, or ``None`` where it is hidden.
Rows = Iterator[tuple[int, dict[str, Any]]]
#: A column by its place, from 0 (negative: from the end), or by its name.
Column = int | str

#: Short names of hub data sets, their places, and the columns that hold what is labelled and the labels.
HUB_DATA_SETS = {
    "conll2003": ("lhoestq/conll2003", "tokens", "ner_tags"),
    "sst2": ("stanfordnlp/sst2", "sentence", "label"),
    "sst5": ("SetFit/sst5", "text", "label"),
    "imdb": ("stanfordnlp/imdb", "text", "label"),
}


def json_rows(path: Path, errors: RowErrors) -> Rows:
    """The objects of a file with one JSON object a line; empty lines are passed over, wrong ones go to ``errors``.

    Raises:
        DataError: see :func:`elmo_tasks.data.text_lines.numbered_lines`.
    """
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            errors.add(number, f"expected one JSON object on the line, found {shown(line)} ({error})")
            continue
        if isinstance(row, dict):
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
    # Imported here: `datasets` takes a second, and most files do without it.
    from datasets import Dataset
    from datasets.exceptions import DatasetsError

    check_file(path)
    with tempfile.TemporaryDirectory() as cache:
        try:
            table = Dataset.from_parquet(str(path), cache_dir=cache, keep_in_memory=True)
        except (DatasetsError, OSError, ValueError) as error:
            reason = str(error.__cause__ or error).strip().splitlines()[0]
            raise DataError(f"{path}: expected a parquet file ({reason})") from None
        assert isinstance(table, Dataset)
        yield from _rows(table, columns, str(path))


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
    missing = [str(name) for name in columns if name not in table.column_names]
    if missing:
        raise DataError(f"{where}: no column {listed(missing)}; it has {listed(table.column_names)}")
    table = table.select_columns([str(name) for name in columns])
    names = {name: _class_names(table.features[name]) for name in table.column_names}
    for number, row in enumerate(table, start=1):
        yield number, {key: _named(value, names[key]) for key, value in row.items()}


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

"""Rows of a Python program as training data, written to a file for the run."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from elmo_tasks.data.row_files import class_names, named_classes
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_write

_PREFIX = "data.init_args."
_ABOUT_FILES = {
    "text_column",
    "label_column",
    "token_column",
    "tag_column",
    "header",
    "delimiter",
    "encoding",
    "hub",
}
_SPLITS = ("train", "validation", "test")


def with_files(settings: Mapping[str, Any], folder: Path, own: Mapping[str, Any]) -> dict[str, Any]:
    """Write rows given as data settings to files; return settings that name the files.

    Rows are a pandas ``DataFrame``, a ``datasets.Dataset``, or a list of dictionaries. A file is
    named by its content, so that no later call changes the data of a run. Splits that a
    configuration names for its own data are left out, unless given.

    Args:
        settings: keys with dots.
        folder: where the files are written.
        own: settings of the configuration's data; those about the form of its files do not apply
            to rows.
    """
    changed = dict(settings)
    given = {split: changed.get(f"{_PREFIX}{split}") for split in _SPLITS}
    tables = {
        split: rows
        for split, rows in given.items()
        if rows is not None and not isinstance(rows, str | Path)
    }
    for split, rows in tables.items():
        changed[f"{_PREFIX}{split}"] = _written(_records(rows, split), folder)
    if "train" in tables:
        changed.setdefault(f"{_PREFIX}test", None)
        changed.setdefault(f"{_PREFIX}file_format", "jsonl")
        for name in _ABOUT_FILES & own.keys():
            changed.setdefault(f"{_PREFIX}{name}", None)
        if f"{_PREFIX}validation" not in settings:
            changed[f"{_PREFIX}validation"] = None
            changed.setdefault(f"{_PREFIX}validation_share", 0.15)
    return changed


def _records(rows: Any, split: str) -> list[dict[str, Any]]:
    """Return rows as dictionaries, the classes of a data set by their names."""
    found = rows
    if callable(to_dict := getattr(rows, "to_dict", None)) and hasattr(rows, "columns"):
        found = to_dict("records")
    elif features := getattr(rows, "features", None):
        names = {key: class_names(feature) for key, feature in features.items()}
        found = (
            {key: named_classes(value, names.get(key)) for key, value in row.items()}
            for row in rows
        )
    listed = list(found) if isinstance(found, Iterable) else None
    if not listed or not all(isinstance(row, Mapping) for row in listed):
        raise ConfigError(
            f"{split}: expected a file, a DataFrame, a datasets.Dataset or a list of dictionaries,"
            f" found {type(rows).__name__}{' without rows' if listed == [] else ''}"
        )
    return [dict(row) for row in listed]


def _written(records: list[dict[str, Any]], folder: Path) -> str:
    lines = "".join(f"{json.dumps(_plain(row), ensure_ascii=False)}\n" for row in records)
    digest = hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()
    path = folder / f"{digest[:16]}.jsonl"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        atomic_write(path, lines)
    return str(path)


def _plain(value: Any) -> Any:
    """Return a value that JSON holds.

    Arrays become lists, NumPy's numbers Python's, and missing ones null.
    """
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if callable(to_list := getattr(value, "tolist", None)):  # NumPy
        return _plain(to_list())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return None if type(value).__name__ in ("NAType", "NaTType") else str(value)

"""Vectors of a text as files: HDF5 as AllenNLP wrote it, HDF5 in few large data sets, Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.bilm.hdf5_writing import STRING, writing_hdf5
from elmo_tasks.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

# Rows that are written at once.
_ROWS = 8192


@dataclass(frozen=True)
class Vectors:
    """The vectors of a text, to be written."""

    lines: Sequence[str]  #: of the text, as they were read
    tokens: Sequence[Sequence[str]]  #: of each line
    row_shape: tuple[int, ...]  #: ``(L, D)`` or ``(D,)``: the shape of one vector
    dtype: str  #: ``float32`` or ``float16``
    pooled: bool  #: there is one vector a line instead of one a token

    @property
    def n_rows(self) -> int:
        """Number of vectors."""
        return len(self.lines) if self.pooled else sum(map(len, self.tokens))


def write_published(path: Path, about: Vectors, found: Iterable[NDArray[Any]]) -> None:
    """A data set a line, and ``sentence_to_index``: the file of the ``allennlp elmo`` command."""
    with writing_hdf5(path) as file:
        for number, vectors in enumerate(found):
            file.create_dataset(str(number), data=vectors, dtype=about.dtype)
        # A sentence that comes twice has the same vectors twice; its index is the last, as AllenNLP wrote it.
        index = {line: str(k) for k, line in enumerate(about.lines)}
        table = file.create_dataset("sentence_to_index", (1,), dtype=STRING)
        table[0] = json.dumps(index)


def write_flat(path: Path, about: Vectors, found: Iterable[NDArray[Any]]) -> None:
    """Few large data sets: all ``vectors``, the ``offsets`` of each line's first one, the ``sentences``, the ``tokens``."""
    counts = [1] * len(about.lines) if about.pooled else [len(tokens) for tokens in about.tokens]
    with writing_hdf5(path) as file:
        file.create_dataset("offsets", data=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
        file.create_dataset("sentences", data=list(about.lines), shape=(len(about.lines),), dtype=STRING)
        if not about.pooled:
            flat = [token for tokens in about.tokens for token in tokens]
            file.create_dataset("tokens", data=flat, shape=(len(flat),), dtype=STRING)
        table = file.create_dataset("vectors", (about.n_rows, *about.row_shape), dtype=about.dtype)
        at = 0
        for rows in _in_bulk(_rows(about, found)):
            table[at : at + len(rows)] = rows
            at += len(rows)


def write_parquet(path: Path, about: Vectors, found: Iterable[NDArray[Any]]) -> None:
    """A row a vector, for Arrow and vector databases: ``sentence``, ``position``, ``text``, and ``vector`` or ``layer_0``, ...

    Raises:
        ConfigError: PyArrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ConfigError(f"{path}: Parquet is written by PyArrow, which is not here: pip install pyarrow") from None
    names = ["vector"] if len(about.row_shape) == 1 else [f"layer_{k}" for k in range(about.row_shape[0])]
    number = pa.float16() if about.dtype == "float16" else pa.float32()
    vector = pa.list_(number, about.row_shape[-1])
    places = [("sentence", pa.int64()), *([] if about.pooled else [("position", pa.int32())]), ("text", pa.string())]
    schema = pa.schema([*places, *((name, vector) for name in names)])
    labels = _labels(about)
    with pq.ParquetWriter(path, schema) as writer:
        for rows in _in_bulk(_rows(about, found)):
            chosen = [next(labels) for _ in rows]
            columns: list[pa.Array] = [
                pa.array([label[k] for label in chosen], kind) for k, (_, kind) in enumerate(places)
            ]
            for layer in rows[:, None].transpose(1, 0, 2) if len(about.row_shape) == 1 else rows.transpose(1, 0, 2):
                columns.append(pa.FixedSizeListArray.from_arrays(pa.array(layer.ravel(), number), layer.shape[1]))
            writer.write_table(pa.table(columns, schema=schema))


def _labels(about: Vectors) -> Iterator[tuple[Any, ...]]:
    """Where each vector stands, and what it is of."""
    for k, (line, tokens) in enumerate(zip(about.lines, about.tokens, strict=True)):
        if about.pooled:
            yield k, line
        else:
            yield from ((k, position, token) for position, token in enumerate(tokens))


def _rows(about: Vectors, found: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """``[rows, ...]`` of each line."""
    return (vectors[None] if about.pooled else vectors for vectors in found)


def _in_bulk(parts: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """The same rows, many at a time."""
    waiting: list[NDArray[Any]] = []
    n = 0
    for part in parts:
        waiting.append(part)
        n += len(part)
        if n >= _ROWS:
            yield np.concatenate(waiting)
            waiting, n = [], 0
    if n:
        yield np.concatenate(waiting)

"""Search tables of an index of uses, over all of its blocks."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.corpus.blocks import Block, Job, result_name
from elmo_tasks.corpus.store import Store
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_file, atomic_write

SENTENCES_NAME = "sentences.txt"
WORDS_NAME = "words.txt"
TABLE_NAME = "words.parquet"
NORMS = ".norms.npy"
WORDS = ".words.npz"


def write_tables(
    folder: Path, n_layers: int, blocks: Sequence[Block], job: Job, store: Store
) -> tuple[list[list[Any]], int]:
    """Write the search tables of all blocks, reading one block at a time.

    Returns:
        The name and number of words of each block, and the number of different words.
    """
    words: dict[str, int] = {}
    sizes: list[list[Any]] = []
    position = n = 0
    with (
        _Appended(folder / "lines.npy", np.int64) as lines,
        _Appended(folder / "offsets.npy", np.int64) as offsets,
        _Appended(folder / "forms.npy", np.int32) as forms,
        atomic_file(folder / SENTENCES_NAME) as partial,
        partial.open("wb") as text,
        _table(folder, n_layers) as table,
    ):
        lines.add([0])
        offsets.add([0])
        for block in blocks:
            name, rows = result_name(block, job, ""), block.rows(store)
            encoded = [f"{row.text}\n".encode("utf-8", "surrogatepass") for row in rows]
            ends = position + np.cumsum([len(line) for line in encoded])
            text.writelines(encoded)
            lines.add(ends)
            position = int(ends[-1])
            with np.load(io.BytesIO(store.read(f"{name}{WORDS}"))) as part:
                ids = part["ids"]
                counts = part["counts"]
                joined = part["forms"].tobytes()
            block_forms = joined.decode("utf-8", "surrogatepass").split("\n")
            if len(ids):
                numbers = [words.setdefault(word, len(words)) for word in block_forms]
                forms.add(np.array(numbers, np.int32)[ids])
            offsets.add(n + np.cumsum(counts))
            sizes.append([name, len(ids)])
            if table is not None:
                norms = store.read(f"{name}{NORMS}")
                table([row.number for row in rows], counts, ids, block_forms, norms)
            n += len(ids)
    if not n:
        raise ConfigError("there is nothing to index: expected text with at least one word")
    atomic_write(folder / WORDS_NAME, "\n".join(words).encode("utf-8", "surrogatepass"))
    _write_postings(folder, n, len(words))
    return sizes, len(words)


class _Appended:
    """A NumPy file of one dimension that grows: its header is written at the end."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self._path = path
        self._dtype = np.dtype(dtype)
        self._n = 0

    def __enter__(self) -> _Appended:
        self._context = atomic_file(self._path)
        self._file = self._context.__enter__().open("wb")
        self._file.write(self._header(0))
        return self

    def __exit__(self, *error: Any) -> None:
        self._file.seek(0)
        self._file.write(self._header(self._n))
        self._file.close()
        self._context.__exit__(*error)

    def _header(self, n: int) -> bytes:
        sink = io.BytesIO()
        fields = {"descr": self._dtype.str, "fortran_order": False, "shape": (n,)}
        np.lib.format.write_array_header_1_0(sink, fields)  # padded to the same length for every n
        return sink.getvalue()

    def add(self, values: Any) -> None:
        """Append numbers."""
        self._file.write(np.asarray(values, self._dtype).tobytes())
        self._n += len(values)


def _write_postings(folder: Path, n_tokens: int, n_forms: int) -> None:
    """Write the rows of each form one after the other, and where those of a form begin.

    A counting sort, in parts: 100 million rows need no more memory than a few million.
    """
    forms = np.load(folder / "forms.npy", mmap_mode="r")
    counts = np.zeros(n_forms, np.int64)
    step = 4_000_000
    for start in range(0, n_tokens, step):
        counts += np.bincount(forms[start : start + step], minlength=n_forms)
    starts = np.concatenate([[0], np.cumsum(counts)])
    with atomic_file(folder / "starts.npy") as partial, partial.open("wb") as file:
        np.save(file, starts)
    with atomic_file(folder / "postings.npy") as partial:
        rows = np.lib.format.open_memmap(partial, "w+", np.int64, (n_tokens,))
        free = starts[:-1].copy()
        for start in range(0, n_tokens, step):
            part = np.asarray(forms[start : start + step])
            order = np.argsort(part, kind="stable")
            ids, first, n = np.unique(part[order], return_index=True, return_counts=True)
            within = np.arange(len(part)) - np.repeat(first, n)
            rows[np.repeat(free[ids], n) + within] = start + order
            free[ids] += n
        rows.flush()
        del rows


def _table(folder: Path, n_layers: int) -> Any:
    """Return a context whose value writes the words of a block to Parquet, for other programs.

    Without PyArrow, which searching does not need, the value is ``None``.
    """
    return (
        _Table(folder / TABLE_NAME, n_layers) if find_spec("pyarrow") else contextlib.nullcontext()
    )


class _Table:
    """Parquet file with a row per word: its sentence, position, form and norms."""

    def __init__(self, path: Path, n_layers: int) -> None:
        import pyarrow as pa

        self._path = path
        self._norms = [*(f"norm_{k}" for k in range(n_layers)), "norm_mean"]
        fields = [
            ("sentence", pa.int64()),
            ("position", pa.int32()),
            ("form", pa.dictionary(pa.int32(), pa.string())),
        ]
        self._schema = pa.schema([*fields, *((name, pa.float32()) for name in self._norms)])

    def __enter__(self) -> _Table:
        import pyarrow.parquet as pq

        self._context = atomic_file(self._path)
        self._writer = pq.ParquetWriter(self._context.__enter__(), self._schema)
        return self

    def __exit__(self, *error: Any) -> None:
        self._writer.close()
        self._context.__exit__(*error)

    def __call__(
        self,
        numbers: Sequence[int],
        counts: NDArray[np.int32],
        ids: NDArray[np.int32],
        forms: Sequence[str],
        norms: bytes,
    ) -> None:
        """Write the words of a block, in a row group of its own."""
        import pyarrow as pa

        positions = np.arange(len(ids)) - np.repeat(np.cumsum(counts) - counts, counts)
        columns = [
            pa.array(np.repeat(numbers, counts), pa.int64()),
            pa.array(positions, pa.int32()),
            pa.DictionaryArray.from_arrays(pa.array(ids), pa.array(forms, pa.string())),
            *(pa.array(norm) for norm in np.load(io.BytesIO(norms))),
        ]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))

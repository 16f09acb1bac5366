"""Vectors of a text, block by block, to HDF5 (two layouts) or Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.corpus.blocks import Block, TextRow, parquet_content
from elmo_tasks.corpus.store import Store

Tokenizer = Callable[[TextRow], Sequence[str]]


@dataclass(frozen=True)
class Part:
    """The vectors of a block: one per token, or one per line if pooled."""

    numbers: Sequence[int]  #: of the lines
    lines: Sequence[str]  #: as they were read, without spaces around
    tokens: Sequence[Sequence[str]]  #: of each line
    rows: NDArray[Any]  #: ``[rows, L, D]`` or ``[rows, D]``, in the order of the text
    pooled: bool  #: True for one vector per line

    @property
    def counts(self) -> list[int]:
        """Number of rows of each line."""
        return [1 if self.pooled else len(tokens) for tokens in self.tokens]

    def labels(self) -> Iterator[tuple[int, int, str]]:
        """Yield the line and the position of each row, and its text."""
        for number, line, tokens in zip(self.numbers, self.lines, self.tokens, strict=True):
            texts = [line] if self.pooled else tokens
            yield from ((number, position, text) for position, text in enumerate(texts))


@dataclass(frozen=True)
class TextVectors:
    """The vectors of a text, in files of its blocks, one of which is read at a time."""

    blocks: Sequence[Block]
    store: Store  #: a folder of this machine
    files: Sequence[str]  #: NumPy's, one per block
    tokenizer: Tokenizer  #: gives the tokens of a line
    pooled: bool  #: True for one vector per line
    with_norms: bool  #: True if the lengths of the vectors are wanted, too

    def __iter__(self) -> Iterator[Part]:
        for block, name in zip(self.blocks, self.files, strict=True):
            read = block.rows(self.store)
            lines = [row.text.strip() for row in read]
            tokens = [self.tokenizer(row) for row in read]
            yield Part(
                numbers=[row.number for row in read],
                lines=lines,
                tokens=tokens,
                rows=self._rows(name),
                pooled=self.pooled,
            )

    def _rows(self, name: str) -> NDArray[Any]:
        rows: NDArray[Any] = np.load(Path(self.store.place) / name, mmap_mode="r")
        return rows

    @property
    def shape(self) -> tuple[int, ...]:
        """``(rows, L, D)`` or ``(rows, D)`` of all blocks."""
        shapes = [self._rows(name).shape for name in self.files]
        return (sum(shape[0] for shape in shapes), *shapes[0][1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self._rows(self.files[0]).dtype


def norms_of(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the lengths of vectors, ``[rows, L]`` or ``[rows]``."""
    return np.asarray(np.linalg.norm(rows.astype(np.float32), axis=-1))


def print_norms(n_layers: int | None, labelled: Iterator[tuple[int, str, Sequence[float]]]) -> None:
    """Print a table of the lengths of the vectors of lines and their texts."""
    layers = ["length"] if n_layers is None else [f"layer {k}" for k in range(n_layers)]
    print(f"{'line':>5}  {'':20}" + "".join(f"{name:>10}" for name in layers))
    for line, text, norms in labelled:
        print(f"{line + 1:>5}  {text[:20]:20}" + "".join(f"{norm:>10.2f}" for norm in norms))


def labelled_norms(vectors: TextVectors) -> Iterator[tuple[int, str, Sequence[float]]]:
    """Yield the line, the text and the lengths of the vectors of each row."""
    for part in vectors:
        norms = norms_of(part.rows).reshape(len(part.rows), -1)
        for (line, _, text), row in zip(part.labels(), norms, strict=True):
            yield line, text, row.tolist()


def write_published(path: Path, vectors: TextVectors) -> None:
    """Write a data set per line and ``sentence_to_index``, as ``allennlp elmo``.

    That index holds the whole text, so it fits texts that fit into memory.
    """
    import h5py

    index: dict[str, str] = {}
    with h5py.File(path, "w") as file:
        for part in vectors:
            start = 0
            for number, line, count in zip(part.numbers, part.lines, part.counts, strict=True):
                data = part.rows[start] if part.pooled else part.rows[start : start + count]
                # (layers, tokens, dim), as AllenNLP wrote them; here tokens are the first axis.
                turned = data.ndim == 3
                file.create_dataset(str(number), data=data.transpose(1, 0, 2) if turned else data)
                # A repeated sentence has the same vectors twice; the last one counts there.
                index[line] = str(number)
                start += count
        table = file.create_dataset("sentence_to_index", (1,), dtype=h5py.string_dtype())
        table[0] = json.dumps(index)


def write_flat(path: Path, vectors: TextVectors) -> None:
    """Write ``vectors``, ``offsets``, ``sentences`` and ``tokens`` as few data sets."""
    import h5py

    shape, n_lines = vectors.shape, sum(block.n_rows for block in vectors.blocks)
    with h5py.File(path, "w") as file:
        table = file.create_dataset("vectors", shape, dtype=vectors.dtype)
        offsets = file.create_dataset("offsets", (n_lines + 1,), dtype=np.int64)
        texts = {
            "sentences": file.create_dataset("sentences", (n_lines,), dtype=h5py.string_dtype())
        }
        if not vectors.pooled:
            texts["tokens"] = file.create_dataset("tokens", shape[:1], dtype=h5py.string_dtype())
        norms = (
            file.create_dataset("norms", shape[:-1], dtype=np.float32)
            if vectors.with_norms
            else None
        )
        row = line = 0
        for part in vectors:
            stop, end = row + len(part.rows), line + len(part.lines)
            table[row:stop] = part.rows
            offsets[line + 1 : end + 1] = row + np.cumsum(part.counts)
            texts["sentences"][line:end] = list(part.lines)
            if not vectors.pooled and stop > row:
                texts["tokens"][row:stop] = [token for tokens in part.tokens for token in tokens]
            if norms is not None:
                norms[row:stop] = norms_of(part.rows)
            row, line = stop, end


def parquet_bytes(part: Part, with_norms: bool) -> bytes:
    """Return a Parquet file with a row per vector, for Arrow and vector databases."""
    import pyarrow as pa

    rows = part.rows
    ends = [f"_{k}" for k in range(rows.shape[1])] if rows.ndim == 3 else [""]
    lines, positions, texts = zip(*part.labels(), strict=True) if len(rows) else ((), (), ())
    columns: dict[str, Any] = {"sentence": pa.array(lines, pa.int64())}
    if not part.pooled:
        columns["position"] = pa.array(positions, pa.int32())
    columns["text"] = pa.array(texts, pa.string())
    for end, layer in zip(
        ends, rows.reshape(len(rows), len(ends), rows.shape[-1]).transpose(1, 0, 2), strict=True
    ):
        name = f"layer{end}" if end else "vector"
        columns[name] = pa.FixedSizeListArray.from_arrays(pa.array(layer.ravel()), rows.shape[-1])
    if with_norms:
        lengths = norms_of(rows).reshape(len(rows), -1).T.astype(np.float32)
        columns |= {f"norm{end}": pa.array(norm) for end, norm in zip(ends, lengths, strict=True)}
    return parquet_content(columns)


def npy_bytes(rows: NDArray[Any]) -> bytes:
    """Return the content of a NumPy file."""
    sink = io.BytesIO()
    np.save(sink, rows)
    return sink.getvalue()

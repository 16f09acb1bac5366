"""``embed``: vectors of a text file, as HDF5 (two layouts) or Parquet."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_tasks.cli.arguments import STANDARD, add_device, add_model, add_precision, check_output, lines_of
from elmo_tasks.errors import ConfigError, DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

HELP = "vectors of every token of a text file, to HDF5 or Parquet"
# Rows that are written at once.
_ROWS = 8192


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add = parser.add_argument
    add("input", help="text file: one sentence per line, tokens separated by spaces; - for standard input")
    add("output", type=Path, help="HDF5 file; a name that ends in .parquet makes it Parquet")
    add_model(parser)
    add("--raw", action="store_true", help="lines are plain text, which is split into tokens here")
    add("--sentences", action="store_true", help="one vector a line: the mean over its tokens")
    text = "print the length of every vector, at each layer with --all, and write it, except to the published layout"
    add("--norms", action="store_true", help=text)
    text = "of HDF5: a data set per line (default), or few large ones: vectors, offsets, sentences, tokens"
    add("--layout", choices=("published", "flat"), default="published", help=text)
    add("--dtype", choices=("float32", "float16"), default="float32", help="of the vectors (default: float32)")
    add("--window", type=int, help="read longer lines in overlapping windows of so many tokens (default: whole)")
    add("--batch-size", type=int, default=64, help="sentences at a time, at most (default: 64)")
    add_device(parser)
    add_precision(parser, bf16=True)
    layers = parser.add_mutually_exclusive_group(required=True)
    for name, text in (
        ("all", "all layers: (layers, tokens, dim)"),
        ("top", "the top layer: (tokens, dim)"),
        ("average", "their mean: (tokens, dim)"),
    ):
        layers.add_argument(f"--{name}", action="store_const", const=name, dest="layers", help=text)


def run(args: argparse.Namespace) -> int:
    """Encode in blocks, which resume after a kill; the file appears when it is complete."""
    from elmo_tasks.encoders import load
    from elmo_tasks.encoders.batches import CorpusEncoding
    from elmo_tasks.encoders.layer_cache import encoded_rows
    from elmo_tasks.files import atomic_file, check_room, file_lock, lock_of
    from elmo_tasks.layers import checked_device
    from elmo_tasks.text.tokens import tokenize

    output: Path = args.output
    settings = args.layers, args.sentences, args.dtype, args.batch_size, args.window, args.precision == "bf16"
    if args.input != STANDARD and not Path(args.input).is_file():
        raise DataError(f"{args.input}: no such file; expected one sentence per line, tokens separated by spaces")
    check_output(output, args.input)
    device = checked_device(args.device)
    with file_lock(lock_of(output), str(output)):
        lines = [line.strip() for line in lines_of(args.input)]
        tokens = [[token.text for token in tokenize(line)] if args.raw else line.split() for line in lines]
        encoder = load(args.model, device, "int8" if args.precision == "int8" else "float32")
        encoding = CorpusEncoding(encoder, tokens, *settings)
        partial = output.with_name(f".{output.name}.parts")
        rows = encoded_rows(encoding, partial, encoding.key)
        check_room(output, rows.nbytes)  # HDF5 that meets a full disk prints tracebacks and ends the process
        vectors = TextVectors(lines, tokens, rows, args.sentences, args.norms)
        writers = {"published": write_published, "flat": write_flat, "parquet": write_parquet}
        write = writers["parquet" if output.suffix == ".parquet" else args.layout]
        with atomic_file(output) as path:
            write(path, vectors)
        if args.norms:
            print_norms(vectors)
        shutil.rmtree(partial, ignore_errors=True)
    return 0


@dataclass(frozen=True)
class TextVectors:
    """The vectors of a text: one per token, or one per line if pooled."""

    lines: Sequence[str]  #: of the text, as they were read
    tokens: Sequence[Sequence[str]]  #: of each line
    rows: NDArray[Any]  #: ``[rows, L, D]`` or ``[rows, D]``, in the order of the text
    pooled: bool  #: True for one vector a line
    with_norms: bool  #: True if the lengths of the vectors are wanted, too

    @property
    def counts(self) -> list[int]:
        """Number of rows of each line."""
        return [1 if self.pooled else len(tokens) for tokens in self.tokens]

    def labels(self) -> Iterator[tuple[int, int, str]]:
        """Yield the line and the position of each row, and its text."""
        for k, (line, tokens) in enumerate(zip(self.lines, self.tokens, strict=True)):
            yield from ((k, position, text) for position, text in enumerate([line] if self.pooled else tokens))

    def blocks(self) -> Iterator[NDArray[Any]]:
        """Yield the rows in blocks that fit into memory."""
        return (self.rows[start : start + _ROWS] for start in range(0, len(self.rows), _ROWS))


def norms_of(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the lengths of vectors, ``[rows, L]`` or ``[rows]``."""
    import numpy as np

    return np.asarray(np.linalg.norm(rows.astype(np.float32), axis=-1))


def print_norms(vectors: TextVectors) -> None:
    """Print a table of the lengths of the vectors."""
    layers = [f"layer {k}" for k in range(vectors.rows.shape[1])] if vectors.rows.ndim == 3 else ["length"]
    print(f"{'line':>5}  {'':20}" + "".join(f"{name:>10}" for name in layers))
    labels = vectors.labels()
    for block in vectors.blocks():
        for norms in norms_of(block).reshape(len(block), -1):
            line, _, text = next(labels)
            print(f"{line + 1:>5}  {text[:20]:20}" + "".join(f"{norm:>10.2f}" for norm in norms))


def write_published(path: Path, vectors: TextVectors) -> None:
    """Write a data set per line and ``sentence_to_index``, as ``allennlp elmo``."""
    import h5py

    start = 0
    with h5py.File(path, "w") as file:
        for number, count in enumerate(vectors.counts):
            data = vectors.rows[start] if vectors.pooled else vectors.rows[start : start + count]
            # (layers, tokens, dim), as AllenNLP wrote them; here tokens are the first axis.
            turned = data.ndim == 3
            file.create_dataset(str(number), data=data.transpose(1, 0, 2) if turned else data)
            start += count
        # A repeated sentence has the same vectors twice; its index is the last, as AllenNLP wrote it.
        index = {line: str(k) for k, line in enumerate(vectors.lines)}
        table = file.create_dataset("sentence_to_index", (1,), dtype=h5py.string_dtype())
        table[0] = json.dumps(index)


def write_flat(path: Path, vectors: TextVectors) -> None:
    """Write ``vectors``, ``offsets``, ``sentences`` and ``tokens`` as few data sets."""
    import h5py
    import numpy as np

    rows = vectors.rows
    with h5py.File(path, "w") as file:
        file.create_dataset("offsets", data=np.concatenate([[0], np.cumsum(vectors.counts)]).astype(np.int64))
        texts = {"sentences": list(vectors.lines)}
        if not vectors.pooled:
            texts["tokens"] = [token for line in vectors.tokens for token in line]
        for name, values in texts.items():
            file.create_dataset(name, data=values, shape=(len(values),), dtype=h5py.string_dtype())
        table = file.create_dataset("vectors", rows.shape, dtype=rows.dtype)
        norms = file.create_dataset("norms", rows.shape[:-1], dtype=np.float32) if vectors.with_norms else None
        start = 0
        for block in vectors.blocks():
            table[start : start + len(block)] = block
            if norms is not None:
                norms[start : start + len(block)] = norms_of(block)
            start += len(block)


def write_parquet(path: Path, vectors: TextVectors) -> None:
    """Write a row per vector, for Arrow and vector databases."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ConfigError(f"{path}: Parquet is written by PyArrow, which is not here: pip install pyarrow") from None
    rows = vectors.rows
    ends = [f"_{k}" for k in range(rows.shape[1])] if rows.ndim == 3 else [""]
    vector = pa.list_(pa.from_numpy_dtype(rows.dtype), rows.shape[-1])
    columns = [("sentence", pa.int64()), ("position", pa.int32()), ("text", pa.string())]
    columns += [(f"layer{end}" if end else "vector", vector) for end in ends]
    columns += [(f"norm{end}", pa.float32()) for end in ends if vectors.with_norms]
    schema = pa.schema([column for column in columns if not (vectors.pooled and column[0] == "position")])
    labels = vectors.labels()
    with pq.ParquetWriter(path, schema) as writer:
        for block in vectors.blocks():
            values: list[Any] = list(zip(*(next(labels) for _ in block), strict=True))
            for layer in block.reshape(len(block), len(ends), -1).transpose(1, 0, 2):
                values.append(pa.FixedSizeListArray.from_arrays(pa.array(layer.ravel()), layer.shape[1]))
            if vectors.with_norms:
                values += list(norms_of(block).reshape(len(block), -1).T)
            named = {name: value for (name, _), value in zip(columns, values, strict=True)}
            writer.write_table(pa.table({name: named[name] for name in schema.names}, schema=schema))

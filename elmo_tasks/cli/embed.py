"""``embed``: vectors of a text file, as HDF5 (two layouts) or Parquet."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_tasks.cli.arguments import add_device
from elmo_tasks.errors import ConfigError, DataError

if TYPE_CHECKING:
    import pyarrow as pa
    import torch
    from numpy.typing import NDArray

    from elmo_tasks.encoders import Encoder
    from elmo_tasks.encoders.batches import CorpusEncoding

HELP = "vectors of every token of a text file, to HDF5 or Parquet"
# Rows that are written at once.
_ROWS = 8192


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add = parser.add_argument
    add("input", help="text file: one sentence per line, tokens separated by spaces; - for standard input")
    add("output", type=Path, help="HDF5 file; a name that ends in .parquet makes it Parquet")
    add("--model", help="name or folder of an encoder (default: the bundled biLM)")
    add("--raw", action="store_true", help="lines are plain text, which is split into tokens here")
    add("--sentences", action="store_true", help="one vector a line: the mean over its tokens")
    add(
        "--layout",
        choices=("published", "flat"),
        default="published",
        help="of HDF5: a data set per line number and sentence_to_index (default), or few large data sets: "
        "vectors, offsets, sentences, tokens",
    )
    add("--dtype", choices=("float32", "float16"), default="float32", help="of the vectors (default: float32)")
    add("--window", type=int, help="read longer lines in overlapping windows of so many tokens (default: whole)")
    add("--batch-size", type=int, default=64, help="sentences at a time, at most (default: 64)")
    add_computing(parser)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--all", action="store_const", const="all", dest="which", help="all layers: (layers, tokens, dim)"
    )
    which.add_argument("--top", action="store_const", const="top", dest="which", help="the top layer: (tokens, dim)")
    which.add_argument(
        "--average", action="store_const", const="average", dest="which", help="their mean: (tokens, dim)"
    )


def add_computing(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments for the device and the precision of an encoding."""
    add_device(parser)
    parser.add_argument(
        "--precision",
        choices=("float32", "bf16", "int8"),
        default="float32",
        help="of the products; bf16 is faster where the processor computes in bfloat16, int8 on a CPU where a biLM is large "
        "(default: float32)",
    )


def load_computing(args: argparse.Namespace, device: torch.device) -> Encoder:
    """Load the encoder that the arguments of :func:`add_computing` ask for; raises ConfigError if there is none."""
    from elmo_tasks.encoders import load

    return load(args.model, device, "int8" if args.precision == "int8" else "float32")


def run(args: argparse.Namespace) -> int:
    """Encode by length and in blocks, and resume after a kill.

    The output file appears only when it is complete.
    """
    from elmo_tasks.cli.lines import STANDARD, lines_of
    from elmo_tasks.encoders.batches import CorpusEncoding
    from elmo_tasks.encoders.layer_cache import encoded_rows
    from elmo_tasks.files import atomic_file, check_room, file_lock, lock_of
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.text.tokens import tokenize

    output: Path = args.output
    if args.input != STANDARD and not Path(args.input).is_file():
        raise DataError(f"{args.input}: no such file; expected one sentence per line, tokens separated by spaces")
    if not output.parent.is_dir():
        raise ConfigError(f"{output}: the folder {output.parent} does not exist")
    if output.is_dir() or (args.input != STANDARD and output.exists() and output.samefile(args.input)):
        raise ConfigError(f"{output}: this is a folder or the input itself; name a new file")
    device = checked_device(args.device)
    with file_lock(lock_of(output), str(output)):
        lines = [line.strip() for line in lines_of(args.input)]
        tokens = [[token.text for token in tokenize(line)] if args.raw else line.split() for line in lines]
        settings = args.which, args.sentences, args.dtype, args.batch_size, args.window, args.precision == "bf16"
        encoding = CorpusEncoding(load_computing(args, device), tokens, *settings)
        partial = output.with_name(f".{output.name}.parts")
        rows = encoded_rows(encoding, partial, encoding.key)
        check_room(output, rows.nbytes)  # HDF5 that meets a full disk prints tracebacks and ends the process
        about = Vectors(lines, tokens, encoding.row_shape, args.dtype, args.sentences)
        with atomic_file(output) as path:
            if output.suffix == ".parquet":
                write_parquet(path, about, _by_sentence(encoding, rows))
            elif args.layout == "flat":
                write_flat(path, about, _by_sentence(encoding, rows))
            else:
                write_published(path, about, _by_sentence(encoding, rows))
        shutil.rmtree(partial, ignore_errors=True)
    return 0


def _by_sentence(encoding: CorpusEncoding, rows: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the vectors of each sentence: ``[tokens, ...]``, or ``[...]`` if pooled."""
    for k in range(len(encoding.sentences)):
        yield rows[k] if encoding.pooled else rows[encoding.row(k) : encoding.row(k + 1)]


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
    """Write a data set per line and ``sentence_to_index``, as ``allennlp elmo``."""
    import h5py

    # (layers, tokens, dim), as AllenNLP wrote them; here tokens are the first axis.
    turned = len(about.row_shape) == 2 and not about.pooled
    with h5py.File(path, "w") as file:
        for number, vectors in enumerate(found):
            data = vectors.transpose(1, 0, 2) if turned else vectors
            file.create_dataset(str(number), data=data, dtype=about.dtype)
        # A repeated sentence has the same vectors twice; its index is the last, as AllenNLP wrote it.
        index = {line: str(k) for k, line in enumerate(about.lines)}
        table = file.create_dataset("sentence_to_index", (1,), dtype=h5py.string_dtype())
        table[0] = json.dumps(index)


def write_flat(path: Path, about: Vectors, found: Iterable[NDArray[Any]]) -> None:
    """Write ``vectors``, ``offsets``, ``sentences`` and ``tokens`` as few data sets."""
    import h5py
    import numpy as np

    counts = [1] * len(about.lines) if about.pooled else [len(tokens) for tokens in about.tokens]
    with h5py.File(path, "w") as file:
        file.create_dataset("offsets", data=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
        file.create_dataset("sentences", data=list(about.lines), shape=(len(about.lines),), dtype=h5py.string_dtype())
        if not about.pooled:
            flat = [token for tokens in about.tokens for token in tokens]
            file.create_dataset("tokens", data=flat, shape=(len(flat),), dtype=h5py.string_dtype())
        table = file.create_dataset("vectors", (about.n_rows, *about.row_shape), dtype=about.dtype)
        at = 0
        for rows in _in_bulk(_rows(about, found)):
            table[at : at + len(rows)] = rows
            at += len(rows)


def write_parquet(path: Path, about: Vectors, found: Iterable[NDArray[Any]]) -> None:
    """Write a row per vector, for Arrow and vector databases.

    Columns are ``sentence``, ``position``, ``text``, and ``vector`` or ``layer_0``, ...

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
    """Yield the place of each vector, and its text."""
    for k, (line, tokens) in enumerate(zip(about.lines, about.tokens, strict=True)):
        if about.pooled:
            yield k, line
        else:
            yield from ((k, position, token) for position, token in enumerate(tokens))


def _rows(about: Vectors, found: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Yield the ``[rows, ...]`` of each line."""
    return (vectors[None] if about.pooled else vectors for vectors in found)


def _in_bulk(parts: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Join rows into large arrays."""
    import numpy as np

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

"""``embed``: vectors of a text file, as HDF5 (two layouts) or Parquet."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from elmo_tasks.cli.arguments import add_corpus, add_device, add_model, add_precision, engine_of
from elmo_tasks.corpus.blocks import OneFileJob
from elmo_tasks.errors import ConfigError

if TYPE_CHECKING:
    from elmo_tasks.corpus.blocks import Block, TextRow, Work
    from elmo_tasks.corpus.output import Output
    from elmo_tasks.encoders import Encoder

HELP = "vectors of every token of a text file, to HDF5 or Parquet"
# A block is held in memory, and lost by a kill.
_BLOCK_BYTES = 128_000_000
_CHARACTERS_PER_TOKEN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    text = (
        "text: one sentence per line, tokens separated by spaces; or tables, a folder, an address;"
        " - for standard input"
    )
    add("input", help=text)
    text = (
        "HDF5 file, or Parquet if the name ends in .parquet; a folder/ or an address for Parquet"
        " in parts"
    )
    add("output", help=text)
    add_model(parser)
    add("--column", help="column of the texts in a table (default: detected)")
    add("--raw", action="store_true", help="lines are plain text, which is split into tokens here")
    add("--sentences", action="store_true", help="one vector per line: the mean over its tokens")
    text = (
        "print the length of every vector, at each layer with --all, and write it, except to the"
        " published layout"
    )
    add("--norms", action="store_true", help=text)
    text = (
        "of HDF5: a data set per line (default), or few large ones: vectors, offsets, sentences,"
        " tokens"
    )
    add("--layout", choices=("published", "flat"), default="published", help=text)
    add(
        "--dtype",
        choices=("float32", "float16"),
        default="float32",
        help="number format of the vectors (default: float32)",
    )
    add(
        "--window",
        type=int,
        help="read longer lines in overlapping windows of this many tokens (default: whole)",
    )
    add("--batch-size", type=int, default=64, help="sentences at a time, at most (default: 64)")
    add_device(parser)
    add_precision(parser, bf16=True)
    add_corpus(parser)
    layers = parser.add_mutually_exclusive_group(required=True)
    for name, text in (
        ("all", "all layers: (layers, tokens, dim)"),
        ("top", "the top layer: (tokens, dim)"),
        ("average", "their mean: (tokens, dim)"),
    ):
        layers.add_argument(f"--{name}", action="store_const", const=name, dest="layers", help=text)


def run(args: argparse.Namespace) -> int:
    """Encode in blocks, which resume after a kill; the file appears when it is complete."""
    from elmo_tasks.corpus.output import Output, finished_blocks
    from elmo_tasks.corpus.reader import Input

    output = Output(args.output)
    engine = engine_of(args)
    if output.is_stream and args.output == "-":
        raise ConfigError(
            "OUT: expected a file or a folder, found -; vectors are not written to standard output"
        )
    form: Literal["npy", "parquet"] = "parquet" if output.suffix == ".parquet" else "npy"
    job = EmbedJob(
        model=args.model,
        device=args.device,
        precision=args.precision,
        layers=args.layers,
        pooled=args.sentences,
        dtype=args.dtype,
        batch_size=args.batch_size,
        window=args.window,
        raw=args.raw,
        norms=args.norms,
        form=form,
    )
    job.load()  # unsuitable settings are rejected before anything is read
    texts = Input([args.input], args.column, args.skip_bad)
    with finished_blocks(job, texts, output, engine, "embed") as blocks:
        _finish(job, blocks, output, args.layout)
    return 0


@dataclass(frozen=True)
class EmbedJob(OneFileJob):
    """Vectors of one model, and their form."""

    model: str | None  #: name or folder
    device: str | None  #: where to compute; by default a GPU if there is one
    precision: str  #: of the encoder's products
    layers: Literal["all", "top", "average"]  #: which vectors
    pooled: bool  #: one vector per line
    dtype: Literal["float32", "float16"]  #: of the vectors
    batch_size: int  #: sentences at a time
    window: int | None  #: tokens that are read at once
    raw: bool  #: lines are split into tokens here
    norms: bool  #: write the lengths of the vectors, too
    form: Literal["npy", "parquet"]  #: of the file of a block

    def load(self) -> Encoder:
        """Load the encoder; the settings are checked."""
        from elmo_tasks.devices import checked_device
        from elmo_tasks.encoders import load

        encoder = load(
            self.model,
            checked_device(self.device),
            "int8" if self.precision == "int8" else "float32",
        )
        self._encoding(encoder, [])
        return encoder

    @cached_property
    def _shape(self) -> tuple[str, int, int]:
        from elmo_tasks.encoders import load

        encoder = load(self.model, "cpu")
        return encoder.checksum, encoder.n_layers, encoder.width

    @cached_property
    def key(self) -> str:
        """Key of the weights and the settings."""
        settings = [
            self.precision,
            self.layers,
            self.pooled,
            self.dtype,
            self.window,
            self.raw,
            self.norms,
        ]
        return hashlib.sha256(json.dumps([self._shape[0], *settings]).encode()).hexdigest()

    @property
    def block_characters(self) -> int:
        """Characters of a block whose vectors fit into memory."""
        _, n_layers, width = self._shape
        bytes_per_token = 4 * width * (n_layers if self.layers == "all" else 1)
        return max(1, _BLOCK_BYTES // bytes_per_token) * _CHARACTERS_PER_TOKEN

    def tokens(self, row: TextRow) -> Sequence[str]:
        """Split a line as the settings say; take the tokens of a file that has them."""
        from elmo_tasks.text.tokens import tokenize

        if row.tokens is not None:
            return row.tokens
        line = row.text.strip()
        return [token.text for token in tokenize(line)] if self.raw else line.split()

    def open(self) -> Work:
        """Load the encoder; return the work on a block."""
        from elmo_tasks.corpus.vectors import Part, npy_bytes, parquet_bytes

        encoder = self.load()

        def work(rows: Sequence[TextRow]) -> Mapping[str, bytes]:
            numbers = [row.number for row in rows]
            lines = [row.text.strip() for row in rows]
            tokens = [self.tokens(row) for row in rows]
            vectors = self._encoding(encoder, tokens, numbers[0]).block(0, len(tokens))
            part = Part(
                numbers=numbers, lines=lines, tokens=tokens, rows=vectors, pooled=self.pooled
            )
            content = npy_bytes(vectors) if self.form == "npy" else parquet_bytes(part, self.norms)
            return {f".{self.form}": content}

        return work

    def _encoding(self, encoder: Encoder, tokens: Sequence[Sequence[str]], first: int = 0) -> Any:
        from elmo_tasks.encoders.batches import CorpusEncoding

        return CorpusEncoding(
            encoder=encoder,
            sentences=tokens,
            layers=self.layers,
            pooled=self.pooled,
            dtype=self.dtype,
            batch_size=self.batch_size,
            window=self.window,
            bf16=self.precision == "bf16",
            first=first,
        )


def _finish(job: EmbedJob, blocks: Sequence[Block], output: Output, layout: str) -> None:
    """Join the blocks, unless their files are the result; print the lengths of vectors."""
    from elmo_tasks.corpus.blocks import result_name
    from elmo_tasks.corpus.output import join
    from elmo_tasks.corpus.vectors import (
        TextVectors,
        labelled_norms,
        print_norms,
        write_flat,
        write_published,
    )
    from elmo_tasks.errors import DataError
    from elmo_tasks.files import atomic_file, check_room

    names = [result_name(block, job, job.endings[0]) for block in blocks]
    if not names:
        raise DataError(f"{output.place}: the input has no line, so there is nothing to write")
    n_layers = job._shape[1] if job.layers == "all" else None
    path = Path(output.place)
    if job.form == "parquet":
        join(job, blocks, output)
        if job.norms:
            print_norms(n_layers, _written_norms(names, output))
        return
    vectors = TextVectors(
        blocks=blocks,
        store=output.store,
        files=names,
        tokenizer=job.tokens,
        pooled=job.pooled,
        with_norms=job.norms,
    )
    # HDF5 that meets a full disk prints tracebacks and ends the process.
    numbers = 1
    for size in vectors.shape:
        numbers *= size
    check_room(path, numbers * vectors.dtype.itemsize)
    with atomic_file(path) as partial:
        (write_flat if layout == "flat" else write_published)(partial, vectors)
    if job.norms:
        print_norms(n_layers, labelled_norms(vectors))


def _written_norms(
    names: Sequence[str], output: Output
) -> Iterator[tuple[int, str, Sequence[float]]]:
    import pyarrow.parquet as pq

    for name in names:
        if output.is_folder:
            table = pq.read_table(io.BytesIO(output.store.read(name)))
        else:
            table = pq.read_table(Path(output.store.place) / name)
        columns = [name for name in table.column_names if name.startswith("norm")]
        for row in table.select(["sentence", "text", *columns]).to_pylist():
            yield row["sentence"], row["text"], [row[column] for column in columns]

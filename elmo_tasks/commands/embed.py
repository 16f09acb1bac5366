"""``embed``: vectors of a text file, in the format of the ``allennlp elmo`` command, in few large data sets, or as Parquet."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_tasks.commands.arguments import add_device

if TYPE_CHECKING:
    import torch

    from elmo_tasks.encoders import Encoder
    from elmo_tasks.encoders.block_parts import BlockParts

HELP = "vectors of every token of a text file, to HDF5 or Parquet"


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
    """Describe the arguments that say how a corpus is encoded."""
    add_device(parser)
    parser.add_argument(
        "--processes", type=int, default=1, help="share the work between so many; with cuda, so many GPUs"
    )
    parser.add_argument(
        "--precision",
        choices=("float32", "bf16", "int8"),
        default="float32",
        help="of the products; bf16 is faster where the processor computes in bfloat16, int8 on a CPU where a biLM is large "
        "(default: float32)",
    )


def load_computing(args: argparse.Namespace, device: torch.device) -> Encoder:
    """Load the encoder that the arguments of :func:`add_computing` ask for.

    Raises:
        ConfigError: there is no such encoder, or several processes would move one in int8 to GPUs.
    """
    from elmo_tasks.encoders import load
    from elmo_tasks.errors import ConfigError

    precision = "int8" if args.precision == "int8" else "float32"
    if args.processes == 1:
        return load(args.model, device, precision)
    if precision == "int8" and device.type != "cpu":
        raise ConfigError("--precision int8 computes on CPUs: add --device cpu, or leave it out")
    return load(args.model, "cpu", precision)  # each process moves a copy to its device


def run(args: argparse.Namespace) -> int:
    """Encode, by length and in blocks; the file appears only when it is whole."""
    from elmo_tasks.commands.lines import STANDARD, lines_of
    from elmo_tasks.encoders.block_parts import BlockParts
    from elmo_tasks.encoders.corpus_encoding import CorpusEncoding, Wanted
    from elmo_tasks.errors import ConfigError, DataError
    from elmo_tasks.files import held, lock_of, whole_file
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.text.tokens import tokenize

    output: Path = args.output
    wanted = Wanted(args.which, args.sentences, args.dtype, args.batch_size, args.window, args.precision == "bf16")
    if args.processes < 1:
        raise ConfigError(f"--processes {args.processes}: expected at least 1")
    if args.input != STANDARD and not Path(args.input).is_file():
        raise DataError(f"{args.input}: no such file; expected one sentence per line, tokens separated by spaces")
    if not output.parent.is_dir():
        raise ConfigError(f"{output}: the folder {output.parent} does not exist")
    if output.is_dir() or (args.input != STANDARD and output.exists() and output.samefile(args.input)):
        raise ConfigError(f"{output}: this is a folder or the input itself; name a new file")
    device = checked_device(args.device)
    with held(lock_of(output), str(output)):
        lines = [line.strip() for line in lines_of(args.input)]
        tokens = [[token.text for token in tokenize(line)] if args.raw else line.split() for line in lines]
        encoder = load_computing(args, device)
        parts = BlockParts(output.with_name(f".{output.name}.parts"), CorpusEncoding(encoder, tokens, wanted))
        with parts.kept_if_any():
            encode_missing(parts, args.processes, str(device))
        with whole_file(output) as partial:
            _write(partial, output, args.layout, lines, parts)
        parts.remove()
    return 0


def encode_missing(parts: BlockParts, processes: int, device: str) -> None:
    """Compute the blocks that are missing, here or by several processes."""
    if processes == 1:
        parts.compute_missing()
    elif missing := len(parts.missing()):
        from elmo_tasks.training.distributed_encoding import compute_with

        compute_with(parts, min(processes, missing), device)  # Lightning has no process without a block


def _write(path: Path, output: Path, layout: str, lines: list[str], parts: BlockParts) -> None:
    from elmo_tasks.senses.vector_files import Vectors, write_flat, write_parquet, write_published

    encoding = parts.encoding
    about = Vectors(lines, encoding.sentences, encoding.row_shape, encoding.wanted.dtype, encoding.wanted.pooled)
    found = parts.sentences()
    if output.suffix == ".parquet":
        write_parquet(path, about, found)
    elif layout == "flat":
        write_flat(path, about, found)
    else:
        # (layers, tokens, dim), as the published file has them; on the disk of a store tokens come first.
        turned = encoding.wanted.layers == "all" and not encoding.wanted.pooled
        write_published(path, about, (v.transpose(1, 0, 2) for v in found) if turned else found)

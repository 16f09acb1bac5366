"""Arguments of several commands, and the lines of their input."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from elmo_tasks.errors import ConfigError, DataError

if TYPE_CHECKING:
    from elmo_tasks.corpus.engines import Engine

STANDARD = "-"
_BYTES_AT_ONCE = 1 << 16


def add_model(parser: argparse._ActionsContainer) -> None:
    """Add ``--model``."""
    parser.add_argument("--model", help="name or folder of a model (default: the bundled one)")


def add_device(parser: argparse._ActionsContainer) -> None:
    """Add ``--device``; see :func:`elmo_tasks.devices.checked_device`."""
    parser.add_argument(
        "--device", help="cpu, cuda, cuda:1, ... (default: the GPU if there is one, else the CPU)"
    )


def add_precision(parser: argparse._ActionsContainer, *, bf16: bool = False) -> None:
    """Add ``--precision``, with bfloat16 for commands that only encode."""
    choices = ("float32", "bf16", "int8") if bf16 else ("float32", "int8")
    hint = (
        "bf16 is faster where the processor computes in bfloat16, int8"
        if bf16
        else "int8 is faster"
    )
    text = f"number format of products; {hint} for a large biLM on a CPU (default: float32)"
    parser.add_argument("--precision", choices=choices, default="float32", help=text)


def add_lexicon(parser: argparse.ArgumentParser) -> None:
    """Add ``--lexicon``."""
    text = "dictionary file whose entries extend or replace the built-in ones"
    parser.add_argument("--lexicon", type=Path, metavar="FILE", help=text)


def add_no_calibration(parser: argparse._ActionsContainer) -> None:
    """Add ``--no-calibration``."""
    text = "do not calibrate a model that came without a calibration; no meanings are given then"
    parser.add_argument("--no-calibration", action="store_true", help=text)


def add_corpus(parser: argparse._ActionsContainer) -> None:
    """Add ``--workers``, ``--ray`` and ``--skip-bad``."""
    group = parser.add_argument_group("for large corpora")
    text = "number of processes on this machine (default: 1)"
    group.add_argument("--workers", type=_workers, default=1, metavar="N", help=text)
    text = (
        "compute with Ray: on the cores of this machine, or on the cluster at ADDRESS"
        " (auto, ray://HOST:PORT)"
    )
    group.add_argument(
        "--ray", nargs="?", const="local", type=_cluster, metavar="ADDRESS", help=text
    )
    text = "set aside and count rows that cannot be read (default: stop at the first one)"
    group.add_argument("--skip-bad", action="store_true", help=text)


def engine_of(args: argparse.Namespace) -> Engine:
    """Return the engine that the arguments of :func:`add_corpus` name."""
    from elmo_tasks.corpus.engines import Engine

    if args.ray is not None and args.workers > 1:
        raise ConfigError("choose --workers or --ray, not both")
    return Engine(args.workers, args.ray)


def _workers(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of processes from 1, found {text!r}")
    return int(text)


def _cluster(text: str) -> str:
    if text not in ("local", "auto") and ":" not in text:
        raise argparse.ArgumentTypeError(
            f"expected auto, ray://HOST:PORT or nothing, found {text!r}; write files before --ray"
        )
    return text


def lines_of(path: str) -> Iterator[str]:
    """Read the lines of a text file, plain or ``.xz``, or of standard input (``-``)."""
    from elmo_tasks.text.vocabulary import open_text

    if path == STANDARD:
        return chain.from_iterable(_standard_input())
    return (line.rstrip("\r\n") for line in open_text(Path(path)))


def batches_of(path: str, max_lines: int) -> Iterator[list[str]]:
    """Batch the lines of :func:`lines_of`; those of standard input are given as they arrive."""
    for lines in _standard_input() if path == STANDARD else [lines_of(path)]:
        part = iter(lines)
        while batch := list(islice(part, max_lines)):
            yield batch


def _standard_input() -> Iterator[list[str]]:
    """Yield the complete lines of standard input as they arrive; only a line feed ends a line."""
    source = cast(io.BufferedReader, sys.stdin.buffer)
    number = 0
    rest = b""
    # It waits for the first byte only.
    while chunk := source.read1(_BYTES_AT_ONCE) or (rest and b"\n"):
        *complete, rest = (rest + chunk).split(b"\n")
        lines: list[str] = []
        for line in complete:
            number += 1
            try:
                lines.append(line.decode("utf-8").rstrip("\r"))
            except UnicodeDecodeError:
                yield lines
                raise DataError(
                    f"standard input, line {number}: expected UTF-8 text, found other bytes"
                ) from None
        yield lines

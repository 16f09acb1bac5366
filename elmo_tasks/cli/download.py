"""``elmo-tasks download NAME``: published ELMo weights into the user's cache."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import TracebackType

from tqdm import tqdm

from elmo_tasks.bilm.download import copy_in, fetch
from elmo_tasks.bilm.model_cache import CACHE_VARIABLE
from elmo_tasks.bilm.published import MODELS, command

HELP = "download published ELMo weights, or take them from a file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    sizes = ", ".join(f"{model.name} {model.smallest_bytes / 1e6:.0f} MB" for model in MODELS.values())
    parser.add_argument("name", choices=list(MODELS), help=f"which model ({sizes})")
    parser.add_argument(
        "--from",
        dest="sources",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="take an offline copy: the weights, or weights and options, or a folder with both",
    )
    parser.add_argument("--cache", type=Path, metavar="DIR", help=f"where models are kept (default: ${CACHE_VARIABLE})")


def run(args: argparse.Namespace) -> int:
    """Run the command; paths go to standard output, progress to standard error.

    Returns:
        The exit status: 130 when stopped with Ctrl-C.

    Raises:
        ConfigError: an argument or the cache folder cannot be used.
        WeightsError: the files could not be had, or are not the right ones.
    """
    try:
        if args.sources:
            options, weights = copy_in(args.name, args.sources, cache=args.cache)
        else:
            with _Bar() as bar:
                options, weights = fetch(args.name, cache=args.cache, report=bar)
    except KeyboardInterrupt:
        print(f"Stopped. `{command(args.name)}` continues a download where it stopped.", file=sys.stderr)
        return 130
    print(options, weights, sep="\n")
    if args.cache is not None:
        print(f"To have it found by name, set {CACHE_VARIABLE}={args.cache.absolute()}", file=sys.stderr)
    return 0


class _Bar:
    """One progress bar per file, also where a file continues or starts again."""

    def __init__(self) -> None:
        self._bar: tqdm | None = None
        self._name = ""

    def __enter__(self) -> _Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, name: str, done: int, total: int | None) -> None:
        if self._bar is None or name != self._name:
            self.__exit__(None, None, None)
            self._name = name
            # disable=None: no bar outside a terminal.
            self._bar = tqdm(desc=name, total=total, initial=done, unit="B", unit_scale=True, disable=None)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

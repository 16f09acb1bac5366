"""How fast exact search for the nearest uses is: ``python -m benchmarks.index_search``.

Builds indexes of random vectors (the time of search does not depend on what they hold) in the shape of the bundled model's, and
searches all of them. The first search reads the file from disk; the later ones find it in memory if there is room.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from elmo_tasks.layers.layers import Layers
from elmo_tasks.senses.index_building import build_index, size_of

SENTENCE = "one two three four five six seven eight nine ten"


class RandomEncoder:
    """Random vectors, as many as asked for."""

    name = checksum = "random"
    folder = language_model = None
    reads_sentence = False
    device = torch.device("cpu")

    def __init__(self, n_layers: int, width: int) -> None:
        self.n_layers, self.width = n_layers, width

    @property
    def layer_names(self) -> tuple[str, ...]:
        """None is like another."""
        return ("random numbers",) * self.n_layers

    def to(self, device: torch.device | str, /) -> RandomEncoder:
        """They are made on the CPU."""
        return self

    def encode(self, sentences: Sequence[Sequence[str]], /) -> Layers:
        """``[L, B, T, D]`` random numbers."""
        longest = max(map(len, sentences))
        values = torch.randn(self.n_layers, len(sentences), longest, self.width)
        mask = torch.ones(len(sentences), longest, dtype=torch.bool)
        return Layers(values, mask, tuple(tuple(words) for words in sentences))


def main() -> None:
    """Build, search, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, nargs="+", default=[15_000, 100_000, 1_000_000])
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--searches", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where to write (default: the system's folder for such files)")
    args = parser.parse_args()
    print(f"Python {platform.python_version()}, torch {torch.__version__}, {torch.get_num_threads()} threads")
    print("   tokens       size   first search   later searches (CPU)   mean of layers (CPU)")
    for n in args.tokens:
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            sentences = [f"{SENTENCE} {k}" for k in range(n // 11)]
            index = build_index(RandomEncoder(args.layers, args.width), sentences, folder, "random", max_tokens=n)
            vector = np.random.default_rng(0).standard_normal(args.width)
            first = _timed(lambda: index.search(vector, 1), 1, time.perf_counter)  # noqa: B023
            later = _timed(lambda: index.search(vector, 1), args.searches, time.process_time)  # noqa: B023
            mean = _timed(lambda: index.search(vector, args.layers), args.searches, time.process_time)  # noqa: B023
            size = size_of(len(index), args.layers, args.width) / 1e6
            print(
                f"{len(index):>9,}   {size:>5,.0f} MB   {first:>10.2f} s   {later:>18.2f} s   {mean:>18.2f} s",
                flush=True,
            )


def _timed(search, times: int, clock) -> float:  # type: ignore[no-untyped-def]
    seconds = []
    for _ in range(times):
        start = clock()
        search()
        seconds.append(clock() - start)
    return statistics.median(seconds)


if __name__ == "__main__":
    main()

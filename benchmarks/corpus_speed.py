"""`embed` of synthetic text: words a second of one, two and more processes, and the memory of each.

With --ray, Ray's actors, too. Every process is sampled, so that growth shows.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

_WORDS = (
    "the",
    "bank",
    "of",
    "a",
    "river",
    "was",
    "wide",
    "old",
    "people",
    "walked",
    "dogs",
    "barked",
)


def main() -> None:
    """Write text, run the command, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--words", type=int, nargs="+", default=[50_000], help="sizes of the text (default: 50,000)"
    )
    parser.add_argument(
        "--workers", type=int, nargs="+", default=[1, 2], help="processes (default: 1 2)"
    )
    parser.add_argument("--ray", action="store_true", help="measure Ray on this machine, too")
    args = parser.parse_args()
    print(
        "| words | processes | seconds | words a second | memory of the largest: at half, at the"
        " end |\n|---:|---|---:|---:|---:|"
    )
    for n in args.words:
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "text.txt"
            _write(text, n)
            for workers in args.workers:
                _run(text, Path(folder), n, ["--workers", str(workers)], str(workers))
            if args.ray:
                _run(text, Path(folder), n, ["--ray"], "Ray")


def _write(path: Path, n_words: int) -> None:
    draw = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for k in range(n_words // 12):
            file.write(f"{' '.join(draw.choices(_WORDS, k=10))} {k} .\n")


def _run(text: Path, folder: Path, n_words: int, options: list[str], name: str) -> None:
    out = folder / f"vectors-{name}.parquet"
    command = [
        sys.executable,
        "-m",
        "elmo_tasks",
        "embed",
        str(text),
        str(out),
        "--top",
        "--dtype",
        "float16",
    ]
    began = time.perf_counter()
    process = subprocess.Popen([*command, *options])
    sizes: list[float] = []
    while process.poll() is None:
        sizes.append(_largest(process.pid))
        time.sleep(0.5)
    seconds = time.perf_counter() - began
    half = max(sizes[: len(sizes) // 2 + 1])
    print(
        f"| {n_words:,} | {name} | {seconds:.0f} | {n_words / seconds:,.0f} | {half:.0f} MB,"
        f" {max(sizes):.0f} MB |",
        flush=True,
    )
    out.unlink()


def _largest(pid: int) -> float:
    """Megabytes of the largest of a process and its children."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        return max(p.memory_info().rss for p in family) / 1e6
    except psutil.Error:
        return 0.0


if __name__ == "__main__":
    main()

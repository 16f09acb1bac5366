"""`embed` of synthetic text: words a second of one, two and more processes, and the memory of each.

With --ray, Ray's actors, too. Every process is sampled, so that growth shows.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.running_app import busy_seconds

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
        "--words",
        type=int,
        nargs="+",
        default=[150_000],
        help="sizes of the text (default: 150,000)",
    )
    parser.add_argument(
        "--workers", type=int, nargs="+", default=[2], help="processes beside one (default: 2)"
    )
    parser.add_argument("--ray", action="store_true", help="measure Ray on this machine, too")
    args = parser.parse_args()
    print(
        "| words | processes | threads of each | seconds | words a second | to one | memory of the"
        " largest: at half, at the end | cores taken by others |\n"
        "|---:|---|---:|---:|---:|---:|---:|---:|"
    )
    cores = psutil.cpu_count() or 1
    for n in args.words:
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "text.txt"
            _write(text, n)
            # By default one process uses all cores: both settings are measured.
            one = _run(text, Path(folder), n, [], "1", 1)
            _run(text, Path(folder), n, [], "1", cores, one)
            for workers in args.workers:
                options = ["--workers", str(workers)]
                _run(text, Path(folder), n, options, str(workers), max(1, cores // workers), one)
            if args.ray:
                _run(text, Path(folder), n, ["--ray"], "Ray", 1, one)


def _write(path: Path, n_words: int) -> None:
    draw = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for k in range(n_words // 12):
            file.write(f"{' '.join(draw.choices(_WORDS, k=10))} {k} .\n")


def _run(
    text: Path,
    folder: Path,
    n_words: int,
    options: list[str],
    name: str,
    threads: int,
    one: float = 0.0,
) -> float:
    """Run the command and print its row; return the seconds. ``one`` are those of one thread."""
    out = folder / "vectors.parquet"
    command = [sys.executable, "-m", "elmo_tasks", "embed", str(text), str(out)]
    began, busy, ours = time.perf_counter(), busy_seconds(), _own_seconds()
    process = subprocess.Popen(
        [*command, "--top", "--dtype", "float16", *options],
        env=os.environ | {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)},
    )
    sizes: list[float] = []
    while process.poll() is None:
        sizes.append(_largest(process.pid))
        time.sleep(0.5)
    seconds = time.perf_counter() - began
    others = (busy_seconds() - busy) - (_own_seconds() - ours)
    half = max(sizes[: len(sizes) // 2 + 1])
    print(
        f"| {n_words:,} | {name} | {threads} | {seconds:.0f} | {n_words / seconds:,.0f} |"
        f" {(one or seconds) / seconds:.2f} | {half:.0f} MB, {max(sizes):.0f} MB |"
        f" {others / seconds:.1f} |",
        flush=True,
    )
    out.unlink()
    return seconds


def _own_seconds() -> float:
    """CPU seconds of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


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

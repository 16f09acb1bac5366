"""`senses` beside `embed`: ``python -m benchmarks.senses_speed --text FILE``.

Both commands read the same text in turn, each in a process of its own with one thread. The median
words per second of processor time is printed, starting included.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

from elmo_tasks.text.vocabulary import open_text


def main() -> None:
    """Run both commands in turn, and print their medians and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", required=True, type=Path, help="text file, may be .gz or .xz")
    parser.add_argument("--lines", type=int, default=1_000, help="lines read (default: 1,000)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default: 3)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "text.txt"
        lines = "".join(islice(open_text(args.text), args.lines))
        text.write_text(lines, encoding="utf-8")
        n_words = len(lines.split())
        embed: tuple[str, ...] = ("embed", str(text), str(folder / "vectors.parquet"), "--top")
        senses: tuple[str, ...] = ("senses", str(text), str(folder / "senses.jsonl"))
        seconds: dict[str, list[float]] = {"embed": [], "senses": []}
        for _ in range(args.rounds):
            for arguments in (embed, senses):
                seconds[arguments[0]].append(_processor_seconds(arguments))
                Path(arguments[2]).unlink()
    print(f"{n_words:,} words\n\n| Command | Words per second of processor time |\n|---|---:|")
    speed = {command: n_words / statistics.median(found) for command, found in seconds.items()}
    for command, words in speed.items():
        print(f"| `{command}` | {words:,.0f} |")
    print(f"\n`senses` to `embed`: {speed['senses'] / speed['embed']:.2f}")


def _processor_seconds(arguments: tuple[str, ...]) -> float:
    """Run a command with one thread; return the processor seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "elmo_tasks", *arguments],
        env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()

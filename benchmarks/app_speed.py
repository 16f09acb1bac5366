"""How long the app takes to be ready, and to answer: ``python -m benchmarks.app_speed``.

Ready is counted from the start of the process to the first page; an answer from the request to the result, over HTTP, as the
browser asks. Medians over several runs. Then each tab with 1, 8 and 32 people at once (``--people``), on this machine only.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from pathlib import Path

import gradio_client
import torch

from benchmarks.crowd import print_table
from benchmarks.running_app import running_app

SENTENCES = [
    "The bank refused our loan because my salary was too low.",
    "Herons were nesting in the reeds along the muddy bank of the river.",
    "She opened a savings account at the bank next to the post office.",
    "After the flood the river bank had washed away and boats drifted downstream.",
    "A clerk at the bank counted the cash and checked my passport.",
    "Do not bank on good weather in April, pack an umbrella.",
]


def measure(runs: int, requests: int) -> tuple[list[float], list[float], list[float]]:
    """Seconds until ready, of the first answer, and of the answers after it."""
    ready: list[float] = []
    first: list[float] = []
    later: list[float] = []
    for _ in range(runs):
        with running_app() as app:
            ready.append(app.seconds)
            client = gradio_client.Client(app.url, verbose=False)
            for k in range(requests + 1):
                start = time.perf_counter()
                client.predict("bank", SENTENCES, api_name="/compare")
                (later if k else first).append(time.perf_counter() - start)
    return ready, first, later


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("--people", type=int, nargs="*", default=[1, 8, 32], help="at once (default: 1 8 32)")
    parser.add_argument("--rounds", type=int, default=3, help="questions of each person to each tab (default: 3)")
    parser.add_argument("--picture", type=Path, help="write an SVG file: a comparison over people at once")
    args = parser.parse_args()
    rows = measure(args.runs, args.requests)
    print(
        f"{os.cpu_count()} cores, Python {platform.python_version()}, torch {torch.__version__}; median (lowest to highest)"
    )
    names = (
        "ready after the start of the process",
        "first comparison of 6 sentences",
        "later comparisons of 6 sentences",
    )
    for name, seconds in zip(names, rows, strict=True):
        print(f"{name:<38} {statistics.median(seconds):7.3f} s  ({min(seconds):.3f} to {max(seconds):.3f})")
    if args.people:
        print()
        with running_app() as app:
            print_table(app.url, args.people, args.rounds, args.picture)


if __name__ == "__main__":
    main()

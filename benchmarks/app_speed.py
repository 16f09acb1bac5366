"""How long the app takes to be ready, and to answer: ``python -m benchmarks.app_speed``.

Ready is counted from the start of the process to the first page; an answer from the request to the result, over HTTP, as the
browser asks. Medians over several runs. Then each tab with 1, 8 and 32 people at once (``--people``), on this machine only.
"""

from __future__ import annotations

import argparse
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gradio_client
import httpx
import torch

from benchmarks.crowd import print_table

REPOSITORY = Path(__file__).resolve().parents[1]
SENTENCES = [
    "The bank refused our loan because my salary was too low.",
    "Herons were nesting in the reeds along the muddy bank of the river.",
    "She opened a savings account at the bank next to the post office.",
    "After the flood the river bank had washed away and boats drifted downstream.",
    "A clerk at the bank counted the cash and checked my passport.",
    "Do not bank on good weather in April, pack an umbrella.",
]


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextmanager
def running_app() -> Iterator[tuple[str, float]]:
    """The address of an app of our own on this machine, and the seconds until its first page was there."""
    port = _free_port()
    url = f"http://127.0.0.1:{port}/"
    start = time.perf_counter()
    app = subprocess.Popen(
        [sys.executable, "app.py", "--port", str(port)],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            try:
                httpx.get(url, timeout=5).raise_for_status()
                break
            except httpx.HTTPError:
                if app.poll() is not None:
                    raise RuntimeError("the app ended before it was ready") from None
                time.sleep(0.05)
        yield url, time.perf_counter() - start
    finally:
        app.terminate()
        app.wait()


def measure(runs: int, requests: int) -> tuple[list[float], list[float], list[float]]:
    """Seconds until ready, of the first answer, and of the answers after it."""
    ready: list[float] = []
    first: list[float] = []
    later: list[float] = []
    for _ in range(runs):
        with running_app() as (url, seconds):
            ready.append(seconds)
            client = gradio_client.Client(url, verbose=False)
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
        with running_app() as (url, _):
            print_table(url, args.people, args.rounds, args.picture)


if __name__ == "__main__":
    main()

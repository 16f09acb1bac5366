"""Startup and response time of the app: ``python -m benchmarks.app_speed``.

Ready is counted from the start of the process to the first page; an answer from the request to the
result, over HTTP, as the browser asks. Medians over several runs. Then each tab with 1, 8 and 32
users at once (``--people``), on this machine only. ``--size original`` compares with a model of
that size and random weights on one core, in float32 and in int8, and nothing else.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gradio_client
import torch

from benchmarks.line_chart import line_chart
from benchmarks.running_app import running_app
from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.published import MODELS
from elmo_tasks.training.export_bilm import write_model

SENTENCES = [
    "The bank refused our loan because my salary was too low.",
    "Herons were nesting in the reeds along the muddy bank of the river.",
    "She opened a savings account at the bank next to the post office.",
    "After the flood the river bank had washed away and boats drifted downstream.",
    "A clerk at the bank counted the cash and checked my passport.",
    "Do not bank on good weather in April, pack an umbrella.",
]


def measure(
    runs: int, requests: int, arguments: Sequence[str] = (), threads: int | None = None
) -> tuple[list[float], list[float], list[float]]:
    """Seconds until ready, of the first answer, and of the answers after it."""
    ready: list[float] = []
    first: list[float] = []
    later: list[float] = []
    for _ in range(runs):
        with running_app(arguments, threads) as app:
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
    parser.add_argument(
        "--people", type=int, nargs="*", default=[1, 8, 32], help="at once (default: 1 8 32)"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="questions of each person to each tab (default: 3)"
    )
    parser.add_argument(
        "--picture", type=Path, help="write an SVG file: a comparison over people at once"
    )
    parser.add_argument(
        "--size", choices=sorted(MODELS), help="a published model's size, with random weights"
    )
    args = parser.parse_args()
    print(
        f"{os.cpu_count()} cores, Python {platform.python_version()}, torch {torch.__version__};"
        " median (lowest to highest)"
    )
    if args.size:
        of_size(args.size, args.runs, args.requests)
        return
    print_seconds(measure(args.runs, args.requests))
    if args.people:
        print()
        with running_app() as app:
            print_table(app.url, args.people, args.rounds, args.picture)


def print_seconds(rows: Sequence[Sequence[float]]) -> None:
    """Print the medians of :func:`measure`."""
    names = (
        "ready after the start of the process",
        "first comparison of 6 sentences",
        "later comparisons of 6 sentences",
    )
    for name, seconds in zip(names, rows, strict=True):
        print(
            f"{name:<38} {statistics.median(seconds):7.3f} s  ({min(seconds):.3f} to"
            f" {max(seconds):.3f})",
            flush=True,
        )


def of_size(name: str, runs: int, requests: int) -> None:
    """Measure comparisons by a model of the size of a published one, on one core."""
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder, name), BiLM(MODELS[name].options))
        for precision in ("float32", "int8"):
            print(f"\n{name}, {precision}, one core")
            arguments = [
                "--model",
                str(Path(folder, name)),
                "--precision",
                precision,
                "--no-calibration",
            ]
            print_seconds(measure(runs, requests, arguments, threads=1))


_USES = [
    "The bank refused our loan because my salary was too low.",
    "Herons nest in the reeds along the muddy bank.",
]
#: A typical request of each tab: name of the tab, the endpoint, its arguments.
QUESTIONS: tuple[tuple[str, str, tuple[object, ...]], ...] = (
    ("Compare", "/compare", ("bank", _USES)),
    ("Map", "/sense_map", ("bank",)),
    ("Nearest uses", "/nearest", ("bank", _USES[1])),
    ("Try: sentiment", "/sentiment", (["A warm and funny film."],)),
    ("Try: entities", "/ner", (["Ada Marsh flew from Oslo to Lima."],)),
    ("Present", "/static_neighbours", ("bank", 5)),
)


def latencies(url: str, people: int, rounds: int) -> dict[str, list[float]]:
    """Response times by tab; all users query the same tab at once, ``rounds`` times."""
    clients = [gradio_client.Client(url, verbose=False) for _ in range(people)]

    def ask(
        client: gradio_client.Client, endpoint: str, arguments: Sequence[object]
    ) -> list[float]:
        seconds = []
        for _ in range(rounds):
            start = time.perf_counter()
            client.predict(*arguments, api_name=endpoint)
            seconds.append(time.perf_counter() - start)
        return seconds

    by_tab: dict[str, list[float]] = {}
    with ThreadPoolExecutor(people) as pool:
        for tab, endpoint, arguments in QUESTIONS:
            # loads everything that is loaded once
            clients[0].predict(*arguments, api_name=endpoint)
            jobs = [pool.submit(ask, client, endpoint, arguments) for client in clients]
            by_tab[tab] = [seconds for job in jobs for seconds in job.result()]
    return by_tab


def print_table(url: str, crowds: Sequence[int], rounds: int, picture: Path | None = None) -> None:
    """Print the 50th and 95th percentile of each tab and number of users."""
    columns = {people: latencies(url, people, rounds) for people in crowds}
    print("| tab | " + " | ".join(f"{people} at once: p50, p95" for people in crowds) + " |")
    print("|---|" + "---:|" * len(crowds))
    for tab, _, _ in QUESTIONS:
        cells = [_percentiles(columns[people][tab]) for people in crowds]
        print(f"| {tab} | " + " | ".join(f"{p50:.2f} s, {p95:.2f} s" for p50, p95 in cells) + " |")
    if picture is not None:
        medians = [_percentiles(columns[people]["Compare"])[0] for people in crowds]
        draw(picture, crowds, medians)


def draw(picture: Path, crowds: Sequence[int], medians: Sequence[float]) -> None:
    """Draw the response time of a comparison over the number of users."""
    line_chart(
        picture,
        f"A comparison, {os.cpu_count()} cores",
        "people who ask without a pause",
        crowds,
        "seconds",
        medians,
    )


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    if len(seconds) < 2:
        return seconds[0], seconds[0]
    cuts = statistics.quantiles(seconds, n=20, method="inclusive")
    return statistics.median(seconds), cuts[18]


if __name__ == "__main__":
    main()

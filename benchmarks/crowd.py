"""Each tab's answer under several people at once, for ``benchmarks.app_speed``."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gradio_client

from benchmarks.line_chart import line_chart

_USES = ["The bank refused our loan because my salary was too low.", "Herons nest in the reeds along the muddy bank."]
#: A usual question of each tab: what people call the tab, the endpoint, its arguments.
QUESTIONS: tuple[tuple[str, str, tuple[object, ...]], ...] = (
    ("Compare", "/compare", ("bank", _USES)),
    ("Map", "/sense_map", ("bank",)),
    ("Nearest uses", "/nearest", ("bank", _USES[1])),
    ("Try: sentiment", "/sentiment", (["A warm and funny film."],)),
    ("Try: entities", "/ner", (["Ada Marsh flew from Oslo to Lima."],)),
    ("Layer weights: what if", "/what_if", ("bank", [_USES[1]], "shore")),
    ("Present", "/static_neighbours", ("bank", 5)),
)


def latencies(url: str, people: int, rounds: int) -> dict[str, list[float]]:
    """Seconds from question to answer, for each tab; all people ask the same tab at the same time, each ``rounds`` times.

    Args:
        url: of the running app.
        people: connections of their own.
        rounds: questions of each person to each tab.
    """
    clients = [gradio_client.Client(url, verbose=False) for _ in range(people)]

    def ask(client: gradio_client.Client, endpoint: str, arguments: Sequence[object]) -> list[float]:
        seconds = []
        for _ in range(rounds):
            start = time.perf_counter()
            client.predict(*arguments, api_name=endpoint)
            seconds.append(time.perf_counter() - start)
        return seconds

    found: dict[str, list[float]] = {}
    with ThreadPoolExecutor(people) as pool:
        for tab, endpoint, arguments in QUESTIONS:
            clients[0].predict(*arguments, api_name=endpoint)  # what is loaded once is loaded
            jobs = [pool.submit(ask, client, endpoint, arguments) for client in clients]
            found[tab] = [seconds for job in jobs for seconds in job.result()]
    return found


def print_table(url: str, crowds: Sequence[int], rounds: int, picture: Path | None = None) -> None:
    """One line a tab: the 50th and the 95th percentile for each number of people; with a picture of a comparison's median."""
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
    """How long a comparison takes with so many people at once."""
    line_chart(
        picture, f"A comparison, {os.cpu_count()} cores", "people who ask without a pause", crowds, "seconds", medians
    )


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    if len(seconds) < 2:
        return seconds[0], seconds[0]
    cuts = statistics.quantiles(seconds, n=20, method="inclusive")
    return statistics.median(seconds), cuts[18]

"""Memory of the app under mixed requests: ``python -m benchmarks.memory_growth``.

Starts the app; a few users ask for comparisons, reasons, maps, nearest uses, labels, meanings of
texts and pages, never twice the same, and pause for ``--pause`` seconds after each answer. A third
of the way, a head is trained into the folder of runs, and is used from then on. Prints the memory
over time.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from benchmarks.line_chart import line_chart
from benchmarks.running_app import RunningApp, memory_megabytes, request_answer, running_app
from elmo_tasks.senses.entries import Entry
from elmo_tasks.senses.lexicon import bundled_lexicon

_EVERY = 15.0  # seconds between two samples
_RUN = "sample"
Request = Callable[[httpx.Client], Any]


@dataclass
class Load:
    """Data that the users share."""

    n: Counter[str] = field(default_factory=Counter)  #: answers of each kind
    wrong: list[str] = field(default_factory=list)  #: error messages
    heads: list[str | None] = field(default_factory=lambda: [None])  #: for names, to choose from


def _drawn(draw: random.Random, entry: Entry, n: int) -> list[str]:
    """Draw sentences with a word, each made a new one by a number."""
    own = [sentence for sense in entry.senses for sentence in sense.sentences]
    found = draw.choices(own, k=n)
    return [f"{s.replace('[', '').replace(']', '')} {draw.randrange(10**6)}." for s in found]


def _request(
    draw: random.Random, entries: list[Entry], load: Load, session: str
) -> tuple[str, Request]:
    entry = draw.choice(entries)
    sentences = _drawn(draw, entry, draw.randint(2, 6))
    text = " ".join(_drawn(draw, draw.choice(entries), 8))
    many = "\n".join(_drawn(draw, entry, draw.randint(20, 60)))
    head = draw.choice(load.heads)
    asks: dict[str, list[Any]] = {
        "compare": [entry.word, sentences, None, None],
        "why": [entry.word, sentences[:2], None, None, None],
        "substitutes": [entry.word, sentences, None],
        "sentences": [sentences, None],
        "sense_map": [entry.word, many, None, True, None, False, ""],
        "land": [entry.word, sentences[0], many, None, True, None],
        "nearest": [entry.word, sentences[0], None, "all", None, 15, None, ""],
        "sentiment": [sentences, None],
        "ner": [sentences, head, 1],
        "senses": [text, None, None],
        "meaning_forms": [entry.word, sentences[0], None, None],
        "page": [],
    }
    kind = draw.choice(list(asks))
    if kind == "page":
        return kind, lambda client: client.get("/").raise_for_status()
    return kind, lambda client: request_answer(client, kind, asks[kind], session)


def _ask(url: str, number: int, end: float, pause: float, load: Load) -> None:
    draw = random.Random(number)
    entries = [
        entry
        for entry in bundled_lexicon().ambiguous
        if not entry.is_expression and " " not in entry.word
    ]
    with httpx.Client(base_url=url, timeout=300) as client:
        while time.monotonic() < end:
            kind, request = _request(draw, entries, load, f"user-{number}")
            try:
                request(client)
            except (httpx.HTTPError, ValueError, KeyError) as error:
                load.wrong.append(f"{kind}: {error!r}")
            load.n[kind] += 1
            time.sleep(pause)


def _train(runs: Path, wait: float, load: Load) -> None:
    """Train a head on the sample, as the Train tab does in a process of its own."""
    time.sleep(wait)
    command = [sys.executable, "-m", "elmo_tasks", "fit", "--config", "ner_sample"]
    done = subprocess.run(
        [*command, "--run_dir", str(runs / _RUN), "--trainer.max_epochs", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        load.wrong.append(f"training: {done.stderr[-300:]}")
    else:
        load.heads.append(_RUN)


def measured(
    app: RunningApp, runs: Path, people: int, seconds: float, pause: float
) -> list[tuple[float, ...]]:
    """Return minutes, answers so far, MB in memory, and of these MB that are the app's own."""
    load, began = Load(), time.monotonic()
    threads = [
        threading.Thread(target=_ask, args=(app.url, number, began + seconds, pause, load))
        for number in range(people)
    ]
    threads.append(threading.Thread(target=_train, args=(runs, seconds / 3, load)))
    for thread in threads:
        thread.start()
    rows: list[tuple[float, ...]] = []
    print("| minutes | answers | MB in memory | MB of its own |\n|---:|---:|---:|---:|")
    while any(thread.is_alive() for thread in threads):
        whole, own = memory_megabytes(app.pid)
        rows.append(((time.monotonic() - began) / 60, load.n.total(), whole, own))
        print(f"| {rows[-1][0]:.1f} | {rows[-1][1]:,} | {whole:,.0f} | {own:,.0f} |", flush=True)
        time.sleep(_EVERY)
    print(", ".join(f"{n} {kind}" for kind, n in load.n.most_common()))
    print(f"{len(load.wrong)} wrong or lost", *load.wrong[:3])
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--pause", type=float, default=0, help="seconds between two questions")
    parser.add_argument("--chart", type=Path, help="SVG file to draw")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder) / "runs"
        with running_app(["--runs_dir", str(runs)]) as app:
            rows = measured(app, runs, args.people, 60 * args.minutes, args.pause)
    # Single samples depend on the computations at that moment.
    early, late = (
        statistics.median(row[3] for row in rows if first < row[0] / args.minutes <= last)
        for first, last in ((1 / 6, 1 / 3), (5 / 6, 1))
    )
    print(
        f"its own memory, median: {early:,.0f} MB in the second sixth of the time, {late:,.0f} MB"
        f" in the last, {late / early - 1:+.0%}"
    )
    if args.chart:
        x = [row[1] for row in rows]
        line_chart(args.chart, "The app", "answers", x, "MB of its own", [row[3] for row in rows])


if __name__ == "__main__":
    main()

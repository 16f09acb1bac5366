"""Load test: fifty users for two minutes: ``python -m benchmarks.fifty_people``.

Starts the app; each user requests a comparison of their own sentences, reads the result for ten
seconds on the average, and repeats. Prints response times, the memory of the app over time, and
responses that were not the user's own, and how busy other processes kept the machine (psutil, of
requirements-dev.txt). All of it stays on this machine.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import threading
import time
from dataclasses import dataclass, field

import httpx
import psutil

from benchmarks.running_app import compared, resident_megabytes, running_app


@dataclass
class Crowd:
    """Results of a load test."""

    seconds: list[float] = field(default_factory=list)  #: of each answer
    wrong: list[str] = field(default_factory=list)  #: error messages
    megabytes: list[float] = field(default_factory=list)  #: of the app, every ten seconds
    #: processor cores used by other processes meanwhile
    others: float = 0.0

    @property
    def p95(self) -> float:
        """Of the seconds."""
        return statistics.quantiles(self.seconds, n=20)[-1]


def crowd(url: str, pid: int, people: int, seconds: float, pause: float) -> Crowd:
    """Query an app for some seconds, with a mean pause between requests of each user."""
    found, end = Crowd(), time.monotonic() + seconds

    def person(number: int) -> None:
        draw, asked = random.Random(number), 0
        time.sleep(draw.uniform(0, pause))
        while time.monotonic() < end:
            sentences = [
                f"Visitor {number} saw {asked} banks.",
                f"Boat {number} lay at the bank for {asked} days.",
            ]
            began = time.perf_counter()
            try:
                with httpx.Client(base_url=url, timeout=120) as client:
                    answer = compared(client, "bank", sentences)
                if [item["sentence"] for item in answer["items"]] != sentences:
                    found.wrong.append(f"visitor {number} got {answer['items']}")
            except (httpx.HTTPError, ValueError, KeyError) as error:
                found.wrong.append(repr(error))
            found.seconds.append(time.perf_counter() - began)
            asked += 1
            time.sleep(draw.uniform(0.5 * pause, 1.5 * pause))

    threads = [threading.Thread(target=person, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    while time.monotonic() < end:
        found.megabytes.append(resident_megabytes(pid))
        time.sleep(10)
    for thread in threads:
        thread.join()
    return found


def measured(people: int, seconds: float, pause: float) -> Crowd:
    """Start the app, warm it up, then run the load test."""
    with running_app() as app:
        with httpx.Client(base_url=app.url, timeout=120) as client:
            for k in range(20):  # loads everything that is loaded once
                compared(client, "bank", [f"A bank of {k}.", "My bank."])
        began, taken = time.perf_counter(), _taken_by_others(app.pid)
        found = crowd(app.url, app.pid, people, seconds, pause)
        found.others = (_taken_by_others(app.pid) - taken) / (time.perf_counter() - began)
        return found


def _taken_by_others(pid: int) -> float:
    """CPU seconds, over all cores, used by processes outside this benchmark."""
    everything = psutil.cpu_times()
    taken = sum(
        getattr(everything, name, 0.0)
        for name in ("user", "nice", "system", "irq", "softirq", "steal")
    )
    app = psutil.Process(pid)
    ours = [
        process.cpu_times() for process in (psutil.Process(), app, *app.children(recursive=True))
    ]
    return taken - sum(times.user + times.system for times in ours)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument(
        "--pause",
        type=float,
        default=10,
        help="of a person between questions, on the average (default: 10)",
    )
    parser.add_argument(
        "--url",
        help="of an app, or of a proxy before several, that runs already (default: start one)",
    )
    parser.add_argument(
        "--pid", type=int, help="of its process, whose memory is measured, with --url"
    )
    args = parser.parse_args()
    if args.url is None:
        found = measured(args.people, args.seconds, args.pause)
    else:
        found = crowd(args.url, args.pid or os.getpid(), args.people, args.seconds, args.pause)
    print(
        f"{args.people} people, {len(found.seconds)} answers in {args.seconds:.0f} s,"
        f" {len(found.wrong)} wrong or lost"
    )
    print(
        f"p50 {statistics.median(found.seconds):.2f} s, p95 {found.p95:.2f} s, longest"
        f" {max(found.seconds):.2f} s"
    )
    print(f"cores that other processes took: {found.others:.1f}")
    print("MB every ten seconds:", " ".join(f"{size:.0f}" for size in found.megabytes))


if __name__ == "__main__":
    main()

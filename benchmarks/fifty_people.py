"""Load test: fifty users for two minutes: ``python -m benchmarks.fifty_people``.

Starts the app; each user requests a comparison of their own sentences, reads the result for ten
seconds on average, and repeats. Prints response times, the memory of the app over time, and
responses that were not the user's own, and how busy other processes kept the machine (psutil, of
requirements-dev.txt). ``--copies 2`` starts two apps behind nginx. All of it stays on this machine.
"""

from __future__ import annotations

import argparse
import random
import statistics
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import httpx

from benchmarks.running_app import (
    behind_nginx,
    compared,
    resident_megabytes,
    running_app,
    taken_by_others,
)


@dataclass
class Crowd:
    """Results of a load test."""

    seconds: list[float] = field(default_factory=list)  #: of each answer
    later: list[float] = field(default_factory=list)  #: of those asked after everyone's first
    wrong: list[str] = field(default_factory=list)  #: error messages
    megabytes: list[float] = field(default_factory=list)  #: of the app, every ten seconds
    #: processor cores used by other processes meanwhile
    others: float = 0.0


def _summary(name: str, seconds: Sequence[float]) -> str:
    p50, p95 = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1]
    return f"{name}: p50 {p50:.2f} s, p95 {p95:.2f} s, longest {max(seconds):.2f} s"


def crowd(url: str, pids: Sequence[int], people: int, seconds: float, pause: float) -> Crowd:
    """Query an app for some seconds, with a mean pause between requests of each user.

    Each user keeps the cookies that the app, or the proxy before it, sets.
    """
    found, end = Crowd(), time.monotonic() + seconds
    certificates = httpx.create_ssl_context()  # takes long to read; real people have their own

    def person(number: int) -> None:
        draw, n_requests = random.Random(number), 0
        time.sleep(draw.uniform(0, pause))
        with httpx.Client(base_url=url, timeout=120, verify=certificates) as client:
            while time.monotonic() < end:
                sentences = [
                    f"Visitor {number} saw {n_requests} banks.",
                    f"Boat {number} lay at the bank for {n_requests} days.",
                ]
                began = time.perf_counter()
                try:
                    answer = compared(client, "bank", sentences, f"visitor-{number}")
                    if [item["sentence"] for item in answer["items"]] != sentences:
                        found.wrong.append(f"visitor {number} got {answer['items']}")
                except (httpx.HTTPError, ValueError, KeyError) as error:
                    found.wrong.append(repr(error))
                found.seconds.append(time.perf_counter() - began)
                if n_requests:
                    found.later.append(found.seconds[-1])
                n_requests += 1
                time.sleep(draw.uniform(0.5 * pause, 1.5 * pause))

    threads = [threading.Thread(target=person, args=(number,)) for number in range(people)]
    began, taken = time.perf_counter(), taken_by_others(pids)
    for thread in threads:
        thread.start()
    while time.monotonic() < end:
        found.megabytes.append(sum(map(resident_megabytes, pids)))
        time.sleep(10)
    for thread in threads:
        thread.join()
    found.others = (taken_by_others(pids) - taken) / (time.perf_counter() - began)
    return found


def measured(people: int, seconds: float, pause: float, copies: int = 1) -> Crowd:
    """Start the app, warm it up, then run the load test.

    Two copies run with one thread each, behind nginx.
    """
    with ExitStack() as stack:
        threads = None if copies == 1 else 1
        apps = [stack.enter_context(running_app(threads=threads)) for _ in range(copies)]
        for app in apps:
            with httpx.Client(base_url=app.url, timeout=120) as client:
                for k in range(20):  # loads everything that is loaded once
                    compared(client, "bank", [f"A bank of {k}.", "My bank."])
        url = apps[0].url if copies == 1 else stack.enter_context(behind_nginx(apps))
        return crowd(url, [app.pid for app in apps], people, seconds, pause)


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
        help="mean time of a person between questions (default: 10)",
    )
    parser.add_argument(
        "--copies",
        type=int,
        choices=(1, 2),
        default=1,
        help="of the app; two run behind nginx, with one thread each (default: 1)",
    )
    args = parser.parse_args()
    found = measured(args.people, args.seconds, args.pause, args.copies)
    print(
        f"{args.people} people, {len(found.seconds)} answers in {args.seconds:.0f} s,"
        f" {len(found.wrong)} wrong or lost"
    )
    print(_summary("all answers", found.seconds))
    print(_summary("all but each one's first, for which gradio describes the page", found.later))
    print(f"cores that other processes took: {found.others:.1f}")
    print("MB every ten seconds:", " ".join(f"{size:.0f}" for size in found.megabytes))


if __name__ == "__main__":
    main()

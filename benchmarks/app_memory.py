"""What answers cost in memory: ``python -m benchmarks.app_memory``.

Starts the app, asks for comparisons of sentences that are all different, each by a session of its own, as many people would, and
prints the resident memory of the app's process on the way. All of it stays on this machine. ``--repository`` measures another
checkout, to see one beside the other.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import httpx

from benchmarks.running_app import REPOSITORY, compared, resident_megabytes, running_app


def ask(client: httpx.Client, number: int) -> None:
    """Compare two sentences that nobody asked about before."""
    sentences = [f"Visitor {number} opened an account at the bank.", f"Boat {number} lay at the bank of the river."]
    compared(client, "bank", sentences)


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=400, help="how many (default: 400)")
    parser.add_argument("--repository", type=Path, default=REPOSITORY, help="checkout to measure (default: this one)")
    args = parser.parse_args()
    with running_app(args.repository) as app, httpx.Client(base_url=app.url, timeout=120) as client:
        for number in range(20):  # what is loaded once
            ask(client, number)
        before = resident_megabytes(app.pid)
        print(f"{'answers':>8}   {'MB':>7}")
        for number in range(args.answers + 1):
            if number % max(1, args.answers // 4) == 0:
                print(f"{number:>8}   {resident_megabytes(app.pid):>7.0f}", flush=True)
            ask(client, 1000 + number)
        grown = resident_megabytes(app.pid) - before
    print(f"{grown:+.1f} MB after {args.answers} answers, {1000 * grown / args.answers:.0f} kB each")


if __name__ == "__main__":
    main()

"""What answers cost in memory: ``python -m benchmarks.app_memory``.

Starts the app, asks for comparisons of sentences that are all different, each by a session of its own, as many people would, and
prints the resident memory of the app's process on the way. All of it stays on this machine. ``--repository`` measures another
checkout, to see one beside the other.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

REPOSITORY = Path(__file__).resolve().parents[1]


def resident_megabytes(pid: int) -> float:
    """Of a process, on Linux."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1000


def free_port() -> int:
    """One that nobody listens on now."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def started_app(repository: Path, port: int) -> subprocess.Popen[bytes]:
    """The app of a checkout, ready to answer; in a process group of its own."""
    command = [sys.executable, "app.py", "--port", str(port), "--host", "127.0.0.1"]
    app = subprocess.Popen(command, cwd=repository, stdout=subprocess.DEVNULL, start_new_session=True)
    for _ in range(600):
        if app.poll() is not None:
            raise SystemExit(f"the app ended with exit code {app.returncode}")
        try:
            httpx.get(f"http://127.0.0.1:{port}/config", timeout=5)
            return app
        except httpx.HTTPError:
            time.sleep(0.5)
    raise SystemExit("the app did not start within 5 minutes")


def ask(client: httpx.Client, number: int) -> float:
    """Compare two sentences that nobody asked about before; how many seconds it took."""
    began = time.perf_counter()
    sentences = [f"Visitor {number} opened an account at the bank.", f"Boat {number} lay at the bank of the river."]
    event = client.post("/gradio_api/call/compare", json={"data": ["bank", sentences, None]}).raise_for_status().json()
    answer = client.get(f"/gradio_api/call/compare/{event['event_id']}").text
    if "event: complete" not in answer:
        raise SystemExit(f"no answer: {answer[:300]}")
    return time.perf_counter() - began


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=400, help="how many (default: 400)")
    parser.add_argument("--repository", type=Path, default=REPOSITORY, help="checkout to measure (default: this one)")
    args = parser.parse_args()
    port = free_port()
    app = started_app(args.repository, port)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
            for number in range(20):  # what is loaded once
                ask(client, number)
            before = resident_megabytes(app.pid)
            print(f"{'answers':>8}   {'MB':>7}")
            for number in range(args.answers + 1):
                if number % max(1, args.answers // 4) == 0:
                    print(f"{number:>8}   {resident_megabytes(app.pid):>7.0f}", flush=True)
                ask(client, 1000 + number)
            after = resident_megabytes(app.pid)
            print(
                f"{after - before:+.1f} MB after {args.answers} answers, {1000 * (after - before) / args.answers:.0f} kB each"
            )
    finally:
        os.killpg(app.pid, signal.SIGTERM)
        app.wait(30)


if __name__ == "__main__":
    main()

"""Start the app in a separate local process, for benchmarks over HTTP."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class RunningApp:
    """An app that answers."""

    url: str  #: where
    pid: int  #: its process
    seconds: float  #: from its start to its first page


@contextmanager
def running_app(arguments: Sequence[str] = (), threads: int | None = None) -> Iterator[RunningApp]:
    """The app, in a process group that ends with the block; ``threads`` limits those of torch.

    Raises:
        RuntimeError: it ended, or did not answer within five minutes.
    """
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = int(trial.getsockname()[1])
    url, began = f"http://127.0.0.1:{port}/", time.perf_counter()
    command = [sys.executable, "app.py", "--port", str(port), "--host", "127.0.0.1", *arguments]
    environment = os.environ | (
        {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)} if threads else {}
    )
    app = subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        while True:
            try:
                httpx.get(url, timeout=5).raise_for_status()
                break
            except httpx.HTTPError:
                if app.poll() is not None:
                    raise RuntimeError(f"the app ended with exit code {app.returncode}") from None
                if time.perf_counter() - began > 300:
                    raise RuntimeError("the app did not start within 5 minutes") from None
                time.sleep(0.05)
        yield RunningApp(url, app.pid, time.perf_counter() - began)
    finally:
        if app.poll() is None:
            os.killpg(app.pid, signal.SIGTERM)
        app.wait(30)


def compared(client: httpx.Client, word: str, sentences: Sequence[str]) -> dict[str, Any]:
    """Request a comparison as the page does, by a client of the app.

    Raises:
        ValueError: the response is not a result.
    """
    data = {"data": [word, list(sentences), None]}
    event = client.post("/gradio_api/call/compare", json=data).raise_for_status().json()
    kind, _, answer = client.get(f"/gradio_api/call/compare/{event['event_id']}").text.partition(
        "\ndata: "
    )
    if kind != "event: complete":
        raise ValueError(answer[:200])
    return dict(json.loads(answer)[0])


def resident_megabytes(pid: int) -> float:
    """Of a process, on Linux."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1000

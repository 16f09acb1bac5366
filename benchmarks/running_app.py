"""Start the app in a separate local process, for benchmarks over HTTP."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class RunningApp:
    """An app that answers."""

    url: str  #: where
    pid: int  #: its process
    seconds: float  #: from its start to its first page


def free_port() -> int:
    """A port of this machine that nothing listens at."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


@contextmanager
def running_app(arguments: Sequence[str] = (), threads: int | None = None) -> Iterator[RunningApp]:
    """The app, in a process group that ends with the block; ``threads`` limits those of torch.

    Raises:
        RuntimeError: it ended, or did not answer within five minutes.
    """
    port = free_port()
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
        app.wait(60)


@contextmanager
def behind_nginx(apps: Sequence[RunningApp]) -> Iterator[str]:
    """The address of nginx before two apps, with the settings of ``deploy/nginx.conf``.

    Raises:
        RuntimeError: nginx is not installed, or did not start.
    """
    if shutil.which("nginx") is None:
        raise RuntimeError(
            "expected nginx on the path, as Debian's package nginx-light installs it"
        )
    settings = (REPOSITORY / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    for number, app in enumerate(apps, start=1):
        settings = settings.replace(f"app-{number}:7860", httpx.URL(app.url).netloc.decode())
    port = free_port()
    settings = settings.replace("listen 8080", f"listen 127.0.0.1:{port}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nginx.conf"
        path.write_text(settings, encoding="utf-8")
        options = f"daemon off; pid {folder}/nginx.pid;"
        proxy = subprocess.Popen(
            ["nginx", "-p", folder, "-c", str(path), "-g", options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            for _ in range(100):
                with suppress(httpx.HTTPError):
                    httpx.get(f"http://127.0.0.1:{port}/health", timeout=5).raise_for_status()
                    break
                time.sleep(0.1)
            else:
                raise RuntimeError("nginx did not start within 10 seconds")
            yield f"http://127.0.0.1:{port}/"
        finally:
            proxy.terminate()
            proxy.wait(30)


def request_answer(
    client: httpx.Client, endpoint: str, values: Sequence[Any], session: str = ""
) -> Any:
    """Ask an endpoint as gradio's clients do.

    Args:
        client: of the app.
        endpoint: its name.
        values: its arguments.
        session: a name that all requests of one page share; without it each request is a page of
            its own.

    Raises:
        ValueError: the response is not a result.
    """
    path = f"/gradio_api/call/{endpoint}"
    body = {"data": list(values), **({"session_hash": session} if session else {})}
    event = client.post(path, json=body).raise_for_status().json()
    kind, _, answer = client.get(f"{path}/{event['event_id']}").text.rpartition("\ndata: ")
    if not kind.endswith("event: complete"):
        raise ValueError(f"{kind[-40:]} {answer[:200]}")
    return json.loads(answer)[0]


def compared(
    client: httpx.Client, word: str, sentences: Sequence[str], session: str = ""
) -> dict[str, Any]:
    """Request a comparison as the page does, by a client of the app; see :func:`request_answer`.

    Raises:
        ValueError: the response is not a result.
    """
    return dict(request_answer(client, "compare", [word, list(sentences), None], session))


def memory_megabytes(pid: int) -> tuple[float, float]:
    """Of a process, on Linux: all that is in memory, and what is its own, without mapped files."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    whole, own = (int(status.partition(f"{name}:")[2].split()[0]) for name in ("VmRSS", "RssAnon"))
    return whole / 1000, own / 1000


def resident_megabytes(pid: int) -> float:
    """Of a process, on Linux."""
    return memory_megabytes(pid)[0]


def busy_seconds() -> float:
    """CPU seconds, over all cores, that all processes of this machine have used."""
    everything = psutil.cpu_times()
    names = ("user", "nice", "system", "irq", "softirq", "steal")
    return float(sum(getattr(everything, name, 0.0) for name in names))


def taken_by_others(pids: Sequence[int]) -> float:
    """CPU seconds, over all cores, used by processes outside a benchmark and its apps."""
    apps = [psutil.Process(pid) for pid in pids]
    children = {
        child for app in (psutil.Process(), *apps) for child in app.children(recursive=True)
    }
    ours = [process.cpu_times() for process in {psutil.Process(), *apps, *children}]
    return busy_seconds() - sum(times.user + times.system for times in ours)

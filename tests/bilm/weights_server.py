"""A server on this machine that gives files as a good server does, and misbehaves on request."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import write_hdf5
from elmo_tasks.bilm.published import PublishedModel

FILTERS = ((1, 4), (2, 8))
TINY = PublishedModel(
    "small", "tiny", dim=6, projection_dim=5, n_highway=1, n_parameters=6061, filters=FILTERS
)
#: Files of its folder after the download.
COMPLETE = {TINY.options_name, TINY.weights_name, "card.json"}


def write_copies(folder: Path) -> Path:
    """Both files, under their published names."""
    write_hdf5(folder / TINY.weights_name, BiLM(TINY.options))
    (folder / TINY.options_name).write_text(TINY.options_text)
    return folder


PAGE = b"<!DOCTYPE html><html><body>Please sign in</body></html>"


@dataclass
class Request:
    path: str
    range: str | None
    status: int
    sent: int


@dataclass
class WeightsServer:
    """Its files, the faults to simulate, and the requests received. ``faults`` are used in order,
    one per request."""

    files: dict[str, bytes] = field(default_factory=dict)
    faults: list[str | int] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    gate: threading.Event | None = None
    url: str = ""


@contextmanager
def running(shop: WeightsServer) -> Iterator[WeightsServer]:
    class Handler(_Handler):
        server_state = shop

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    shop.url = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        yield shop
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server_state: WeightsServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        shop = self.server_state
        fault = shop.faults.pop(0) if shop.faults else None
        wanted = self.headers.get("Range")
        request = Request(self.path, wanted, 0, 0)
        shop.requests.append(request)
        body = shop.files.get(self.path)
        start = 0
        headers: dict[str, str] = {}
        if isinstance(fault, int):
            status, body = fault, b"no"
        elif body is None:
            status, body = 404, b"no such file"
        elif fault == "page":
            status, body, headers["Content-Type"] = 200, PAGE, "text/html; charset=utf-8"
        elif fault == "page in disguise":
            status, body = 200, PAGE
        elif wanted is not None and fault != "ignore range":
            match = re.fullmatch(r"bytes=(\d+)-", wanted)
            assert match is not None
            start, total = int(match[1]), len(body)
            if start >= total:
                status, headers["Content-Range"], body = 416, f"bytes */{total}", b""
            else:
                status, headers["Content-Range"] = 206, f"bytes {start}-{total - 1}/{total}"
                body = body[start:]
        else:
            status = 200
        length = len(body) + {"too long": 1000, "too short": -1000}.get(str(fault), 0)
        if fault == "drop":
            body, length = body[: len(body) // 2], len(body)
        request.status, request.sent = status, len(body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        # unsaid, the client may ask again on a connection that just ends
        self.send_header("Connection", "close")
        self.end_headers()
        if shop.gate is not None:
            shop.gate.wait(5)
        self.wfile.write(body)

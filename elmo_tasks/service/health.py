"""Health check for a proxy, and a shutdown that lets running requests finish."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable

from elmo_tasks.service.request_limits import App, AsgiMessage, Receive, Send

PATH = "/health"
#: Requests that compute; others, such as the heartbeat of a page, last as long as the page is open.
_COMPUTING = ("/queue/data", "/queue/join", "/call/", "/run/", "/predict", "/upload")


class Health:
    """Count of the requests that compute, and whether new ones are taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self.is_ending = False

    def add(self, n: int) -> None:
        """Count requests that begin (1) or end (-1)."""
        with self._lock:
            self._running += n

    @property
    def running(self) -> int:
        """Number of the requests that compute."""
        return self._running

    def end(self, seconds: float, sleep: Callable[[float], object] = time.sleep) -> bool:
        """Refuse new requests and wait for the running ones; return whether all have ended."""
        self.is_ending = True
        until = time.monotonic() + seconds
        while self._running and time.monotonic() < until:
            sleep(0.05)
        return not self._running


class HealthMiddleware:
    """Answers ``/health``, and refuses requests that compute once the app is shutting down."""

    def __init__(self, app: App, health: Health) -> None:
        self._app = app
        self._health = health

    async def __call__(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Serve one request."""
        path = scope.get("path", "")
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif path.rstrip("/").endswith(PATH):
            ending = self._health.is_ending
            state = {"status": "ending" if ending else "ok", "running": self._health.running}
            await _answer(send, 503 if ending else 200, state)
        elif not any(part in path for part in _COMPUTING):
            await self._app(scope, receive, send)
        # The results of earlier requests may still be fetched.
        elif self._health.is_ending and "/queue/data" not in path and scope["method"] == "POST":
            await _answer(
                send, 503, {"error": "The app is being restarted. Try again in a moment."}
            )
        else:
            self._health.add(1)
            try:
                await self._app(scope, receive, send)
            finally:
                self._health.add(-1)


async def _answer(send: Send, status: int, content: object) -> None:
    body = json.dumps(content).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 503:
        headers.append((b"retry-after", b"5"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
    await asyncio.sleep(0)

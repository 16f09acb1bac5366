"""ASGI middleware that limits request size, uploads and login attempts.

It uses only the standard library and works in front of any ASGI app.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

#: The longest text in a request has 2,000,000 characters, and each may take six bytes (``\\u00e9``).
MAX_BYTES = 13_000_000
#: Endpoints whose files gradio would keep in a temporary folder; only the upload of training data needs one of them.
_KEEPING = ("/upload", "/process_recording", "/component_server")
_LOGIN = "/login"
_FORGOTTEN = 900.0  # seconds after which wrong passwords are forgotten
_MOST_ADDRESSES = 1000
_LONGEST_WAIT = 30.0
# The header of a file in a form; the text of a field may well contain "filename=" alone.
_LONGEST_HEADER = 500
_FILE = re.compile(rb"\r\ncontent-disposition:[^\r\n]*?filename\*?=", re.IGNORECASE)


@dataclass(frozen=True)
class UploadLimits:
    """Limits on uploads."""

    max_bytes: int  #: of one request
    max_files: int = 2  #: of one request
    max_requests: int = 60  #: in an hour, by all clients together


class _TooMuch(Exception):
    """The request exceeds a limit; the message names it."""


class RequestLimits:
    """Middleware that limits the cost of a request before it is parsed.

    Without ``uploads`` it refuses every upload; ``max_bytes`` limits the body of any other request; the first wrong
    password costs ``pause`` seconds, and each further one twice as many.
    """

    def __init__(
        self, app: App, uploads: UploadLimits | None = None, max_bytes: int = MAX_BYTES, pause: float = 1.0
    ) -> None:
        self._app, self._uploads, self._most_bytes = app, uploads, max_bytes
        self._uploaded: deque[float] = deque()
        self._logins = _Logins(pause)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        path = scope["path"].rstrip("/")
        keeping = path.endswith(_KEEPING)
        turn = time.monotonic()
        if keeping and (refusal := self._refused_upload(turn)) is not None:
            await _refuse(send, *refusal)
            return
        most = self._uploads.max_bytes if keeping and self._uploads is not None else self._most_bytes
        if _length(scope) > most:
            await _refuse(send, 413, _too_large(most))
            return
        body = _Body(receive, most, self._uploads.max_files if keeping and self._uploads is not None else None)
        begun = was_kept = False

        async def reply(message: Message) -> None:
            nonlocal begun, was_kept
            was_kept |= message.get("status", 400) < 400
            if body.too_much is None or begun:  # else the app would report an error in half a body
                begun = True
                await send(message)

        try:
            if path.endswith(_LOGIN):
                await self._logins.slowed(scope, lambda out: self._app(scope, body, out), reply)
            else:
                await self._app(scope, body, reply)
        except _TooMuch:
            pass
        finally:
            if keeping and not was_kept:  # a refused request does not count as an upload
                with contextlib.suppress(ValueError):  # the upload lasted more than an hour, and its entry has expired
                    self._uploaded.remove(turn)
        if body.too_much is not None and not begun:
            await _refuse(send, 413, body.too_much)

    def _refused_upload(self, now: float) -> tuple[int, str] | None:
        """Reserve an upload, or return the reason for a refusal.

        The reservation takes effect at once, so concurrent uploads count as well.
        """
        if self._uploads is None:
            return 403, "Uploads are off here."
        while self._uploaded and now - self._uploaded[0] > 3600:
            self._uploaded.popleft()
        if len(self._uploaded) >= self._uploads.max_requests:
            return 429, "Too many files were uploaded in the last hour. Wait a while."
        self._uploaded.append(now)
        return None


class _Body:
    """Request body that raises an error if it is too large or contains too many files."""

    def __init__(self, receive: Receive, most: int, max_files: int | None) -> None:
        self._receive, self._most, self._most_files = receive, most, max_files
        self._bytes = self._files = 0
        self._tail = b""
        self.too_much: str | None = None

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] != "http.request":
            return message
        chunk: bytes = message.get("body", b"")
        self._bytes += len(chunk)
        if self._bytes > self._most:
            self.too_much = _too_large(self._most)
        if self._most_files is not None:
            # A header may span two chunks: keep this much of the previous one.
            seen = self._tail + chunk
            found = list(_FILE.finditer(seen))
            self._files += len(found)
            self._tail = seen[found[-1].end() if found else 0 :][-_LONGEST_HEADER:]
            if self._files > self._most_files:
                self.too_much = f"This request brings more than {self._most_files} files."
        if self.too_much is not None:
            raise _TooMuch(self.too_much)
        return message


@dataclass
class _Tries:
    """Failed logins from one address."""

    turn: asyncio.Lock
    wrong: int = 0
    last: float = 0.0


class _Logins:
    """Delay answers to wrong passwords, one address at a time and longer each time."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._tries: OrderedDict[str, _Tries] = OrderedDict()

    async def slowed(self, scope: MutableMapping[str, Any], ask: Callable[[Send], Awaitable[None]], send: Send) -> None:
        address = str((scope.get("client") or ("",))[0])
        tries = self._tries.setdefault(address, _Tries(asyncio.Lock()))
        self._tries.move_to_end(address)
        while len(self._tries) > _MOST_ADDRESSES:
            self._tries.popitem(last=False)

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                if message["status"] >= 400:
                    await asyncio.sleep(self._noted(tries))
                else:
                    tries.wrong = 0
            await send(message)

        async with tries.turn:
            await ask(answered)

    def _noted(self, tries: _Tries) -> float:
        """Record a wrong password and return the delay of its answer."""
        now = time.monotonic()
        tries.wrong = 1 if now - tries.last > _FORGOTTEN else tries.wrong + 1
        tries.last = now
        return float(min(_LONGEST_WAIT, self._pause * 2.0 ** min(tries.wrong - 1, 16)))


def _too_large(most: int) -> str:
    return f"This request is larger than the {most / 1e6:g} MB that are taken here."


def _length(scope: MutableMapping[str, Any]) -> int:
    """Return the declared length of a request; 0 without a valid one."""
    said = next((value for name, value in scope["headers"] if name.lower() == b"content-length"), b"")
    return int(said) if said.isdigit() else 0


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason, "detail": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})

"""ASGI middleware that limits request size, uploads and login attempts."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

AsgiMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]
App = Callable[[AsgiMessage, Receive, Send], Awaitable[None]]

#: The longest text in a request has 2,000,000 characters, and each may take six bytes
#: (``\\u00e9``).
MAX_BYTES = 13_000_000
#: Endpoints whose files gradio would keep in a temporary folder; only the upload of training data
#: needs one of them.
_UPLOADS = ("/upload", "/process_recording", "/component_server")
_LOGIN = "/login"
_FORGET_SECONDS = 900.0  # seconds after which wrong passwords are forgotten
_MAX_ADDRESSES = 1000
_MAX_PAUSE = 30.0
# The header of a file in a form; the text of a field may well contain "filename=" alone.
_MAX_HEADER = 500
_FILE = re.compile(rb"\r\ncontent-disposition:[^\r\n]*?filename\*?=", re.IGNORECASE)


@dataclass(frozen=True)
class UploadLimits:
    """Limits on uploads."""

    max_bytes: int  #: maximum size of one request
    max_files: int = 2  #: maximum files in one request
    max_requests: int = 60  #: per hour, for all clients together


@dataclass
class _Logins:
    """Failed logins from one address."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    wrong: int = 0
    last: float = 0.0


class _TooMuch(Exception):
    """The request exceeds a limit; stop reading it."""


class RequestLimits:
    """Middleware that limits the cost of a request before it is parsed.

    Without ``uploads`` it refuses them all. The first wrong password costs ``pause`` seconds, each
    further one twice as many.
    """

    def __init__(
        self,
        app: App,
        uploads: UploadLimits | None = None,
        *,
        max_bytes: int = MAX_BYTES,
        pause: float = 1.0,
    ) -> None:
        self._app = app
        self._uploads = uploads
        self._max_bytes = max_bytes
        self._pause = pause
        self._uploaded: deque[float] = deque()
        self._logins: OrderedDict[str, _Logins] = OrderedDict()

    async def __call__(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Serve one request."""
        path = scope.get("path", "").rstrip("/")
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
        elif path.endswith(_UPLOADS):
            await self._upload(scope, receive, send)
        elif path.endswith(_LOGIN):
            await self._log_in(scope, receive, send)
        else:
            await self._serve(scope, receive, send, self._max_bytes)

    async def _upload(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Serve an upload, unless there were too many; a refused one does not count."""
        if self._uploads is None:
            await _refuse(send, 403, "Uploads are off here.")
            return
        now = time.monotonic()
        while self._uploaded and now - self._uploaded[0] > 3600:
            self._uploaded.popleft()
        if len(self._uploaded) >= self._uploads.max_requests:
            await _refuse(send, 429, "Too many files were uploaded in the last hour. Wait a while.")
            return
        self._uploaded.append(now)  # before it is served, so that concurrent uploads count as well
        status = 500
        try:
            status = await self._serve(
                scope, receive, send, self._uploads.max_bytes, self._uploads.max_files
            )
        except TypeError:  # by gradio, for a part of the form that is not a file or has no name
            status = 400
            await _refuse(send, status, "A file without a name cannot be read. Give it one.")
        finally:
            if status >= 400:
                # It may have lasted more than an hour, so that its entry has expired.
                with contextlib.suppress(ValueError):
                    self._uploaded.remove(now)

    async def _log_in(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Delay answers to wrong passwords, one address at a time and longer each time."""
        address = str((scope.get("client") or ("",))[0])
        logins = self._logins.setdefault(address, _Logins())
        self._logins.move_to_end(address)
        while len(self._logins) > _MAX_ADDRESSES:
            self._logins.popitem(last=False)

        async def delayed(message: AsgiMessage) -> None:
            status = message.get("status", 0)  # the first message alone has one
            if status >= 400:
                now = time.monotonic()
                logins.wrong = 1 if now - logins.last > _FORGET_SECONDS else logins.wrong + 1
                logins.last = now
                await asyncio.sleep(min(_MAX_PAUSE, self._pause * 2.0 ** min(logins.wrong - 1, 16)))
            elif status:
                logins.wrong = 0
            await send(message)

        async with logins.turn:
            await self._serve(scope, receive, delayed, self._max_bytes)

    async def _serve(
        self,
        scope: AsgiMessage,
        receive: Receive,
        send: Send,
        max_bytes: int,
        max_files: int | None = None,
    ) -> int:
        """Serve a request whose body is limited; return the status of the response."""
        status = n_bytes = n_files = 0
        problem = ""
        tail = b""
        too_large = f"This request is larger than the limit of {max_bytes / 1e6:g} MB."

        async def limited() -> AsgiMessage:
            nonlocal n_bytes, n_files, problem, tail
            message = await receive()
            chunk: bytes = message.get("body", b"")
            n_bytes += len(chunk)
            if n_bytes > max_bytes:
                problem = too_large
            if max_files is not None:
                text = tail + chunk
                headers = list(_FILE.finditer(text))
                n_files += len(headers)
                # A header may span two chunks: keep this much of the previous one.
                tail = text[headers[-1].end() if headers else 0 :][-_MAX_HEADER:]
                if n_files > max_files:
                    problem = f"This request has more than {max_files} files."
            if problem:
                raise _TooMuch
            return message

        async def reply(message: AsgiMessage) -> None:
            nonlocal status
            if not problem or status:  # else the app would report an error in half a body
                status = message.get("status", status)
                await send(message)

        length = next(
            (value for name, value in scope["headers"] if name.lower() == b"content-length"), b""
        )
        if length.isdigit() and int(length) > max_bytes:
            problem = too_large
        else:
            with contextlib.suppress(_TooMuch):
                await self._app(scope, limited, reply)
        if problem and not status:
            status = 413
            await _refuse(send, status, problem)
        return status


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason, "detail": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [*headers, (b"connection", b"close")],
        }
    )
    await send({"type": "http.response.body", "body": body})

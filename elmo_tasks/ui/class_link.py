"""Class link: students send sentences from their phones to the teacher's map.

It is off unless the app is started with ``--class-link``. There is one room at a time, of at most
:data:`MAX_SENTENCES` sentences, in memory only: closing it forgets them. The code of the room,
which is in the address and the QR code, is its password: sending, reading and closing need it.
"""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs

from elmo_tasks.errors import InputError
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.ui.parts import FormEvent, custom_form, on_submit
from elmo_tasks.ui.rendering import render

MAX_SENTENCES = 200
MAX_CHARACTERS = 300
#: Where the page for phones is; the code of the room follows.
PATH = "/class/"
_MAX_FORM = 8_000  # bytes
#: Seconds after which an unused room closes by itself.
_UNUSED_SECONDS = 3600
#: Seconds without its teacher's page after which a room may be replaced by another.
_REPLACEABLE_SECONDS = 60
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without characters that look alike
#: 31 to the power of 6: at a thousand guesses a second, one in 250 finds a room within an hour.
_CODE_LENGTH = 6


class ClassRoom:
    """Sentences that a class sends for one word.

    Args:
        is_local: only this machine reaches the app.

    Attributes:
        language_warning: returns what to tell the author of a sentence in another language; empty
            for English. The app sets it.
    """

    def __init__(self, *, is_local: bool = True) -> None:
        self.is_local = is_local
        self.language_warning: Callable[[Sequence[str]], str] = lambda sentences: ""
        self._lock = threading.Lock()
        self._code = self._word = ""
        self._sentences: list[str] = []
        self._last_request = 0.0

    def open(self, word: str) -> str:
        """Open a room for a word, and return its code.

        The code is empty while the page of another teacher still asks for sentences.
        """
        with self._lock:
            if self._code and time.monotonic() - self._last_request < _REPLACEABLE_SECONDS:
                return ""
            self._code = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
            self._word = word
            self._sentences = []
            self._last_request = time.monotonic()
            return self._code

    def close(self, code: str) -> None:
        """Close the room with this code and forget its sentences."""
        with self._lock:
            if not self._is_code(code):
                return
            self._code = ""
            self._word = ""
            self._sentences = []

    def _is_code(self, code: str) -> bool:
        # Bytes: strings with other letters than those of English cannot be compared like this.
        return bool(self._code) and secrets.compare_digest(
            code.encode("utf-8", "replace"), self._code.encode()
        )

    def word_of(self, code: str) -> str | None:
        """Return the word of an open room; ``None`` if there is no such room."""
        with self._lock:
            if self._code and time.monotonic() - self._last_request > _UNUSED_SECONDS:
                self._code, self._sentences = "", []
            return self._word if self._is_code(code) else None

    def add(self, code: str, sentence: str) -> str:
        """Add a sentence, and return what to tell its author."""
        word = self.word_of(code)
        if word is None:
            return "This link is closed. Ask your teacher for the new one."
        sentence = " ".join(sentence.split())
        if not sentence or len(sentence) > MAX_CHARACTERS:
            return f"Type one sentence of at most {MAX_CHARACTERS} characters."
        if not _uses(word, sentence):
            return f"Not sent: the sentence does not use “{word}”."
        with self._lock:
            if len(self._sentences) >= MAX_SENTENCES:
                return f"The class has sent {MAX_SENTENCES} sentences: that is all that fit."
            self._sentences.append(sentence)
        return f"Sent. {self.language_warning([sentence]) or 'You can send another one.'}"

    def since(self, code: str, n: int) -> list[str]:
        """Return the sentences of a room but the first ``n``."""
        if self.word_of(code) is None:
            return []
        with self._lock:
            self._last_request = time.monotonic()
            return self._sentences[max(0, n) :]


def _uses(word: str, sentence: str) -> bool:
    try:
        find_mention(word, sentence)
    except InputError:
        return False
    return True


class ClassPages:
    """The page for phones, in front of the app: all addresses below :data:`PATH`."""

    def __init__(self, app: Any, room: ClassRoom) -> None:
        self._app, self._room = app, room

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request for the page, or pass it on."""
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or not path.startswith(PATH):
            await self._app(scope, receive, send)
            return
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        typed = path.removeprefix(PATH).strip("/") or query.get("code", [""])[0]
        code, notice = typed.strip().lower(), ""
        if scope["method"] == "POST":
            sent = parse_qs((await _body(receive)).decode("utf-8", "replace"))
            notice = self._room.add(code, sent.get("sentence", [""])[0])
        word = self._room.word_of(code)
        page = render(
            "class_page.html", code=code, word=word, notice=notice, longest=MAX_CHARACTERS
        ).encode()
        headers = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")]
        await send(
            {
                "type": "http.response.start",
                "status": 404 if word is None else 200,
                "headers": headers,
            }
        )
        await send({"type": "http.response.body", "body": page})


async def _body(receive: Any) -> bytes:
    """Read a form, of which a sentence needs only the beginning."""
    body = b""
    while len(body) < _MAX_FORM:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body[:_MAX_FORM]


def address_in_network() -> str:
    """Return this machine's address in its network, or nothing if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # sends nothing: it only asks which address would be used
            probe.connect(("10.255.255.255", 1))
            return str(probe.getsockname()[0])
        except OSError:
            return ""


def respond(room: ClassRoom, event: FormEvent) -> dict[str, Any]:
    """Answer the page of the teacher: open or close the room, or give new sentences."""
    ask, code = event.get("ask"), str(event.get("code") or "")
    value: dict[str, Any] = {"revision": event.get("revision"), "code": code, "sentences": []}
    if ask == "open":
        value["code"] = room.open(str(event.get("word") or "").strip()[:40])
        value["host"] = "" if room.is_local else address_in_network()
    elif ask == "close":
        room.close(code)
        value["code"] = ""
    else:
        n = event.get("n")
        value["sentences"] = room.since(code, n if type(n) is int else 0)
    return value


def build(room: ClassRoom) -> None:
    """Add the part of the Sense map that opens the link."""
    scripts = ("scripts/vendor/qrcode.js", "scripts/class_link.js")
    part = custom_form(
        "class-link",
        *scripts,
        value={"code": "", "sentences": []},
        most=MAX_SENTENCES,
        local=room.is_local,
    )
    on_submit(part, lambda event: respond(room, event), part)

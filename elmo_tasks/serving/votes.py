"""Votes by phone: who may vote on what, and what came out. Nothing is kept of a person but a random name, until the vote ends."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import segno

from elmo_tasks.api import VoteCount, VoteRoom, VoteState
from elmo_tasks.errors import InputError
from elmo_tasks.senses.agreement import krippendorff_alpha

PATH = "vote"
MOST_ROOMS = 50
MOST_PEOPLE = 200
#: Seconds after which a vote that nobody looks at is forgotten.
LIFETIME = 3 * 3600.0
#: Seconds after which it makes room for another, where there is none: its page asks every minute, even in the background.
_LEFT = 300.0
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read as another one
# The last two are what the program prints as its address where all may reach it.
_ONLY_HERE = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::")


@dataclass
class _Room:
    """One vote. ``told`` is what phones are told of the pair once nobody can vote on it any more."""

    key: str
    seen: float
    number: int = -1
    word: str = ""
    sentences: tuple[str, str] = ("", "")
    told: str | None = None
    votes: dict[int, dict[str, bool]] = field(default_factory=dict)

    def people(self) -> set[str]:
        return {person for votes in self.votes.values() for person in votes}


class Votes:
    """See :class:`elmo_tasks.api.VoteService`; what phones ask is answered here, too.

    The program listens on ``host``, where that is known: ``0.0.0.0`` is every address that this machine has.
    """

    def __init__(self, host: str = "") -> None:
        self.host = host
        self._rooms: dict[str, _Room] = {}
        self._lock = threading.Lock()

    # --- What the page asks that opened the vote ---

    def open(self, page: str) -> VoteRoom:
        """Open a vote."""
        with self._lock:
            self._forget(LIFETIME)
            if len(self._rooms) >= MOST_ROOMS:
                self._forget(_LEFT)
            if len(self._rooms) >= MOST_ROOMS:
                raise InputError(f"{MOST_ROOMS} votes are open here already. Try again later.")
            code = next(code for code in iter(_code, None) if code not in self._rooms)
            key = secrets.token_urlsafe(16)
            self._rooms[code] = _Room(key, time.monotonic())
        address, hint = self._address(page, code)
        return VoteRoom(code, key, address, _qr(address) if address else "", hint)

    def show(self, code: str, key: str, number: int, word: str, sentences: tuple[str, str], told: str | None) -> None:
        """Show a pair on the phones, or what is told of it."""
        with self._lock:
            room = self._own(code, key)
            room.number, room.word, room.sentences, room.told = number, word, sentences, told

    def state(self, code: str, key: str) -> VoteState:
        """Where the vote stands."""
        with self._lock:
            room = self._own(code, key)
            counts = {number: VoteCount(sum(v.values()), len(v) - sum(v.values())) for number, v in room.votes.items()}
            agreement = krippendorff_alpha([list(votes.values()) for votes in room.votes.values()])
            return VoteState(len(room.people()), counts, agreement)

    def close(self, code: str, key: str) -> None:
        """End the vote and forget it."""
        with self._lock:
            self._own(code, key)
            del self._rooms[code]

    # --- What phones ask ---

    def seen_by(self, code: str, person: str) -> dict[str, Any]:
        """What a phone shows: the pair, the person's own vote, and what is told; ``{"open": false}`` if there is no such vote."""
        with self._lock:
            self._forget(LIFETIME)
            room = self._rooms.get(code)
            if room is None:
                return {"open": False}
            return {
                "open": True,
                "number": room.number,
                "word": room.word,
                "sentences": list(room.sentences),
                "told": room.told,
                "vote": room.votes.get(room.number, {}).get(person),
            }

    def cast(self, code: str, person: str, number: int, same: bool) -> None:
        """Take a vote; a later one of the same person on the same pair takes its place.

        Raises:
            InputError: the vote is over, this pair is, or too many people take part.
        """
        with self._lock:
            self._forget(LIFETIME)
            room = self._rooms.get(code)
            if room is None:
                raise InputError("This vote is over.")
            if number != room.number or number < 0 or room.told is not None:
                raise InputError("Too late: this pair is over.")
            if person not in (people := room.people()) and len(people) >= MOST_PEOPLE:
                raise InputError(f"{MOST_PEOPLE} people vote already; no more fit in.")
            room.votes.setdefault(number, {})[person] = same

    # --- Within ---

    def _own(self, code: str, key: str) -> _Room:
        self._forget(LIFETIME)
        room = self._rooms.get(code)
        if room is None or not secrets.compare_digest(room.key.encode(), key.encode(errors="replace")):
            raise InputError("This vote is over. Open a new one.")
        room.seen = time.monotonic()
        return room

    def _forget(self, seconds: float) -> None:
        oldest = time.monotonic() - seconds
        self._rooms = {code: room for code, room in self._rooms.items() if room.seen > oldest}

    def _address(self, page: str, code: str) -> tuple[str, str]:
        """Where phones find the vote, or why they cannot."""
        try:
            parts = urlsplit(page)
            port = parts.port
        except ValueError:  # brackets or a port that are none
            parts, port = urlsplit(""), None
        if parts.scheme not in ("http", "https") or not parts.hostname or len(page) > 500:
            return "", "The address of this page is not one that a phone can open."
        place = parts.netloc
        if parts.hostname in _ONLY_HERE:
            here = _here() if self.host in ("0.0.0.0", "::") else ""
            if not here:
                return "", (
                    "Phones cannot reach this page: it is served to this computer only. Start the program with "
                    "--host 0.0.0.0, in a network that you trust, and open the vote again. Until then, let them show hands."
                )
            place = here if port is None else f"{here}:{port}"
        path = parts.path.rstrip("/")
        return urlunsplit((parts.scheme, place, f"{path}/{PATH}", f"room={code}", "")), ""


def _code() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(4))


def _qr(address: str) -> str:
    return segno.make(address, micro=False).svg_inline(scale=4, border=2, dark="#000", light="#fff", omitsize=True)


def _here() -> str:
    """The address of this machine in its network; empty if it is in none. Nothing is sent: a way is looked up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        return str(way.getsockname()[0])

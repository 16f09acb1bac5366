"""Base of requests and results: limits, progress, cancellation, answers in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

#: Called with a description of the current step and the completed fraction, 0 to 1.
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Limits:
    """Maximum size of one request."""

    min_sentences: int = 2
    max_sentences: int = 12
    max_tokens: int = 200
    max_characters: int = 2000
    max_texts: int = 20
    max_models: int = 3


LIMITS = Limits()


class Cancelled(Exception):
    """The client disconnected; stop computing its result."""


_is_connected: ContextVar[Callable[[], bool]] = ContextVar("is_connected", default=lambda: True)


@contextmanager
def cancellable(is_connected: Callable[[], bool]) -> Iterator[None]:
    """Cancel computations of this context, and of copies, once ``is_connected`` is False."""
    token = _is_connected.set(is_connected)
    try:
        yield
    finally:
        _is_connected.reset(token)


def uncancellable() -> AbstractContextManager[None]:
    """Keep a shared computation alive when the client that started it disconnects."""
    return cancellable(lambda: True)


def check_cancelled() -> None:
    """Raise :class:`Cancelled` if the client has disconnected; call this before each batch."""
    if not _is_connected.get()():
        raise Cancelled


@dataclass(frozen=True)
class Message:
    """An answer in plain words."""

    headline: str  #: the answer itself, one sentence
    details: str = ""  #: consequences or evidence; may be empty

    def __str__(self) -> str:
        return " ".join(filter(None, (self.headline, self.details)))


@dataclass(frozen=True)
class Result:
    """Result of an endpoint."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Occurrence(Result):
    """A use of a word in its sentence."""

    sentence: str  #: the sentence, without brackets
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end


class Answer(Result):
    """Result with an answer in plain words."""

    json_key: ClassVar[str] = "answer"  #: key of the full answer in JSON
    message: Message

    @property
    def answer(self) -> str:
        """Full answer in a few sentences; ``verdict`` is another name for it."""
        return str(self.message)

    verdict = answer

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON: the full answer and its headline take the place of the message."""
        fields = {key: value for key, value in asdict(self).items() if key != "message"}
        return {**fields, self.json_key: self.answer, "headline": self.message.headline}

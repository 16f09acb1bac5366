"""Base of requests and results: limits, progress, cancellation, answers in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar

from elmo_tasks.text.uses import Use

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

    def __bool__(self) -> bool:
        return bool(self.headline)


NO_MESSAGE = Message("")


def as_json(value: Any) -> Any:
    """Convert a result to what ``json`` writes.

    A use becomes its sentence and the place of its word there, beside the other fields of the
    result that holds it. A message becomes its text.
    """
    if isinstance(value, Use):
        return {"sentence": value.sentence, "start": value.char_start, "end": value.char_end}
    if isinstance(value, Message):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        content: dict[str, Any] = {}
        for field in fields(value):
            own = getattr(value, field.name)
            content |= as_json(own) if isinstance(own, Use) else {field.name: as_json(own)}
        return content
    if isinstance(value, dict):
        return {key: as_json(own) for key, own in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(map(as_json, value))
    return value


@dataclass(frozen=True)
class Result:
    """Result of an endpoint."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        content: dict[str, Any] = as_json(self)
        return content


class Answer(Result):
    """Result with an answer in plain words."""

    json_key: ClassVar[str] = "answer"  #: key of the full answer in JSON
    message: Message

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON: the full answer and its headline take the place of the message."""
        content = super().to_dict()
        del content["message"]
        return {**content, self.json_key: str(self.message), "headline": self.message.headline}

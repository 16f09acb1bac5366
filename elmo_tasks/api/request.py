"""Limits of a request, its progress callback and its cancellation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

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


def _always() -> bool:
    return True


_is_connected: ContextVar[Callable[[], bool]] = ContextVar("is_connected", default=_always)


@contextmanager
def cancellable(is_connected: Callable[[], bool]) -> Iterator[None]:
    """Cancel the computation in this context once ``is_connected`` returns False.

    This applies to the current thread and to threads that copy its context.
    """
    token = _is_connected.set(is_connected)
    try:
        yield
    finally:
        _is_connected.reset(token)


def uncancellable() -> AbstractContextManager[None]:
    """Keep a shared computation alive when the client that started it disconnects."""
    return cancellable(_always)


def check_cancelled() -> None:
    """Raise if the client has disconnected; call this before each batch.

    Raises:
        Cancelled: the client has disconnected.
    """
    if not _is_connected.get()():
        raise Cancelled

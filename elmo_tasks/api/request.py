"""What a request may hold, how one that takes long says how far it is, and whether anybody still waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

#: Told what is being done, and the share of it that is done, 0 to 1.
Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Limits:
    """How much one request may hold."""

    min_sentences: int = 2
    max_sentences: int = 12
    max_tokens: int = 200
    max_characters: int = 2000
    max_texts: int = 20
    max_models: int = 3


LIMITS = Limits()


class NoLongerWanted(Exception):
    """Whoever asked has left: nobody would see the answer."""


def _always() -> bool:
    return True


_is_wanted: ContextVar[Callable[[], bool]] = ContextVar("is_wanted", default=_always)


@contextmanager
def wanted_while(is_wanted: Callable[[], bool]) -> Iterator[None]:
    """What is computed here, in this thread and in those that copy its context, ends when ``is_wanted`` says no."""
    token = _is_wanted.set(is_wanted)
    try:
        yield
    finally:
        _is_wanted.reset(token)


def for_everybody() -> AbstractContextManager[None]:
    """What is computed here is kept for others too, and goes on when the one who asked first leaves."""
    return wanted_while(_always)


def check_wanted() -> None:
    """Called by whatever computes batch after batch, before each.

    Raises:
        NoLongerWanted: whoever asked has left.
    """
    if not _is_wanted.get()():
        raise NoLongerWanted

"""What a request may hold, and how one that takes long says how far it is."""

from __future__ import annotations

from collections.abc import Callable
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

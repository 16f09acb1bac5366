"""Neighbours of a word where every word has one vector whatever the sentence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class StaticNeighbour:
    """A word near another one, where each has one vector whatever the sentence."""

    word: str  #: the neighbour
    cosine: float  #: of the two vectors


@dataclass(frozen=True)
class StaticNeighbours:
    """The nearest words of a word among static vectors."""

    word: str  #: the word that was asked for
    vectors: str  #: name of the vectors
    vocabulary: int  #: how many words have one
    neighbours: tuple[StaticNeighbour, ...]  #: nearest first

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/static_neighbours``."""
        return {**asdict(self), "neighbours": [asdict(near) for near in self.neighbours]}

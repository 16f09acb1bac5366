"""Neighbours of a word where every word has one vector whatever the sentence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class StaticNeighbour:
    """A word near another one, where each has one vector whatever the sentence.

    Attributes:
        word: the neighbour.
        cosine: of the two vectors.
    """

    word: str
    cosine: float


@dataclass(frozen=True)
class StaticNeighbours:
    """The nearest words of a word among static vectors.

    Attributes:
        word: the word that was asked for.
        vectors: name of the vectors.
        vocabulary: how many words have one.
        neighbours: nearest first.
    """

    word: str
    vectors: str
    vocabulary: int
    neighbours: tuple[StaticNeighbour, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/static_neighbours``."""
        return {**asdict(self), "neighbours": [asdict(near) for near in self.neighbours]}

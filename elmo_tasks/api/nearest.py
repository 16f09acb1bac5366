"""Nearest uses of any word, and nearest words among static vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Answer, Result, Said


@dataclass(frozen=True)
class StaticNeighbour:
    """A word near another one among static vectors, one per word."""

    word: str  #: the neighbour
    cosine: float  #: cosine of the two vectors


@dataclass(frozen=True)
class StaticNeighbours(Result):
    """The nearest words of a word among static vectors."""

    word: str  #: the word as requested
    vectors: str  #: name of the vectors
    vocabulary: int  #: vocabulary size
    neighbours: tuple[StaticNeighbour, ...]  #: nearest first


@dataclass(frozen=True)
class NearUse:
    """A use near the query."""

    sentence: str  #: its sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    token: str  #: the word
    cosine: float  #: cosine with the query
    same_word: bool  #: whether it is the same word, in any inflection
    sense: str = ""  #: short name of its meaning in the dictionary, or ``"another meaning"``; empty if unknown
    probability: float | None = (
        None  #: probability of that meaning, if predicted; ``None`` for an example, whose meaning is known
    )


@dataclass(frozen=True)
class NearestUses(Answer):
    """The nearest uses of any word in a collection of sentences."""

    word: str  #: the word of the query
    sentence: str  #: its sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    model: str  #: name of the model
    layer: str  #: the view by which uses are compared: ``"meanings"``, or a layer
    layers: tuple[str, ...]  #: all available views
    source: str  #: name of the searched collection
    sources: tuple[str, ...]  #: all available collections
    n_tokens: int  #: number of searched uses
    only: str  #: ``"same"``: only uses of this word; ``"other"``: only of other words; ``"all"``
    random_pair_cosine: float  #: mean cosine of two random words in this view
    uses: tuple[NearUse, ...]  #: the nearest, nearest first
    #: the nearest words among static vectors; empty for an unknown word
    static: tuple[StaticNeighbour, ...]
    said: Said  #: the answer: a headline and its reasons
    vectors: str = ""  #: name of the static vectors: the model itself if it does not read the sentence
    reads_sentence: bool = True  #: whether the model reads the sentence; if not, ``static`` is its answer
    sense: str = ""  #: the meaning of the word in the query sentence, as in :attr:`NearUse.sense`
    probability: float | None = None  #: probability of that meaning, as in :attr:`NearUse.probability`


class NearestService(Protocol):
    """Service that searches collections of sentences."""

    def uses(
        self,
        word: str,
        sentence: str,
        layer: str | None = None,
        only: str = "all",
        source: str | None = None,
        n: int = 15,
        model: str | None = None,
        progress: Progress | None = None,
    ) -> NearestUses:
        """Find the uses of any word nearest to ``word`` in ``sentence``.

        ``[brackets]`` in the sentence mark another word.

        ``only`` is ``"all"``, ``"same"`` or ``"other"``; ``source`` is the dictionary if ``None``.
        """

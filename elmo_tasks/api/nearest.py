"""The nearest uses of any word, and its neighbours where every word has one vector whatever the sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Answer, Result, Said


@dataclass(frozen=True)
class StaticNeighbour:
    """A word near another one, where each has one vector whatever the sentence."""

    word: str  #: the neighbour
    cosine: float  #: of the two vectors


@dataclass(frozen=True)
class StaticNeighbours(Result):
    """The nearest words of a word among static vectors."""

    word: str  #: the word that was asked for
    vectors: str  #: name of the vectors
    vocabulary: int  #: how many words have one
    neighbours: tuple[StaticNeighbour, ...]  #: nearest first


@dataclass(frozen=True)
class NearUse:
    """A use that is near the one asked about."""

    sentence: str  #: its sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    token: str  #: the word
    cosine: float  #: with the use asked about
    same_word: bool  #: whether it is the same word, in whatever inflection
    sense: str = (
        ""  #: short name of its meaning in the dictionary, or ``"another meaning"``; empty where nothing is said
    )
    probability: float | None = (
        None  #: of that meaning, where it was computed; ``None`` for an example, whose meaning is known
    )


@dataclass(frozen=True)
class NearestUses(Answer):
    """The nearest uses of any word in a collection of sentences."""

    word: str  #: the word asked about
    sentence: str  #: its sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    model: str  #: name of the model
    layer: str  #: what uses were compared by: ``"meanings"``, or a layer
    layers: tuple[str, ...]  #: all that they could be compared by
    source: str  #: name of what was searched
    sources: tuple[str, ...]  #: all there is to search
    n_tokens: int  #: how many uses were searched
    only: str  #: ``"same"``: only uses of this word; ``"other"``: only of other words; ``"all"``
    random_pair_cosine: float  #: mean cosine of two random words, compared so
    uses: tuple[NearUse, ...]  #: the nearest, nearest first
    #: the nearest words where every word has one vector whatever the sentence; none for an unknown word
    static: tuple[StaticNeighbour, ...]
    said: Said  #: the answer: a headline and its reasons
    vectors: str = ""  #: name of the static vectors: the model itself where it does not read the sentence
    reads_sentence: bool = True  #: whether the model does; where it does not, ``static`` is its answer
    sense: str = ""  #: the meaning of the word in the sentence asked about, as of :attr:`NearUse.sense`
    probability: float | None = None  #: of that meaning, as of :attr:`NearUse.probability`


class NearestService(Protocol):
    """Searches collections of sentences."""

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
        """The uses of any word nearest to ``word`` in ``sentence``; ``[brackets]`` in it mark another word.

        ``only`` is ``"all"``, ``"same"`` or ``"other"``; ``source`` is the dictionary if ``None``.
        """

"""What is shown to an audience beside comparisons: senses, and a meaning that forms word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.nearest import StaticNeighbours


@dataclass(frozen=True)
class GallerySense:
    """A sense of a word in the gallery of example sentences."""

    word: str  #: in its base form
    name: str  #: of the sense, unique within the word
    gloss: str  #: the sense in a few words
    sentences: tuple[str, ...]  #: examples with ``[brackets]`` around the word


@dataclass(frozen=True)
class ReadingStep:
    """A word when only the beginning of its sentence has been read."""

    words: int  #: how many words of the sentence have been read
    cosines: tuple[float, float]  #: to the average use of the first and of the second sense
    nearer: str | None  #: name of the sense it stands nearer to; ``None`` where that cannot be told


@dataclass(frozen=True)
class IncrementalReading:
    """How a word moves between two of its senses while its sentence is read word by word.

    Each step reads the words so far as if they were the whole sentence, by what the verdict of Compare reads: a layer, and what
    stands around the word.
    """

    word: str  #: the word that was asked for
    model: str  #: name of the model
    layer: str  #: name of the layer that the verdict gives the cosines of
    sentence: str  #: as typed, without the brackets
    tokens: tuple[str, ...]  #: its words
    offsets: tuple[tuple[int, int], ...]  #: ``(start, end)`` characters of each
    index: int  #: which of them is the word
    senses: tuple[GallerySense, GallerySense]  #: the two senses
    steps: tuple[ReadingStep, ...]  #: from the word itself to the end of the sentence
    #: for the known uses of each sense, the cosine to the first sense minus the cosine to the second, where each use is left out of
    #: its own sense's average; the steps are on the same scale
    known: tuple[tuple[float, ...], tuple[float, ...]]
    middle: float  #: the value half way between the averages of the two
    right: int  #: how many known uses lie on their own side of the middle
    right_by_spelling: int  #: the same with the spelling alone (layer 0), without any context
    can_tell: bool  #: whether ``right`` is enough for a side to be named
    read_from: tuple[str, ...] = ()  #: what was read, as in :class:`~elmo_tasks.api.Comparison`
    right_by_layer: int = 0  #: the same with ``layer`` alone, without what stands around the word

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/meaning_forms``."""
        return {
            **asdict(self),
            "senses": [{"name": sense.name, "gloss": sense.gloss} for sense in self.senses],
            "steps": [
                {"words": step.words, "read": self.tokens[: step.words], "cosines": step.cosines, "nearer": step.nearer}
                for step in self.steps
            ],
        }


class PresentService(Protocol):
    """Answers the Present tab."""

    def senses(self, word: str) -> tuple[GallerySense, ...]:
        """The senses of a word, or of what it is an inflection of, in the gallery of example sentences; none if it is not in it."""

    def neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        """The ``n`` (1 to 50) words nearest to a word where every word has one vector whatever the sentence."""

    def forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> IncrementalReading:
        """Follow ``word`` between two of its gallery senses (the first two if ``None``) while ``sentence`` is read word by word."""

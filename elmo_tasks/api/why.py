"""Explanations of the cosine between two uses of a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.compare import Comparison


@dataclass(frozen=True)
class HiddenWord:
    """Effect of hiding one context word on the cosine of two uses."""

    use: int  #: position, from 0, of the use in whose sentence the word stands
    index: int  #: position of the word among the sentence's tokens
    token: str  #: the word
    start: int  #: character offset of the word in its sentence
    end: int  #: character offset one past its end
    #: cosine without the word minus cosine with it, for each way of hiding, in the order of :attr:`Explanation.ways`
    changes: tuple[float, ...]
    change: float  #: the mean of the changes; above 0 the word separates the two uses, below 0 it connects them


@dataclass(frozen=True)
class Sides:
    """Two uses compared by the forward and the backward half of an ELMo layer."""

    layer: str  #: name of the layer
    before: float  #: cosine of the forward halves, which read the word and the words before it
    after: float  #: cosine of the backward halves, which read the word and the words after it
    random_before: float  #: mean cosine of two random words, in the forward halves
    random_after: float  #: mean cosine of two random words, in the backward halves


@dataclass(frozen=True)
class Explanation:
    """Explanation of the cosine between two uses of a word."""

    comparison: Comparison  #: all uses of the comparison
    pair: tuple[int, int]  #: positions of the two that are explained
    #: name of the explained view: a layer, ``"words"`` (the words around the word, as static vectors), or
    #: ``"verdict"`` (all views that the verdict combines)
    layer: str
    cosine: float  #: cosine of the two with no word hidden; for the verdict, the probability that the two alone share a meaning
    random_pair_cosine: float  #: mean cosine of two random words at this layer; 0 for the verdict
    apart: bool  #: whether it explains the difference of the two uses; else their similarity
    answer: str  #: one plain sentence
    decisive: HiddenWord | None  #: the word that the answer names, if any
    ways: tuple[str, ...]  #: the ways of hiding: ``""`` for leaving the word out, else the word that replaces it
    words: tuple[HiddenWord, ...]  #: the words that were hidden, in the order of the sentences
    skipped: int  #: number of further words in the two sentences, too far from the compared word to be hidden in time
    sides: tuple[Sides, ...]  #: the halves of each layer above the context-free one
    #: the side whose words separate the two more: ``"before"``, ``"after"``, ``"both"`` (about equal) or
    #: ``"unclear"`` (the layers disagree)
    side: str
    side_answer: str  #: the same in one sentence

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/why``."""
        items = self.comparison.items
        return {
            "word": self.comparison.word,
            "model": self.comparison.model,
            "pair": list(self.pair),
            "sentences": [items[use].sentence for use in self.pair],
            "layer": self.layer,
            "cosine": self.cosine,
            "random_pair_cosine": self.random_pair_cosine,
            "asked": "apart" if self.apart else "together",
            "answer": self.answer,
            "decisive": None if self.decisive is None else asdict(self.decisive),
            "ways": list(self.ways),
            "words": [asdict(word) | {"changes": list(word.changes)} for word in self.words],
            "skipped": self.skipped,
            "sides": [asdict(sides) for sides in self.sides],
            "side": self.side,
            "side_answer": self.side_answer,
        }


class WhyService(Protocol):
    """Service that explains comparisons."""

    def explain(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
        comparison: Comparison | None = None,
    ) -> Explanation:
        """Compare as :meth:`Service.compare` does, and explain the cosine of two uses.

        ``comparison`` is the result of :meth:`Service.compare` for the same word, sentences and model, if available.

        ``pair`` holds two positions from 0; ``None`` selects the most different two. ``layer`` is any layer above the
        context-free one, ``"verdict"`` if there is one (the default for ``None``), or ``"words"`` if the verdict uses
        the words around.
        """

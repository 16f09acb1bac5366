"""What the cosine of two uses of a word hangs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.compare import Comparison


@dataclass(frozen=True)
class HiddenWord:
    """What becomes of the cosine of two uses when one word around them is hidden."""

    use: int  #: position, from 0, of the use in whose sentence the word stands
    index: int  #: position of the word among the sentence's tokens
    token: str  #: the word
    start: int  #: character offset of the word in its sentence
    end: int  #: character offset one past its end
    #: cosine without the word minus cosine with it, for each way of hiding, in the order of :attr:`Explanation.ways`
    changes: tuple[float, ...]
    change: float  #: the mean of the changes; above 0 the word sets the two uses apart, below 0 it holds them together


@dataclass(frozen=True)
class Sides:
    """Two uses as the two halves of an ELMo layer see them."""

    layer: str  #: name of the layer
    before: float  #: cosine of the halves that have read the word and what stands before it
    after: float  #: cosine of the halves that have read the word and what stands after it
    random_before: float  #: mean cosine of two random words, in the first halves
    random_after: float  #: mean cosine of two random words, in the second halves


@dataclass(frozen=True)
class Explanation:
    """What the cosine of two uses of a word hangs on."""

    comparison: Comparison  #: the uses, all of them
    pair: tuple[int, int]  #: positions of the two that are explained
    #: name of the layer that was asked; ``"words"``: the words around the word, each as one fixed vector; or ``"verdict"``: all
    #: that the verdict reads
    layer: str
    cosine: float  #: of the two, with all words there; of the verdict, the probability that the two alone mean the same
    random_pair_cosine: float  #: mean cosine of two random words at this layer; 0 for the verdict
    apart: bool  #: whether it was asked what sets the two apart; else what holds them together
    answer: str  #: one plain sentence
    decisive: HiddenWord | None  #: the word the answer names, if it names one
    ways: tuple[str, ...]  #: the ways of hiding: ``""`` for leaving the word out, else what is written in its place
    words: tuple[HiddenWord, ...]  #: the words that were hidden, in the order of the sentences
    skipped: int  #: how many more words the two sentences have, too far from the compared word for the time there is
    sides: tuple[Sides, ...]  #: each layer above the context-free one, halved
    #: ``"before"`` or ``"after"`` where the words on that side tell the two apart more, ``"both"`` where both sides do about alike,
    #: ``"unclear"`` where the layers do not agree
    side: str
    side_answer: str  #: the same as one plain sentence

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/why``."""
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
    """Explains comparisons."""

    def explain(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
        comparison: Comparison | None = None,
    ) -> Explanation:
        """Compare as :meth:`Service.compare` does, and say what the cosine of two uses hangs on.

        ``comparison`` is what :meth:`Service.compare` gave for the same word, sentences and model, if that was asked before.

        ``pair`` holds two positions from 0, the most different two if ``None``; ``layer`` any layer but the context-free one,
        ``"verdict"`` where there is one (which is asked if it is ``None``), or ``"words"`` where the words around speak in it.
        """

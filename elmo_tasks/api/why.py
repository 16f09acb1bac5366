"""What the cosine of two uses of a word hangs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.compare import Comparison


@dataclass(frozen=True)
class HiddenWord:
    """What becomes of the cosine of two uses when one word around them is hidden.

    Attributes:
        use: position, from 0, of the use in whose sentence the word stands.
        index: position of the word among the sentence's tokens.
        token: the word.
        start: character offset of the word in its sentence.
        end: character offset one past its end.
        changes: cosine without the word minus cosine with it, for each way of hiding, in the order of :attr:`Explanation.ways`.
        change: the mean of the changes; above 0 the word sets the two uses apart, below 0 it holds them together.
    """

    use: int
    index: int
    token: str
    start: int
    end: int
    changes: tuple[float, ...]
    change: float


@dataclass(frozen=True)
class Sides:
    """Two uses as the two halves of an ELMo layer see them.

    Attributes:
        layer: name of the layer.
        before: cosine of the halves that have read the word and what stands before it.
        after: cosine of the halves that have read the word and what stands after it.
        random_before: mean cosine of two random words, in the first halves.
        random_after: mean cosine of two random words, in the second halves.
    """

    layer: str
    before: float
    after: float
    random_before: float
    random_after: float


@dataclass(frozen=True)
class Explanation:
    """What the cosine of two uses of a word hangs on.

    Attributes:
        comparison: the uses, all of them.
        pair: positions of the two that are explained.
        layer: name of the layer that was asked; ``"words"``: the words around the word, each as one fixed vector; or
            ``"verdict"``: all that the verdict reads.
        cosine: of the two, with all words there; of the verdict, the probability that the two alone mean the same.
        random_pair_cosine: mean cosine of two random words at this layer; 0 for the verdict.
        apart: whether it was asked what sets the two apart; else what holds them together.
        answer: one plain sentence.
        decisive: the word the answer names, if it names one.
        ways: the ways of hiding: ``""`` for leaving the word out, else what is written in its place.
        words: the words that were hidden, in the order of the sentences.
        skipped: how many more words the two sentences have, too far from the compared word for the time there is.
        sides: each layer above the context-free one, halved.
        side: ``"before"`` or ``"after"`` where the words on that side tell the two apart more, ``"both"`` where both sides do about
            alike, ``"unclear"`` where the layers do not agree.
        side_answer: the same as one plain sentence.
    """

    comparison: Comparison
    pair: tuple[int, int]
    layer: str
    cosine: float
    random_pair_cosine: float
    apart: bool
    answer: str
    decisive: HiddenWord | None
    ways: tuple[str, ...]
    words: tuple[HiddenWord, ...]
    skipped: int
    sides: tuple[Sides, ...]
    side: str
    side_answer: str

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
        ...

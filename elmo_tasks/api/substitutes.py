"""What the model would have written in the place of each use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.compare import ComparisonItem
from elmo_tasks.api.said import Said


@dataclass(frozen=True)
class Guess:
    """A word that the model would have written.

    Attributes:
        word: the word.
        probability: from 0 to 1, of all words of the vocabulary.
        is_form: whether it is the compared word itself or a form of it.
    """

    word: str
    probability: float
    is_form: bool = False


@dataclass(frozen=True)
class WrittenHere:
    """What the model would have written in the place of one use.

    Attributes:
        use: position of the use, from 0.
        before: the likeliest words after what stands before the place.
        after: the likeliest words, told by what stands after the place.
        both: the likeliest words, told by both sides.
        alike: other words, told by both sides and by the word itself, as what could stand beside it: “the word and …”; none where
            both sides were read at once.
        rank: which guess from both sides the word itself is, from 1, punctuation not counted; ``None`` if it is not in the
            vocabulary.
        probability: of the word itself, told by both sides; ``None`` if it is not in the vocabulary.
    """

    use: int
    before: tuple[Guess, ...]
    after: tuple[Guess, ...]
    both: tuple[Guess, ...]
    rank: int | None
    probability: float | None
    alike: tuple[Guess, ...] = ()


@dataclass(frozen=True)
class Substitutes:
    """What the model would have written in the place of each use.

    Attributes:
        word: the word that was asked for.
        model: name of the model.
        items: the uses, as :class:`Comparison` gives them.
        uses: one entry for each, in order.
        vocabulary: among how many words it chooses, told by both sides.
        said: the answer: a headline and its reasons.
        at_once: whether both sides were read before anything was answered (by a cloze head), or their answers joined afterwards.
    """

    word: str
    model: str
    items: tuple[ComparisonItem, ...]
    uses: tuple[WrittenHere, ...]
    vocabulary: int
    said: Said
    at_once: bool = False

    @property
    def answer(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/substitutes``."""
        return {
            "word": self.word,
            "model": self.model,
            "vocabulary": self.vocabulary,
            "answer": self.answer,
            "headline": self.said.headline,
            "at_once": self.at_once,
            "uses": [
                {
                    "sentence": self.items[found.use].sentence,
                    "token": self.items[found.use].token,
                    "index": self.items[found.use].index,
                    "before": [asdict(guess) for guess in found.before],
                    "after": [asdict(guess) for guess in found.after],
                    "both": [asdict(guess) for guess in found.both],
                    "alike": [asdict(guess) for guess in found.alike],
                    "rank": found.rank,
                    "probability": found.probability,
                }
                for found in self.uses
            ],
        }


class SubstituteService(Protocol):
    """Lets the model write."""

    def written(self, word: str, sentences: Sequence[str], model: str | None = None) -> Substitutes:
        """Say what the model would have written in the place of each use; not every model can."""
        ...

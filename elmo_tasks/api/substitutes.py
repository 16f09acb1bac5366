"""What the model would have written in the place of each use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.compare import ComparisonItem
from elmo_tasks.api.said import Answer, Said


@dataclass(frozen=True)
class Guess:
    """A word that the model would have written."""

    word: str  #: the word
    probability: float  #: from 0 to 1, of all words of the vocabulary
    is_form: bool = False  #: whether it is the compared word itself or a form of it


@dataclass(frozen=True)
class WrittenHere:
    """What the model would have written in the place of one use."""

    use: int  #: position of the use, from 0
    before: tuple[Guess, ...]  #: the likeliest words after what stands before the place
    after: tuple[Guess, ...]  #: the likeliest words, told by what stands after the place
    both: tuple[Guess, ...]  #: the likeliest words, told by both sides
    #: which guess from both sides the word itself is, from 1, punctuation not counted; ``None`` if it is not in the vocabulary
    rank: int | None
    probability: float | None  #: of the word itself, told by both sides; ``None`` if it is not in the vocabulary
    #: other words, told by both sides and by the word itself, as what could stand beside it: “the word and …”; none where both
    #: sides were read at once
    alike: tuple[Guess, ...] = ()


@dataclass(frozen=True)
class Substitutes(Answer):
    """What the model would have written in the place of each use."""

    word: str  #: the word that was asked for
    model: str  #: name of the model
    items: tuple[ComparisonItem, ...]  #: the uses, as :class:`Comparison` gives them
    uses: tuple[WrittenHere, ...]  #: one entry for each, in order
    vocabulary: int  #: among how many words it chooses, told by both sides
    said: Said  #: the answer: a headline and its reasons
    #: whether both sides were read before anything was answered (by a cloze head), or their answers joined afterwards
    at_once: bool = False

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

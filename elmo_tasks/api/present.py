"""Results of the Present tab: ready sentences, errors and incremental readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.compare import Meaning
from elmo_tasks.api.nearest import StaticNeighbours


@dataclass(frozen=True)
class ReadyWord:
    """Test sentences of a word, which are part of no sense centroid."""

    word: str  #: the entry of the dictionary
    sentences: tuple[str, ...]  #: with ``[brackets]`` around the word
    meant: tuple[str, ...]  #: short name of the meaning of each


@dataclass(frozen=True)
class Mistake:
    """A test sentence for which the model predicts a wrong meaning."""

    sentence: str  #: without brackets
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    word: str  #: the entry of the dictionary
    meant: str  #: gloss of the correct meaning
    found: str  #: gloss of the predicted meaning, or ``"another meaning"``
    probability: float  #: probability of the predicted meaning


@dataclass(frozen=True)
class DictionaryTest:
    """Accuracy of the model on test sentences of the dictionary."""

    n_sentences: int  #: number of test sentences
    n_right: int  #: number of correct predictions
    mistakes: tuple[Mistake, ...]  #: some of the errors, those with the highest probability first


@dataclass(frozen=True)
class ReadingStep:
    """Meanings of a word after only the beginning of its sentence."""

    words: int  #: number of words read so far
    probabilities: tuple[float, float]  #: probabilities of the first and of the second meaning
    found: str | None  #: the most probable of all meanings, if its probability is high enough; else ``None``


@dataclass(frozen=True)
class IncrementalReading:
    """Probabilities of two meanings of a word as its sentence is read word by word.

    Each step encodes the words so far as if they were the whole sentence.
    """

    word: str  #: the word as requested
    model: str  #: name of the model
    sentence: str  #: as typed, without the brackets
    tokens: tuple[str, ...]  #: its words
    offsets: tuple[tuple[int, int], ...]  #: ``(start, end)`` characters of each
    index: int  #: position of the word among them
    senses: tuple[Meaning, Meaning]  #: the two meanings
    steps: tuple[ReadingStep, ...]  #: from the word itself to the end of the sentence

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/meaning_forms``."""
        steps = [{**asdict(step), "read": self.tokens[: step.words]} for step in self.steps]
        return {**asdict(self), "steps": steps}


class PresentService(Protocol):
    """Service behind the Present tab."""

    def ready(self, word: str) -> ReadyWord | None:
        """Return test sentences for the most familiar meanings of a word in any inflection.

        Return ``None`` if the dictionary has none.
        """

    def neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        """Return the ``n`` (1 to 50) words nearest to a word among static vectors."""

    def tested(self, model: str | None = None) -> DictionaryTest:
        """Classify one test sentence for each meaning of some held-out words."""

    def forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> IncrementalReading:
        """Follow two meanings of ``word`` while ``sentence`` is read word by word.

        ``senses`` holds their keys; ``None`` selects the first two.
        """

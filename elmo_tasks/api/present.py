"""What is shown to an audience beside comparisons: ready sentences, mistakes, and a meaning that forms word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.compare import Meaning
from elmo_tasks.api.nearest import StaticNeighbours


@dataclass(frozen=True)
class ReadyWord:
    """Test sentences of a word, which stand in no centroid of a meaning."""

    word: str  #: the entry of the dictionary
    sentences: tuple[str, ...]  #: with ``[brackets]`` around the word
    meant: tuple[str, ...]  #: short name of the meaning of each


@dataclass(frozen=True)
class Mistake:
    """A test sentence of which the model finds another meaning than it was written for."""

    sentence: str  #: without brackets
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    word: str  #: the entry of the dictionary
    meant: str  #: gloss of the meaning it was written for
    found: str  #: gloss of the meaning that the model finds, or ``"another meaning"``
    probability: float  #: of what the model finds


@dataclass(frozen=True)
class DictionaryTest:
    """How the model does on test sentences of the dictionary."""

    n_sentences: int  #: test sentences that were read
    n_right: int  #: of these, how many in the right meaning
    mistakes: tuple[Mistake, ...]  #: some of the others, those first of which the model is surest


@dataclass(frozen=True)
class ReadingStep:
    """A word when only the beginning of its sentence has been read."""

    words: int  #: how many words of the sentence have been read
    probabilities: tuple[float, float]  #: of the first and of the second meaning
    found: str | None  #: the likeliest of all meanings of the word, if it is sure enough to be stated; else ``None``


@dataclass(frozen=True)
class IncrementalReading:
    """How likely two meanings of a word are while its sentence is read word by word.

    Each step reads the words so far as if they were the whole sentence.
    """

    word: str  #: the word that was asked for
    model: str  #: name of the model
    sentence: str  #: as typed, without the brackets
    tokens: tuple[str, ...]  #: its words
    offsets: tuple[tuple[int, int], ...]  #: ``(start, end)`` characters of each
    index: int  #: which of them is the word
    senses: tuple[Meaning, Meaning]  #: the two meanings
    steps: tuple[ReadingStep, ...]  #: from the word itself to the end of the sentence

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/meaning_forms``."""
        steps = [{**asdict(step), "read": self.tokens[: step.words]} for step in self.steps]
        return {**asdict(self), "steps": steps}


class PresentService(Protocol):
    """Answers the Present tab."""

    def ready(self, word: str) -> ReadyWord | None:
        """Test sentences of the most familiar meanings of a word of the dictionary, in any inflection; else ``None``."""

    def neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        """The ``n`` (1 to 50) words nearest to a word where every word has one vector whatever the sentence."""

    def tested(self, model: str | None = None) -> DictionaryTest:
        """Read one test sentence of each meaning of some words on which nothing was trained."""

    def forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> IncrementalReading:
        """Follow two meanings of ``word`` (the first two if ``None``, else by key) while ``sentence`` is read word by word."""

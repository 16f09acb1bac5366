"""A word in several sentences, or whole sentences, compared layer by layer, by one model or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Protocol

from elmo_tasks.api.said import Answer, Said, Verdict


@dataclass(frozen=True)
class Choice:
    """One way to read what a person typed, ready to be put in its place."""

    label: str  #: what to write on the button, e.g. ``"banks"`` or ``"the 2nd “bank”"``
    sentence: str  #: the sentence with ``[brackets]`` around that word


@dataclass(frozen=True)
class ComparisonItem:
    """One use of a word."""

    sentence: str  #: the sentence as typed, without the brackets
    tokens: tuple[str, ...]  #: its tokens
    index: int  #: position in ``tokens`` of the word that is compared
    token: str  #: ``tokens[index]``
    start: int  #: character offset of that word in ``sentence``
    end: int  #: character offset one past its end
    #: the other places of this sentence that could have been meant; empty when there is one only
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class LayerComparison:
    """The uses compared at one layer."""

    name: str  #: ``"0"``, ``"1"``, ... or ``"mean"``
    cosine: tuple[tuple[float, ...], ...]  #: ``[n][n]`` cosine similarities, in -1..1, 1 on the diagonal
    norms: tuple[float, ...]  #: ``[n]`` Euclidean lengths of the vectors
    random_pair_cosine: float  #: mean cosine of two random words in random sentences at this layer
    sees: str = ""  #: what a layer that reads no other word sees: ``"the letters of the word"``; empty for the others


class Certainty(str, Enum):
    """How firmly an answer is stated."""

    CONFIDENT = "confident"
    TENTATIVE = "tentative"
    ABSTAIN = "abstain"  #: too unsure to be an answer


class Source(str, Enum):
    """Where the meanings of a word come from."""

    DICTIONARY = "dictionary"
    OWN = "own"  #: a person gave them
    ONE_MEANING = "one meaning"  #: the word is on the list of words with one everyday meaning
    UNLISTED = "unlisted"  #: the word is in no list: only whether uses mean the same is estimated
    NONE = "none"  #: nothing is said of meanings


@dataclass(frozen=True)
class Meaning:
    """One meaning that a word may have."""

    word: str  #: the entry of the dictionary
    key: str  #: its short name there
    part_of_speech: str
    gloss: str


@dataclass(frozen=True)
class UseMeaning:
    """What one use means."""

    probabilities: tuple[float, ...]  #: of each of :attr:`Comparison.meanings`; with ``other`` they add up to 1
    other: float  #: that it has another meaning than these
    best: int | None  #: position of the likeliest meaning; ``None`` for another meaning than those listed
    certainty: Certainty

    @property
    def probability(self) -> float:
        """Of what is likeliest."""
        return self.other if self.best is None else self.probabilities[self.best]

    @property
    def is_sure(self) -> bool:
        """Whether it is stated plainly."""
        return self.certainty is Certainty.CONFIDENT

    @property
    def second(self) -> int | None:
        """Position of the likeliest meaning after the best; ``None`` if there is none."""
        rest = [k for k in range(len(self.probabilities)) if k != self.best]
        return max(rest, key=self.probabilities.__getitem__) if rest else None


@dataclass(frozen=True)
class Comparison(Verdict):
    """A word in several sentences: its meanings, and its vectors compared layer by layer."""

    word: str  #: the word that was asked for
    model: str  #: name of the model that answered
    items: tuple[ComparisonItem, ...]  #: the ``n`` uses
    layers: tuple[LayerComparison, ...]  #: one entry per layer, then the mean of the layers
    said: Said  #: the answer: a headline and its reasons
    verdict_layer: str  #: name of the layer that is shown first
    source: Source = Source.NONE
    meanings: tuple[Meaning, ...] = ()  #: all that the word may have
    uses: tuple[UseMeaning, ...] = ()  #: one entry per use; empty where no meanings are known
    #: the uses (positions in ``items``, from 0) that mean the same, in order; empty when the model cannot tell
    groups: tuple[tuple[int, ...], ...] = ()
    certainty: Certainty = Certainty.ABSTAIN  #: of the groups
    probability: float = 0.0  #: that the groups are right as a whole; 0 where that is not known
    #: ``[n][n]`` probabilities that two uses mean the same; empty where that is not known
    same_meaning: tuple[tuple[float, ...], ...] = ()
    n_words: int = 0  #: words with several meanings in the dictionary
    spellings_differ: bool = False  #: whether the uses are of different words, of which nothing is said of meanings

    @property
    def cards(self) -> tuple[tuple[int | None, tuple[int, ...]], ...]:
        """The meanings that the uses have, in order of first appearance (``None``: another meaning), each with its uses."""
        found: dict[int | None, list[int]] = {}
        for use, meaning in enumerate(self.uses):
            found.setdefault(meaning.best, []).append(use)
        return tuple((meaning, tuple(uses)) for meaning, uses in found.items())

    def to_dict(self) -> dict[str, Any]:
        """The JSON that the ``/compare`` endpoint and ``compare --json`` both give."""
        return {
            "word": self.word,
            "model": self.model,
            "items": [
                {"sentence": i.sentence, "tokens": list(i.tokens), "index": i.index, "token": i.token}
                for i in self.items
            ],
            "layers": [
                {
                    "name": layer.name,
                    "cosine": [list(row) for row in layer.cosine],
                    "norms": list(layer.norms),
                    "random_pair_cosine": layer.random_pair_cosine,
                }
                for layer in self.layers
            ],
            "source": self.source.value,
            "meanings": [asdict(meaning) for meaning in self.meanings],
            "uses": [
                {
                    "meaning": None if use.best is None else self.meanings[use.best].key,
                    "probability": use.probability,
                    "probabilities": list(use.probabilities),
                    "another_meaning": use.other,
                    "certainty": use.certainty.value,
                }
                for use in self.uses
            ],
            "groups": [list(group) for group in self.groups],
            "certainty": self.certainty.value,
            "voice": _VOICES[self.certainty],
            "probability": self.probability,
            "verdict": self.verdict,
            "headline": self.said.headline,
            "same_meaning": [list(row) for row in self.same_meaning],
        }


#: The names that earlier versions had; they go with the next one.
_VOICES = {Certainty.CONFIDENT: "named", Certainty.TENTATIVE: "leaning", Certainty.ABSTAIN: "silent"}


@dataclass(frozen=True)
class ModelInfo:
    """A model a person can choose."""

    name: str  #: what to pass as ``model``
    title: str  #: one short line for people
    #: layer names, from the context-free one up; none for a model other than the default one, which may not be read yet
    layers: tuple[str, ...]
    about: tuple[str, ...] = ()  #: how it was trained, in sentences


@dataclass(frozen=True)
class SideBySide:
    """One comparison per model, of the same uses."""

    #: in the order in which the models were asked for; each is told by what was measured of its own model
    comparisons: tuple[Comparison, ...]
    senses: tuple[str, ...]  #: the meaning of each use, where those of all are known; else none
    #: for each model, whether it groups the uses by these meanings; ``None`` where it names no groups, or nothing is known
    right: tuple[bool | None, ...]
    agreement: str  #: one line: who agrees with whom, and who is right

    def to_list(self) -> list[dict[str, Any]]:
        """The JSON of ``/side_by_side`` and of ``compare --json`` with several models: one comparison each, with ``right``."""
        return [
            {**comparison.to_dict(), "right": right}
            for comparison, right in zip(self.comparisons, self.right, strict=True)
        ]


@dataclass(frozen=True)
class Candidate:
    """A word that a model expects in the place of another one."""

    word: str  #: the word
    probability: float  #: from 0 to 1, among all words that the model chooses from


@dataclass(frozen=True)
class Substitutes:
    """The words that a model expects in the place of each use."""

    word: str  #: the word that was asked for
    model: str  #: name of the model
    items: tuple[ComparisonItem, ...]  #: the uses
    candidates: tuple[tuple[Candidate, ...], ...]  #: for each use the eight likeliest words, the likeliest first

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/substitutes``."""
        return {
            "word": self.word,
            "model": self.model,
            "uses": [
                {
                    "sentence": item.sentence,
                    "token": item.token,
                    "index": item.index,
                    "candidates": [asdict(candidate) for candidate in candidates],
                }
                for item, candidates in zip(self.items, self.candidates, strict=True)
            ],
        }


def partition(groups: Sequence[Sequence[int]]) -> frozenset[frozenset[int]]:
    """Groups of uses without an order, so that two ways to group can be compared."""
    return frozenset(frozenset(group) for group in groups)


@dataclass(frozen=True)
class SentenceLayer:
    """Sentences compared by one way to make vectors of them."""

    #: ``"0"``, ``"1"``, ..., ``"mean"``: the mean of the words at a layer; ``"sentence"``: as the model was trained for it
    name: str
    cosine: tuple[tuple[float, ...], ...]  #: ``[n][n]`` cosine similarities, 1 on the diagonal
    unconnected: float  #: mean cosine of two sentences that have nothing to do with each other
    #: in a test, how often the same said in other words was nearer than something else said in nearly the same words
    reworded: int
    related: int  #: in that test, how often it was nearer than each of sixty unconnected sentences
    tests: int  #: how many sentences the test had


@dataclass(frozen=True)
class SentenceComparison(Answer):
    """Whole sentences compared by one model."""

    model: str  #: its name
    sentences: tuple[str, ...]  #: as typed
    layers: tuple[SentenceLayer, ...]  #: one entry for each way to make a vector of a sentence
    shown: str  #: name of the layer that did best in the test
    said: Said  #: which are the closest, and which are the furthest apart
    told: str  #: what that can tell and what it cannot, as measured

    def layer(self, name: str | None = None) -> SentenceLayer:
        """The layer of that name, or the one that is shown."""
        return next(layer for layer in self.layers if layer.name == (name or self.shown))


class SentenceService(Protocol):
    """Compares whole sentences."""

    def compare(self, sentences: Sequence[str], model: str | None = None) -> SentenceComparison:
        """2 to ``limits.max_sentences`` sentences by the mean of their words, and as the model was trained for it if it was."""

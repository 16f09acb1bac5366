"""Results about meanings: comparisons of uses, meanings of a text, explanations."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from elmo_tasks.api.basics import Answer, Message, as_json
from elmo_tasks.text.uses import Mention, Use


@dataclass(frozen=True)
class LayerComparison:
    """The uses compared at one layer."""

    name: str  #: ``"0"``, ``"1"``, ... or ``"mean"``
    #: ``[n][n]`` cosine similarities, in -1..1, 1 on the diagonal
    cosine: tuple[tuple[float, ...], ...]
    norms: tuple[float, ...]  #: ``[n]`` Euclidean lengths of the vectors
    random_pair_cosine: float  #: mean cosine of two random words in random sentences at this layer
    #: for a layer that reads no other word, its input: ``"the letters of the word"``
    sees: str = ""
    #: ``[n][T]`` lengths of the vectors of all tokens of each sentence
    token_norms: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class HeadMix:
    """The uses compared by the sum of the layers that a trained head reads."""

    kind: str  #: the kind of the head, ``"tagging"`` or ``"classification"``
    head: str  #: its name
    weights: tuple[float, ...]  #: the share of each layer; they sum to 1
    view: LayerComparison  #: the uses, compared by that sum


#: Inner products of the vectors of uses at two layers each: ``[L][L][n][n]``.
Products = tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]


@dataclass(frozen=True)
class Views:
    """Further ways to look at the uses of a comparison, beside its layers."""

    #: compared by one vector per word, whatever the sentence; ``None`` without one
    one_vector: LayerComparison | None = None
    mixes: tuple[HeadMix, ...] = ()  #: as the default heads mix the layers
    #: by the features from which meanings are predicted; ``None`` without meanings
    features: LayerComparison | None = None
    products: Products = ()  #: for the uses: they give the cosines for any mix of the layers
    #: for random words in random sentences, as the reference for such a mix
    random_products: Products = ()


class Certainty(str, Enum):
    """Certainty of an answer."""

    CONFIDENT = "confident"
    TENTATIVE = "tentative"
    ABSTAIN = "abstain"  #: too uncertain to be an answer


class MeaningSource(str, Enum):
    """Origin of the meanings of a word."""

    DICTIONARY = "dictionary"
    OWN = "own"  #: the user gave them
    ONE_MEANING = "one meaning"  #: the word is on the list of words with one everyday meaning
    #: the word is in no list: the model only estimates whether uses share a meaning
    UNLISTED = "unlisted"
    NONE = "none"  #: no meanings are known


@dataclass(frozen=True)
class Meaning:
    """One meaning that a word may have."""

    word: str  #: the entry of the dictionary
    key: str  #: its short name there
    part_of_speech: str
    gloss: str


@dataclass(frozen=True)
class UseMeaning:
    """Probabilities of the meanings of one use."""

    #: of each of :attr:`Comparison.meanings`; with ``other`` they add up to 1
    probabilities: tuple[float, ...]
    other: float  #: probability of a meaning that is not listed
    best: int | None  #: position of the most probable meaning; ``None`` for an unlisted one
    certainty: Certainty

    @property
    def probability(self) -> float:
        """Probability of the most probable meaning."""
        return self.other if self.best is None else self.probabilities[self.best]

    @property
    def is_sure(self) -> bool:
        """True if the probability is high enough to state the meaning without reservation."""
        return self.certainty is Certainty.CONFIDENT


#: Where no meanings are known, or none are predicted.
NO_MEANING = UseMeaning(probabilities=(), other=0.0, best=None, certainty=Certainty.ABSTAIN)


@dataclass(frozen=True)
class JudgedUse:
    """A use of a word with its meaning."""

    use: Mention
    meanings: tuple[Meaning, ...] = ()  #: all meanings that it may have
    meant: UseMeaning = NO_MEANING  #: probabilities of these meanings
    known: Meaning | None = None  #: the meaning that it has, where that is known

    @property
    def is_judged(self) -> bool:
        """True if its meaning was predicted."""
        return bool(self.meant.probabilities)

    @property
    def meaning(self) -> Meaning | None:
        """Most probable meaning; ``None`` for an unlisted one."""
        return None if self.meant.best is None else self.meanings[self.meant.best]


@dataclass(frozen=True)
class WordEffect:
    """Effect of hiding a word of a sentence, or of leaving it out."""

    use: Use  #: the word in its sentence
    #: of a text, the probability of the predicted label with the word minus that without it; of an
    #: explanation, the mean of the ``changes``: above 0 the word separates the two uses, below 0 it
    #: connects them
    change: float
    number: int = 0  #: position, from 0, of the sentence among those that were given
    #: for each of :attr:`Explanation.ways` the cosine without the word minus that with it; for the
    #: verdict, by how much the log-odds of the answer that is shown fall, with the sign of a change
    #: of the cosine
    changes: tuple[float, ...] = ()
    #: for the verdict, its share of the evidence for the answer; negative for evidence against it
    share: float = 0.0


@dataclass(frozen=True)
class Comparison(Answer):
    """A word in several sentences: its meanings, and its vectors compared layer by layer."""

    json_key: ClassVar[str] = "verdict"

    word: str  #: the word as requested
    model: str  #: name of the model that answered
    uses: tuple[JudgedUse, ...]  #: the ``n`` uses, each with its meaning
    layers: tuple[LayerComparison, ...]  #: one entry per layer, then the mean of the layers
    message: Message  #: the answer: a headline and its details
    verdict_layer: str  #: name of the layer that is shown first
    source: MeaningSource = MeaningSource.NONE
    meanings: tuple[Meaning, ...] = ()  #: all meanings that the word may have
    #: positions from 0 of the uses that share a meaning; empty if unknown
    groups: tuple[tuple[int, ...], ...] = ()
    certainty: Certainty = Certainty.ABSTAIN  #: certainty of the groups
    probability: float = 0.0  #: probability that the groups are right as a whole; 0 if unknown
    #: ``[n][n]`` probabilities of a common meaning; empty if unknown
    same_meaning: tuple[tuple[float, ...], ...] = ()
    n_words: int = 0  #: words with several meanings in the dictionary
    #: whether the uses are of different words, which have no meanings in common
    spellings_differ: bool = False
    views: Views = Views()  #: further ways to look at the uses

    @property
    def cards(self) -> tuple[tuple[int | None, tuple[int, ...]], ...]:
        """Uses by meaning, in order of first appearance (``None``: an unlisted meaning)."""
        if not all(use.is_judged for use in self.uses):
            return ()
        return tuple(group_by(use.meant.best for use in self.uses).items())

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/compare`` and ``compare --json``."""
        uses = [
            {
                "meaning": use.meaning and use.meaning.key,
                "probability": use.meant.probability,
                "probabilities": list(use.meant.probabilities),
                "another_meaning": use.meant.other,
                "certainty": use.meant.certainty.value,
            }
            for use in self.uses
            if use.is_judged
        ]
        enums = {
            "source": self.source.value,
            "certainty": self.certainty.value,
        }
        fields = super().to_dict()
        views = fields.pop("views")
        more = {key: views[key] for key in ("one_vector", "mixes", "features")}
        items = [_mention_json(use.use) for use in self.uses]
        return {**fields, **more, "items": items, "uses": uses, **enums}


def _mention_json(use: Mention) -> dict[str, Any]:
    """Convert a compared use to JSON, with its tokens and its alternatives."""
    return {
        **as_json(use),
        "tokens": use.tokens,
        "index": use.token_start,
        "n_tokens": use.token_end - use.token_start,
        "token": use.token,
        "choices": as_json(use.choices),
    }


@dataclass(frozen=True)
class ModelInfo:
    """A model that the user can choose."""

    name: str  #: what to pass as ``model``
    title: str  #: one-line description
    #: layer names, from the context-free one up; empty for a model that is not loaded
    layers: tuple[str, ...]
    about: tuple[str, ...] = ()  #: how it was trained, in sentences
    #: layers that were also trained on the sentences of the dictionary
    dictionary_layers: tuple[str, ...] = ()


@dataclass(frozen=True)
class SideBySide:
    """Comparisons of the same uses, one per model."""

    comparisons: tuple[Comparison, ...]  #: in the order of the requested models
    senses: tuple[str, ...]  #: the meaning of each use if all are known; else empty
    #: for each model, whether its groups match these meanings; ``None`` without either
    right: tuple[bool | None, ...]
    message: Message  #: which models agree, and which are right

    def to_list(self) -> list[dict[str, Any]]:
        """Convert to the JSON of ``/side_by_side`` and of ``compare --json`` by several models."""
        return [
            {**one.to_dict(), "right": right}
            for one, right in zip(self.comparisons, self.right, strict=True)
        ]


@dataclass(frozen=True)
class Candidate:
    """A word that a model predicts in the place of another one."""

    word: str  #: the word
    probability: float  #: from 0 to 1, over the model's vocabulary


@dataclass(frozen=True)
class Substitutes:
    """The words that a model predicts in the place of each use."""

    word: str  #: the word as requested
    model: str  #: name of the model
    uses: tuple[Mention, ...]
    #: for each use the eight most probable words, best first
    candidates: tuple[tuple[Candidate, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/substitutes``."""
        rows = zip(self.uses, self.candidates, strict=True)
        uses = [{**_mention_json(use), "candidates": list(as_json(words))} for use, words in rows]
        return {"word": self.word, "model": self.model, "uses": uses}


def group_by(labels: Iterable[Hashable]) -> dict[Any, tuple[int, ...]]:
    """Return the positions of each label, in order of first appearance."""
    groups: dict[Any, tuple[int, ...]] = {}
    for position, label in enumerate(labels):
        groups[label] = (*groups.get(label, ()), position)
    return groups


def partition(groups: Iterable[Iterable[int]]) -> frozenset[frozenset[int]]:
    """Return groups of uses without their order, so that two groupings can be compared."""
    return frozenset(map(frozenset, groups))


@dataclass(frozen=True)
class SentenceLayer:
    """Sentences compared by one kind of sentence vector."""

    #: ``"0"``, ..., ``"mean"``: mean word vector at a layer; ``"sentence"``: the model's own
    #: embedding
    name: str
    cosine: tuple[tuple[float, ...], ...]  #: ``[n][n]`` cosine similarities, 1 on the diagonal
    unconnected: float  #: mean cosine of two unrelated sentences
    #: in a test, how often a paraphrase was nearer than a sentence with similar words
    reworded: int
    #: in that test, how often the paraphrase was nearer than each of sixty unrelated sentences
    related: int
    tests: int  #: number of test sentences


@dataclass(frozen=True)
class SentenceComparison(Answer):
    """Whole sentences compared by one model."""

    model: str  #: its name
    sentences: tuple[str, ...]  #: as typed
    layers: tuple[SentenceLayer, ...]  #: one entry for each kind of sentence vector
    shown: str  #: name of the layer that did best in the test
    #: the closest sentences and the most distant ones; in its details, what such cosines can tell,
    #: as measured
    message: Message

    def layer(self, name: str | None = None) -> SentenceLayer:
        """Return the layer with this name, or the one shown first."""
        return next(layer for layer in self.layers if layer.name == (name or self.shown))


@dataclass(frozen=True)
class TextSenses(Answer):
    """The words of a text whose meanings the dictionary lists."""

    model: str  #: its name
    text: str  #: the normalized text
    words: tuple[JudgedUse, ...]  #: uses in this text, in its order
    n_tokens: int  #: number of words and punctuation marks in the text
    message: Message

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/senses``, which ``senses`` prints as one line per text."""
        words = [
            {
                "token": word.use.word,
                "start": word.use.char_start,
                "end": word.use.char_end,
                "word": (word.meaning or word.meanings[0]).word,
                "meaning": word.meaning and word.meaning.key,
                "part_of_speech": word.meaning and word.meaning.part_of_speech,
                "gloss": word.meaning and word.meaning.gloss,
                "probability": word.meant.probability,
                "certainty": word.meant.certainty.value,
            }
            for word in self.words
        ]
        return {
            "model": self.model,
            "text": self.text,
            "headline": self.message.headline,
            "words": words,
        }


@dataclass(frozen=True)
class DirectionSimilarity:
    """Two uses compared by the forward and the backward half of an ELMo layer."""

    layer: str  #: name of the layer
    before: float  #: cosine of the forward halves, which read the word and the words before it
    after: float  #: cosine of the backward halves, which read the word and the words after it
    random_before: float  #: mean cosine of two random words, in the forward halves
    random_after: float  #: mean cosine of two random words, in the backward halves


@dataclass(frozen=True)
class Explanation(Answer):
    """Explanation of the cosine between two uses of a word."""

    comparison: Comparison  #: all uses of the comparison
    pair: tuple[int, int]  #: positions of the two that are explained
    #: the explained view: a layer, ``"words"`` (around the word), or ``"verdict"`` (all
    #: features together)
    layer: str
    #: cosine of the two with no word hidden; for the verdict, the probability that the two alone
    #: share a meaning
    cosine: float
    random_pair_cosine: float  #: mean cosine of two random words at this layer; 0 for the verdict
    apart: bool  #: whether it explains the difference of the two uses; else their similarity
    message: Message  #: which words decide; in its details, which side of the word does
    decisive: WordEffect | None  #: the word that the message names, if any
    #: the ways of hiding: ``""`` for leaving the word out, else the word that replaces it
    ways: tuple[str, ...]
    words: tuple[WordEffect, ...]  #: the words that were hidden, in the order of the sentences
    #: number of further words in the two sentences, too far from the compared word to be hidden in
    #: time
    skipped: int
    sides: tuple[DirectionSimilarity, ...]  #: the halves of each layer above the context-free one
    #: whose words separate the two more: ``"before"``, ``"after"``, ``"both"`` or ``"unclear"``
    side: str

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/why``."""
        sentences = [self.comparison.uses[use].use.sentence for use in self.pair]
        content = {
            key: value
            for key, value in super().to_dict().items()
            if key not in ("comparison", "apart", "headline")
        }
        return {
            "word": self.comparison.word,
            "model": self.comparison.model,
            "sentences": sentences,
            "asked": "apart" if self.apart else "together",
            **content,
            "answer": self.message.headline,
            "side_answer": self.message.details,
            "decisive": self.decisive and _effect_json(self.decisive),
            "words": [_effect_json(word) for word in self.words],
        }


def _effect_json(word: WordEffect) -> dict[str, Any]:
    return {
        "use": word.number,
        "index": word.use.token_start,
        "token": word.use.token,
        "start": word.use.char_start,
        "end": word.use.char_end,
        "changes": word.changes,
        "change": word.change,
        "share": word.share,
    }

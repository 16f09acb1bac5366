"""The trained heads on offer, what they say about a text, and what they learned about the layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.said import Result


@dataclass(frozen=True)
class Entity(Result):
    """A span that a tagger found."""

    start: int  #: first token, counted from 0
    end: int  #: one past the last token
    type: str  #: what it is, such as ``PER``
    confidence: float  #: the model's probability of exactly this span with this type
    start_char: int  #: where it begins in the sentence
    end_char: int  #: one past where it ends
    text: str = ""  #: the characters from the one to the other


@dataclass(frozen=True)
class Reading:
    """One way to tag a sentence."""

    tags: tuple[str, ...]  #: one for each token: BIO, or plain tags where they are no spans
    entities: tuple[Entity, ...]  #: what they spell, in order
    probability: float  #: of this reading as a whole

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        spans = [entity.to_dict() for entity in self.entities]
        return {"tags": list(self.tags), "spans": spans, "probability": self.probability}


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence with what a tagger found in it."""

    sentence: str  #: as typed
    tokens: tuple[str, ...]  #: its tokens
    offsets: tuple[tuple[int, int], ...]  #: ``(start, end)`` characters of each token
    best: Reading  #: the most probable reading
    runners_up: tuple[Reading, ...] = ()  #: the next most probable ones, best first

    @property
    def tags(self) -> tuple[str, ...]:
        """Those of the best reading."""
        return self.best.tags

    @property
    def spans(self) -> tuple[Entity, ...]:
        """What they spell, in order."""
        return self.best.entities

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/ner``; a line of ``predict``, but for ``text`` and ``runners_up``, begins alike."""
        return {
            "text": self.sentence,
            "tokens": list(self.tokens),
            **self.best.to_dict(),
            "runners_up": [reading.to_dict() for reading in self.runners_up],
        }


@dataclass(frozen=True)
class WordOcclusion:
    """What one word does to the label of its text, found by leaving the word out."""

    token: str  #: the word
    start: int  #: where it begins in the text
    end: int  #: one past where it ends
    change: float  #: probability of the text's label with the word minus without it: positive words speak for the label


@dataclass(frozen=True)
class ClassifiedText:
    """A text with what a classifier says of it."""

    text: str  #: as typed
    tokens: tuple[str, ...]  #: its tokens
    label: str | None  #: the most probable class; None for a text without a word
    probabilities: dict[
        str, float
    ]  #: of each class, in the order of the head's classes; none for a text without a word
    #: one for each token, in order; empty if they were not asked for, or if there are more words than one request may have weighed
    occlusion: tuple[WordOcclusion, ...] = ()
    #: whether the label is probable enough to be said; where not, the text is clearly none of the classes
    is_sure: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/sentiment``."""
        return {
            "text": self.text,
            "tokens": list(self.tokens),
            "label": self.label,
            "is_sure": self.is_sure,
            "probabilities": dict(self.probabilities),
            "occlusion": [asdict(word) for word in self.occlusion],
        }


@dataclass(frozen=True)
class MixWeights:
    """A scalar mix at one moment of its training, or at the end of one run."""

    weights: tuple[float, ...]  #: share of each layer; they sum to 1
    gamma: float  #: the factor in front of the mix
    epoch: int = 0  #: after which epoch (from 1); 0 for a run as a whole
    seed: int = 0  #: of the run
    score: float | None = None  #: what the head scored with it on validation data, if it is known


@dataclass(frozen=True)
class LayerWeights(Result):
    """What a head learned about its encoder's layers."""

    head: str  #: its name
    title: str  #: one short line for people
    layers: tuple[str, ...]  #: names of the layers, from the context-free one up
    final: MixWeights  #: the weights of the head that is loaded
    #: how they came about, one entry an epoch; the first is the start (epoch 0) if it is known
    epochs: tuple[MixWeights, ...]
    #: the final weights of runs that differ in the seed only, this one among them; one entry if there was one run
    runs: tuple[MixWeights, ...]
    learned: bool = True  #: whether they were learned, not set


@dataclass(frozen=True)
class Score:
    """What a head was measured to do."""

    metric: str  #: ``"F1"`` or ``"accuracy"``
    value: float  #: from 0 to 1
    data: str  #: what it was measured on, such as ``"CoNLL-2003 test"``


@dataclass(frozen=True)
class HeadInfo:
    """A trained head a person can choose."""

    name: str  #: what to pass as ``head``
    title: str  #: one short line for people
    kind: str  #: ``"tagging"`` (a tag per word) or ``"classification"`` (a label per text)
    labels: tuple[str, ...]  #: span types of a tagger, or its tags where these are no spans; classes of a classifier
    encoder: str  #: name of the encoder that it reads
    score: Score | None = None  #: what it was measured to do, if that is known
    #: name of its no-context baseline, the same head trained on context-free word vectors (layer 0), if there is one
    baseline: str | None = None
    own: bool = False  #: trained on this machine, not shipped


class HeadService(Protocol):
    """The trained heads."""

    def offered(self) -> tuple[HeadInfo, ...]:
        """The trained heads on offer: of each kind the default one first, a head before its baseline, shipped ones before own."""

    def tag(self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1) -> tuple[TaggedSentence, ...]:
        """Tag 1 to ``limits.max_texts`` sentences with a head of kind ``"tagging"``, the default one if ``None``."""

    def classify(
        self, texts: Sequence[str], head: str | None = None, occlusion: bool = True
    ) -> tuple[ClassifiedText, ...]:
        """Classify 1 to ``limits.max_texts`` texts with a head of kind ``"classification"``, the default one if ``None``."""

    def layer_weights(self) -> tuple[LayerWeights, ...]:
        """What the heads on offer learned about the layers, in the order of :meth:`offered`; heads without a mix are left out."""

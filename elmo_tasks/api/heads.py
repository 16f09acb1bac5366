"""Results of trained heads, their learned layer weights, and measurements of layers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from elmo_tasks.api.message import Result


@dataclass(frozen=True)
class Entity(Result):
    """A span that a tagger predicts."""

    start: int  #: first token, counted from 0
    end: int  #: one past the last token
    type: str  #: its type, such as ``PER``
    confidence: float  #: the model's probability of exactly this span with this type
    start_char: int  #: where it begins in the sentence
    end_char: int  #: one past where it ends
    text: str = ""  #: the characters between the two offsets


@dataclass(frozen=True)
class TagSequence:
    """One tag sequence for a sentence."""

    tags: tuple[str, ...]  #: one for each token: BIO, or plain tags if the tags mark no spans
    entities: tuple[Entity, ...]  #: the spans that the tags mark, in order
    probability: float  #: of this tag sequence as a whole

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        spans = [entity.to_dict() for entity in self.entities]
        return {"tags": list(self.tags), "spans": spans, "probability": self.probability}


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence with the predictions of a tagger."""

    sentence: str  #: as typed
    tokens: tuple[str, ...]  #: its tokens
    offsets: tuple[tuple[int, int], ...]  #: ``(start, end)`` characters of each token
    best: TagSequence  #: the most probable tag sequence
    alternatives: tuple[TagSequence, ...] = ()  #: the next most probable ones, best first

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of the most probable reading."""
        return self.best.tags

    @property
    def spans(self) -> tuple[Entity, ...]:
        """Spans of the most probable reading, in order."""
        return self.best.entities

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/ner``.

        A line of ``predict`` has the same fields except ``text``, ``alternatives`` and ``runners_up``.
        """
        return {
            "text": self.sentence,
            "tokens": list(self.tokens),
            **self.best.to_dict(),
            "alternatives": (alternatives := [reading.to_dict() for reading in self.alternatives]),
            "runners_up": alternatives,  # the older name of the same key, for one more version
        }


@dataclass(frozen=True)
class WordOcclusion:
    """Effect of leaving one word out on the predicted label of its text."""

    token: str  #: the word
    start: int  #: where it begins in the text
    end: int  #: one past where it ends
    #: probability of the predicted label with the word minus without it: positive words support the label
    change: float


@dataclass(frozen=True)
class ClassifiedText:
    """A text with the prediction of a classifier."""

    text: str  #: as typed
    tokens: tuple[str, ...]  #: its tokens
    label: str | None  #: the most probable class; None for a text without a word
    #: of each class, in the order of the head's classes; none for a text without a word
    probabilities: dict[str, float]
    #: one per token, in order; empty if not requested, or if the text has more words than the limit per request
    occlusion: tuple[WordOcclusion, ...] = ()
    #: whether the label is probable enough to be stated; if not, the text clearly belongs to no class
    is_sure: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/sentiment``."""
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
    """Weights of a scalar mix after an epoch, or at the end of a run."""

    weights: tuple[float, ...]  #: share of each layer; they sum to 1
    gamma: float  #: the scale factor of the mix
    epoch: int = 0  #: after which epoch (from 1); 0 for a run as a whole
    seed: int = 0  #: seed of the run
    score: float | None = None  #: validation score of the head with it, if known


@dataclass(frozen=True)
class LayerWeights(Result):
    """Layer weights that a head learned."""

    head: str  #: its name
    title: str  #: one-line description
    layers: tuple[str, ...]  #: names of the layers, from the context-free one up
    final: MixWeights  #: the weights of the head that is loaded
    #: the weights after each epoch; the first entry is the start (epoch 0) if it is known
    epochs: tuple[MixWeights, ...]
    #: the final weights of runs that differ only in the seed, this one included; one entry for a single run
    runs: tuple[MixWeights, ...]
    learned: bool = True  #: whether they were learned rather than fixed


@dataclass(frozen=True)
class Score:
    """Measured performance of a head."""

    metric: str  #: ``"F1"`` or ``"accuracy"``
    value: float  #: from 0 to 1
    data: str  #: name of the test data, such as ``"CoNLL-2003 test"``


@dataclass(frozen=True)
class HeadInfo:
    """A trained head that the user can choose."""

    name: str  #: what to pass as ``head``
    title: str  #: one-line description
    kind: str  #: ``"tagging"`` (a tag per word) or ``"classification"`` (a label per text)
    labels: tuple[str, ...]  #: entity types of a tagger, or its tags if these mark no spans; classes of a classifier
    encoder: str  #: name of its encoder
    score: Score | None = None  #: its measured performance, if known
    #: name of its no-context baseline, the same head trained on context-free word vectors (layer 0), if there is one
    baseline: str | None = None
    own: bool = False  #: trained on this machine, not shipped


@dataclass(frozen=True)
class LayerScore:
    """Score of one layer in a test."""

    layer: str  #: its name, ``"0"``, ``"1"``, … or ``"mean"``
    score: float  #: a share of 1, or a correlation


@dataclass(frozen=True)
class PaperScores:
    """Scores of this test in the paper, whose model is larger."""

    data: str  #: name of the data
    source: str  #: table or figure of the paper
    scores: tuple[LayerScore, ...]  #: one per layer
    same_data: bool  #: whether the data are the same as here, so that the scores are comparable


@dataclass(frozen=True)
class ProbeResult:
    """One test of one model."""

    task: str  #: its name in commands
    title: str  #: title of the measurement
    unit: str  #: ``"percent"`` for shares, ``"index"`` for correlations
    scores: tuple[LayerScore, ...]  #: of every layer and, if there are several, of their mean
    without: float | None  #: score without a model; ``None`` if that is not meaningful
    without_name: str  #: description of that baseline
    note: str  #: method of the measurement
    paper: PaperScores | None = None  #: scores in the paper, if there are any


@dataclass(frozen=True)
class ModelProbes(Result):
    """All measurements of one model."""

    model: str  #: its name
    layers: tuple[str, ...]  #: description of each layer
    command: str  #: command that measures it
    results: tuple[ProbeResult, ...]  #: one for each test; empty without measurements of these weights
    remark: str = ""  #: reason for an empty ``tests``

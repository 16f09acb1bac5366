"""Results of trained heads and of layers, and the training of heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elmo_tasks.api.basics import NO_MESSAGE, Message, Result
from elmo_tasks.api.compare import WordEffect


@dataclass(frozen=True)
class TaskWords:
    """Texts about one kind of task."""

    kind: str  #: its name in files, arguments and endpoints
    title: str  #: default title of a head of this kind, such as ``"Entities"``
    choice: str  #: label of this kind in the form: ``"Entities in a text"``
    output: str  #: output of a head of this kind: ``"a tag for each word"``
    training_rows: str  #: its training data: ``"tagged words"``
    unit: str  #: its rows: ``"sentences"``
    #: unit of its accuracy: ``"words"``. If this is not the row, the cases of one row depend on
    #: each other.
    counts: str
    model: str  #: label of the choice between such heads
    about: str  #: purpose of such a head, in one sentence
    files: str  #: format of a training file
    typing: str  #: format of typed examples, one per line
    endings: tuple[str, ...]  #: extensions of such files
    purpose: str  #: ``"for names (entities)"``, after "a model"
    train: str  #: command that trains one on the sample
    epochs: int = 30  #: defaults of the form: number of epochs,
    hidden: int = 64  #: hidden size of the head,
    learning_rate: float = 1e-3  #: and highest learning rate

    @property
    def one_label(self) -> bool:
        """True if a row has one label as a whole."""
        return self.counts == self.unit


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
class TagReading:
    """One tag sequence for a sentence."""

    tags: tuple[str, ...]  #: one for each token: BIO, or plain tags if the tags mark no spans
    entities: tuple[Entity, ...]  #: the spans that the tags mark, in order
    probability: float  #: of this tag sequence as a whole

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        spans = [entity.to_dict() for entity in self.entities]
        return {"tags": list(self.tags), "spans": spans, "probability": self.probability}


@dataclass(frozen=True)
class TaggedText:
    """A sentence with the predictions of a tagger."""

    sentence: str  #: as typed
    tokens: tuple[str, ...]  #: its tokens
    offsets: tuple[tuple[int, int], ...]  #: ``(start, end)`` characters of each token
    best: TagReading  #: the most probable tag sequence
    alternatives: tuple[TagReading, ...] = ()  #: the next most probable ones, best first

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of the most probable sequence."""
        return self.best.tags

    @property
    def spans(self) -> tuple[Entity, ...]:
        """Spans of the most probable sequence, in order."""
        return self.best.entities

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/ner``."""
        others = [reading.to_dict() for reading in self.alternatives]
        # the older name, for one more version
        alternatives = {"alternatives": others, "runners_up": others}
        return {
            "text": self.sentence,
            "tokens": list(self.tokens),
            **self.best.to_dict(),
            **alternatives,
        }


@dataclass(frozen=True)
class ClassifiedText(Result):
    """A text with the prediction of a classifier."""

    text: str  #: as typed
    tokens: tuple[str, ...]  #: its tokens
    label: str | None  #: the most probable class; None for a text without a word
    #: of each class, in the head's order; none for a text without a word
    probabilities: dict[str, float]
    #: one per token; empty if not requested, or of too many words
    occlusion: tuple[WordEffect, ...] = ()
    is_sure: bool = True  #: whether the label is probable enough to be stated

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/sentiment``."""
        occlusion = [
            {
                "token": word.use.token,
                "start": word.use.char_start,
                "end": word.use.char_end,
                "change": word.change,
            }
            for word in self.occlusion
        ]
        return {**super().to_dict(), "occlusion": occlusion}


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
    #: the weights after each epoch, from the start (epoch 0) if it is known
    epochs: tuple[MixWeights, ...]
    #: the final weights of this run and of those that differ only in the seed
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
    #: entity types of a tagger, or its tags if these mark no spans; classes of a classifier
    labels: tuple[str, ...]
    encoder: str  #: name of its encoder
    score: Score | None = None  #: its measured performance, if known
    #: name of the same head trained on context-free word vectors, if there is one
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
    #: one for each test; empty without measurements of these weights
    results: tuple[ProbeResult, ...]
    message: Message = NO_MESSAGE  #: reason why there are no ``results``


@dataclass(frozen=True)
class TrainingPlan:
    """Settings of a training run."""

    kind: str  #: ``"classification"`` (a label per text) or ``"tagging"`` (a tag per word)
    #: ``"sample"`` (bundled), ``"examples"`` (typed, or kept in Try), ``"upload"`` or ``"hub"``
    source: str = "sample"
    data: str = ""  #: the id of an upload, or the short name of a hub data set; else empty
    name: str = ""  #: name of the head; derived from the data if empty
    #: of an upload, one of :attr:`DatasetPreview.columns`; ``None`` to guess. Of a tagged file: the
    #: column of the words.
    text_column: str | None = None
    label_column: str | None = None  #: likewise the column of the labels or tags
    #: of a table, whether its first line names the columns; ``None`` to guess
    header: bool | None = None
    epochs: int = 20  #: passes over the training data
    hidden: int = 64  #: size of the head's hidden layer
    learning_rate: float = 1e-3  #: highest learning rate
    #: ``"learned"`` (a mix), ``"0"`` (the context-free layer alone) or ``"mean"`` (all alike)
    layers: str = "learned"
    with_examples: bool = False  #: of the sample or an upload, whether the examples are added to it
    #: of texts, whether labels weigh alike in training however often each comes
    balanced: bool = False


@dataclass(frozen=True)
class DatasetPreview(Result):
    """The contents of a data set, before anything is trained on it."""

    title: str  #: its title; of an upload, the original file name
    rows: int  #: number of training and validation rows; 0 if unknown before the download
    test_rows: int  #: number of test rows
    #: classes, types of names (spans) or tags, each with its count
    labels: tuple[tuple[str, int], ...] = ()
    counted: str = "texts"  #: the counted unit: ``"texts"``, ``"names"`` or ``"words"``
    columns: tuple[str, ...] = ()  #: names of the columns; ``"column 2"`` where the file names none
    text_column: str | None = None  #: the column of the texts or words
    label_column: str | None = None  #: the column of the labels
    #: whether the first line names the columns; ``None`` where it never does
    header: bool | None = None
    #: first rows: texts or words, labels or tags
    examples: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    read_as: str = ""  #: the detected format and columns of the file, in words
    seconds: float = 0.0  #: estimate of the time before the first epoch and after the last
    seconds_per_epoch: float = 0.0  #: estimate of the time of one epoch


@dataclass(frozen=True)
class TrainingEpoch:
    """Scores of a training run after one epoch."""

    epoch: int  #: epoch, from 1; 0 is the start, where only the mix is known
    train_loss: float | None = None  #: mean loss on the training data
    validation_loss: float | None = None  #: loss on the validation data
    score: float | None = None  #: on the validation data, from 0 to 1
    weights: tuple[float, ...] = ()  #: share of each layer
    gamma: float | None = None  #: the scale factor of the mix
    watched: float | None = None  #: the score that selects the best epoch, where it is another one


@dataclass(frozen=True)
class SplitScore:
    """Score of a trained head on one split, with its baseline."""

    split: str  #: ``"test"`` or ``"validation"``
    metric: str  #: ``"F1"`` or ``"accuracy"``
    value: float  #: from 0 to 1
    rows: int  #: number of rows
    guess: float | None = None  #: the same score without a model, if it is known
    #: always the most frequent label, or ``"word"``: each word's most frequent tag
    guess_rule: str = "majority"


@dataclass(frozen=True)
class TrainingJob(Result):
    """State of a training run."""

    name: str  #: of the run, and of the head it leaves
    title: str  #: title that the user gave it
    task: TaskWords  #: its task
    data: str  #: description of its training data
    status: str  #: ``"running"``, ``"done"``, ``"stopped"`` or ``"failed"``
    #: of a running one: ``"starting"``, ``"layers"`` (it reads all texts), ``"training"`` or
    #: ``"scoring"``
    phase: str = ""
    created: float = 0.0  #: start time, in seconds since 1970
    seconds: float = 0.0  #: elapsed seconds
    seconds_left: float | None = None  #: estimated seconds left
    estimate: float = 0.0  #: estimated seconds in all, when it was started
    pace: float = 1.0  #: factor in that estimate for the speed of this machine
    examples: tuple[str, ...] = ()  #: the first texts of its data, to try the head on
    epochs: int = 0  #: planned number of epochs
    step: int = 0  #: training steps done
    steps: int = 0  #: total number of training steps, 0 until it is known
    losses: tuple[tuple[float, float], ...] = ()  #: ``(epochs done, training loss)`` points
    course: tuple[TrainingEpoch, ...] = ()  #: the finished epochs, with their scores
    metric: str = "accuracy"  #: ``"F1"`` or ``"accuracy"``
    layers: tuple[str, ...] = ()  #: names of the layers of its mix
    learned: bool = True  #: whether the mix is learned
    best_epoch: int | None = None  #: epoch of the best checkpoint
    scores: tuple[SplitScore, ...] = ()  #: final scores
    head: str | None = None  #: what to pass as ``head``; empty until there is one
    message: Message = NO_MESSAGE  #: reason of a failure, or the result of a stop
    stopping: bool = False  #: whether a stop was requested and has not taken effect yet
    can_resume: bool = False  #: whether it ended before its last epoch

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/training_runs``, where the task is a name."""
        content = super().to_dict()
        del content["task"]
        return {**content, "kind": self.task.kind}


@dataclass(frozen=True)
class TrainingOffer:
    """Available options for training."""

    allowed: bool  #: whether training and uploads are on
    hub: tuple[tuple[str, str, str], ...] = ()  #: the public data sets: short name, kind, title

"""Training of heads in the UI: plans, data previews and the progress of runs."""

from __future__ import annotations

from dataclasses import dataclass

from elmo_tasks.api.message import Result


@dataclass(frozen=True)
class TrainingPlan:
    """Settings of a training run."""

    kind: str  #: ``"classification"`` (a label per text) or ``"tagging"`` (a tag per word)
    #: ``"sample"`` (comes with the program), ``"examples"`` (typed, or kept in Try), ``"upload"``, ``"hub"`` (needs a network)
    source: str = "sample"
    data: str = ""  #: the id of an upload, or the short name of a hub data set; else empty
    name: str = ""  #: name of the head; derived from the data if empty
    #: of an upload, one of :attr:`DatasetPreview.columns`; ``None`` to guess. Of a tagged file: the column of the words.
    text_column: str | None = None
    label_column: str | None = None  #: likewise the column of the labels or tags
    header: bool | None = None  #: of a table, whether its first line names the columns; ``None`` to guess
    epochs: int = 20  #: passes over the training data
    hidden: int = 64  #: size of the head's hidden layer
    learning_rate: float = 1e-3  #: highest learning rate
    #: ``"learned"`` (a learned mix), ``"0"`` (the context-free layer alone) or ``"mean"`` (all alike)
    layers: str = "learned"
    with_examples: bool = False  #: of the sample or an upload, whether the examples are added to it
    balanced: bool = False  #: of texts, whether labels weigh alike in training however often each comes


@dataclass(frozen=True)
class DatasetPreview(Result):
    """The contents of a data set, before anything is trained on it."""

    title: str  #: its title; of an upload, the original file name
    rows: int  #: number of training and validation rows; 0 if unknown before the download
    test_rows: int  #: number of test rows
    #: each label with how often it occurs: classes, types of names (spans) or tags
    labels: tuple[tuple[str, int], ...] = ()
    counted: str = "texts"  #: the counted unit: ``"texts"``, ``"names"`` or ``"words"``
    columns: tuple[str, ...] = ()  #: names of the columns; ``"column 2"`` where the file names none
    text_column: str | None = None  #: the column of the texts or words
    label_column: str | None = None  #: the column of the labels
    #: whether the first line names the columns; ``None`` where files of this kind have no such line
    header: bool | None = None
    #: the first rows: ``(texts or words, labels or tags)``
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


@dataclass(frozen=True)
class SplitScore:
    """Score of a trained head on one split, with its baseline."""

    split: str  #: ``"test"`` or ``"validation"``
    metric: str  #: ``"F1"`` or ``"accuracy"``
    value: float  #: from 0 to 1
    rows: int  #: number of rows
    guess: float | None = None  #: the same score without a model, if it is known
    #: the baseline: ``"majority"`` (always the most frequent label) or ``"word"`` (each word's most frequent tag)
    guess_rule: str = "majority"


@dataclass(frozen=True)
class TrainingJob(Result):
    """State of a training run."""

    name: str  #: of the run, and of the head it leaves
    title: str  #: title that the user gave it
    kind: str  #: as in :class:`TrainingPlan`
    data: str  #: description of its training data
    status: str  #: ``"running"``, ``"done"``, ``"stopped"`` or ``"failed"``
    #: of a running one: ``"starting"``, ``"layers"`` (the frozen model reads all texts once), ``"training"``, ``"scoring"``
    phase: str = ""
    created: float = 0.0  #: start time, in seconds since 1970
    seconds: float = 0.0  #: elapsed seconds
    seconds_left: float | None = None  #: estimated seconds left
    estimate: float = 0.0  #: estimated seconds in all, when it was started
    pace: float = 1.0  #: factor in that estimate for the speed of this machine
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
    message: str = ""  #: reason of a failure, or the result of a stop
    stopping: bool = False  #: whether a stop was requested and has not taken effect yet
    can_resume: bool = False  #: whether it ended before its last epoch


@dataclass(frozen=True)
class TrainingOffer:
    """Available options for training."""

    allowed: bool  #: whether training and uploads are on
    hub: tuple[tuple[str, str, str], ...] = ()  #: the public data sets: short name, kind, title
    max_upload: int = 20_000_000  #: maximum size of an upload in bytes

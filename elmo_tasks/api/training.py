"""Training heads from the screen: what a person wants, what the data hold, how a run goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.said import Result


@dataclass(frozen=True)
class TrainingPlan:
    """What a person wants to train."""

    kind: str  #: ``"classification"`` (a label per text) or ``"tagging"`` (a tag per word)
    #: ``"sample"`` (comes with the program), ``"examples"`` (typed, or kept in Try), ``"upload"``, ``"hub"`` (needs a network)
    source: str = "sample"
    data: str = ""  #: the id of an upload, or the short name of a hub data set; else empty
    name: str = ""  #: what to call the head; made from the data's name if it is empty
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

    title: str  #: what to call it; of an upload, the file's name as it came
    rows: int  #: how many to train on and to pick the best epoch by; 0 if that is not known before it is downloaded
    test_rows: int  #: how many are kept apart to score the head on
    #: each label with how often it occurs: classes, types of names (spans) or tags
    labels: tuple[tuple[str, int], ...] = ()
    counted: str = "texts"  #: what was counted there: ``"texts"``, ``"names"`` or ``"words"``
    columns: tuple[str, ...] = ()  #: names of the columns; ``"column 2"`` where the file names none
    text_column: str | None = None  #: the column of the texts or words
    label_column: str | None = None  #: the column of the labels
    #: whether the first line names the columns; ``None`` where files of this kind have no such line
    header: bool | None = None
    #: the first rows: ``(texts or words, labels or tags)``
    examples: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    read_as: str = ""  #: which format and columns were found in the file, in words
    seconds: float = 0.0  #: estimate of the time before the first epoch and after the last
    seconds_per_epoch: float = 0.0  #: estimate of the time of one epoch


@dataclass(frozen=True)
class TrainingEpoch:
    """A training run after one pass over its data."""

    epoch: int  #: which, from 1; 0 is the start, where only the mix is known
    train_loss: float | None = None  #: mean loss on the training data
    validation_loss: float | None = None  #: loss on the validation data
    score: float | None = None  #: on the validation data, from 0 to 1
    weights: tuple[float, ...] = ()  #: share of each layer
    gamma: float | None = None  #: the factor in front of the mix


@dataclass(frozen=True)
class SplitScore:
    """What a trained head scores, beside what one scores without a model."""

    split: str  #: ``"test"`` or ``"validation"``
    metric: str  #: ``"F1"`` or ``"accuracy"``
    value: float  #: from 0 to 1
    rows: int  #: how many rows that is from
    guess: float | None = None  #: the same score without a model, if it is known
    #: how one guesses: ``"majority"`` (always the most frequent label) or ``"word"`` (each word's most frequent tag)
    guess_rule: str = "majority"


@dataclass(frozen=True)
class TrainingJob(Result):
    """A training run, running or over."""

    name: str  #: of the run, and of the head it leaves
    title: str  #: as the person called it
    kind: str  #: as in :class:`TrainingPlan`
    data: str  #: what it is trained on, in words
    status: str  #: ``"running"``, ``"done"``, ``"stopped"`` or ``"failed"``
    #: of a running one: ``"starting"``, ``"layers"`` (the frozen model reads all texts once), ``"training"``, ``"scoring"``
    phase: str = ""
    created: float = 0.0  #: when it was asked for, in seconds since 1970
    seconds: float = 0.0  #: how long it has run
    seconds_left: float | None = None  #: estimate of what is left
    epochs: int = 0  #: how many were asked for
    step: int = 0  #: training steps done
    steps: int = 0  #: training steps to do, 0 as long as that is not known
    losses: tuple[tuple[float, float], ...] = ()  #: ``(epochs done, training loss)`` as it goes
    course: tuple[TrainingEpoch, ...] = ()  #: the epochs done, with their scores
    metric: str = "accuracy"  #: ``"F1"`` or ``"accuracy"``
    layers: tuple[str, ...] = ()  #: names of the layers of its mix
    learned: bool = True  #: whether the mix is learned
    best_epoch: int | None = None  #: the epoch that was kept
    scores: tuple[SplitScore, ...] = ()  #: at the end
    head: str | None = None  #: what to pass as ``head``, once there is one
    message: str = ""  #: why it failed, or what a stop left
    stopping: bool = False  #: it was asked to stop and has not yet
    can_resume: bool = False  #: whether it is over with rounds left to train


@dataclass(frozen=True)
class TrainingOffer:
    """What can be trained here."""

    allowed: bool  #: whether training and uploads are on
    hub: tuple[tuple[str, str, str], ...] = ()  #: the public data sets: short name, kind, words for people
    max_upload: int = 20_000_000  #: bytes that an upload may have


class TrainingService(Protocol):
    """Train heads, one run at a time."""

    def offer(self) -> TrainingOffer:
        """Describe what can be trained here, and whether it may be."""

    def store_upload(self, name: str, content: bytes) -> str:
        """Store a data file for :meth:`preview` and :meth:`start`; return its id."""

    def examples(self, kind: str) -> str:
        """Return the examples of a kind, one a line: ``label: text``, or a sentence with marked spans."""

    def store_examples(self, kind: str, text: str) -> None:
        """Replace the examples of a kind."""

    def keep_example(self, kind: str, line: str) -> int:
        """Add a line to the examples of a kind, unless it is there; return how many there are."""

    def preview(self, plan: TrainingPlan) -> DatasetPreview:
        """Read and check the data of a plan."""

    def start(self, plan: TrainingPlan) -> TrainingJob:
        """Start a run in a process of its own, unless one is running."""

    def resume(self, name: str) -> TrainingJob:
        """Continue a run that was stopped or failed, from its last finished epoch."""

    def stop(self, name: str) -> TrainingJob:
        """Stop a run and keep its best head so far; called again, stop it at once."""

    def delete(self, name: str) -> None:
        """Remove a run that is over, with its head and its data."""

    def jobs(self) -> tuple[TrainingJob, ...]:
        """Return the runs, the newest first."""

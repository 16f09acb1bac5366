"""Training heads from the screen: what a person wants, what the data hold, how a run goes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class TrainingPlan:
    """What a person wants to train.

    Attributes:
        kind: ``"classification"`` (a label per text) or ``"tagging"`` (a tag per word).
        source: ``"sample"`` (comes with the program), ``"upload"`` or ``"hub"`` (a public data set, needs a network).
        data: which of them: the id of an upload, or the short name of a hub data set; nothing for the sample.
        name: what to call the head; made from the data's name if it is empty.
        text_column: of an upload, one of :attr:`DataLook.columns`; ``None`` to guess. Of a tagged file: the column of the words.
        label_column: likewise the column of the labels or tags.
        header: of a table, whether its first line names the columns; ``None`` to guess.
        epochs: passes over the training data.
        hidden: size of the head's hidden layer.
        learning_rate: highest learning rate.
        layers: ``"learned"`` (a learned mix), ``"0"`` (the context-free layer alone) or ``"mean"`` (all alike).
        base: of an upload, what it is added to: :attr:`TrainingJob.base` of a run, or ``"sample"``; nothing if empty.
        balanced: of texts, whether labels weigh alike in training however often each comes.
    """

    kind: str
    source: str = "sample"
    data: str = ""
    name: str = ""
    text_column: str | None = None
    label_column: str | None = None
    header: bool | None = None
    epochs: int = 20
    hidden: int = 64
    learning_rate: float = 1e-3
    layers: str = "learned"
    base: str = ""
    balanced: bool = False


@dataclass(frozen=True)
class DataLook:
    """What is in a data set, before anything is trained on it.

    Attributes:
        title: what to call it; of an upload, the file's name as it came.
        rows: how many to train on and to pick the best epoch by; 0 if that is not known before it is downloaded.
        test_rows: how many are kept apart to score the head on.
        labels: each label with how often it occurs: classes, types of names (spans) or tags.
        counted: what was counted there: ``"texts"``, ``"names"`` or ``"words"``.
        columns: names of the columns; ``"column 2"`` where the file names none.
        text_column: the column of the texts or words.
        label_column: the column of the labels.
        header: whether the first line names the columns; ``None`` where files of this kind have no such line.
        examples: the first rows: ``(texts or words, labels or tags)``.
        seconds: estimate of the time before the first epoch and after the last.
        seconds_per_epoch: estimate of the time of one epoch.
    """

    title: str
    rows: int
    test_rows: int
    labels: tuple[tuple[str, int], ...] = ()
    counted: str = "texts"
    columns: tuple[str, ...] = ()
    text_column: str | None = None
    label_column: str | None = None
    header: bool | None = None
    examples: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    seconds: float = 0.0
    seconds_per_epoch: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class TrainingEpoch:
    """A training run after one pass over its data.

    Attributes:
        epoch: which, from 1; 0 is the start, where only the mix is known.
        train_loss: mean loss on the training data.
        validation_loss: loss on the validation data.
        score: on the validation data, from 0 to 1.
        weights: share of each layer.
        gamma: the factor in front of the mix.
    """

    epoch: int
    train_loss: float | None = None
    validation_loss: float | None = None
    score: float | None = None
    weights: tuple[float, ...] = ()
    gamma: float | None = None


@dataclass(frozen=True)
class SplitScore:
    """What a trained head scores, beside what one scores without a model.

    Attributes:
        split: ``"test"`` or ``"validation"``.
        metric: ``"F1"`` or ``"accuracy"``.
        value: from 0 to 1.
        rows: how many rows that is from.
        guess: the same score without a model, if it is known.
        guess_rule: how one guesses: ``"majority"`` (always the most frequent label) or ``"word"`` (each word's most frequent tag).
    """

    split: str
    metric: str
    value: float
    rows: int
    guess: float | None = None
    guess_rule: str = "majority"


@dataclass(frozen=True)
class TrainingJob:
    """A training run, waiting, running or over.

    Attributes:
        name: of the run, and of the head it leaves.
        title: as the person called it.
        kind: as in :class:`TrainingPlan`.
        data: what it is trained on, in words.
        status: ``"queued"``, ``"running"``, ``"done"``, ``"stopped"`` or ``"failed"``.
        phase: of a running one: ``"starting"``, ``"layers"`` (the frozen model reads all texts once), ``"training"``,
            ``"scoring"``.
        created: when it was asked for, in seconds since 1970.
        seconds: how long it has run.
        seconds_left: estimate of what is left.
        epochs: how many were asked for.
        step: training steps done.
        steps: training steps to do, 0 as long as that is not known.
        losses: ``(epochs done, training loss)`` as it goes.
        course: the epochs done, with their scores.
        metric: ``"F1"`` or ``"accuracy"``.
        layers: names of the layers of its mix.
        learned: whether the mix is learned.
        best_epoch: the epoch that was kept.
        scores: at the end.
        head: what to pass as ``head``, once there is one.
        message: why it failed, or what a stop left.
        stopping: it was asked to stop and has not yet.
        base: what to name as :attr:`TrainingPlan.base` to train on the same rows and more; empty if that cannot be done.
    """

    name: str
    title: str
    kind: str
    data: str
    status: str
    phase: str = ""
    created: float = 0.0
    seconds: float = 0.0
    seconds_left: float | None = None
    epochs: int = 0
    step: int = 0
    steps: int = 0
    losses: tuple[tuple[float, float], ...] = ()
    course: tuple[TrainingEpoch, ...] = ()
    metric: str = "accuracy"
    layers: tuple[str, ...] = ()
    learned: bool = True
    best_epoch: int | None = None
    scores: tuple[SplitScore, ...] = ()
    head: str | None = None
    message: str = ""
    stopping: bool = False
    base: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class TrainingOffer:
    """What can be trained here.

    Attributes:
        allowed: whether training and uploads are on.
        hub: the public data sets: short name, kind, words for people.
        max_upload: bytes that an upload may have.
    """

    allowed: bool
    hub: tuple[tuple[str, str, str], ...] = ()
    max_upload: int = 20_000_000


class TrainingService(Protocol):
    """Trains heads."""

    def offer(self) -> TrainingOffer:
        """What can be trained here, and whether it may."""
        ...

    def keep_upload(self, name: str, content: bytes) -> str:
        """Keep a data file for :meth:`look` and :meth:`start`; gives its id."""
        ...

    def look(self, plan: TrainingPlan) -> DataLook:
        """Read and check the data of a plan."""
        ...

    def start(self, plan: TrainingPlan) -> TrainingJob:
        """Start a run in a process of its own, or let it wait for the one that runs."""
        ...

    def stop(self, name: str) -> TrainingJob:
        """Stop a run and keep its best head so far; asked again, stop it at once."""
        ...

    def delete(self, name: str) -> None:
        """Remove a run that is over, with its head and its data."""
        ...

    def rename(self, name: str, title: str) -> TrainingJob:
        """Call a run that is over, and its head, something else; its ``name`` stays."""
        ...

    def jobs(self) -> tuple[TrainingJob, ...]:
        """The runs, the newest first."""
        ...

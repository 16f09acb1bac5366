"""The scores of a task, counted over all batches: span F1 or accuracy of tags, accuracy and the like of classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import nn
from torchmetrics import Metric, MetricCollection
from torchmetrics.classification import (
    MulticlassAccuracy,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
    MulticlassPrecision,
    MulticlassRecall,
)

from elmo_tasks.heads.head import HeadTask, Prediction
from elmo_tasks.tasks.span_scores import SpanF1
from elmo_tasks.text.tag_schemes import types_of


class TaskScores(nn.Module, ABC):
    """Counts predictions of a split, over all batches and processes.

    A subclass builds its metrics as modules, and at its end calls :meth:`count_alone` if it was told to.

    Attributes:
        main: name of the score that models are chosen by.
    """

    main: str

    def count_alone(self) -> None:
        """Let this process count all rows, and not wait for others that train with it."""
        for metric in self.modules():
            if isinstance(metric, Metric):
                metric.distributed_available_fn = _nobody_else

    @abstractmethod
    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """Count what was said of each sentence of a batch, and what is right."""

    @abstractmethod
    def compute(self) -> dict[str, float]:
        """All scores, from 0 to 1, such as ``f1``, ``f1/PER`` or ``accuracy``, ``recall/positive``."""

    def confusion_matrix(self) -> list[list[int]]:
        """``[gold][predicted]`` counts, of a task with one class a text; empty for others."""
        return []

    def reset(self) -> None:
        """Begin anew."""
        for metric in self.modules():
            if isinstance(metric, Metric):
                metric.reset()


def _nobody_else() -> bool:
    return False


class TagScores(TaskScores):
    """F1 of spans, where the tags spell some, and accuracy; arguments as for :meth:`elmo_tasks.tasks.kind.TaskKind.scores`."""

    def __init__(self, task: HeadTask, alone: bool = False) -> None:
        super().__init__()
        self.main = "accuracy" if task.scheme is None else "f1"
        self._ids = {label: k for k, label in enumerate(task.labels)}
        self.spans = SpanF1(types_of(task.labels, task.scheme), task.scheme) if task.scheme else None
        self.accuracy = MulticlassAccuracy(len(task.labels), average="micro")
        if alone:
            self.count_alone()

    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """See :class:`TaskScores`."""
        if self.spans is not None:
            self.spans.update(predicted, gold)
        said, right = (
            torch.tensor([self._ids[tag] for row in rows for tag in row], device=self.accuracy.device)
            for rows in (predicted, gold)
        )
        if len(right):
            self.accuracy.update(said, right)

    def compute(self) -> dict[str, float]:
        """See :class:`TaskScores`."""
        scores: dict[str, float] = {}
        if self.spans is not None:
            scores |= {name: float(value) for name, value in self.spans.compute().items()}
        return scores | {"accuracy": float(self.accuracy.compute()) if self.accuracy.update_called else 0.0}


class ClassScores(TaskScores):
    """Accuracy, and precision, recall and F1 of each class. Arguments as for :meth:`elmo_tasks.tasks.kind.TaskKind.scores`."""

    main = "accuracy"

    def __init__(self, task: HeadTask, alone: bool = False) -> None:
        super().__init__()
        self.labels = task.labels
        n = len(task.labels)
        self.accuracy = MulticlassAccuracy(n, average="micro")
        self.by_class = MetricCollection(
            {
                "precision": MulticlassPrecision(n, average=None),
                "recall": MulticlassRecall(n, average=None),
                "f1": MulticlassF1Score(n, average=None),
            }
        )
        self.confusion = MulticlassConfusionMatrix(n)
        if alone:
            self.count_alone()

    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """See :class:`TaskScores`."""
        if not gold:
            return
        ids = {label: k for k, label in enumerate(self.labels)}
        said, right = (
            torch.tensor([ids[str(row)] for row in rows], device=self.accuracy.device) for rows in (predicted, gold)
        )
        for metric in (self.accuracy, self.by_class, self.confusion):
            metric.update(said, right)

    def compute(self) -> dict[str, float]:
        """See :class:`TaskScores`."""
        if not self.accuracy.update_called:
            return {"accuracy": 0.0}
        scores = {"accuracy": float(self.accuracy.compute())}
        for name, values in self.by_class.compute().items():
            scores |= {f"{name}/{label}": value for label, value in zip(self.labels, values.tolist(), strict=True)}
        return scores

    def confusion_matrix(self) -> list[list[int]]:
        """See :class:`TaskScores`."""
        return self.confusion.compute().tolist() if self.confusion.update_called else []

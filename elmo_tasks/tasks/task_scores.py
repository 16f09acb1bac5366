"""Metrics of a task over all batches: span F1 or accuracy, class scores."""

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
    """Metrics of a split, over all batches and processes.

    A subclass builds its metrics as modules and finally calls :meth:`count_alone` if requested.

    A subclass builds its metrics as modules, and finally calls :meth:`count_alone` if requested.

    Attributes:
        main: name of the score that models are chosen by.
    """

    main: str

    def count_alone(self) -> None:
        """Count all rows in this process, without waiting for others."""
        for metric in self.modules():
            if isinstance(metric, Metric):
                metric.distributed_available_fn = _nobody_else

    @abstractmethod
    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """Add the predictions and gold labels of a batch."""

    @abstractmethod
    def compute(self) -> dict[str, float]:
        """Return all scores, from 0 to 1, such as ``f1/PER`` or ``recall/positive``."""

    def confusion_matrix(self) -> list[list[int]]:
        """Return ``[gold][predicted]`` counts of a classifier; empty for other tasks."""
        return []

    def reset(self) -> None:
        """Reset all metrics."""
        for metric in self.modules():
            if isinstance(metric, Metric):
                metric.reset()


def _nobody_else() -> bool:
    return False


class TagScores(TaskScores):
    """Span F1, if the tags encode spans, and accuracy; see :meth:`Task.scores`."""

    def __init__(self, task: HeadTask, alone: bool = False) -> None:
        super().__init__()
        self.main = "accuracy" if task.scheme is None else "f1"
        self._ids = {label: k for k, label in enumerate(task.labels)}
        self.spans = SpanF1(types_of(task.labels, task.scheme), task.scheme) if task.scheme else None
        self.accuracy = MulticlassAccuracy(len(task.labels), average="micro")
        if alone:
            self.count_alone()

    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """Add the predictions and gold labels of a batch."""
        if self.spans is not None:
            self.spans.update(predicted, gold)
        predicted_ids, gold_ids = (
            torch.tensor([self._ids[tag] for row in rows for tag in row], device=self.accuracy.device)
            for rows in (predicted, gold)
        )
        if len(gold_ids):
            self.accuracy.update(predicted_ids, gold_ids)

    def compute(self) -> dict[str, float]:
        """Return all scores, from 0 to 1, such as ``f1/PER`` or ``recall/positive``."""
        scores: dict[str, float] = {}
        if self.spans is not None:
            scores |= {name: float(value) for name, value in self.spans.compute().items()}
        return scores | {"accuracy": float(self.accuracy.compute()) if self.accuracy.update_called else 0.0}


class ClassScores(TaskScores):
    """Accuracy; precision, recall and F1 of each class; see :meth:`Task.scores`."""

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
        """Add the predictions and gold labels of a batch."""
        if not gold:
            return
        ids = {label: k for k, label in enumerate(self.labels)}
        predicted_ids, gold_ids = (
            torch.tensor([ids[str(row)] for row in rows], device=self.accuracy.device) for rows in (predicted, gold)
        )
        for metric in (self.accuracy, self.by_class, self.confusion):
            metric.update(predicted_ids, gold_ids)

    def compute(self) -> dict[str, float]:
        """Return all scores, from 0 to 1, such as ``f1/PER`` or ``recall/positive``."""
        if not self.accuracy.update_called:
            return {"accuracy": 0.0}
        scores = {"accuracy": float(self.accuracy.compute())}
        for name, values in self.by_class.compute().items():
            scores |= {f"{name}/{label}": value for label, value in zip(self.labels, values.tolist(), strict=True)}
        return scores

    def confusion_matrix(self) -> list[list[int]]:
        """Return ``[gold][predicted]`` counts of a classifier; empty for other tasks."""
        return self.confusion.compute().tolist() if self.confusion.update_called else []

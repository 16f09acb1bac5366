"""Metrics of a task over all batches and processes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torchmetrics import Metric

from elmo_tasks.heads.head import HeadTask, Prediction
from elmo_tasks.text.tag_schemes import Scheme, spans_of, types_of

Tags = Sequence[str]


class Counts(NamedTuple):
    """Numbers of predicted and correct, of predicted, and of gold spans, tokens or rows."""

    correct: int = 0
    predicted: int = 0
    gold: int = 0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.correct / (self.predicted + self.gold) if self.correct else 0.0

    def scores(self, ending: str = "") -> dict[str, float]:
        """Return precision, recall and F1, 0 if undefined, with ``ending`` in their names."""
        precision = self.correct / self.predicted if self.predicted else 0.0
        recall = self.correct / self.gold if self.gold else 0.0
        return {f"precision{ending}": precision, f"recall{ending}": recall, f"f1{ending}": self.f1}


def span_counts(preds: Iterable[Tags], target: Iterable[Tags], scheme: Scheme) -> dict[str, Counts]:
    """Count the spans of each type that occurs, as the CoNLL scorer does (see ``spans_of``)."""
    correct: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    for predicted_tags, gold_tags in zip(preds, target, strict=True):
        predicted_spans = set(spans_of(predicted_tags, scheme))
        gold_spans = set(spans_of(gold_tags, scheme))
        predicted.update(span.type for span in predicted_spans)
        gold.update(span.type for span in gold_spans)
        correct.update(span.type for span in predicted_spans & gold_spans)
    return {
        type_: Counts(correct[type_], predicted[type_], gold[type_])
        for type_ in sorted(predicted | gold)
    }


def micro(counts: Iterable[Counts]) -> Counts:
    """Sum counts, for scores over all types."""
    return Counts(*map(sum, zip(Counts(), *counts, strict=True)))


class TaskScores(Metric, ABC):
    """Metrics of a split, over all processes, or of this process ``alone``."""

    full_state_update = False
    main = "accuracy"  # name of the score that selects models
    counts: Tensor

    def __init__(self, task: HeadTask, shape: tuple[int, int], alone: bool = False) -> None:
        super().__init__(**({"distributed_available_fn": lambda: False} if alone else {}))
        self.task = task
        self.add_state("counts", torch.zeros(shape, dtype=torch.long), dist_reduce_fx="sum")

    @abstractmethod
    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """Add the predictions and gold labels of a batch."""

    @abstractmethod
    def compute(self) -> dict[str, float]:
        """Return all scores, from 0 to 1, such as ``f1/PER`` or ``recall/positive``."""

    def confusion_matrix(self) -> list[list[int]]:
        """Return ``[gold][predicted]`` counts of a classifier; empty for other tasks."""
        return []


class TagScores(TaskScores):
    """Accuracy of tags; precision, recall and F1 of spans, micro and by type."""

    def __init__(self, task: HeadTask, alone: bool = False) -> None:
        types = () if task.scheme is None else types_of(task.labels, task.scheme)
        # Tokens, spans of each type, and spans of types that the head does not have.
        super().__init__(task, (2 + len(types), 3), alone)
        self.types = tuple(types)
        self.main = "accuracy" if task.scheme is None else "f1"

    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """Add the tags of a batch of sentences; spans of types that the head lacks are missed."""
        spans = (
            span_counts(predicted, gold, self.task.scheme) if self.task.scheme is not None else {}
        )
        others = micro(counts for type_, counts in spans.items() if type_ not in self.types)
        is_correct = [
            a == b for row in zip(predicted, gold, strict=True) for a, b in zip(*row, strict=True)
        ]
        tokens = Counts(sum(is_correct), len(is_correct), len(is_correct))
        rows = [tokens, *(spans.get(type_, Counts()) for type_ in self.types), others]
        self.counts += torch.tensor(rows, device=self.counts.device)

    def compute(self) -> dict[str, float]:
        """Return all scores, from 0 to 1, such as ``f1/PER``."""
        tokens, *spans, others = (Counts(*row) for row in self.counts.tolist())
        scores = {} if self.task.scheme is None else micro([*spans, others]).scores()
        for type_, counts in zip(self.types, spans, strict=True):
            scores |= counts.scores(f"/{type_}")
        return scores | {"accuracy": tokens.f1}


class ClassScores(TaskScores):
    """Accuracy; precision, recall and F1 of each class, and the mean of these F1s."""

    def __init__(self, task: HeadTask, alone: bool = False) -> None:
        super().__init__(task, (len(task.labels), len(task.labels)), alone)  # [gold, predicted]

    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """Add the classes of a batch of texts."""
        ids = {label: k for k, label in enumerate(self.task.labels)}
        cells = [
            ids[str(right)] * len(ids) + ids[str(found)]
            for found, right in zip(predicted, gold, strict=True)
        ]
        numbers = torch.bincount(torch.tensor(cells, dtype=torch.long), minlength=len(ids) ** 2)
        self.counts += numbers.view_as(self.counts).to(self.counts.device)

    def compute(self) -> dict[str, float]:
        """Return all scores, from 0 to 1, such as ``recall/positive``."""
        correct = self.counts.diagonal().tolist()
        n_rows = int(self.counts.sum())
        scores = {"accuracy": sum(correct) / max(1, n_rows)}
        rows = zip(
            self.task.labels,
            correct,
            self.counts.sum(0).tolist(),
            self.counts.sum(1).tolist(),
            strict=True,
        )
        by_class = {label: Counts(*counts) for label, *counts in rows} if n_rows else {}
        for label, counts in by_class.items():
            scores |= counts.scores(f"/{label}")
        # Mean over the classes that occur: one in neither the rows nor the predictions says
        # nothing.
        occurring = [counts.f1 for counts in by_class.values() if counts.gold or counts.predicted]
        return scores | {"macro_f1": sum(occurring) / max(1, len(occurring))}

    def confusion_matrix(self) -> list[list[int]]:
        """Return ``[gold][predicted]`` counts."""
        return self.counts.tolist() if self.counts.any() else []

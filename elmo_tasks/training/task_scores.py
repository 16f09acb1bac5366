"""The scores of a task: span F1 or accuracy of tags, accuracy and the like of classes; and what guessing would give."""

from __future__ import annotations

from collections import Counter
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

from elmo_tasks.heads.head import HeadTask, Kind, Prediction
from elmo_tasks.text.tag_schemes import Scheme, types_of
from elmo_tasks.training.metrics import SpanF1, span_counts


class TaskScores(nn.Module):
    """Counts predictions of a split, over all batches and processes.

    Args:
        kind: of the head.
        task: its labels and their scheme.
        alone: this process counts all rows, and does not wait for others that train with it.
    """

    def __init__(self, kind: Kind, task: HeadTask, alone: bool = False) -> None:
        super().__init__()
        self.kind, self.labels, self.scheme = kind, task.labels, task.scheme
        self._ids = {label: k for k, label in enumerate(task.labels)}
        n = len(task.labels)
        self.spans = SpanF1(types_of(task.labels, task.scheme), task.scheme) if task.scheme else None
        self.accuracy = MulticlassAccuracy(n, average="micro")
        self.by_class = MetricCollection(
            {
                "precision": MulticlassPrecision(n, average=None),
                "recall": MulticlassRecall(n, average=None),
                "f1": MulticlassF1Score(n, average=None),
            }
            if kind == "classification"
            else {}
        )
        self.confusion = MulticlassConfusionMatrix(n) if kind == "classification" else None
        if alone:
            for metric in self.modules():
                if isinstance(metric, Metric):
                    metric.distributed_available_fn = _nobody_else

    @property
    def main(self) -> str:
        """The score that models are chosen by."""
        return "f1" if self.spans is not None else "accuracy"

    def update(self, predicted: Sequence[Prediction], gold: Sequence[Prediction]) -> None:
        """Count a batch.

        Args:
            predicted: of each sentence its tags, or its class.
            gold: what is right.
        """
        if self.spans is not None:
            self.spans.update(_tags(predicted), _tags(gold))
        ids = [
            torch.tensor(self._flat(rows), dtype=torch.long, device=self.accuracy.device) for rows in (predicted, gold)
        ]
        if not len(ids[0]):
            return
        self.accuracy.update(*ids)
        if self.confusion is not None:
            self.by_class.update(*ids)
            self.confusion.update(*ids)

    def compute(self) -> dict[str, float]:
        """All scores, from 0 to 1, such as ``f1``, ``f1/PER`` or ``accuracy``, ``recall/positive``."""
        scores: dict[str, float] = {}
        if self.spans is not None:
            scores |= {name: float(value) for name, value in self.spans.compute().items()}
        scores["accuracy"] = float(self.accuracy.compute()) if self.accuracy.update_called else 0.0
        if self.confusion is not None and self.confusion.update_called:
            for name, values in self.by_class.compute().items():
                scores |= {f"{name}/{label}": value for label, value in zip(self.labels, values.tolist(), strict=True)}
        return scores

    def confusion_matrix(self) -> list[list[int]]:
        """``[gold][predicted]`` counts of a classifier; empty for a tagger."""
        if self.confusion is None or not self.confusion.update_called:
            return []
        return self.confusion.compute().tolist()

    def reset(self) -> None:
        """Begin anew."""
        for metric in (self.spans, self.accuracy, self.by_class, self.confusion):
            if metric is not None:
                metric.reset()

    def _flat(self, rows: Sequence[Prediction]) -> list[int]:
        return [self._ids[label] for row in rows for label in ((row,) if isinstance(row, str) else row)]


def _nobody_else() -> bool:
    return False


def _tags(rows: Sequence[Prediction]) -> list[Sequence[str]]:
    return [row if isinstance(row, tuple) else (row,) for row in rows]


def guesses(
    train: Sequence[tuple[Sequence[str], Prediction]],
    held_out: Sequence[tuple[Sequence[str], Prediction]],
    scheme: Scheme | None,
) -> dict[str, float]:
    """What one scores without a model.

    Args:
        train: tokens and tags (or class) of each training sentence.
        held_out: the same of the sentences to score.
        scheme: how tags spell spans.

    Returns:
        ``majority``: accuracy of always saying the most frequent label. For taggers also ``word accuracy`` and, with a scheme,
        ``word f1``: each word gets the tag it had most often in training (the first rule of the CoNLL-2003 baseline, by word).
    """
    if not held_out:
        return {}
    if isinstance(train[0][1], str):
        majority = Counter(label for _, label in train).most_common(1)[0][0]
        return {"majority": sum(label == majority for _, label in held_out) / len(held_out)}
    by_word: dict[str, Counter[str]] = {}
    tags: Counter[str] = Counter()
    for tokens, row in train:
        for token, tag in zip(tokens, row, strict=True):
            by_word.setdefault(token, Counter())[tag] += 1
            tags[tag] += 1
    majority = tags.most_common(1)[0][0]
    gold = [tuple(row) for _, row in held_out]
    total = sum(map(len, gold)) or 1
    said = [
        tuple(by_word[token].most_common(1)[0][0] if token in by_word else majority for token in tokens)
        for tokens, _ in held_out
    ]
    right = sum(a == b for x, y in zip(said, gold, strict=True) for a, b in zip(x, y, strict=True))
    found = {
        "majority": sum(tag == majority for row in gold for tag in row) / total,
        "word accuracy": right / total,
    }
    if scheme is not None:
        counts = span_counts(said, gold, scheme).values()
        correct, predicted, there = (sum(getattr(c, name) for c in counts) for name in ("correct", "predicted", "gold"))
        found["word f1"] = 2 * correct / max(1, predicted + there)
    return found

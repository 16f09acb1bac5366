"""A label for a text, such as its sentiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, get_args

import torch
from torchmetrics import MetricCollection
from torchmetrics.classification import (
    MulticlassAccuracy,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
    MulticlassPrecision,
    MulticlassRecall,
)

from elmo_tasks.api.task_words import TASK_WORDS
from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.classification_readers import TextFormat
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.heads.head import HeadTask, Prediction
from elmo_tasks.tasks.kind import Cost, HubData, LabelledRow, TaskKind, TaskScores
from elmo_tasks.text.tag_schemes import Scheme
from elmo_tasks.text.tokens import Token


class ClassScores(TaskScores):
    """Accuracy, and precision, recall and F1 of each class. Arguments as for :meth:`TaskKind.scores`."""

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


class Classification(TaskKind):
    """See :class:`TaskKind`."""

    words = TASK_WORDS["classification"]
    data = ClassificationData
    file_formats = get_args(TextFormat)
    columns = ("text_column", "label_column")
    cuts = True
    sample = "sentiment_sample"
    size_setting = "hidden"
    uploads: ClassVar[Mapping[str, str]] = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".json": "jsonl"}
    hub: ClassVar[Mapping[str, HubData]] = {
        # The labels of the test split are hidden.
        "sst2": HubData("SST-2: film reviews, two classes", "train", None, "validation"),
        "sst5": HubData("SST-5: film reviews, five classes", "train", "validation", "test"),
        "imdb": HubData("IMDB: whole film reviews", "train", None, "test"),
    }
    cost = Cost(read=0.004, epoch=0.0018)
    guess_rules: ClassVar[Mapping[str, str]] = {"majority": "always the most frequent label"}

    def main_score(self, scheme: Scheme | None) -> str:
        """See :class:`TaskKind`."""
        return "accuracy"

    def scores(self, task: HeadTask, alone: bool = False) -> TaskScores:
        """See :class:`TaskKind`."""
        return ClassScores(task, alone)

    def guesses(
        self, train: Sequence[LabelledRow], held_out: Sequence[LabelledRow], scheme: Scheme | None
    ) -> dict[str, float]:
        """See :class:`TaskKind`."""
        if not held_out:
            return {}
        majority = Counter(label for _, label in train).most_common(1)[0][0]
        return {"majority": sum(label == majority for _, label in held_out) / len(held_out)}

    def record(self, tokens: Sequence[Token], prediction: TextPrediction) -> dict[str, Any]:
        """``label``, and ``probabilities`` of all."""
        return {"label": prediction.label, "probabilities": prediction.probabilities}

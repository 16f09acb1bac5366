"""Base class of text classifiers: layers in, one class per text out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from elmo_tasks.heads.head import HeadTask, Prediction, TaskHead, TokenFeatures


@dataclass(frozen=True)
class TextPrediction:
    """The most probable class of a text, and the probabilities of all classes."""

    label: str | None  # None, and no probabilities, for a text without a word
    probabilities: dict[str, float]
    is_sure: bool = True  # False if the classifier abstains

    @property
    def confidence(self) -> float:
        """Probability of the label."""
        return 0.0 if self.label is None else self.probabilities[self.label]


class ClassificationHead(TaskHead):
    """Base class of text classifiers.

    A subclass builds :attr:`mix` and computes class scores ``[B, n]``, before the softmax, in
    :meth:`forward`.
    """

    kind = "classification"

    def __init__(self, task: HeadTask, settings: dict[str, Any]) -> None:
        super().__init__(task, settings)
        #: ``[n]`` weight of each class in the loss, in training mode only; not part of the state
        #: dict.
        self.class_weights: Tensor | None = None

    def loss_of(self, scores: Tensor, mask: Tensor | None, target: Tensor) -> Tensor:
        """Cross-entropy, the mean over texts; see :meth:`TaskHead.loss_of`."""
        scores = scores.float()  # [B, n]
        weights = (
            self.class_weights.to(scores)
            if self.training and self.class_weights is not None
            else None
        )
        return nn.functional.cross_entropy(scores, target, weights)

    def labels_of(self, scores: Tensor, mask: Tensor | None) -> list[Prediction]:
        """See :meth:`TaskHead.labels_of`."""
        return [self.labels[k] for k in scores.argmax(dim=1).tolist()]

    @torch.no_grad()
    def predict(
        self, values: Tensor, mask: Tensor | None = None, features: TokenFeatures | None = None
    ) -> list[TextPrediction]:
        """Classify texts; see :meth:`TaskHead.predict` and :meth:`forward`."""
        rows = self(values, mask, features).float().softmax(dim=1).tolist()  # [B, n]
        probabilities = [dict(zip(self.labels, row, strict=True)) for row in rows]
        return [
            TextPrediction(max(classes, key=classes.__getitem__), classes)
            for classes in probabilities
        ]


def balanced_weights(classes: Sequence[int], n_classes: int) -> Tensor:
    """Class weights ``[n_classes]`` inverse to frequency; their mean over rows is 1."""
    counts = torch.bincount(torch.tensor(classes, dtype=torch.long), minlength=n_classes).clamp(
        min=1
    )
    return len(classes) / (n_classes * counts.float())

"""Base class for task heads: encoder layers in, loss and predictions out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from elmo_tasks.heads.token_features import TokenFeatures
from elmo_tasks.layers import ScalarMix
from elmo_tasks.text.tag_schemes import Scheme

Prediction = str | tuple[str, ...]


@dataclass(frozen=True)
class HeadTask:
    """Labels and input sizes of a head, from the data and the encoder.

    Attributes:
        labels: tags or classes, in the order of their ids.
        input_dim: width ``D`` of the encoder.
        n_layers: layers ``L`` of the encoder.
        scheme: BIO or BIOES; None for classes, and for tags that are no spans.
        static_dim: size of the static vectors beside the layers; 0 for none.
    """

    labels: tuple[str, ...]
    input_dim: int
    n_layers: int
    scheme: Scheme | None = None
    static_dim: int = 0


class TaskHead(nn.Module, ABC):
    """Base class of heads: a scalar mix over the layers and a task network.

    A new head subclasses :class:`~elmo_tasks.heads.tagging.TaggingHead` or
    :class:`~elmo_tasks.heads.classification.ClassificationHead` and computes scores of its labels.

    Args:
        task: labels and input sizes.
        settings: the other arguments of the constructor, for building the head again.

    Attributes:
        kind: name of its task, one of :mod:`elmo_tasks.tasks`.
    """

    kind: ClassVar[str]
    mix: ScalarMix

    def __init__(self, task: HeadTask, settings: dict[str, Any]) -> None:
        super().__init__()
        self.task = task
        self.settings = settings

    @property
    def labels(self) -> tuple[str, ...]:
        """Tags or classes, in the order of their ids."""
        return self.task.labels

    @property
    def accepts_pooled(self) -> bool:
        """True if mean-pooled layers give the same result as layers of tokens."""
        return False

    @property
    def reads_characters(self) -> bool:
        """True if :class:`TokenFeatures` must have characters."""
        return False

    @abstractmethod
    def loss_of(self, scores: Tensor, mask: Tensor | None, target: Tensor) -> Tensor:
        """Compute the ``[]`` mean loss of a batch from the scores of ``forward``."""

    @abstractmethod
    def labels_of(self, scores: Tensor, mask: Tensor | None) -> list[Prediction]:
        """Return the best tags, as the labels spell them, or the best class of each sentence."""

    @torch.no_grad()
    def scored(
        self, values: Tensor, mask: Tensor | None, target: Tensor, features: TokenFeatures | None = None
    ) -> tuple[Tensor, list[Prediction]]:
        """Loss and best labels from one pass, for validation.

        Args:
            values: ``[L, B, T, D]`` layers of an encoder; ``[L, B, D]`` if they are pooled.
            mask: ``[B, T]`` bool, True for a token, padding on the right; None if they are pooled.
            target: gold ids: ``[B, T]`` of tags, anything where the mask is False; ``[B]`` of classes.
            features: additional token features.

        Returns:
            ``[]`` mean loss of the batch, and the labels of :meth:`labels_of`.
        """
        scores = self(values, mask, features)
        return self.loss_of(scores, mask, target), self.labels_of(scores, mask)

    @torch.no_grad()
    def best(self, values: Tensor, mask: Tensor | None, features: TokenFeatures | None = None) -> list[Prediction]:
        """Best labels alone; see :meth:`scored`."""
        return self.labels_of(self(values, mask, features), mask)

    def loss(
        self, values: Tensor, mask: Tensor | None, target: Tensor, features: TokenFeatures | None = None
    ) -> Tensor:
        """``[]`` mean loss of the batch in training; see :meth:`scored`."""
        return self.loss_of(self(values, mask, features), mask, target)

    @abstractmethod
    def predict(self, values: Tensor, mask: Tensor | None, features: TokenFeatures | None = None) -> list[Any]:
        """Predict each sentence with probabilities, in evaluation mode; see :meth:`scored`."""

    def l2(self) -> Tensor:
        """Penalty ``[]`` of the mix; see :meth:`ScalarMix.l2`."""
        return self.mix.l2()

"""Base class for task heads: encoder layers in, loss and predictions out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.bilm import reordered, reversed_positions
from elmo_tasks.errors import ConfigError
from elmo_tasks.layers import ScalarMix
from elmo_tasks.text.characters import character_ids
from elmo_tasks.text.tag_schemes import Scheme


@dataclass(frozen=True)
class TokenFeatures:
    """Features of the tokens of a batch; padding may have any value."""

    #: [U, C] character ids of the distinct words, so that each word passes through a CNN once
    characters: Tensor | None = None
    words: Tensor | None = None  # [B, T] the row of characters of each token
    #: [B, T, S] static vectors of the tokens; [B, S], their means, beside pooled layers
    static: Tensor | None = None

    def to(self, device: torch.device | str) -> TokenFeatures:
        """Move the features to a device."""

        def moved(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor.to(device, non_blocking=True)

        return TokenFeatures(
            characters=moved(self.characters), words=moved(self.words), static=moved(self.static)
        )


def characters_of(tokens: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
    """Encode a batch's characters as ``characters [U, C]`` and ``words [B, T]``."""
    # Row 0 is the empty word: padding points there, and there is a row also without tokens.
    rows = {"": 0}
    words = torch.zeros(len(tokens), max(map(len, tokens), default=0), dtype=torch.long)
    for k, sentence in enumerate(tokens):
        words[k, : len(sentence)] = torch.tensor(
            [rows.setdefault(token, len(rows)) for token in sentence], dtype=torch.long
        )
    return torch.tensor([character_ids(word) for word in rows]), words


Prediction = str | tuple[str, ...]


@dataclass(frozen=True)
class HeadTask:
    """Labels and input sizes of a head, from the data and the encoder."""

    labels: tuple[str, ...]  # tags or classes, in the order of their ids
    input_dim: int  # width D of the encoder
    n_layers: int  # layers L of the encoder
    scheme: Scheme | None = None  # BIO or BIOES; None for classes, and for tags without spans
    static_dim: int = 0  # size of the static vectors beside the layers; 0 for none


class TaskHead(nn.Module, ABC):
    """Base class of heads: a scalar mix over the layers and a task network.

    A new head subclasses :class:`~elmo_tasks.heads.tagging.TaggingHead` or
    :class:`~elmo_tasks.heads.classification.ClassificationHead` and computes scores of its labels.

    Args:
        task: labels and input sizes.
        settings: the other arguments of the constructor, for building the head again.
    """

    kind: ClassVar[str]  # name of its task, one of :mod:`elmo_tasks.tasks`
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
    def forward(self, values: Tensor, mask: Any, features: TokenFeatures | None = None) -> Tensor:
        """Score every label: for every token of a tagger, for every text of a classifier.

        Args:
            values: ``[L, B, T, D]`` layers of an encoder; ``[L, B, D]``, their means over the
                tokens, if the head :attr:`accepts_pooled`. Any finite numbers where the mask is
                False.
            mask: ``[B, T]`` bool, True for a token, padding on the right; None for pooled layers.
            features: additional token features, if the head uses any.
        """

    @abstractmethod
    def loss_of(self, scores: Tensor, mask: Tensor | None, target: Tensor) -> Tensor:
        """Compute the ``[]`` mean loss of a batch from the scores of ``forward``."""

    @abstractmethod
    def labels_of(self, scores: Tensor, mask: Tensor | None) -> list[Prediction]:
        """Return the best tags, as the labels spell them, or the best class of each sentence."""

    @torch.no_grad()
    def scored(
        self,
        values: Tensor,
        mask: Tensor | None,
        target: Tensor,
        features: TokenFeatures | None = None,
    ) -> tuple[Tensor, list[Prediction]]:
        """``[]`` mean loss of the batch and :meth:`labels_of`, from one pass.

        The target is gold ids: ``[B, T]`` of tags, anything where the mask is False; ``[B]`` of
        classes.
        """
        scores = self(values, mask, features)
        return self.loss_of(scores, mask, target), self.labels_of(scores, mask)

    def loss(
        self,
        values: Tensor,
        mask: Tensor | None,
        target: Tensor,
        features: TokenFeatures | None = None,
    ) -> Tensor:
        """``[]`` mean loss of the batch in training; see :meth:`scored`."""
        return self.loss_of(self(values, mask, features), mask, target)

    @abstractmethod
    def predict(
        self, values: Tensor, mask: Tensor | None, features: TokenFeatures | None = None
    ) -> list[Any]:
        """Predict each sentence with probabilities, in evaluation mode; see :meth:`forward`."""


class BiLSTM(nn.Module):
    """Bidirectional LSTM over token vectors; both directions start from zero.

    Args:
        input_dim: size of the input vectors.
        hidden: cells of a layer in each direction.
        n_layers: number of layers.
        dropout: dropout on the output of each layer but the last.
    """

    def __init__(
        self, input_dim: int, hidden: int, n_layers: int = 1, *, dropout: float = 0.0
    ) -> None:
        super().__init__()
        check_at_least("lstm_layers", n_layers, 1)
        self.output_dim = 2 * hidden
        self.dropout = nn.Dropout(dropout)
        # Two one-way LSTMs per layer instead of one bidirectional LSTM: see forward().
        dims = [input_dim, *[self.output_dim] * (n_layers - 1)]
        self.forwards = nn.ModuleList(nn.LSTM(dim, hidden, batch_first=True) for dim in dims)
        self.backwards = nn.ModuleList(nn.LSTM(dim, hidden, batch_first=True) for dim in dims)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Read sentences.

        Args:
            x: ``[B, T, D]``; anything where the mask is False.
            mask: ``[B, T]`` bool, True for a token; padding on the right.

        Returns:
            ``[B, T, 2 * hidden]``, zero where the mask is False.
        """
        if not mask.numel():
            return x.new_zeros(*mask.shape, self.output_dim)
        # Each sentence is reversed within its own length, so that the backward LSTM starts at the
        # last token and not in the padding. A packed sequence gives the same at 2 to 3 times the
        # time on a CPU.
        reverse = reversed_positions(mask.sum(dim=1), mask.shape[1])  # [B, T]
        x = x.masked_fill(~mask.unsqueeze(2), 0.0)
        for k, (forward, backward) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            x = self.dropout(x) if k else x
            x = torch.cat(
                [forward(x)[0], reordered(backward(reordered(x, reverse))[0], reverse)], dim=2
            )
        return x.masked_fill(~mask.unsqueeze(2), 0.0)


def settings_in(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings among a constructor's arguments, given as its ``locals()``."""
    return {
        name: value
        for name, value in arguments.items()
        if name not in ("self", "task", "__class__")
    }


def check_at_least(name: str, value: int, minimum: int) -> None:
    """Refuse a setting that is too small, with a ConfigError."""
    if value < minimum:
        raise ConfigError(f"{name}: expected a whole number of at least {minimum}, got {value}")


def check_share(name: str, value: float) -> None:
    """Refuse a setting below 0, or of 1 or more, with a ConfigError."""
    if not 0 <= value < 1:
        raise ConfigError(f"{name}: expected a share from 0 to below 1, got {value}")

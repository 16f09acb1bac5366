"""A text classifier: one pooled vector per text and one hidden layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.classification import ClassificationHead
from elmo_tasks.heads.head import (
    BiLSTM,
    HeadTask,
    TokenFeatures,
    check_at_least,
    check_share,
    settings_in,
)
from elmo_tasks.layers import ScalarMix, masked_max, masked_mean

Pooling = Literal["mean", "max", "attention"]


class SentimentHead(ClassificationHead):
    """Scalar mix, optional BiLSTM, pooling and a classifier with one hidden layer.

    Args:
        task: the classes and the input sizes.
        pooling: of the token vectors: ``mean``, ``max``, or learned ``attention``.
        lstm_hidden: cells in each direction of a BiLSTM before the pooling; 0 for none.
        lstm_layers: number of its layers.
        hidden: size of the classifier's hidden layer; 0 for a linear classifier.
        dropout: in training, of the inputs of the BiLSTM, of the classifier and of its last layer.
        mix_layer_norm: see :class:`ScalarMix`.
        fixed_weights: see :class:`ScalarMix`.
    """

    def __init__(
        self,
        task: HeadTask,
        pooling: Pooling = "mean",
        *,
        lstm_hidden: int = 0,
        lstm_layers: int = 1,
        hidden: int = 128,
        dropout: float = 0.5,
        mix_layer_norm: bool = False,
        fixed_weights: Sequence[float] | None = None,
    ) -> None:
        super().__init__(task, settings_in(locals()))
        if pooling not in get_args(Pooling):
            raise ConfigError(
                f"pooling: expected one of {', '.join(get_args(Pooling))}, got '{pooling}'"
            )
        check_at_least("lstm_hidden", lstm_hidden, 0)
        check_at_least("hidden", hidden, 0)
        check_share("dropout", dropout)
        self.pooling = pooling
        # Normalized where static vectors are joined, so that neither drowns the other.
        self.mix = ScalarMix(
            task.n_layers, mix_layer_norm, fixed_weights, output_norm=bool(task.static_dim)
        )
        self.dropout = nn.Dropout(dropout)
        joined = task.input_dim + task.static_dim
        self.bilstm = (
            BiLSTM(input_dim=joined, hidden=lstm_hidden, n_layers=lstm_layers, dropout=dropout)
            if lstm_hidden
            else None
        )
        dim = joined if self.bilstm is None else self.bilstm.output_dim
        self.attend = nn.Linear(dim, 1) if pooling == "attention" else None
        self.hidden = nn.Linear(dim, hidden) if hidden else None
        self.classify = nn.Linear(hidden or dim, len(task.labels))

    @property
    def accepts_pooled(self) -> bool:
        """True if nothing before the pooling reads single tokens: the mean commutes with the
        mix.
        """
        return self.pooling == "mean" and self.bilstm is None and not self.mix.layer_norm

    def forward(
        self, values: Tensor, mask: Tensor | None = None, features: TokenFeatures | None = None
    ) -> Tensor:
        """Score every class for every text; see :meth:`TaskHead.forward`.

        Without a mask all are tokens. A text without tokens is classified as a zero vector.
        """
        x = self.dropout(self._text_vectors(values, mask, features))  # [B, dim]
        if self.hidden is not None:
            x = self.dropout(torch.relu(self.hidden(x)))
        return self.classify(x)

    def _text_vectors(
        self, values: Tensor, mask: Tensor | None, features: TokenFeatures | None
    ) -> Tensor:
        """One vector ``[B, dim]`` for each text, zero for a text without tokens."""
        dtype = self.classify.weight.dtype
        static = features.static if features is not None and self.task.static_dim else None
        if values.dim() == 3:  # pooled
            return self._joined(self.mix(values).to(dtype), static)
        if mask is None:
            mask = values.new_ones(values.shape[1:3], dtype=torch.bool)
        if self.accepts_pooled:  # one path for both inputs, so that they stay equal
            pooled = None if static is None else masked_mean(static, mask)
            return self._joined(self.mix(masked_mean(values, mask)).to(dtype), pooled)
        x = self._joined(self.mix(values, mask).to(dtype), static)  # [B, T, D + S]
        if self.bilstm is not None:
            x = self.bilstm(self.dropout(x), mask)  # [B, T, 2H]
        if self.attend is not None:
            return self._attended(x, mask)
        return masked_max(x, mask) if self.pooling == "max" else masked_mean(x, mask)

    @staticmethod
    def _joined(x: Tensor, static: Tensor | None) -> Tensor:
        return x if static is None else torch.cat([x, static.to(x.dtype)], dim=-1)

    def _attended(self, x: Tensor, mask: Tensor) -> Tensor:
        """``[B, T, dim]`` -> ``[B, dim]``: a mean whose weights are learned."""
        assert self.attend is not None
        scores = self.attend(x).squeeze(2).float()  # [B, T]
        # A finite low score, as a softmax of nothing but -inf is NaN; the result of an empty text
        # is set to 0 below.
        shares = (
            scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
            .softmax(dim=1)
            .masked_fill(~mask, 0.0)
        )
        return (shares.unsqueeze(2) * x).sum(dim=1)

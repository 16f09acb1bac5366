"""The output of every encoder: all layers for a batch of sentences."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

Offsets = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Layers:
    """All layers of an encoder for one batch of sentences."""

    values: Tensor  # [L, B, T, D]; zero where mask is False
    mask: Tensor  # [B, T] bool, True for a token. No boundaries: T is the longest sentence's number of tokens
    tokens: tuple[tuple[str, ...], ...]  # the tokens of each sentence
    #: (start, end) characters of each token in its sentence; None for sentences given as tokens
    offsets: tuple[Offsets, ...] | None = None

    def __post_init__(self) -> None:
        if self.values.shape[1:3] != self.mask.shape or self.mask.dtype != torch.bool:
            raise ValueError(
                f"Layers: values {tuple(self.values.shape)} do not fit a {self.mask.dtype} mask {tuple(self.mask.shape)}"
            )

    def __len__(self) -> int:
        return self.mask.shape[0]

    @property
    def n_layers(self) -> int:
        """Number of layers ``L``."""
        return self.values.shape[0]

    def sentence(self, k: int) -> Tensor:
        """Return the ``[L, tokens, D]`` vectors of one sentence, without padding."""
        return self.values[:, k, : len(self.tokens[k])]

    def average(self) -> Tensor:
        """Return the ``[B, T, D]`` mean of the layers."""
        return self.values.mean(dim=0)

    def to(self, device: torch.device | str) -> Layers:
        """Move the layers to a device."""
        return Layers(self.values.to(device), self.mask.to(device), self.tokens, self.offsets)

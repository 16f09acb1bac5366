"""Additional token features beside the encoder's: characters, static vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_tasks.text.tokens import character_ids


@dataclass(frozen=True)
class TokenFeatures:
    """Features of the tokens of a batch; anything where there is no token.

    Attributes:
        characters: ``[U, C]`` character ids of the distinct words, so that each word passes through a CNN once.
        words: ``[B, T]`` the row of ``characters`` of each token.
        static: ``[B, T, S]`` static vectors of the tokens; ``[B, S]``, their means, beside pooled layers.
    """

    characters: Tensor | None = None
    words: Tensor | None = None
    static: Tensor | None = None

    def static_of(self, *shape: int) -> Tensor:
        """Return the static vectors; ValueError if they are missing or have another shape."""
        if self.static is None:
            raise ValueError("this head reads static vectors: expected features with 'static', got none")
        check_shape("static", self.static, shape)
        return self.static

    def to(self, device: torch.device | str) -> TokenFeatures:
        """Move the features to a device."""
        tensors = (self.characters, self.words, self.static)
        return TokenFeatures(*(None if t is None else t.to(device, non_blocking=True) for t in tensors))


def check_shape(name: str, tensor: Tensor, expected: Sequence[int]) -> None:
    """Refuse a feature of another shape with a ValueError."""
    if tuple(tensor.shape) != tuple(expected):
        raise ValueError(f"features: expected {name} of shape {tuple(expected)}, got {tuple(tensor.shape)}")


def characters_of(tokens: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
    """Encode a batch's characters as ``characters [U, C]`` and ``words [B, T]``."""
    # Row 0 is the empty word: padding points there, and there is a row also without tokens.
    rows = {"": 0}
    words = torch.zeros(len(tokens), max(map(len, tokens), default=0), dtype=torch.long)
    for k, sentence in enumerate(tokens):
        words[k, : len(sentence)] = torch.tensor([rows.setdefault(t, len(rows)) for t in sentence], dtype=torch.long)
    return torch.tensor([character_ids(word) for word in rows]), words

"""Additional token features beside the encoder's: characters, static vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_tasks.text.characters import MAX_CHARACTERS, character_ids


@dataclass(frozen=True)
class TokenFeatures:
    """Features of the tokens of a batch. A head takes those that it was built for.

    Attributes:
        characters: ``[U, C]`` character ids of the distinct words, so that each word passes through a CNN once.
        words: ``[B, T]`` the row of ``characters`` of each token; any row where there is no token.
        static: ``[B, T, S]`` static vectors of the tokens; anything where there is no token. ``[B, S]``, their means, beside
            pooled layers.
    """

    characters: Tensor | None = None
    words: Tensor | None = None
    static: Tensor | None = None

    def static_of(self, *shape: int) -> Tensor:
        """The static vectors.

        Raises:
            ValueError: there are none, or they have another shape.
        """
        if self.static is None:
            raise ValueError("this head reads static vectors: expected features with 'static', got none")
        check_shape("static", self.static, shape)
        return self.static

    def to(self, device: torch.device | str) -> TokenFeatures:
        """The same features elsewhere."""
        tensors = (self.characters, self.words, self.static)
        return TokenFeatures(*(None if t is None else t.to(device, non_blocking=True) for t in tensors))


def check_shape(name: str, tensor: Tensor, expected: Sequence[int]) -> None:
    """Refuse a feature of another shape.

    Raises:
        ValueError: it has one.
    """
    if tuple(tensor.shape) != tuple(expected):
        raise ValueError(f"features: expected {name} of shape {tuple(expected)}, got {tuple(tensor.shape)}")


def characters_of(tokens: Sequence[Sequence[str]], max_characters: int = MAX_CHARACTERS) -> tuple[Tensor, Tensor]:
    """Encode a batch's characters: ``characters [U, C]`` and ``words [B, T]``.

    ``max_characters`` bytes of a token are read, with the two marks around it.
    """
    # Row 0 is the word without letters: padding points there, and there is a row also where there are no tokens.
    rows = {"": 0}
    words = torch.zeros(len(tokens), max(map(len, tokens), default=0), dtype=torch.long)
    for k, sentence in enumerate(tokens):
        words[k, : len(sentence)] = torch.tensor([rows.setdefault(t, len(rows)) for t in sentence], dtype=torch.long)
    return torch.tensor([character_ids(word, max_characters) for word in rows]), words

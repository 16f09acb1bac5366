"""What a tagger may read of a token beside the encoder's layers: its characters, and a static vector."""

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

    def to(self, device: torch.device | str) -> TokenFeatures:
        """The same features elsewhere."""
        tensors = (self.characters, self.words, self.static)
        return TokenFeatures(*(None if t is None else t.to(device, non_blocking=True) for t in tensors))


def characters_of(tokens: Sequence[Sequence[str]], max_characters: int = MAX_CHARACTERS) -> tuple[Tensor, Tensor]:
    """Characters of a batch.

    Args:
        tokens: the tokens of each sentence.
        max_characters: bytes of a token that are read, with the two marks around it.

    Returns:
        ``characters [U, C]`` and ``words [B, T]``, as :class:`TokenFeatures` has them.
    """
    # Row 0 is the word without letters: padding points there, and there is a row also where there are no tokens.
    rows = {"": 0}
    words = torch.zeros(len(tokens), max(map(len, tokens), default=0), dtype=torch.long)
    for k, sentence in enumerate(tokens):
        words[k, : len(sentence)] = torch.tensor([rows.setdefault(t, len(rows)) for t in sentence], dtype=torch.long)
    return torch.tensor([character_ids(word, max_characters) for word in rows]), words

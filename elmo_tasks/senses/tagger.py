"""Part of speech of single uses, by the bundled tagger."""

from __future__ import annotations

import torch
from torch import Tensor

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.heads.head_files import build_head, bundled_heads, find_head
from elmo_tasks.heads.tagging import TaggingHead

NAME = "pos"


class Tagger:
    """The part of speech (Universal Dependencies) of uses that an encoder has read.

    Args:
        head: reads each token by itself.
    """

    def __init__(self, head: TaggingHead) -> None:
        self._head = head.eval()

    @classmethod
    def load(cls, encoder: Encoder) -> Tagger | None:
        """Return the bundled tagger, if it was trained on this encoder."""
        if NAME not in bundled_heads():
            return None
        files = find_head(NAME)
        if files.encoder.checksum != encoder.checksum:
            return None
        head = build_head(files)
        return cls(head) if isinstance(head, TaggingHead) else None

    @torch.inference_mode()
    def __call__(self, layers: Tensor) -> list[str]:
        """Return the likeliest part of speech of each of ``n`` uses, read as ``[L, n, D]``."""
        values = layers.float().unsqueeze(2)  # n sentences of one token
        scores = self._head(values, torch.ones(values.shape[1:3], dtype=torch.bool))
        return [self._head.labels[k] for k in scores[:, 0].argmax(dim=-1).tolist()]

"""How alike the uses of a word are, at each layer."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F


def cosine_matrix(vectors: Tensor) -> Tensor:
    """``[n, D]`` -> ``[n, n]`` cosine similarities; exactly 1 on the diagonal, exactly symmetric."""
    unit = F.normalize(vectors.double(), dim=-1)
    cosine = (unit @ unit.T).clamp(-1.0, 1.0)
    cosine = (cosine + cosine.T) / 2
    return cosine.fill_diagonal_(1.0)


def random_pair_cosine(vectors: Tensor, sentence: Tensor, word: Tensor) -> Tensor:
    """``[L, n, D]`` tokens, and ``[n]`` numbers of their sentences and words -> ``[L]`` mean cosines of two tokens that share
    neither.

    The published figures of this kind are those of Ethayarajh (2019), "How contextual are contextualized word representations?".
    """
    unit = F.normalize(vectors.double(), dim=-1)
    apart = (sentence.unsqueeze(0) != sentence.unsqueeze(1)) & (word.unsqueeze(0) != word.unsqueeze(1))
    cosine = unit @ unit.transpose(1, 2)  # [L, n, n]
    return (cosine * apart).sum(dim=(1, 2)) / apart.sum()

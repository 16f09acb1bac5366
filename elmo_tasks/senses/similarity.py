"""How alike the uses of a word are, at each layer, and in any mix of the layers."""

from __future__ import annotations

import torch
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


def layer_products(uses: Tensor) -> Tensor:
    """``[L, n, D]`` uses -> ``[L, L, n, n]`` inner products of every use at every layer with every use at every layer, in float64.

    The scalar mix of a use is ``sum_l s_l v_l`` (Peters et al., 2018, equation 1; its factor gamma changes no cosine), so the inner
    product of two mixes is ``sum_lm s_l s_m products[l, m, i, j]``: from them any mix gives its cosines.
    """
    wide = uses.double()
    return torch.einsum("lid,mjd->lmij", wide, wide)

"""Mixing the layers by hand: all inner products of the uses of a word, from which any mix gives its cosines."""

from __future__ import annotations

import torch
from torch import Tensor


def layer_products(uses: Tensor) -> Tensor:
    """Inner products of every use at every layer with every use at every layer.

    The scalar mix of a use is ``sum_l s_l v_l`` (Peters et al., 2018, equation 1; its factor gamma changes no cosine), so the
    inner product of two mixes is ``sum_lm s_l s_m products[l, m, i, j]``.

    Args:
        uses: ``[L, n, D]`` vectors of ``n`` uses.

    Returns:
        ``[L, L, n, n]``, in float64.
    """
    wide = uses.double()
    return torch.einsum("lid,mjd->lmij", wide, wide)

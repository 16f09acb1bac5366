"""Mean and maximum over tokens; padding is ignored, no tokens give zeros."""

from __future__ import annotations

import torch
from torch import Tensor


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """Average over tokens (mask True): ``[..., B, T, D]`` -> ``[..., B, D]``.

    The result is in float32 at least. Without layer norm it commutes with a scalar mix: layers that are pooled first mix to the
    same vector.

    Raises:
        ValueError: shapes that do not fit.
    """
    wide = torch.promote_types(values.dtype, torch.float32)  # a sum of float16 numbers would lose digits
    total = _tokens_only(values, mask, 0.0).sum(dim=-2, dtype=wide)  # [..., B, D]
    return total / mask.sum(dim=1, dtype=wide).clamp(min=1).unsqueeze(-1)


def masked_max(values: Tensor, mask: Tensor) -> Tensor:
    """Maximum over tokens (mask True): ``[..., B, T, D]`` -> ``[..., B, D]``.

    Raises:
        ValueError: shapes that do not fit.
    """
    tokens = _tokens_only(values, mask, -torch.inf)
    if not mask.shape[1]:  # there is no maximum of nothing
        return values.new_zeros(*values.shape[:-2], values.shape[-1])
    return tokens.amax(dim=-2).masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


def _tokens_only(values: Tensor, mask: Tensor, filler: float) -> Tensor:
    if values.shape[-3:-1] != mask.shape:
        raise ValueError(f"the mask {tuple(mask.shape)} does not fit vectors {tuple(values.shape)}")
    # Filled, not multiplied by 0: padding may contain non-finite values.
    return values.masked_fill(~mask.unsqueeze(-1), filler)

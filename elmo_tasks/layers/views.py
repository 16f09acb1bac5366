"""Names of the layers, and the mean of them beside them: what people choose from."""

from __future__ import annotations

import torch
from torch import Tensor

MEAN = "mean"


def layer_names(n_layers: int) -> tuple[str, ...]:
    """``"0"``, ``"1"``, ... and ``"mean"``, which one layer alone does not need."""
    names = tuple(str(k) for k in range(n_layers))
    return names if n_layers == 1 else (*names, MEAN)


def with_mean(vectors: Tensor) -> Tensor:
    """``[L, ..., D]`` -> ``[L + 1, ..., D]``: the mean of the layers behind them, unless there is one layer only."""
    return vectors if len(vectors) == 1 else torch.cat([vectors, vectors.mean(dim=0, keepdim=True)])

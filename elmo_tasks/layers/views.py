"""Names of the layers and of their mean."""

from __future__ import annotations

import torch
from torch import Tensor

MEAN = "mean"


def layer_names(n_layers: int) -> tuple[str, ...]:
    """Return ``"0"``, ``"1"``, ... and, for several layers, ``"mean"``."""
    names = tuple(str(k) for k in range(n_layers))
    return names if n_layers == 1 else (*names, MEAN)


def with_mean(vectors: Tensor) -> Tensor:
    """Append the mean of several layers: ``[L, ..., D]`` -> ``[L + 1, ..., D]``."""
    return vectors if len(vectors) == 1 else torch.cat([vectors, vectors.mean(dim=0, keepdim=True)])

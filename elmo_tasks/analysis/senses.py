"""Which uses of a word go together, and how to say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_tasks.analysis.similarity import cosine_matrix


@dataclass(frozen=True)
class Grouping:
    """The uses sorted into groups, by what one layer says.

    Attributes:
        groups: positions of the uses, each group in order, groups by their first use; empty when the layer does not tell.
        layer: position of the layer that was asked, in the layers and their mean.
        similarity: ``[n][n]`` what the groups were read from.
    """

    groups: tuple[tuple[int, ...], ...]
    layer: int
    similarity: tuple[tuple[float, ...], ...]


def group_uses(uses: Tensor) -> Grouping:
    """placeholder"""
    n = uses.shape[1]
    return Grouping((), len(uses) - 1, tuple(tuple(r) for r in cosine_matrix(uses[-1]).tolist()))


def verdict(grouping: Grouping, cosine: Sequence[Sequence[float]], random_pair: float, layer: str, word: str | None) -> str:
    return "placeholder"

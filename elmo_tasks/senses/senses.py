"""Which uses of a word go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.partitions import Groups

#: Up to so many uses have no contrast: what a cosine has in common with the others of its two uses is all of it.
FEW = 3

Matrix = Sequence[Sequence[float]] | NDArray[np.floating]


@dataclass(frozen=True)
class SameSense:
    """How cosines of two uses of a word speak for or against the same sense.

    ``log-odds = intercept + sum of (on_cosine * c + on_contrast * d)`` over one or more views of the uses (a layer, the words
    around them), a logistic regression on uses whose senses are known. ``c`` is the cosine in the view; ``d`` is what is left of
    it when the mean of each of the two uses with all others is taken away, so that it sees which pairs of *these* uses stand
    closer than the rest. Of up to :data:`FEW` uses ``d`` is 0, and another regression, on ``c`` alone, speaks.
    """

    intercept: float  #: log-odds where all of them are zero
    weights: tuple[tuple[float, float], ...]  #: ``(on_cosine, on_contrast)`` of each view
    intercept_of_few: float  #: the same for few uses
    weights_of_few: tuple[float, ...]  #: on the cosine in each view

    def log_odds(self, *cosines: Matrix) -> NDArray[np.float64]:
        """``[n][n]`` cosines in each view -> ``[n, n]`` log-odds that two uses have the same sense, at even odds beforehand."""
        matrices = [np.asarray(c, np.float64) for c in cosines]
        if len(matrices[0]) <= FEW:
            few = zip(self.weights_of_few, matrices, strict=True)
            return np.asarray(sum(on_cosine * c for on_cosine, c in few)) + self.intercept_of_few
        known = zip(self.weights, matrices, strict=True)
        odds = sum(on_cosine * c + on_contrast * contrast(c) for (on_cosine, on_contrast), c in known)
        return np.asarray(odds) + self.intercept


def contrast(cosine: Matrix) -> NDArray[np.float64]:
    """``[n, n]`` cosines without each use's own mean: what is left is about pairs. All zero for two or three uses."""
    c = np.asarray(cosine, np.float64)
    n = len(c)
    off = c - np.diag(np.diag(c))
    if n <= FEW:
        return np.zeros_like(off)
    mean = off.sum(axis=1) / (n - 2)
    overall = off.sum() / ((n - 1) * (n - 2))
    left = off - mean[:, None] - mean[None, :] + overall
    np.fill_diagonal(left, 0.0)
    return left


def pairs_of(n: int, groups: Groups) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """All pairs of ``n`` uses: those within groups, and those between groups."""
    label = {k: g for g, group in enumerate(groups) for k in group}
    pairs = [(b, a) for a in range(n) for b in range(a)]
    return [p for p in pairs if label[p[0]] == label[p[1]]], [p for p in pairs if label[p[0]] != label[p[1]]]


def are_apart(cosine: Matrix, groups: Groups) -> bool:
    """Whether every pair within a group has a higher cosine than every pair from different groups."""
    within, between = ([cosine[a][b] for a, b in pairs] for pairs in pairs_of(len(cosine), groups))
    return min(within, default=1.0) > max(between, default=-1.0)


def mean_cosines(cosine: Matrix, groups: Groups) -> tuple[float | None, float | None]:
    """Mean cosine of pairs within groups, and of pairs from different groups; ``None`` where there is no such pair."""
    means = [
        math.fsum(cosine[a][b] for a, b in pairs) / len(pairs) if pairs else None
        for pairs in pairs_of(len(cosine), groups)
    ]
    return means[0], means[1]

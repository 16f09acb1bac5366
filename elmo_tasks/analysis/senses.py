"""Which uses of a word go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Of two uses one probability is all there is to say, and below this one nothing is named.
SURE_OF_TWO = 0.8

Groups = tuple[tuple[int, ...], ...]
Matrix = Sequence[Sequence[float]] | NDArray[np.floating]


@dataclass(frozen=True)
class SameSense:
    """How cosines of two uses of a word speak for or against the same sense.

    ``log-odds = intercept + sum of (on_cosine * c + on_contrast * d)`` over one or more views of the uses (a layer, the words
    around them), a logistic regression on uses whose senses are known. ``c`` is the cosine in the view; ``d`` is what is left of
    it when the mean of each of the two uses with all others is taken away, so that it sees which pairs of *these* uses stand
    closer than the rest. Of two uses alone ``d`` is 0, and the log-odds rise and fall with ``c``.

    Attributes:
        intercept: log-odds where all of them are zero.
        weights: ``(on_cosine, on_contrast)`` of each view.
        of_two: added to the intercept where there are two uses only, and so no contrast.
        least_margin: how much more likely the best grouping must be than the next best, in nats per use, to be named; of three uses
            or more.
    """

    intercept: float
    weights: tuple[tuple[float, float], ...]
    of_two: float = 0.0
    least_margin: float = 0.0

    def margin_for(self, n_uses: int) -> float:
        """The least margin of so many uses; two are named where their probability is at least :data:`SURE_OF_TWO`."""
        return math.log(SURE_OF_TWO / (1 - SURE_OF_TWO)) / 2 if n_uses == 2 else self.least_margin

    def log_odds(self, *cosines: Matrix) -> NDArray[np.float64]:
        """``[n][n]`` cosines in each view -> ``[n, n]`` log-odds that two uses have the same sense, at even odds beforehand."""
        known = zip(self.weights, cosines, strict=True)
        odds = sum(
            on_cosine * np.asarray(c, np.float64) + on_contrast * contrast(c) for (on_cosine, on_contrast), c in known
        )
        return np.asarray(odds) + self.intercept + (self.of_two if len(cosines[0]) == 2 else 0.0)


def probabilities(odds: NDArray[np.floating]) -> NDArray[np.float64]:
    """``[n, n]`` log-odds -> the probability that two uses have the same sense; 1 for a use and itself."""
    found = 1 / (1 + np.exp(-np.clip(odds, -50, 50)))
    np.fill_diagonal(found, 1.0)
    return found


def contrast(cosine: Matrix) -> NDArray[np.float64]:
    """``[n, n]`` cosines without each use's own mean: what is left is about pairs. All zero for two uses."""
    c = np.asarray(cosine, np.float64)
    n = len(c)
    off = c - np.diag(np.diag(c))
    if n < 3:
        return np.zeros_like(off)
    mean = off.sum(axis=1) / (n - 2)
    overall = off.sum() / ((n - 1) * (n - 2))
    left = off - mean[:, None] - mean[None, :] + overall
    np.fill_diagonal(left, 0.0)
    return left


@dataclass(frozen=True)
class Grouping:
    """The uses sorted into groups.

    Attributes:
        groups: positions of the uses; each group in order, groups by their first use.
        margin: how much more likely this grouping is than the next best one, in nats per use.
        is_clear: whether the margin is large enough to name the groups.
    """

    groups: Groups
    margin: float
    is_clear: bool


def group_uses(odds: NDArray[np.floating], least_margin: float = 0.0) -> Grouping:
    """Sort uses into groups: the grouping under which the pairs' log-odds add up highest (correlation clustering).

    Candidates are the cuts of an average-linkage tree, one for each number of groups.

    Args:
        odds: ``[n, n]`` log-odds that two uses have the same sense; ``n`` is 2 or more.
        least_margin: see :class:`SameSense`.
    """
    from scipy.cluster.hierarchy import cut_tree, linkage  # takes a while to import
    from scipy.spatial.distance import squareform

    n = len(odds)
    pairs = ~np.eye(n, dtype=bool)
    distance = np.where(pairs, odds[pairs].max() - odds, 0.0)
    tree = linkage(squareform(distance, checks=False), "average")
    candidates: list[tuple[float, Groups]] = []
    for labels in cut_tree(tree).T:  # [n] for each number of groups
        together = labels[:, None] == labels[None, :]
        candidates.append((float((odds * np.where(together, 0.5, -0.5))[pairs].sum() / 2), _in_order(labels)))
    (best, groups), (second, _) = sorted(candidates, reverse=True)[:2]
    margin = (best - second) / n
    return Grouping(groups, margin, margin >= least_margin)


def _in_order(labels: NDArray[np.int64]) -> Groups:
    groups: dict[int, list[int]] = {}
    for k, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(k)
    return tuple(tuple(group) for group in sorted(groups.values()))


def pairs_of(n: int, groups: Groups) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """All pairs of ``n`` uses: those within groups, and those between groups."""
    label = {k: g for g, group in enumerate(groups) for k in group}
    pairs = [(b, a) for a in range(n) for b in range(a)]
    return [p for p in pairs if label[p[0]] == label[p[1]]], [p for p in pairs if label[p[0]] != label[p[1]]]


def mean_cosines(cosine: Matrix, groups: Groups) -> tuple[float | None, float | None]:
    """Mean cosine of pairs within groups, and of pairs from different groups; ``None`` where there is no such pair."""
    means = [
        math.fsum(cosine[a][b] for a, b in pairs) / len(pairs) if pairs else None
        for pairs in pairs_of(len(cosine), groups)
    ]
    return means[0], means[1]

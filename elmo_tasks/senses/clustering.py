"""Whether the uses of a word fall into groups, into how many, and when to say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.partitions import Groups, groups_of

#: Fewer uses say nothing about groups.
FEWEST_USES = 6
MOST_GROUPS = 6
_NULL_DRAWS = 8
# Uses closer than this are one point: the layer without context, on one spelling, but for the rounding of float16.
_FLAT = 1e-3
_NO_SPREAD = 1e-6  # an axis along which the uses differ by less, in proportion, is none


@dataclass(frozen=True)
class SplitRule:
    """When a split into groups is clear enough to be named, in one view of one model."""

    on_null: float = 1.0  #: how much of the silhouette that formless uses would have counts against the split
    least_score: float = 0.0  #: the least score at which the groups are named


@dataclass(frozen=True)
class Split:
    """Uses sorted into groups."""

    #: positions of the uses, the largest group first; one group if there are too few uses, or all are one point
    groups: Groups
    silhouette: float = 0.0  #: mean silhouette of the uses, -1..1 (Rousseeuw, 1987)
    null: float = 0.0  #: the silhouette that as many uses without any groups reach on average
    score: float = 0.0  #: how clear the split is: the silhouette minus ``on_null`` times ``null``
    is_clear: bool = False  #: whether the score is high enough for the groups to be named


def directions(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """``[n, D]`` -> ``[n, D]`` of length 1, seen from the mean of the uses; all zero where they are one point.

    What all uses of a word share, its spelling above all, says nothing about which of them belong together.
    """
    centred = np.asarray(vectors, np.float64) - np.mean(vectors, axis=0, dtype=np.float64)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.where(length > _FLAT, centred / np.maximum(length, 1e-12), 0.0)


def split_uses(vectors: NDArray[np.floating], rule: SplitRule, n_groups: int | None = None) -> Split:
    """Sort uses ``[n, D]`` into groups with k-means, and say how clear the groups are; the same for the same vectors, always.

    The number of groups, where none is asked for, is the one with the highest silhouette. A high silhouette alone proves nothing:
    few points in many dimensions always fall apart somewhere. So it is held against that of uses without groups: points drawn from
    one normal distribution with the same spread in each direction (the null of SigClust, Liu et al., 2008).
    """
    if not len(vectors):
        return Split(())
    # In the axes of their own spread: all distances stay, and n uses need no more than n numbers each.
    spread, turned = _turned(np.asarray(vectors, np.float64))
    points = directions(turned)  # [n, r], each of length 1
    n = len(points)
    everything = Split((tuple(range(n)),))
    n_points = len(np.unique(np.round(points, 6), axis=0)) if len(spread) else 1
    if n < (2 if n_groups else FEWEST_USES) or n_points < 3 or n_groups == 1:
        return everything
    most = min(MOST_GROUPS, max(2, n // 3))
    numbers = range(2, most + 1) if n_groups is None else (min(n_groups, n_points - 1),)
    found = {k: k_means(points, k, 5) for k in numbers}
    heights = {k: _silhouette(points, labels) for k, labels in found.items()}
    best = max(numbers, key=lambda k: (heights[k], -k))
    null = _null_silhouette(n, spread, best)
    score = heights[best] - rule.on_null * null
    return Split(
        _largest_first(found[best]), heights[best], null, score, n >= FEWEST_USES and score >= rule.least_score
    )


def k_means(points: NDArray[np.floating], k: int, starts: int) -> NDArray[np.int64]:
    """``[n, D]`` -> ``[n]`` the number of the group of each; always the same for the same points."""
    from sklearn.cluster import KMeans  # takes a second to import

    labels: NDArray[np.int64] = KMeans(k, n_init=starts, random_state=0).fit_predict(points)
    return labels


def _silhouette(points: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    from sklearn.metrics import silhouette_score

    n_labels = len(set(labels.tolist()))
    return float(silhouette_score(points, labels)) if 1 < n_labels < len(points) else -1.0


def _turned(vectors: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``[r]`` spread along each axis, and the ``[n, r]`` vectors seen from their mean, in these axes."""
    left, spread, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    keep = spread > _NO_SPREAD * max(float(np.linalg.norm(vectors)), 1e-12)
    return spread[keep], left[:, keep] * spread[keep]


def _null_silhouette(n: int, spread: NDArray[np.float64], k: int) -> float:
    """Mean silhouette of ``k`` groups that k-means finds among ``n`` points where there are none."""
    random = np.random.default_rng(0)
    found = []
    for _ in range(_NULL_DRAWS):
        points = directions(random.standard_normal((n, len(spread))) * spread)  # [n, r]
        found.append(_silhouette(points, k_means(points, k, 2)))
    return float(np.mean(found))


def _largest_first(labels: NDArray[np.int64]) -> Groups:
    return tuple(sorted(groups_of(labels), key=lambda g: (-len(g), g)))


def typical_first(vectors: NDArray[np.floating], group: Sequence[int]) -> tuple[int, ...]:
    """The places in a group of uses ``[n, D]`` of length 1, those most like all of the group first."""
    own = np.asarray(vectors, np.float64)[list(group)]
    order = np.argsort(-(own @ own.mean(axis=0)), kind="stable")
    return tuple(group[k] for k in order)


def labels_of(groups: Groups, n: int) -> list[int]:
    """``n`` group numbers, one a use; -1 for a use in no group."""
    labels = [-1] * n
    for number, group in enumerate(groups):
        for use in group:
            labels[use] = number
    return labels


def agreement(groups: Groups, senses: Sequence[str]) -> float:
    """How well groups match known senses: 1 where they are the same, about 0 where they have nothing to do with each other.

    The adjusted Rand index (Hubert and Arabie, 1985).
    """
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(list(senses), labels_of(groups, len(senses))))

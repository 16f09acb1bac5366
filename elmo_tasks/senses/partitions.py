"""All ways to sort a few uses into groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Groups = tuple[tuple[int, ...], ...]
Label = TypeVar("Label", bound=Hashable)

#: Up to so many uses every grouping is weighed: 4,140 of eight, 115,975 of ten would take a second.
MOST_ENUMERATED = 8


@cache
def partitions(n: int) -> NDArray[np.int64]:
    """``[Bell(n), n]`` every grouping of ``n`` uses: the number of the group of each, groups by their first use."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*labels, group] for labels in found for group in range(max(labels) + 2)]
    return np.array(found)


@cache
def pairs_together(n: int) -> NDArray[np.bool_]:
    """``[Bell(n), n (n - 1) / 2]`` which pairs of uses each of :func:`partitions` puts together."""
    return together(partitions(n))


def together(labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """``[K, n]`` groupings -> ``[K, n (n - 1) / 2]`` which pairs each puts together, in the order of :func:`pair_places`."""
    first, second = pair_places(labels.shape[1])
    return np.asarray(labels[:, first] == labels[:, second])


@cache
def pair_places(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the pairs of ``n`` uses."""
    first, second = np.triu_indices(n, 1)
    return first, second


@cache
def _numbers(n: int) -> dict[tuple[int, ...], int]:
    return {tuple(labels): k for k, labels in enumerate(partitions(n).tolist())}


def number_of(labels: NDArray[np.int64] | tuple[int, ...]) -> int:
    """The row of :func:`partitions` that is this grouping, whatever its groups are called."""
    return _numbers(len(labels))[tuple(in_order(np.asarray(labels)).tolist())]


def in_order(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """``[n]`` the same grouping, its groups numbered by their first use."""
    names: dict[int, int] = {}
    return np.array([names.setdefault(label, len(names)) for label in labels.tolist()])


def groups_of(labels: NDArray[np.int64]) -> Groups:
    """``[n]`` the number of the group of each use -> positions of the uses of each group, groups by their first use."""
    return tuple(tuple(group) for group in places_of(labels.tolist()).values())


def places_of(labels: Iterable[Label]) -> dict[Label, list[int]]:
    """Where each label stands, the labels in the order in which they first come."""
    found: dict[Label, list[int]] = {}
    for k, label in enumerate(labels):
        found.setdefault(label, []).append(k)
    return found


def likely_partitions(odds: NDArray[np.floating]) -> NDArray[np.int64]:
    """``[n, n]`` log-odds that two uses mean the same -> ``[K, n]`` groupings worth weighing: all of them, or of many uses those
    near the cuts of an average-linkage tree.

    Near are those in which one use stands in another group or alone, or two groups are one.
    """
    n = len(odds)
    if n <= MOST_ENUMERATED:
        return partitions(n)
    from scipy.cluster.hierarchy import cut_tree, linkage  # takes a while to import
    from scipy.spatial.distance import squareform

    pairs = ~np.eye(n, dtype=bool)
    tree = linkage(squareform(np.where(pairs, odds[pairs].max() - odds, 0.0), checks=False), "average")
    found: dict[tuple[int, ...], None] = {}
    for cut in cut_tree(tree).T:
        labels = in_order(cut)
        found[tuple(labels)] = None
        k = labels.max() + 1
        for use in range(n):
            for group in range(min(k + 1, n)):
                moved = labels.copy()
                moved[use] = group
                found[tuple(in_order(moved))] = None
        for a, b in combinations(range(k), 2):
            found[tuple(in_order(np.where(labels == b, a, labels)))] = None
    return np.array(list(found))

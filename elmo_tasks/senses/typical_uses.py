"""Two senses of a word and typical uses of each, chosen by one rule from uses whose senses are known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.partitions import places_of

#: Uses of each sense: six fit on a screen, and more tell more: see `python -m benchmarks.choose_examples`.
N_EACH = 3


def typical_uses(odds: NDArray[np.floating], senses: Sequence[str], n_each: int = N_EACH) -> tuple[int, ...] | None:
    """Places of the chosen uses, those of the two senses by turns, the most typical first; ``None`` where there are no two senses
    with so many uses and one more.

    A use is the more typical of its sense beside another one, the higher the mean log-odds ``[n, n]`` that it means the same as the
    other uses of its sense, less those with the uses of the other sense. Of every two senses the most typical uses are taken, and
    of all pairs of senses the one whose uses are the most typical on average; of equals the first.
    """
    places = {name: np.array(found) for name, found in places_of(senses).items()}
    able = [name for name, found in places.items() if len(found) > n_each]
    best: tuple[float, tuple[int, ...]] | None = None
    for first, second in combinations(able, 2):
        a, more_a = _most_typical(odds, places[first], places[second], n_each)
        b, more_b = _most_typical(odds, places[second], places[first], n_each)
        if best is None or more_a + more_b > best[0]:
            in_turn = tuple(int(use) for pair in zip(a, b, strict=True) for use in pair)
            best = more_a + more_b, in_turn
    return None if best is None else best[1]


def _most_typical(
    odds: NDArray[np.floating], own: NDArray[np.int64], other: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], float]:
    """The ``n`` most typical uses, and how typical they are on average."""
    within = odds[np.ix_(own, own)].copy()
    np.fill_diagonal(within, 0.0)
    typical = within.sum(axis=1) / (len(own) - 1) - odds[np.ix_(own, other)].mean(axis=1)
    order = np.argsort(-typical, kind="stable")[:n]
    return own[order], float(typical[order].mean())

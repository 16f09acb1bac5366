"""Frequency of each meaning of a word in running text.

Counts of meanings that the model itself gave to a corpus (``service/meaning_frequencies.py``),
smoothed with the order of the entry, whose first meaning is the most familiar one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.entries import Sense

FREQUENCIES = Path(__file__).with_name("frequencies.txt")
#: How much rarer each meaning of an entry is than the one before it, if nothing was counted.
_RATIO_TO_NEXT = 0.6
#: Number of uses that the order of the entry counts for.
_PRIOR_USES = 20.0


@cache
def bundled_counts() -> Mapping[str, Mapping[str, float]]:
    """Return the number of uses of each meaning, by word and key."""
    counts: dict[str, dict[str, float]] = {}
    lines = FREQUENCIES.read_text("utf-8").splitlines() if FREQUENCIES.exists() else []
    for line in lines:
        if line and not line.startswith("#"):
            word, *cells = line.split("\t")
            counts[word] = {key: float(n) for key, n in (cell.rsplit(" ", 1) for cell in cells)}
    return counts


def prior_of(senses: Sequence[tuple[str, Sense]]) -> NDArray[np.float64]:
    """Return ``[S]`` log-probabilities of meanings in running text, each given with its word.

    The meanings of two words (*rise* and *rose*) share one distribution.
    """
    counts = bundled_counts()
    ranks: dict[str, int] = {}
    order, counted = [], []
    for word, sense in senses:
        rank = ranks[word] = ranks.get(word, -1) + 1
        order.append(_RATIO_TO_NEXT**rank)
        counted.append(counts.get(word, {}).get(sense.key, 0.0))
    by_order = np.array(order) / sum(order)
    shares = (np.array(counted) + _PRIOR_USES * by_order) / (sum(counted) + _PRIOR_USES)
    return np.log(shares)

"""How a layer's space is shaped: how alike the uses of one word are in it (Ethayarajh, 2019)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.views_of_uses import unit


def self_similarity(vectors: NDArray[np.floating], words: Sequence[str], fewest: int = 5) -> float:
    """Mean cosine of two uses of one word, averaged over the words (Ethayarajh, 2019, equation 1).

    Args:
        vectors: ``[n, D]`` of uses.
        words: which word each use is of.
        fewest: words with fewer uses do not count.

    Returns:
        1 where context changes nothing; not a number where no word has enough uses.
    """
    uses: dict[str, list[int]] = {}
    for k, word in enumerate(words):
        uses.setdefault(word, []).append(k)
    directions = unit(vectors).astype(np.float64)
    found = []
    for rows in uses.values():
        if (n := len(rows)) >= max(2, fewest):
            mine = directions[rows]
            # All n * n cosines together are the square of the sum; a use with itself is left out.
            found.append((np.square(mine.sum(axis=0)).sum() - np.square(mine).sum()) / (n * (n - 1)))
    return float(np.mean(found)) if found else float("nan")

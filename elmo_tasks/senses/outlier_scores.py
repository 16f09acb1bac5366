"""Which words of a text stand out from its other words: what is usual in a text says nothing about one of its words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: From here on a word stands out; of a thousand values around a common middle, six lie so far above it by chance.
OUTLIER = 2.5
#: Fewer words are nothing to stand out from.
FEWEST_WORDS = 10
_MAD_TO_SD = 1.4826


def outlier_scores(scores: Sequence[float], counts: Sequence[int]) -> NDArray[np.float64]:
    """``[n]`` how far the split of each word is clearer than those of words of like frequency in the same text; all zero where
    there are fewer than :data:`FEWEST_WORDS` words.

    In a long text nearly every word falls into groups, as the text goes from one topic to the next. So a word is held against the
    others: the distance to a line through the scores over the logarithm of the counts of sorted uses (Theil, 1950, and Sen, 1968,
    whom a few far points do not move), in units of the usual distance (median absolute deviation, scaled to a standard deviation).
    """
    values = np.asarray(scores, np.float64)
    if len(values) < FEWEST_WORDS:
        return np.zeros(len(values))
    from scipy.stats import theilslopes

    x = np.log(np.asarray(counts, np.float64))
    slope = float(theilslopes(values, x)[0]) if np.ptp(x) > 0 else 0.0
    left = values - slope * x
    left -= np.median(left)
    usual = _MAD_TO_SD * float(np.median(np.abs(left)))
    return left / usual if usual > 0 else np.zeros(len(values))

"""One meaning or two, by a threshold on the cosine: how well that is decided."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_threshold(cosines: NDArray[np.floating], same: NDArray[np.bool_]) -> float:
    """The threshold that decides most pairs rightly; pairs at or above it have one meaning.

    Args:
        cosines: ``[n]`` of the pairs to learn from, at least one.
        same: ``[n]`` whether they have one meaning.

    Returns:
        half way between two cosines, where that is right for as many pairs as any other; infinity if no pair should pass.
    """
    order = np.argsort(-cosines, kind="stable")
    ordered = cosines[order]
    # After letting the first k pairs pass, so many more are right than with none; equal cosines pass together.
    gain = np.concatenate([[0], np.cumsum(np.where(same[order], 1, -1))])
    possible = np.concatenate([[True], ordered[1:] < ordered[:-1], [True]])
    k = int(np.argmax(np.where(possible, gain, gain.min() - 1)))
    if k == 0:
        return float("inf")
    return float(ordered[k - 1] + ordered[k]) / 2 if k < len(ordered) else float("-inf")


def accuracy_at(threshold: float, cosines: NDArray[np.floating], same: NDArray[np.bool_]) -> float:
    """Share of pairs that the threshold decides rightly."""
    return float(np.mean((cosines >= threshold) == same))

"""Places on a map: points in many dimensions drawn on paper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def on_paper(points: NDArray[np.floating]) -> tuple[NDArray[np.float64], float]:
    """Draw points by their two principal components: always the same, and nearly the same when a point is added.

    Args:
        points: ``[n, D]``.

    Returns:
        ``[n, 2]`` places between -1 and 1, both axes in one scale; and the share of all differences that the map shows, 0..1.
    """
    centred = np.asarray(points, np.float64) - np.mean(points, axis=0, dtype=np.float64)
    if len(centred) < 2 or not np.any(np.abs(centred) > 1e-9):
        return np.zeros((len(centred), 2)), 1.0
    left, spread, _ = np.linalg.svd(centred, full_matrices=False)
    places = np.zeros((len(centred), 2))
    kept = min(2, len(spread))
    places[:, :kept] = left[:, :kept] * spread[:kept]
    # The sign of a component is free: the first point that stands out lies to the right, and above.
    for axis in range(kept):
        side = places[:, axis]
        if side[np.argmax(np.abs(side) > 0.3 * np.abs(side).max())] < 0:
            places[:, axis] = -side
    share = float((spread[:kept] ** 2).sum() / (spread**2).sum())
    return places / max(float(np.abs(places).max()), 1e-12), share

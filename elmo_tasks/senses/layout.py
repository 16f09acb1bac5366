"""Places on a map: points in many dimensions drawn on paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Paper:
    """A drawing of points, on which further points find their place without moving those that are there."""

    places: NDArray[np.float64]  #: ``[n, 2]`` between -1 and 1, both axes in one scale
    shown: float  #: the share of all differences between the points that the drawing shows, 0..1
    middle: NDArray[np.float64]  #: ``[D]`` the mean of the points
    #: ``[2, D]`` what of a point, seen from the middle, goes to the right and upwards, in the scale of the places
    axes: NDArray[np.float64]

    def place(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """``[m, D]`` points that were not drawn -> ``[m, 2]``: projected onto the same two axes (Gower, 1968, for principal
        components); a point of the drawing comes out where it is drawn, one farther out than all of them beyond -1 or 1.
        """
        found: NDArray[np.float64] = (np.asarray(points, np.float64) - self.middle) @ self.axes.T
        return found


def on_paper(points: NDArray[np.floating]) -> Paper:
    """Draw points by their two principal components: always the same, and nearly the same when a point is added.

    Args:
        points: ``[n, D]``.
    """
    n, width = np.shape(points)
    middle = np.asarray(points, np.float64).mean(axis=0, keepdims=True)[0] if n else np.zeros(width)
    centred = np.asarray(points, np.float64) - middle
    if n < 2 or not np.any(np.abs(centred) > 1e-9):
        return Paper(np.zeros((n, 2)), 1.0, middle, np.zeros((2, width)))
    _, spread, turned = np.linalg.svd(centred, full_matrices=False)
    axes = np.zeros((2, width))
    kept = min(2, len(spread))
    axes[:kept] = turned[:kept]
    places = centred @ axes.T
    # The sign of a component is free: the first point that stands out lies to the right, and above.
    for axis in range(kept):
        side = places[:, axis]
        if side[np.argmax(np.abs(side) > 0.3 * np.abs(side).max())] < 0:
            axes[axis] = -axes[axis]
    axes /= max(float(np.abs(places).max()), 1e-12)
    shown = float((spread[:kept] ** 2).sum() / (spread**2).sum())
    return Paper(centred @ axes.T, shown, middle, axes)

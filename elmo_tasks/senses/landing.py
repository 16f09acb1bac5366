"""Places on a map: points in many dimensions drawn on paper, and where a further use lands; the map stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.clustering import Groups, directions

#: From this silhouette on a group is named for a use.
LEAST_SILHOUETTE = 0.1


@dataclass(frozen=True)
class Landing:
    """A further use on a map."""

    #: ``[2]`` to the right and upwards; beyond -1 or 1 where the use lies farther out than all of the map
    place: NDArray[np.float64]
    cosines: NDArray[np.float64]  #: ``[n]`` to each use of the map
    nearness: tuple[float, ...]  #: for each group the mean cosine to its uses, seen from the middle of the map
    #: how much nearer the nearest group is than the next, -1..1 (Rousseeuw, 1987); 0 with fewer than two groups
    silhouette: float
    order: tuple[int, ...]  #: positions of the groups, the nearest first

    @property
    def group(self) -> int | None:
        """The nearest group, if it is clearly nearer than the next; ``None`` between groups."""
        return self.order[0] if len(self.order) > 1 and self.silhouette >= LEAST_SILHOUETTE else None


def land(
    vectors: NDArray[np.floating], groups: Groups, vector: NDArray[np.floating], paper: Paper | None = None
) -> Landing:
    """Put a use ``[D]`` on a map of uses ``[n, D]``, all of length 1, that is drawn already; on its paper, which is made anew if
    ``None``. No groups are known where none are named.
    """
    points = directions(vectors)
    paper = paper or on_paper(points)
    own = np.asarray(vector, np.float64) - np.mean(vectors, axis=0, dtype=np.float64)
    point = own / max(float(np.linalg.norm(own)), 1e-12)
    cosines = np.clip(np.asarray(vectors, np.float64) @ np.asarray(vector, np.float64), -1.0, 1.0)
    nearness, distances = _to_groups(points, groups, point)
    order = tuple(np.argsort(distances, kind="stable").tolist())
    width = 1 - float(distances[order[0]] / max(float(distances[order[1]]), 1e-12)) if len(order) > 1 else 0.0
    return Landing(paper.place(point[None])[0], cosines, nearness, width, order)


def _to_groups(
    points: NDArray[np.float64], groups: Sequence[Sequence[int]], point: NDArray[np.float64]
) -> tuple[tuple[float, ...], NDArray[np.float64]]:
    """The mean cosine and the mean distance of a point to the points of each group."""
    cosines = [float(np.mean(points[list(group)] @ point)) for group in groups]
    distances = [float(np.mean(np.linalg.norm(points[list(group)] - point, axis=1))) for group in groups]
    return tuple(cosines), np.array(distances)


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
    """Draw points ``[n, D]`` by their two principal components: always the same, and nearly the same when a point is added."""
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

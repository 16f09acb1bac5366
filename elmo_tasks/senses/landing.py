"""Where a use that is not on a map comes to lie on it, and in which of its groups; the map stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.clustering import Groups, directions
from elmo_tasks.senses.layout import Paper, on_paper

#: From this silhouette on a group is named for a use (`python -m benchmarks.landing`).
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
    """Put a use on a map that is drawn already.

    Args:
        vectors: ``[n, D]`` of length 1, the uses of the map.
        groups: positions of these; none where no groups are named.
        vector: ``[D]`` of length 1, the use that lands.
        paper: the drawing of the map; made anew if ``None``.
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

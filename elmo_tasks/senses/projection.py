"""Projection of vectors to the two dimensions of a map, and of further vectors later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Uses closer than this are one point: with one spelling, the context-free layer differs only by
#: rounding to float16.
_MIN_SPREAD = 1e-3


@dataclass(frozen=True)
class Projection:
    """Projection of points to a plane."""

    places: NDArray[np.float64]  #: ``[n, 2]`` between -1 and 1, both axes in one scale
    shown: float  #: share of the variance of the points that the projection keeps, 0..1
    center: NDArray[np.float64]  #: ``[D]`` mean of the points
    axes: NDArray[np.float64]  #: ``[2, D]`` directions of the two axes, scaled like the places


def directions(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Centre ``[n, D]`` vectors and scale them to length 1; zero if all are one point.

    Shared properties of all uses of a word, above all its spelling, say nothing about their groups.
    """
    centred = np.asarray(vectors, np.float64) - np.mean(vectors, axis=0, dtype=np.float64)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.where(length > _MIN_SPREAD, centred / np.maximum(length, 1e-12), 0.0)


def fit_projection(points: NDArray[np.floating]) -> Projection:
    """Project ``[n, D]`` points to their two principal components, deterministically."""
    n, width = np.shape(points)
    center = np.asarray(points, np.float64).mean(axis=0) if n else np.zeros(width)
    centred = np.asarray(points, np.float64) - center
    if n < 2 or not np.any(np.abs(centred) > 1e-9):
        return Projection(
            places=np.zeros((n, 2)), shown=1.0, center=center, axes=np.zeros((2, width))
        )
    _, spread, components = np.linalg.svd(centred, full_matrices=False)
    axes = np.zeros((2, width))
    n_axes = min(2, len(spread))
    axes[:n_axes] = components[:n_axes]
    places = centred @ axes.T
    # The sign of a component is arbitrary: place the first outlier to the right, and above.
    for axis in range(n_axes):
        side = places[:, axis]
        if side[np.argmax(np.abs(side) > 0.3 * np.abs(side).max())] < 0:
            axes[axis] = -axes[axis]
    axes /= max(float(np.abs(places).max()), 1e-12)
    shown = float((spread[:n_axes] ** 2).sum() / (spread**2).sum())
    return Projection(places=centred @ axes.T, shown=shown, center=center, axes=axes)


def project_use(
    projection: Projection, vectors: NDArray[np.floating], vector: NDArray[np.floating]
) -> list[float]:
    """Return the place of a further use ``[D]`` on the map of ``[n, D]`` uses.

    The map shows the :func:`directions` of these uses. The further use is projected on the same two
    axes (Gower, 1968); one farther out than all uses of the map comes out beyond -1 or 1.
    """
    own = np.asarray(vector, np.float64) - np.mean(vectors, axis=0, dtype=np.float64)
    point = own / max(float(np.linalg.norm(own)), 1e-12)
    place: list[float] = ((point - projection.center) @ projection.axes.T).round(4).tolist()
    return place

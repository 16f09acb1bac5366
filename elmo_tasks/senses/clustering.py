"""Clusters of the uses of a word that the dictionary does not list."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.projection import directions

#: Fewer uses form no clusters.
MIN_USES = 6
MAX_CLUSTERS = 6


def cluster_uses(vectors: NDArray[np.floating]) -> tuple[tuple[int, ...], ...]:
    """Cluster ``[n, D]`` uses with k-means.

    The number of clusters is the one with the highest silhouette (Rousseeuw, 1987).

    Returns:
        The positions of the uses in each cluster, the largest first; nothing for fewer than
        :data:`MIN_USES` uses, or if all vectors are equal.
    """
    from sklearn.metrics import silhouette_score

    if len(vectors) < MIN_USES:
        return ()
    points = directions(vectors)
    n_distinct = len(np.unique(points.round(6), axis=0))
    if n_distinct < 3:
        return ()
    labels = {
        k: k_means(points, k, 5)
        for k in range(2, min(MAX_CLUSTERS, len(points) // 3, n_distinct - 1) + 1)
    }
    best = max(labels, key=lambda k: (float(silhouette_score(points, labels[k])), -k))
    clusters = [tuple(np.flatnonzero(labels[best] == k).tolist()) for k in range(best)]
    return tuple(sorted(clusters, key=lambda cluster: (-len(cluster), cluster)))


def k_means(points: NDArray[np.floating], k: int, starts: int) -> NDArray[np.int64]:
    """Return the cluster number ``[n]`` of each point ``[n, D]``, deterministically."""
    from sklearn.cluster import KMeans  # takes a second to import

    labels: NDArray[np.int64] = KMeans(k, n_init=starts, random_state=0).fit_predict(points)
    return labels

"""Whether uses of a word fall into their known senses by themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.clustering import directions

_STARTS = 5


def groups_match_senses(vectors: NDArray[np.floating], senses: Sequence[str]) -> float:
    """Adjusted Rand index (Hubert and Arabie, 1985) of k-means groups and senses, as many groups as there are senses.

    Args:
        vectors: ``[n, D]`` of uses of one word; seen from their mean, by direction.
        senses: of each use.

    Returns:
        1 where groups are the senses, about 0 where they have nothing to do with each other; 0 where all uses are one point.
    """
    from sklearn.cluster import KMeans  # takes a second to import
    from sklearn.metrics import adjusted_rand_score

    points = directions(vectors).astype(np.float32)
    n_groups = len(set(senses))
    if len(np.unique(points.round(5), axis=0)) < n_groups:
        return 0.0
    groups = KMeans(n_groups, n_init=_STARTS, random_state=0).fit_predict(points)
    return float(adjusted_rand_score(list(senses), groups))

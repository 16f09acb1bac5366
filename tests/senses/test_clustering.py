"""Clusters of uses are found where there are some; the number is the one with the highest silhouette."""

import numpy as np
import pytest

from elmo_tasks.senses.clustering import cluster_uses


def blobs(*centres, n=8, spread=0.3, width=12, seed=0):
    random = np.random.default_rng(seed)
    rows = [np.eye(width)[c] + spread * random.standard_normal((n, width)) / width**0.5 for c in centres]
    return np.concatenate(rows)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_number_of_clusters_is_found(k):
    assert sorted(cluster_uses(blobs(*range(k)))) == [tuple(range(8 * g, 8 * g + 8)) for g in range(k)]


def test_what_all_uses_share_does_not_count():
    assert cluster_uses(blobs(0, 1)) == cluster_uses(blobs(0, 1) + 100.0)


@pytest.mark.parametrize("vectors", [np.zeros((0, 4)), np.ones((1, 4)), np.ones((9, 4)), blobs(0, 1, n=2)])
def test_nothing_is_clustered_where_there_is_nothing_to_sort(vectors):
    assert cluster_uses(vectors) == ()

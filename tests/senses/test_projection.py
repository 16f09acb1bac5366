"""Clusters of the uses on a map, and their projection to two dimensions."""

import numpy as np
import pytest

from elmo_tasks.senses.clustering import cluster_uses
from elmo_tasks.senses.projection import directions, fit_projection, project_use


@pytest.fixture
def uses():
    vectors = np.random.default_rng(0).standard_normal((12, 6)) + np.repeat(
        np.eye(6)[:2] * 4, 6, axis=0
    )
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_places_fill_the_map_and_say_how_much_they_show(uses):
    points = directions(uses)
    found = fit_projection(points)
    assert np.abs(found.places).max() == pytest.approx(1.0)
    # Against the singular values: the first two of them, squared, out of all.
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    assert found.shown == pytest.approx(spread[:2].sum() / spread.sum())


def test_a_use_of_the_map_lands_on_its_own_place(uses):
    found = fit_projection(directions(uses))
    for k in (0, 5, 11):
        np.testing.assert_allclose(project_use(found, uses, uses[k]), found.places[k], atol=1e-4)


def test_one_point_is_in_the_middle_and_takes_another():
    one = np.eye(3)[:1]
    found = fit_projection(directions(one))
    assert found.places.tolist() == [[0.0, 0.0]]
    assert project_use(found, one, np.eye(3)[1]) == [0.0, 0.0]


def test_rounding_to_float16_makes_no_two_points_of_one():
    layer_0 = np.tile(np.random.default_rng(0).normal(size=256), (8, 1)).astype(np.float16)
    largest = layer_0[3].argmax()
    layer_0[3, largest] = np.nextafter(layer_0[3, largest], np.float16(9))
    vectors = layer_0.astype(np.float64) / np.linalg.norm(layer_0[0].astype(np.float64))
    assert not directions(vectors).any()


def blobs(*centres, n=8, spread=0.3, width=12, seed=0):
    random = np.random.default_rng(seed)
    rows = [
        np.eye(width)[c] + spread * random.standard_normal((n, width)) / width**0.5 for c in centres
    ]
    return np.concatenate(rows)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_number_of_clusters_is_found(k):
    assert sorted(cluster_uses(blobs(*range(k)))) == [
        tuple(range(8 * g, 8 * g + 8)) for g in range(k)
    ]


def test_parts_that_all_uses_share_do_not_count():
    assert cluster_uses(blobs(0, 1)) == cluster_uses(blobs(0, 1) + 100.0)


@pytest.mark.parametrize(
    "vectors", [np.zeros((0, 4)), np.ones((1, 4)), np.ones((9, 4)), blobs(0, 1, n=2)]
)
def test_nothing_is_clustered_where_there_is_nothing_to_sort(vectors):
    assert cluster_uses(vectors) == ()

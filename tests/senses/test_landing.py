"""A use that is not on a map lands beside the uses that it is like, and moves none of them."""

import numpy as np
import pytest
from elmo_tasks.senses.landing import land, on_paper
from elmo_tasks.senses.views_of_uses import unit

from elmo_tasks.senses.clustering import directions

GROUPS = (tuple(range(8)), tuple(range(8, 16)))


def near(axis, n, seed):
    """Uses of one sense: directions about an axis."""
    noise = np.random.default_rng(seed).standard_normal((n, 12))
    return unit(np.eye(12)[axis] + 0.1 * noise + 0.5)


@pytest.fixture(scope="module")
def uses():
    return np.concatenate([near(0, 8, 1), near(1, 8, 2)])


def test_a_use_of_the_map_lands_on_its_own_place(uses):
    paper = on_paper(directions(uses))
    for k in (0, 5, 11):
        found = land(uses, GROUPS, uses[k])
        np.testing.assert_allclose(found.place, paper.places[k], atol=1e-6)
        assert found.cosines.argmax() == k
        assert found.group == (0 if k < 8 else 1)


@pytest.mark.parametrize(("axis", "group"), [(0, 0), (1, 1)])
def test_a_use_held_out_lands_among_its_own(uses, axis, group):
    for use in near(axis, 6, 3):
        found = land(uses, GROUPS, use)
        own = on_paper(directions(uses)).places[list(GROUPS[group])]
        others = on_paper(directions(uses)).places[list(GROUPS[1 - group])]
        assert found.group == group
        assert found.nearness[group] > found.nearness[1 - group]
        assert np.linalg.norm(found.place - own.mean(axis=0)) < np.linalg.norm(found.place - others.mean(axis=0))


def test_a_use_like_neither_group_lands_between(uses):
    found = land(uses, GROUPS, near(7, 1, 4)[0])
    assert found.group is None
    assert found.silhouette < 0.1
    assert sorted(found.order) == [0, 1]


def test_the_silhouette_is_that_of_the_point_among_the_groups(uses):
    """Against scikit-learn's, of the same point as one of its group."""
    from sklearn.metrics import silhouette_samples

    use = near(0, 1, 5)[0]
    centred = use - uses.mean(axis=0, dtype=np.float64)
    points = np.concatenate([directions(uses), [centred / np.linalg.norm(centred)]])
    expected = silhouette_samples(points, [0] * 8 + [1] * 8 + [0])[-1]
    assert land(uses, GROUPS, use).silhouette == pytest.approx(expected, abs=1e-9)


def test_without_groups_there_is_a_place_and_no_group(uses):
    found = land(uses, (), uses[3])
    assert (found.group, found.nearness, found.order, found.silhouette) == (None, (), (), 0.0)
    assert land(uses, (tuple(range(16)),), uses[3]).group is None


def test_the_map_of_one_point_takes_another():
    found = land(np.eye(3)[:1].astype(np.float32), (), np.eye(3)[1])
    assert found.place.tolist() == [0.0, 0.0]
    assert found.cosines.tolist() == [0.0]

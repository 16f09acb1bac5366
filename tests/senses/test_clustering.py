"""Groups are found where there are some, and none are named where there are none."""

import numpy as np
import pytest

from elmo_tasks.senses.clustering import SplitRule, _silhouette, agreement, directions, labels_of, split_uses

RULE = SplitRule(1.0, 0.05)


def blobs(*centres, n=8, spread=0.3, width=12, seed=0):
    random = np.random.default_rng(seed)
    rows = [np.eye(width)[c] + spread * random.standard_normal((n, width)) / width**0.5 for c in centres]
    return np.concatenate(rows)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_number_of_groups_is_found(k):
    found = split_uses(blobs(*range(k)), RULE)
    assert sorted(found.groups) == [tuple(range(8 * g, 8 * g + 8)) for g in range(k)]
    assert found.is_clear


def test_points_without_groups_are_not_called_clear():
    clear = [split_uses(np.random.default_rng(s).standard_normal((20, 30)), RULE).is_clear for s in range(12)]
    assert not any(clear)


def test_the_same_for_the_same_vectors():
    vectors = np.random.default_rng(3).standard_normal((15, 8))
    assert split_uses(vectors, RULE) == split_uses(vectors, RULE)


def test_what_all_uses_share_does_not_count():
    vectors = blobs(0, 1)
    assert split_uses(vectors, RULE).groups == split_uses(vectors + 100.0, RULE).groups
    np.testing.assert_allclose(directions(vectors), directions(vectors + 100.0), atol=1e-9)


def test_rounding_to_float16_makes_no_two_points_of_one():
    layer_0 = np.tile(np.random.default_rng(0).normal(size=256), (8, 1)).astype(np.float16)
    largest = layer_0[3].argmax()
    layer_0[3, largest] = np.nextafter(layer_0[3, largest], np.float16(9))
    vectors = layer_0.astype(np.float64) / np.linalg.norm(layer_0[0].astype(np.float64))
    assert len(np.unique(vectors, axis=0)) == 2
    assert not directions(vectors).any()


def test_turning_the_space_changes_nothing():
    vectors = blobs(0, 1, 2)
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((12, 12)))[0]
    assert split_uses(vectors, RULE).score == pytest.approx(split_uses(vectors @ turn, RULE).score, abs=1e-6)


@pytest.mark.parametrize("vectors", [np.zeros((0, 4)), np.ones((1, 4)), np.ones((9, 4)), blobs(0, 1, n=2)])
def test_nothing_is_named_where_there_is_nothing_to_sort(vectors):
    found = split_uses(vectors, SplitRule(0.0, -1.0))
    assert not found.is_clear
    assert len(found.groups) <= 1


def test_so_many_groups_as_asked():
    found = split_uses(blobs(0, 1), RULE, n_groups=4)
    assert len(found.groups) == 4
    assert sorted(k for group in found.groups for k in group) == list(range(16))
    assert split_uses(blobs(0, 1), RULE, n_groups=1).groups == (tuple(range(16)),)


def test_the_largest_group_comes_first():
    assert [len(g) for g in split_uses(np.concatenate([blobs(0, n=4), blobs(1, n=9)]), RULE).groups] == [9, 4]


def test_agreement_is_one_for_the_same_and_none_for_one_heap():
    assert agreement(((0, 1), (2, 3)), ["a", "a", "b", "b"]) == 1.0
    assert agreement(((0, 1, 2, 3),), ["a", "a", "b", "b"]) == 0.0
    assert labels_of(((2,), (0,)), 3) == [1, -1, 0]


def test_one_label_has_no_silhouette():
    assert _silhouette(np.eye(3), np.zeros(3, np.int64)) == -1.0

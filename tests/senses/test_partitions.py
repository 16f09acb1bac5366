"""All ways to sort a few uses."""

import numpy as np
import pytest
from elmo_tasks.senses.partitions import (
    groups_of,
    in_order,
    likely_partitions,
    number_of,
    pair_places,
    pairs_together,
    partitions,
    together,
)


@pytest.mark.parametrize(("n", "bell"), [(2, 2), (3, 5), (4, 15), (5, 52), (6, 203), (8, 4140)])
def test_there_are_as_many_as_bell_counted_each_once(n, bell):
    found = partitions(n)
    assert found.shape == (bell, n)
    assert len({tuple(labels) for labels in found.tolist()}) == bell
    assert all((in_order(labels) == labels).all() for labels in found[:50])


def test_pairs_that_are_together():
    first, second = pair_places(3)
    assert list(zip(first, second, strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert together(np.array([[0, 1, 0]])).tolist() == [[False, True, False]]
    assert (pairs_together(4) == together(partitions(4))).all()


def test_a_grouping_is_found_whatever_its_groups_are_called():
    assert number_of((5, 2, 5)) == number_of((0, 1, 0))
    assert partitions(3)[number_of((5, 2, 5))].tolist() == [0, 1, 0]
    assert groups_of(np.array([0, 1, 0, 2])) == ((0, 2), (1,), (3,))


def test_of_many_uses_the_clear_grouping_is_among_those_weighed():
    labels = np.array([0, 1, 0, 1, 1, 2, 2, 0, 1, 2, 0])
    odds = np.where(labels[:, None] == labels[None, :], 3.0, -3.0)
    found = likely_partitions(odds)
    assert in_order(labels).tolist() in found.tolist()
    assert len({tuple(row) for row in found.tolist()}) == len(found) < 2000
    assert all((in_order(row) == row).all() for row in found)

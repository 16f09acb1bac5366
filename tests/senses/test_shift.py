"""How far uses moved from one text to another, against chance."""

from itertools import combinations

import numpy as np
import pytest

from elmo_tasks.senses.shift import shift
from elmo_tasks.senses.views_of_uses import unit


def uses(axis, n, seed, spread=0.3):
    return unit(np.eye(8)[axis] + spread * np.random.default_rng(seed).standard_normal((n, 8)))


def test_the_distance_is_the_mean_of_all_pairs_of_the_two_texts():
    one, other = uses(0, 3, 1), uses(1, 5, 2)
    pairs = [1 - float(a.astype(np.float64) @ b.astype(np.float64)) for a in one for b in other]
    assert shift(one, other).distance == pytest.approx(np.mean(pairs))


def test_chance_is_that_of_all_deals():
    """Of two and three uses there are ten deals: their mean, and the share of those as far apart."""
    one, other = uses(0, 2, 1), uses(1, 3, 2)
    both = np.concatenate([one, other]).astype(np.float64)
    deals = []
    for first in combinations(range(5), 2):
        second = [k for k in range(5) if k not in first]
        deals.append(1 - float((both[list(first)] @ both[second].T).mean()))
    found = shift(one, other, draws=4000)
    assert found.chance == pytest.approx(np.mean(deals), abs=0.01)
    assert found.spread == pytest.approx(np.std(deals), abs=0.01)
    assert found.p == pytest.approx(sum(d >= found.distance - 1e-9 for d in deals) / 10, abs=0.03)


def test_other_uses_are_told_from_chance():
    found = shift(uses(0, 8, 1), uses(1, 8, 2))
    assert found.p == pytest.approx(0.001)
    assert found.score > 5


def test_uses_of_one_kind_are_not():
    """Of twenty pairs of texts that differ in nothing, one is expected below 5 %."""
    p = [shift(uses(0, 8, seed), uses(0, 8, seed + 100)).p for seed in range(20)]
    assert sum(value <= 0.05 for value in p) <= 3
    assert 0.2 < np.mean(p) < 0.8


def test_the_texts_may_change_places_and_the_answer_is_always_the_same():
    one, other = uses(0, 6, 1), uses(1, 4, 2)
    assert shift(one, other) == shift(one, other)
    assert shift(one, other).distance == pytest.approx(shift(other, one).distance)


def test_uses_without_any_difference_have_no_score():
    same = np.tile(np.eye(8)[:1], (4, 1)).astype(np.float32)
    found = shift(same, same)
    assert (found.distance, found.score, found.p) == (0.0, 0.0, 1.0)

"""Typical uses of two senses, by hand-made log-odds."""

import numpy as np
from elmo_tasks.senses.typical_uses import typical_uses

SENSES = ["a"] * 3 + ["b"] * 3 + ["c"] * 3


def odds_of(apart):
    """Uses of one sense are alike; two senses are as far apart as ``apart`` says."""
    odds = np.zeros((9, 9))
    for i, one in enumerate(SENSES):
        for j, other in enumerate(SENSES):
            odds[i, j] = 1.0 if one == other else -apart[frozenset((one, other))]
    return odds


def test_the_two_senses_that_lie_furthest_apart_are_taken():
    odds = odds_of({frozenset("ab"): 1.0, frozenset("ac"): 3.0, frozenset("bc"): 2.0})
    assert typical_uses(odds, SENSES, 2) == (0, 6, 1, 7)  # of a and c, by turns


def test_a_use_that_looks_like_the_other_sense_is_passed_over():
    odds = odds_of({frozenset("ab"): 3.0, frozenset("ac"): 1.0, frozenset("bc"): 1.0})
    odds[0, 3:6] = odds[3:6, 0] = 2.0
    assert typical_uses(odds, SENSES, 2) == (1, 3, 2, 4)  # of a and b


def test_what_a_use_has_with_itself_does_not_count():
    odds = odds_of({frozenset("ab"): 3.0, frozenset("ac"): 1.0, frozenset("bc"): 1.0})
    other = odds.copy()
    np.fill_diagonal(other, [9, 0, -9] * 3)
    assert typical_uses(odds, SENSES, 2) == typical_uses(other, SENSES, 2)


def test_without_two_senses_of_enough_uses_there_is_nothing_to_choose():
    assert typical_uses(np.zeros((4, 4)), ["a", "a", "b", "b"]) is None
    assert typical_uses(np.zeros((4, 4)), ["a"] * 4) is None

"""Grouping uses by cosines."""

import numpy as np
import pytest
import torch

from elmo_tasks.analysis.senses import SameSense, contrast, group_uses, mean_cosines, pairs_of, probabilities
from elmo_tasks.analysis.similarity import cosine_matrix, random_pair_cosine

READING = SameSense(-5.0, ((10.0, 2.0),), intercept_of_few=-5.0, weights_of_few=(10.0,), least_sure=0.7)


def grouped(cosine):
    return group_uses(READING.log_odds(cosine), READING.least_sure_of(len(cosine)))


def blocks(labels, within=0.8, between=0.2):
    column = np.array(labels)
    cosine = np.where(column[:, None] == column[None, :], within, between)
    np.fill_diagonal(cosine, 1.0)
    return cosine.tolist()


@pytest.mark.parametrize("labels", [[0, 1, 0, 1, 1], [0, 0, 1], [0, 1], [0, 0], [0, 1, 2, 0, 2, 1, 1], [0] * 12])
def test_clear_blocks_are_found(labels):
    grouping = grouped(blocks(labels))
    expected = [tuple(k for k, v in enumerate(labels) if v == g) for g in dict.fromkeys(labels)]
    assert grouping.groups == tuple(expected)
    assert grouping.is_clear


def test_without_a_gap_nothing_is_claimed():
    level = blocks([0, 1, 2, 3], between=0.5)
    assert not grouped(level).is_clear


def test_the_order_of_the_uses_does_not_matter():
    r = np.random.default_rng(0)
    x = r.normal(size=(6, 4))
    cosine = cosine_matrix(torch.tensor(x)).numpy()
    order = r.permutation(6)
    one, other = grouped(cosine.tolist()), grouped(cosine[np.ix_(order, order)].tolist())
    assert {frozenset(g) for g in one.groups} == {frozenset(int(order[k]) for k in g) for g in other.groups}
    assert one.sure == pytest.approx(other.sure)


def test_log_odds_add_up_over_views():
    r = np.random.default_rng(2)
    one, two = (cosine_matrix(torch.tensor(r.normal(size=(5, 4)))).numpy() for _ in range(2))
    both = SameSense(-1.0, ((3.0, 1.0), (2.0, 0.5)), intercept_of_few=-8.0, weights_of_few=(4.0, 5.0))
    expected = -1.0 + 3 * one + contrast(one) + 2 * two + 0.5 * contrast(two)
    np.testing.assert_allclose(both.log_odds(one, two), expected)
    for n in (2, 3):
        few = [view[:n, :n] for view in (one, two)]
        np.testing.assert_allclose(both.log_odds(*few), -8.0 + 4 * few[0] + 5 * few[1])
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        both.log_odds(one)


def test_of_two_uses_a_higher_cosine_is_a_higher_probability_of_one_sense():
    chances = [probabilities(READING.log_odds(blocks([0, 1], between=c)))[0, 1] for c in (0.1, 0.4, 0.5, 0.6, 0.9)]
    assert chances == sorted(chances)
    assert chances[2] == pytest.approx(0.5)
    assert probabilities(np.full((2, 2), -1e9)).tolist() == [[1.0, pytest.approx(0)], [pytest.approx(0), 1.0]]


def test_contrast_takes_away_what_each_use_has_with_all_others():
    r = np.random.default_rng(1)
    offsets = r.normal(size=5)
    pairwise = np.zeros((5, 5))
    pairwise[0, 1] = pairwise[1, 0] = 1.0
    shifted = contrast(pairwise + offsets[:, None] + offsets[None, :])
    np.testing.assert_allclose(shifted, contrast(pairwise), atol=1e-12)
    np.testing.assert_allclose(shifted.sum(axis=1), 0, atol=1e-12)
    assert shifted[0, 1] == shifted.max()
    assert not contrast(pairwise[:2, :2]).any()
    assert not contrast(pairwise[:3, :3]).any()


def test_pairs_within_and_between():
    assert pairs_of(3, ((0, 2), (1,))) == ([(0, 2)], [(0, 1), (1, 2)])


def test_mean_cosines_within_and_between():
    cosine = [[1, 0.9, 0.1], [0.9, 1, 0.3], [0.1, 0.3, 1]]
    assert mean_cosines(cosine, ((0, 1), (2,))) == pytest.approx((0.9, 0.2))
    assert mean_cosines(cosine, ((0, 1, 2),))[1] is None
    assert mean_cosines(cosine, ((0,), (1,), (2,)))[0] is None


def test_cosine_matrix_is_exact_where_it_must_be():
    x = torch.randn(5, 8)
    x[3] = x[1]
    cosine = cosine_matrix(x)
    assert torch.equal(cosine, cosine.T)
    assert torch.equal(cosine.diagonal(), torch.ones(5, dtype=torch.float64))
    assert cosine[1, 3] == pytest.approx(1.0)
    assert cosine[0, 1] == pytest.approx(torch.nn.functional.cosine_similarity(x[0], x[1], dim=0).item(), abs=1e-6)


def test_random_pairs_share_neither_sentence_nor_word():
    vectors = torch.tensor([[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]])
    sentence, word = torch.tensor([0, 1, 1, 1]), torch.tensor([0, 0, 1, 2])
    # Left are the pairs 0-2 (cosine 0) and 0-3 (cosine -1), each counted both ways.
    assert random_pair_cosine(vectors, sentence, word).tolist() == pytest.approx([-0.5])


@pytest.mark.parametrize("n", [2, 3])
def test_few_uses_are_named_where_what_is_said_is_probable_enough_itself(n):
    for chance, named in ((0.86, True), (0.84, False), (0.16, False), (0.14, True)):
        odds = np.full((n, n), np.log(chance / (1 - chance)))
        assert group_uses(odds, READING.least_sure_of(n)).is_clear == named
    assert READING.least_sure_of(4) == READING.least_sure


def test_a_grouping_is_as_sure_as_its_weakest_claim():
    same = np.array([[0, 0.7, 0.3, 0.1], [0.7, 0, 0.1, 0.1], [0.3, 0.1, 0, 0.9], [0.1, 0.1, 0.9, 0]])
    inside = np.clip(same, 1e-9, 1)
    found = group_uses(np.log(inside / (1 - inside)))
    assert found.groups == ((0, 1), (2, 3))
    assert found.sure == pytest.approx(0.7)  # 1 and 2 together; 3 and 4: .9; apart: .85
    one = group_uses(np.log(inside[:3, :3] / (1 - inside[:3, :3])))
    assert one.groups == ((0, 1), (2,))
    assert one.sure == pytest.approx(0.7)

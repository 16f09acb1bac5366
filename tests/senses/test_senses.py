"""Grouping uses by cosines."""

import numpy as np
import pytest
import torch
from elmo_tasks.senses.senses import SameSense, are_apart, contrast, mean_cosines, pairs_of

from elmo_tasks.senses.similarity import cosine_matrix, random_pair_cosine

READING = SameSense(-5.0, ((10.0, 2.0),), intercept_of_few=-5.0, weights_of_few=(10.0,))


def blocks(labels, within=0.8, between=0.2):
    column = np.array(labels)
    cosine = np.where(column[:, None] == column[None, :], within, between)
    np.fill_diagonal(cosine, 1.0)
    return cosine.tolist()


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
    odds = [READING.log_odds(blocks([0, 1], between=c))[0, 1] for c in (0.1, 0.4, 0.5, 0.6, 0.9)]
    assert odds == sorted(odds)
    assert odds[2] == pytest.approx(0.0)


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


def test_groups_are_apart_where_every_pair_shows_it():
    cosine = [[1.0, 0.7, 0.3], [0.7, 1.0, 0.5], [0.3, 0.5, 1.0]]
    assert are_apart(cosine, ((0, 1), (2,)))
    assert not are_apart(cosine, ((0, 2), (1,)))
    assert are_apart(cosine, ((0, 1, 2),))
    assert are_apart(cosine, ((0,), (1,), (2,)))


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

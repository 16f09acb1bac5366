"""Grouping uses, and saying it in words that follow from the numbers."""

import numpy as np
import pytest
import torch

from elmo_tasks.analysis.senses import Grouping, SameSense, contrast, group_uses, mean_cosines, ranked, verdict
from elmo_tasks.analysis.similarity import cosine_matrix, random_pair_cosine

READING = SameSense(intercept=-5.0, on_cosine=10.0, on_contrast=2.0, least_margin=0.1)


def blocks(labels, within=0.8, between=0.2):
    column = np.array(labels)
    cosine = np.where(column[:, None] == column[None, :], within, between)
    np.fill_diagonal(cosine, 1.0)
    return cosine.tolist()


@pytest.mark.parametrize("labels", [[0, 1, 0, 1, 1], [0, 0, 1], [0, 1], [0, 0], [0, 1, 2, 0, 2, 1, 1], [0] * 12])
def test_clear_blocks_are_found(labels):
    grouping = group_uses(blocks(labels), READING)
    expected = [tuple(k for k, v in enumerate(labels) if v == g) for g in dict.fromkeys(labels)]
    assert grouping.groups == tuple(expected)
    assert grouping.is_clear


def test_without_a_gap_nothing_is_claimed():
    level = blocks([0, 1, 2, 3], between=0.5)
    assert not group_uses(level, READING).is_clear


def test_the_order_of_the_uses_does_not_matter():
    r = np.random.default_rng(0)
    x = r.normal(size=(6, 4))
    cosine = cosine_matrix(torch.tensor(x)).numpy()
    order = r.permutation(6)
    one, other = group_uses(cosine.tolist(), READING), group_uses(cosine[np.ix_(order, order)].tolist(), READING)
    assert {frozenset(g) for g in one.groups} == {frozenset(int(order[k]) for k in g) for g in other.groups}
    assert one.margin == pytest.approx(other.margin)


def test_contrast_takes_away_what_each_use_has_with_all_others():
    r = np.random.default_rng(1)
    offsets = r.normal(size=5)
    pairwise = np.zeros((5, 5))
    pairwise[0, 1] = pairwise[1, 0] = 1.0
    shifted = contrast(pairwise + offsets[:, None] + offsets[None, :])
    np.testing.assert_allclose(shifted, contrast(pairwise), atol=1e-12)
    np.testing.assert_allclose(shifted.sum(axis=1), 0, atol=1e-12)
    assert shifted[0, 1] == shifted.max()
    assert not contrast(np.array([[1.0, 0.3], [0.3, 1.0]])).any()


def test_mean_cosines_within_and_between():
    cosine = [[1, 0.9, 0.1], [0.9, 1, 0.3], [0.1, 0.3, 1]]
    assert mean_cosines(cosine, ((0, 1), (2,))) == pytest.approx((0.9, 0.2))
    assert mean_cosines(cosine, ((0, 1, 2),))[1] is None
    assert mean_cosines(cosine, ((0,), (1,), (2,)))[0] is None


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (((0, 1), (2,)), "1 and 2 go together, 3 stands apart."),
        (((0, 2), (1,)), "1 and 3 go together, 2 stands apart."),
        (((0,), (1,), (2,)), "1, 2 and 3 each stand apart: the model reads every one of them differently."),
        (((0, 1, 2),), "All 3 uses of “bank” go together."),
    ],
)
def test_the_verdict_groups_the_persons_own_uses_first(groups, said):
    cosine = blocks([next(g for g, group in enumerate(groups) if k in group) for k in range(3)], 0.62, 0.48)
    text = verdict(Grouping(groups, 1.0, True), cosine, 0.15, "1", "bank")
    assert text.startswith(said)
    assert "0.15" in text
    assert "t layer 1 " in text


def test_the_verdict_says_when_it_cannot_tell():
    text = verdict(Grouping(((0, 1, 2),), 0.0, False), blocks([0, 0, 0], 0.5), 0.2, "mean", "bank")
    assert text.startswith(
        "The model cannot tell these uses of “bank” apart. In the mean of the layers their cosines average 0.50"
    )
    two = verdict(Grouping(((0, 1),), 0.0, False), blocks([0, 0], 0.5), 0.2, "1", "bank")
    assert two.startswith(
        "The model cannot say whether these two uses of “bank” mean the same. At layer 1 their cosine is 0.50"
    )
    both = verdict(Grouping(((0, 1),), 1.0, True), blocks([0, 0], 0.9), 0.2, "1", "bank")
    assert both.startswith("Both uses of “bank” go together.")


def test_of_different_spellings_only_the_order_is_said():
    cosine = [[1, 0.7, 0.2], [0.7, 1, 0.4], [0.2, 0.4, 1]]
    text = ranked(cosine, 0.1, "1")
    assert text.startswith(
        "1 and 2 are the closest, 1 and 3 the furthest apart. At layer 1 their cosines are 0.70 and 0.20"
    )
    assert "no groups are named" in text
    assert ranked([[1, 0.7], [0.7, 1]], 0.1, "mean").startswith(
        "The cosine of the two is 0.70. Two random words have 0.10 in the"
    )


def test_four_in_two_groups():
    text = verdict(Grouping(((0, 2), (1, 3)), 1.0, True), blocks([0, 1, 0, 1]), 0.1, "2", "bark")
    assert text.startswith(
        "1 and 3 go together, 2 and 4 go together. At layer 2 uses that go together have a cosine of 0.80"
    )
    assert text.endswith("uses that do not have 0.20, two random words 0.10.")


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

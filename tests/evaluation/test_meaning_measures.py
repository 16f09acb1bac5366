"""Thresholds, nearest senses, groups, self-similarity and correlations, by hand and against
SciPy."""

import numpy as np
import pytest
from scipy import stats

from elmo_tasks.data.sense_uses import GradedPair
from elmo_tasks.evaluation import word_in_context
from elmo_tasks.evaluation.geometry import self_similarity
from elmo_tasks.evaluation.word_in_context import (
    accuracy_at,
    all_words_f1,
    best_threshold,
    graded_similarity,
    groups_match_senses,
    harmonic_mean,
    most_frequent,
    nearest,
    pearson,
    predict_all_words,
    sense_means,
    sense_scores,
    spearman,
    uncentred,
)
from elmo_tasks.text.uses import Use


def test_the_threshold_is_the_best_on_its_training_pairs():
    random = np.random.default_rng(0)
    for _ in range(30):
        cosines, same = random.integers(0, 6, 12) / 5, random.random(12) < 0.5  # with many ties
        best = max(accuracy_at(t, cosines, same) for t in (*np.arange(-0.1, 1.3, 0.1), np.inf))
        assert accuracy_at(best_threshold(cosines, same), cosines, same) == best


def test_the_threshold_stands_half_way_between_two_pairs():
    assert best_threshold(
        np.array([0.9, 0.2, 0.5]), np.array([True, False, True])
    ) == pytest.approx(0.35)
    assert best_threshold(np.array([0.9, 0.2]), np.array([False, False])) == np.inf
    assert best_threshold(np.array([0.9, 0.2]), np.array([True, True])) == -np.inf


def test_a_sense_is_where_its_uses_are_on_average():
    vectors = np.array([[1, 0], [0, 1], [0, -2.0]])
    means, names = sense_means(vectors, [("a",), ("a", "b"), ("c",)])
    assert names == ("a", "b", "c")
    np.testing.assert_allclose(means, [[0.5**0.5, 0.5**0.5], [0, 1], [0, -1]], atol=1e-6)


def test_nearest_goes_by_cosine_and_not_by_length():
    assert nearest(np.array([[1, 0.2], [0.2, 1.0]]), np.array([[0, 9.0], [0.1, 0]])) == [1, 0]


def test_macro_f1_counts_occurring_senses_and_ties_go_to_the_first():
    scores = sense_scores(["a", "b", "b", "b", "d"], ["a", "a", "b", "b", "c"])
    assert scores == pytest.approx((3 / 5, (2 / 3 + 4 / 5) / 3))
    assert most_frequent([("b",), ("a", "b"), ("a",), ("c",)]) == "b"


def test_a_missing_prediction_costs_recall_only():
    gold = [("x",), ("y", "z"), ("q",), ("r",)]
    f1 = all_words_f1(["x", "z", None, "no"], gold)  # precision 2/3, recall 2/4
    assert f1 == pytest.approx(2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4))
    assert all_words_f1(["x", "z", "no", "no"], gold) == 0.5


def test_only_senses_of_the_same_lemma_are_predicted_and_unseen_lemmas_fall_back():
    vectors = np.array([[1.0, 0], [0, 1], [1, 0]])
    predicted = predict_all_words(
        vectors,
        ["owl", "owl", "cat"],
        [("owl1",), ("owl2",), ("cat1",)],
        np.array([[0.1, 1], [0, 1], [1, 0], [1, 0]]),
        ["owl", "cat", "dog", "cow"],
        {"dog": "dog1", "owl": "owl9"},
    )
    assert predicted == ["owl2", "cat1", "dog1", None]


def test_groups_that_are_the_senses_have_index_1_and_noise_has_none():
    random = np.random.default_rng(0)
    senses = ["a"] * 30 + ["b"] * 30
    blobs = np.repeat(np.eye(8)[:2], 30, axis=0) + 0.05 * random.standard_normal((60, 8))
    assert groups_match_senses(blobs, senses) == 1.0
    assert abs(groups_match_senses(random.standard_normal((60, 8)), senses)) < 0.15
    assert groups_match_senses(np.ones((60, 8)), senses) == 0.0


def test_self_similarity_is_the_mean_over_words_of_the_mean_over_pairs():
    random = np.random.default_rng(0)
    vectors, words = random.standard_normal((9, 5)), ["a"] * 5 + ["b"] * 3 + ["c"]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    by_hand = []
    for start, end in ((0, 5), (5, 8)):
        cosine = unit[start:end] @ unit[start:end].T
        by_hand.append(cosine[np.triu_indices(end - start, 1)].mean())
    assert self_similarity(vectors, words, min_uses=2) == pytest.approx(np.mean(by_hand), abs=1e-6)
    assert self_similarity(vectors, words, min_uses=5) == pytest.approx(by_hand[0], abs=1e-6)
    assert np.isnan(self_similarity(vectors, words, min_uses=6))


def test_correlations_are_those_of_scipy():
    random = np.random.default_rng(0)
    a, b = random.integers(0, 5, 40) / 4, random.standard_normal(40)  # with ties
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic)
    assert spearman(a, np.ones(40)) == 0.0
    assert harmonic_mean(0.5, 0.25) == pytest.approx(1 / 3)
    assert harmonic_mean(0.5, -0.25) == 0.0


def test_without_centring_the_direction_of_a_change_counts():
    assert uncentred(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == pytest.approx(1.0)
    assert uncentred(np.array([1.0, 2.0]), np.array([-3.0, -4.0])) == pytest.approx(
        -11 / 5**0.5 / 5
    )
    assert pearson(np.array([1.0, 2.0]), np.array([-4.0, -3.0])) == pytest.approx(1.0)
    assert uncentred(np.zeros(2), np.array([1.0, 2.0])) == 0.0


class Oracle:
    """Its view "1" has the cosine that people would give; "0" the same in both texts."""

    views = ("0", "1")

    class encoder:
        n_layers = 2

    def __init__(self, pairs):
        self.pairs = pairs

    def words(self, words, what):
        return self

    def view(self, name):
        rows = []
        for pair in self.pairs:
            for likeness in pair.similarities:
                cosine = likeness / 10 if name == "1" else pair.similarities[0] / 10
                rows += [[1.0, 0.0], [cosine, (1 - cosine**2) ** 0.5]]
        return np.array(rows)


def test_a_perfect_model_scores_1_and_a_context_free_model_changes_nothing(monkeypatch, tmp_path):
    use = Use.of_tokens(("a", "b"), 0)
    likeness = [(1.0, 9.0), (5.0, 4.0), (2.0, 2.4), (8.0, 3.0), (6.0, 6.7), (0.0, 0.5)]
    pairs = [
        GradedPair((f"u{k}", f"v{k}"), ((use, use), (use, use)), pair)
        for k, pair in enumerate(likeness)
    ]
    monkeypatch.setattr(word_in_context, "read_cosimlex", lambda path: pairs)
    rows = {
        row.title.partition("CoSimLex, ")[2]: row
        for row in graded_similarity(Oracle(pairs), tmp_path)
    }
    assert [row.scores["1"] for row in rows.values()] == pytest.approx([1.0] * 4)
    assert rows["change from text to text, correlation"].scores["0"] == 0.0
    assert 0 < rows["likeness in a text, rank correlation"].scores["0"] < 1
    note = rows["change from text to text, correlation"].note
    assert "for people u0/v0 (+8.00), u3/v3 (-5.00), u1/v1 (-1.00)" in note
    assert "at layer 1 u0/v0 (+0.80), u3/v3 (-0.50)" in note
    assert [row.is_main for row in rows.values()] == [True, False, False, False]

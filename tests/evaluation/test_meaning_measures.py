"""Thresholds, nearest senses, groups and self-similarity, by hand."""

import numpy as np
import pytest

from elmo_tasks.evaluation.geometry import self_similarity
from elmo_tasks.evaluation.senses import (
    all_words_f1,
    groups_match_senses,
    most_frequent,
    nearest,
    predict_all_words,
    sense_means,
    sense_scores,
)
from elmo_tasks.evaluation.word_pairs import accuracy_at, best_threshold


def test_the_threshold_is_the_best_of_all_on_what_it_learned_from():
    random = np.random.default_rng(0)
    for _ in range(30):
        cosines, same = random.integers(0, 6, 12) / 5, random.random(12) < 0.5  # with many ties
        best = max(accuracy_at(t, cosines, same) for t in (*np.arange(-0.1, 1.3, 0.1), np.inf))
        assert accuracy_at(best_threshold(cosines, same), cosines, same) == best


def test_the_threshold_stands_half_way_between_two_pairs():
    assert best_threshold(np.array([0.9, 0.2, 0.5]), np.array([True, False, True])) == pytest.approx(0.35)
    assert best_threshold(np.array([0.9, 0.2]), np.array([False, False])) == np.inf
    assert best_threshold(np.array([0.9, 0.2]), np.array([True, True])) == -np.inf


def test_a_sense_is_where_its_uses_are_on_average():
    vectors = np.array([[1, 0], [0, 1], [0, -2.0]])
    means, names = sense_means(vectors, [("a",), ("a", "b"), ("c",)])
    assert names == ("a", "b", "c")
    np.testing.assert_allclose(means, [[0.5**0.5, 0.5**0.5], [0, 1], [0, -1]], atol=1e-6)


def test_nearest_goes_by_cosine_and_not_by_length():
    assert nearest(np.array([[1, 0.2], [0.2, 1.0]]), np.array([[0, 9.0], [0.1, 0]])).tolist() == [1, 0]


def test_macro_f1_counts_the_senses_there_are():
    assert sense_scores(["a", "b", "b", "b", "d"], ["a", "a", "b", "b", "c"]) == pytest.approx(
        (3 / 5, (2 / 3 + 4 / 5) / 3)
    )


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


def test_the_most_frequent_sense():
    assert most_frequent([("b",), ("a", "b"), ("a",), ("c",)]) == "b"


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

"""Correlations by hand and against SciPy; what is alike for people is alike for a reader that knows it."""

import numpy as np
import pytest
from scipy import stats

from elmo_tasks.data.sense_uses import GradedPair
from elmo_tasks.evaluation import word_pairs
from elmo_tasks.evaluation.word_pairs import graded_similarity, harmonic_mean, pearson, spearman, uncentred
from elmo_tasks.uses import Use


def test_correlations_are_those_of_scipy():
    random = np.random.default_rng(0)
    a, b = random.integers(0, 5, 40) / 4, random.standard_normal(40)  # with ties
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic)
    assert spearman(a, np.ones(40)) == 0.0


def test_without_centring_the_direction_of_a_change_counts():
    assert uncentred(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == pytest.approx(1.0)
    assert uncentred(np.array([1.0, 2.0]), np.array([-3.0, -4.0])) == pytest.approx(-11 / 5**0.5 / 5)
    assert pearson(np.array([1.0, 2.0]), np.array([-4.0, -3.0])) == pytest.approx(1.0)
    assert uncentred(np.zeros(2), np.array([1.0, 2.0])) == 0.0


def test_a_harmonic_mean_of_what_is_not_above_0_is_0():
    assert harmonic_mean(0.5, 0.25) == pytest.approx(1 / 3)
    assert harmonic_mean(0.5, -0.25) == 0.0


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
            for likeness in pair.likeness:
                cosine = likeness / 10 if name == "1" else pair.likeness[0] / 10
                rows += [[1.0, 0.0], [cosine, (1 - cosine**2) ** 0.5]]
        return np.array(rows)


def test_who_knows_what_people_say_scores_1_and_who_does_not_read_the_text_moves_nothing(monkeypatch, tmp_path):
    use = Use.of_tokens(("a", "b"), 0)
    likeness = [(1.0, 9.0), (5.0, 4.0), (2.0, 2.4), (8.0, 3.0), (6.0, 6.7), (0.0, 0.5)]
    pairs = [GradedPair((f"u{k}", f"v{k}"), ((use, use), (use, use)), pair) for k, pair in enumerate(likeness)]
    monkeypatch.setattr(word_pairs, "read_cosimlex", lambda path: pairs)
    rows = {row.title.partition("CoSimLex, ")[2]: row for row in graded_similarity(Oracle(pairs), tmp_path)}
    assert [row.scores["1"] for row in rows.values()] == pytest.approx([1.0] * 4)
    assert rows["change from text to text, correlation"].scores["0"] == 0.0
    assert 0 < rows["likeness in a text, rank correlation"].scores["0"] < 1
    note = rows["change from text to text, correlation"].note
    assert "for people u0/v0 (+8.00), u3/v3 (-5.00), u1/v1 (-1.00)" in note
    assert "at layer 1 u0/v0 (+0.80), u3/v3 (-0.50)" in note
    assert [row.is_main for row in rows.values()] == [True, False, False, False]

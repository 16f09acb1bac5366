"""Pairs in order: of uses of one word, are those in one sense nearer to each other?"""

from itertools import combinations

import numpy as np
import pytest

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.evaluation.geometry import held_out_uses, ordering, pairs_in_order
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.senses.entries import is_held_out
from elmo_tasks.senses.features import unit
from elmo_tasks.senses.lexicon import bundled_lexicon


def test_pairs_in_order_are_counted() -> None:
    r = np.random.default_rng(0)
    vectors = unit(r.normal(size=(9, 4)))
    words, senses = list("aaaaabbbb"), ["x", "x", "y", "y", "y", "x", "x", "y", "x"]
    shares = []
    for word in "ab":
        rows = [k for k, w in enumerate(words) if w == word]
        same = [(i, j) for i, j in combinations(rows, 2) if senses[i] == senses[j]]
        different = [(i, j) for i, j in combinations(rows, 2) if senses[i] != senses[j]]
        right = [
            vectors[i] @ vectors[j] > vectors[k] @ vectors[m] for i, j in same for k, m in different
        ]
        shares.append(np.mean(right))
    assert pairs_in_order(vectors, words, senses) == pytest.approx(np.mean(shares))
    assert (
        pairs_in_order(np.ones((4, 1), np.float32), list("aaaa"), list("xxyy")) == 0.5
    )  # ties are right by half


def test_only_words_are_measured_that_nothing_was_fitted_on() -> None:
    uses, words, senses = held_out_uses(bundled_lexicon())
    assert len(uses) == len(words) == len(senses) > 1_000
    assert len(set(words)) > 100
    assert all(map(is_held_out, words))
    for word in set(words):
        assert len({sense for w, sense in zip(words, senses, strict=True) if w == word}) > 1


def test_of_static_vectors_the_layer_is_uninformative_and_the_bag_informative() -> None:
    static = StaticVectors.load("static-mini")
    rows = ordering(Reader(static, static), None)  # type: ignore[arg-type]
    assert [row.title for row in rows] == ["Pairs in order, held-out words", "Bag of layer 0"]
    for row in rows:
        assert 0 <= min(row.scores.values()) <= max(row.scores.values()) <= 1
    assert rows[1].scores["0"] == pytest.approx(
        rows[1].without, abs=0.02
    )  # the same vectors, by another way

"""Word-by-word evidence beside a plain loop over the definition."""

import numpy as np
import pytest
import torch

from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.senses.entries import Sense
from elmo_tasks.senses.features import unit
from elmo_tasks.senses.word_matches import (
    CompactWords,
    WeightedWords,
    context_words,
    joined_words,
    match,
    meaning_words,
)
from elmo_tasks.text.mentions import find_mention

WORDS = ["bank", "money", "cash", "river", "water", "the", "filler"]


@pytest.fixture(scope="module")
def static():
    r = np.random.default_rng(0)
    return StaticVectors(
        WORDS,
        torch.from_numpy(r.normal(size=(7, 5)).astype(np.float32)),
        [3, 5, 2, 4, 6, 80, 9_000],
    )


def vector(static, word):
    return unit(static.vectors_of([word]).numpy())[0]


def test_context_words_leave_out_the_word_itself_and_unknown_words(static):
    found = context_words(static, find_mention("bank", "The unheard bank, money bank and cash."))
    assert (
        len(found.weights) == 3
    )  # the, money, cash: neither the second bank nor what has no vector
    expected = [
        float(
            rarity(np.array([static.share_of(w)]))[0]
            * np.exp(2 * vector(static, w) @ vector(static, "bank"))
        )
        for w in ("the", "money", "cash")
    ]
    assert found.weights == pytest.approx(expected, rel=1e-5)


def test_a_match_by_hand(static):
    use = context_words(static, find_mention("bank", "The bank has cash."))
    money = Sense(
        "money", "noun", "where cash is", ("The [bank] has money.", "My [bank] took the cash.")
    )
    river = Sense("river", "noun", "by the water", ("The [bank] of the river.",))
    meanings = [meaning_words(static, "bank", sense) for sense in (money, river)]
    found = match([use, use], meanings)
    for s, meaning in enumerate(meanings):
        logs, nearest = [], []
        for v in use.vectors:
            cosines = [float(v @ other) for other in meaning.vectors]
            density = sum(
                w * np.exp(8 * (c - 1)) for w, c in zip(meaning.weights, cosines, strict=True)
            )
            logs.append(np.log(density / meaning.weights.sum() + 1e-6))
            nearest.append(max(cosines))
        assert found.total[:, s] == pytest.approx(use.weights @ logs, rel=1e-4)
        assert found.mean[:, s] == pytest.approx(use.weights @ logs / use.weights.sum(), rel=1e-4)
        assert found.nearest[:, s] == pytest.approx(
            use.weights @ nearest / use.weights.sum(), rel=1e-4
        )
    assert found.total[0, 0] > found.total[0, 1]
    part = found.part([1], [0])
    assert part.total == found.total[1:, :1]
    assert part.weight == found.weight[1:]


def test_without_a_known_word_nothing_speaks_for_any_meaning(static):
    nothing = context_words(static, find_mention("bank", "Xyzzy bank."))
    meanings = [
        meaning_words(static, "bank", Sense("a", "noun", "cash", ("A [bank].",))),
        joined_words([nothing]),
    ]
    assert match([nothing], meanings).total.tolist() == [[0, 0]]
    known = context_words(static, find_mention("bank", "The bank has cash."))
    found = match([known], [WeightedWords(nothing.vectors, nothing.weights, nothing.rows)])
    assert found.mean == pytest.approx(np.log(1e-6))


def test_a_long_sentence_weighs_as_much_as_one_of_about_ten_words(static):
    money = meaning_words(
        static, "bank", Sense("money", "noun", "cash", ("The [bank] has money.",))
    )
    short, long = (
        context_words(static, find_mention("bank", "The bank " + "cash filler " * n))
        for n in (30, 60)
    )
    found = match([short, long], [money])
    assert found.weight[1] > found.weight[0] > 3
    assert found.total == pytest.approx(3 * found.mean)


def test_compact_words_give_the_same_vectors_again(static):
    sense = Sense("money", "noun", "where cash is", ("The [bank] has money, and cash.",))
    words = meaning_words(static, "bank", sense)
    again = CompactWords(words.weights, words.rows).weighted(static)
    assert len(words.weights)
    np.testing.assert_array_equal(again.vectors, words.vectors)

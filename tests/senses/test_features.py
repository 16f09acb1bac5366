"""The views of a use, against a computation with NumPy alone."""

import numpy as np
import pytest
import torch

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.features import (
    CONTEXT,
    WORDS,
    centred,
    context_vector,
    context_vectors,
    extract,
    join,
    unit,
)
from elmo_tasks.text.uses import Use
from tests.bilm.tiny import tiny

WORDS_OF = ["the", "river", "bank", "was", "steep", "and", "green"]


@pytest.fixture(scope="module")
def static():
    vectors = torch.from_numpy(
        np.random.default_rng(0).normal(size=(len(WORDS_OF), 6)).astype(np.float32)
    )
    return StaticVectors(WORDS_OF, vectors, [9_000, 10, 20, 3_000, 5, 4_000, 8])


def by_hand(static, tokens, at):
    shares = np.array(static.counts) / sum(static.counts)
    table = {
        w: v / np.linalg.norm(v) for w, v in zip(static.words, static.vectors.numpy(), strict=True)
    }
    total = np.zeros(static.width)
    for k, token in enumerate(tokens):
        if k != at and token in table and token != tokens[at]:
            alike = table[token] @ table[tokens[at]]
            total += (
                1e-4 / (1e-4 + shares[static.words.index(token)]) * np.exp(2 * alike) * table[token]
            )
    return total / np.linalg.norm(total)


def test_words_around_a_word(static):
    tokens = ("the", "bank", "was", "steep", "unknown", "bank")
    found = context_vectors(static, [Use.of_tokens(tokens, 1), Use.of_tokens(tokens, 3)])
    np.testing.assert_allclose(found[0], by_hand(static, tokens, 1), atol=1e-5)
    np.testing.assert_allclose(found[1], by_hand(static, tokens, 3), atol=1e-5)


def test_without_a_known_word_around_it_the_vector_is_zero(static):
    assert not context_vectors(static, [Use.of_tokens(("gnu", "bank", "gnu"), 1)]).any()
    assert not context_vector(np.eye(2, 3), np.zeros(2), 0, 2.0)[0]


def test_views_come_from_the_layers_and_the_states_beside_the_word(static):
    elmo = Elmo(tiny())
    uses = [
        Use.of_tokens(("the", "bank", "was", "steep"), 1),
        Use.of_tokens(("the", "river", "bank"), 2),
    ]
    views = extract(elmo, static, None, uses, [2])
    assert set(views) == {"layer 2", CONTEXT, WORDS}
    half = elmo.width // 2
    for row, use in enumerate(uses):
        layers = elmo.encode([use.tokens]).sentence(0).numpy()
        np.testing.assert_allclose(views["layer 2"][row], layers[2, use.token_start], atol=1e-5)
        np.testing.assert_allclose(
            views[CONTEXT][row, :half], layers[2, use.token_start - 1, :half], atol=1e-5
        )
    first = elmo.encode([uses[0].tokens]).sentence(0).numpy()
    np.testing.assert_allclose(views[CONTEXT][0, half:], first[2, 2, half:], atol=1e-5)


def test_dot_products_of_joined_views_are_weighted_cosines():
    r = np.random.default_rng(1)
    views = {
        "a": r.normal(size=(4, 3)).astype(np.float32),
        "b": r.normal(size=(4, 5)).astype(np.float32),
    }
    views["b"][2] = 0
    centres = {name: view.mean(axis=0) for name, view in views.items()}
    joined = join(views, centres, {"a": 2.0, "b": 0.5})
    a, b = (centred(views[n], centres[n]) for n in "ab")
    np.testing.assert_allclose(joined @ joined.T, 2 * a @ a.T + 0.5 * b @ b.T, atol=1e-5)
    assert not b[2].any()
    np.testing.assert_allclose(np.linalg.norm(unit(views["a"]), axis=1), 1, atol=1e-6)

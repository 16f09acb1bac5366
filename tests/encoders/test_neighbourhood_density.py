"""How near other words stand to a word, about what is usual."""

import numpy as np
import pytest
import torch
from elmo_tasks.senses.gallery import everyday_uses
from sklearn.metrics import roc_auc_score

from elmo_tasks.encoders import neighbourhood_density
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.evaluation.ordering import held_out_of_several_senses


@pytest.fixture(autouse=True)
def two_neighbours(monkeypatch, request):
    if "bundled" not in request.fixturenames:
        monkeypatch.setattr(neighbourhood_density, "_NEIGHBOURS", 2)
        monkeypatch.setattr(neighbourhood_density, "_EVERY", 1)


@pytest.fixture(scope="module")
def bundled():
    return StaticVectors.load()


def of(vectors):
    return StaticVectors([f"w{k}" for k in range(len(vectors))], torch.as_tensor(np.array(vectors, np.float32)))


def test_by_hand():
    vectors = np.random.default_rng(0).normal(size=(6, 3))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T
    nearness = np.array([np.sort(np.delete(row, k))[-2:].mean() for k, row in enumerate(cosines)])
    expected = (nearness - nearness.mean()) / nearness.std()
    assert [of(vectors).density(f"w{k}") for k in range(6)] == pytest.approx(expected, abs=1e-4)


def test_a_word_among_its_like_is_denser_than_one_between_two_crowds():
    r = np.random.default_rng(1)
    one, other = np.eye(8)[0], np.eye(8)[1]
    crowds = [*(one + 0.1 * r.normal(size=(5, 8))), *(other + 0.1 * r.normal(size=(5, 8))), one + other]
    static = of(crowds)
    assert static.density("w10") < -1 < 0 < static.density("w0")


def test_unknown_words_and_tiny_vocabularies_say_nothing():
    assert of(np.eye(3)).density("never") == 0
    assert of([[1.0, 2.0]]).density("w0") == 0
    assert of(np.eye(3)).density("w1") == 0  # none is nearer than another


def test_words_with_one_sense_stand_nearer_to_others(bundled):
    """On words that nothing is fitted on; 0.5 would be no difference."""
    several = {use.word for use in held_out_of_several_senses(everyday_uses())}
    senses = {}
    for use in everyday_uses():
        senses.setdefault(use.word, set()).add(use.sense)
    one = {word for word, names in senses.items() if len(names) == 1}
    words = sorted(several | one)
    assert roc_auc_score([word in one for word in words], [bundled.density(word) for word in words]) > 0.78

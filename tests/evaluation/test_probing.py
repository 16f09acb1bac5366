"""Probes find linear properties of vectors, and are deterministic."""

from itertools import pairwise

import numpy as np
import pytest

from elmo_tasks.evaluation import probing
from elmo_tasks.evaluation.probing import class_accuracy, span_tags


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    monkeypatch.setattr(probing, "CLASS_STEPS", 200)
    monkeypatch.setattr(probing, "SPAN_STEPS", 60)


def classes(n, seed, noise=0.1):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, n)
    # Far from zero and of very different scales, as layers are.
    vectors = (
        100 * (np.eye(6)[labels] + noise * random.standard_normal((n, 6))) * [1, 1e-3, 1, 1, 1, 10]
        + 50
    )
    return vectors, [f"c{k}" for k in labels]


def test_a_linear_probe_finds_classes_whatever_the_scale():
    assert class_accuracy(*classes(400, 0), *classes(200, 1)) == 1.0


def test_a_probe_finds_nothing_in_noise_and_unknown_classes_are_wrong():
    random = np.random.default_rng(0)
    train, labels = classes(400, 0)
    assert class_accuracy(random.standard_normal((400, 6)), labels, *classes(300, 1)) < 0.5
    assert class_accuracy(train, labels, train[:5], ["never seen"] * 5) == 0.0


def tagged(n, seed):
    """Vectors that encode their tags; S-A after any tag but O would be well-formed, too."""
    random = np.random.default_rng(seed)
    rows = [
        ["O"] * int(random.integers(1, 5)) + ["B-A", "E-A"] + ["O"] * int(random.integers(0, 3))
        for _ in range(n)
    ]
    ids = {"O": 0, "B-A": 1, "E-A": 2}
    vectors = np.concatenate([np.eye(4)[[ids[t] for t in row]] for row in rows])
    return vectors + 0.1 * random.standard_normal(vectors.shape), rows


def test_the_span_probe_reads_sentences_of_any_length_in_their_order():
    held_out, gold = tagged(40, 1)
    predicted = span_tags(*tagged(200, 0), held_out, [len(row) for row in gold], "BIOES")
    assert predicted == [tuple(row) for row in gold]


def test_the_span_probe_gives_well_formed_tags_and_the_same_again():
    random = np.random.default_rng(2)
    vectors, rows = tagged(60, 0)
    noise = random.standard_normal((30, 4))
    predicted = span_tags(vectors, rows, noise, [10, 10, 10], "BIOES")
    pairs = {pair for row in predicted for pair in pairwise(row)}
    assert not pairs & {("O", "E-A"), ("B-A", "O"), ("B-A", "B-A"), ("E-A", "E-A")}
    assert predicted == span_tags(vectors, rows, noise, [10, 10, 10], "BIOES")

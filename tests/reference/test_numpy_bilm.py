"""The yardstick itself: the NumPy biLM against the published reference numbers, and what ``fill`` promises."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from tests.reference.numpy_bilm import Arrays, NumpyBilm, character_ids, fill, shapes

SENTENCE = ["The", "heron", "stood", "on", "the", "river", "bank", "until", "the", "bank", "'s", "bell", "rang", "."]

OPTIONS: dict[str, Any] = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 16,
        "cell_clip": 3,
        "proj_clip": 3,
        "dim": 64,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [[1, 8], [2, 8], [3, 16]],
        "n_highway": 1,
        "embedding": {"dim": 8},
        "n_characters": 262,
        "max_characters_per_token": 50,
    },
}

# The reference is stored in float32: a value of 4 is known to 2.4e-7, and was computed in several roundings.
FLOAT32 = float(np.finfo(np.float32).eps)


def changed(**values: Any) -> dict[str, Any]:
    options = copy.deepcopy(OPTIONS)
    for name, value in values.items():
        part = options["lstm"] if name in options["lstm"] else options["char_cnn"]
        assert name in part
        part[name] = value
    return options


def read(path: Path) -> Arrays:
    arrays: Arrays = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: arrays.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
    return arrays


def published(folder: Path) -> NumpyBilm:
    return NumpyBilm(read(folder / "lm_weights.hdf5"), json.loads((folder / "options.json").read_text("utf-8")))


@pytest.mark.parametrize(
    ("source", "sentences"), [("allennlp", "sentences.json"), ("bilm_tf", "lm_embeddings_sentences.json")]
)
def test_published_top_layer_with_carried_state(shared_data: Path, source: str, sentences: str) -> None:
    folder = shared_data / "elmo_fixture" / source
    model = published(folder)
    streams = json.loads((folder / sentences).read_text("utf-8"))
    assert [len(stream) for stream in streams] == [10, 10, 10]
    n_compared = n_beyond = 0
    for k, stream in enumerate(streams):
        expected = read(folder / f"lm_embeddings_{k}.hdf5")
        state = None
        for i, sentence in enumerate(stream):
            layers, state = model.layers(sentence.split(), state)
            forward, backward = expected[str(i)]
            reference = np.concatenate([forward, backward], axis=-1)
            np.testing.assert_allclose(layers[-1], reference, atol=1e-6, rtol=FLOAT32)
            n_compared += reference.size
            n_beyond += int(np.sum(np.abs(layers[-1] - reference) > 1e-6))
    assert n_compared > 20_000
    assert n_beyond <= 2  # 1e-6 absolute holds for all but the rounding of the largest values


def test_published_token_vectors_of_the_vocabulary(shared_data: Path) -> None:
    folder = shared_data / "elmo_fixture" / "allennlp"
    words = (folder / "vocab_test.txt").read_text("utf-8").splitlines()
    expected = read(folder / "elmo_token_embeddings.hdf5")["embedding"]
    begin, *vectors, end = published(folder).token_vectors(words)
    boundaries = {"<S>": begin, "</S>": end}  # in the vocabulary these stand for the boundaries, not for their letters
    found = np.array([boundaries.get(word, vector) for word, vector in zip(words, vectors, strict=True)])
    assert len(words) == 458
    np.testing.assert_allclose(found, expected, atol=1e-6, rtol=4 * FLOAT32)


def test_character_ids() -> None:
    assert character_ids("ab", 6) == [258, 97, 98, 259, 260, 260]
    assert character_ids("abcdefgh", 6) == [258, 97, 98, 99, 100, 259]
    assert character_ids("é", 5) == [258, 0xC3, 0xA9, 259, 260]


def test_fill_has_the_published_layout(shared_data: Path) -> None:
    folder = shared_data / "elmo_fixture" / "allennlp"
    options = json.loads((folder / "options.json").read_text("utf-8"))
    weights = read(folder / "lm_weights.hdf5")
    filled = fill(options)
    assert {name: array.shape for name, array in filled.items()} == {name: a.shape for name, a in weights.items()}
    assert {array.dtype for array in filled.values()} == {np.dtype(np.float32)}


@pytest.mark.parametrize("n_highway", [1, 2])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_filled_model_is_in_a_useful_range(n_highway: int, activation: str) -> None:
    options = changed(n_highway=n_highway, activation=activation)
    layers, state = NumpyBilm(fill(options), options).layers(SENTENCE)
    for layer in layers:
        assert 0.3 < layer.std() < 3.0
        assert np.abs(layer).max() < 10.0
        assert layer.std(axis=0).mean() > 0.05  # tokens differ
        assert np.linalg.matrix_rank(layer, tol=1e-3) >= 10
    assert not np.allclose(layers[1][:, :16], layers[1][:, 16:], atol=0.1)
    assert all(np.linalg.matrix_rank(a.reshape(-1, a.shape[-1])) > 2 for a in fill(options).values() if a.ndim > 1)
    hidden_and_cells = [part for direction in state for layer_state in direction for part in layer_state]
    assert all(np.abs(part).max() <= 3.0 for part in hidden_and_cells)


@pytest.mark.parametrize("which", ["cell_clip", "proj_clip"])
def test_clipping_really_clips_filled_models(which: str) -> None:
    clipped, state = NumpyBilm(fill(OPTIONS), OPTIONS).layers(SENTENCE)
    options = changed(**{which: None})
    free, free_state = NumpyBilm(fill(options), options).layers(SENTENCE)
    part = 1 if which == "cell_clip" else 0
    assert max(np.abs(layer[part]).max() for direction in state for layer in direction) <= 3.0
    if which == "cell_clip":
        assert max(np.abs(layer[part]).max() for direction in free_state for layer in direction) > 3.5
    else:
        assert np.abs(free[1]).max() > 3.25
        assert np.mean(np.abs(clipped[1]) == 3.0) > 0.01
    np.testing.assert_array_equal(clipped[0], free[0])
    # A reader that forgets to clip misses by hundreds of times the 1e-5 that other code is compared with.
    assert np.abs(clipped[1] - free[1]).max() > 5e-3
    assert np.abs(clipped[2] - free[2]).max() > 5e-3


def test_one_step_worked_out_by_hand() -> None:
    """One layer, one cell, every weight 0 but the biases: the gates are known numbers."""
    options = changed(n_layers=1, dim=1, projection_dim=1, filters=[[1, 1]], cell_clip=None, proj_clip=None)
    arrays = {name: np.zeros(shape) for name, shape in shapes(options).items()}
    for direction in range(2):
        cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell0/LSTMCell"
        arrays[f"{cell}/B"] = np.array([0.1, 0.2, 0.3, 0.4])  # input, candidate, forget, output
        arrays[f"{cell}/W_P_0"] = np.array([[2.0]])
    layers, _ = NumpyBilm(arrays, options).layers(["a"])
    gate_in, gate_out, forget = (1 / (1 + np.exp(-x)) for x in (0.1, 0.4, 1.3))  # 1.3: the forget gate's bias plus 1
    first = gate_in * np.tanh(0.2)  # at the boundary
    second = forget * first + gate_in * np.tanh(0.2)
    np.testing.assert_allclose(layers[1], [[2 * gate_out * np.tanh(second)] * 2], atol=1e-15)


def test_highway_carries_what_it_transforms() -> None:
    """With an open carry gate the transformed value comes out, with a shut one the value that went in."""
    options = changed(filters=[[1, 2]], projection_dim=2)
    arrays: Arrays = {name: np.zeros(shape) for name, shape in shapes(options).items()}
    arrays["CNN/b_cnn_0"] = np.array([0.5, 2.0])
    arrays["CNN_high_0/b_transform"] = np.array([7.0, 7.0])
    arrays["CNN_high_0/b_carry"] = np.array([100.0, -100.0])
    arrays["CNN_proj/W_proj"] = np.eye(2)
    vectors = NumpyBilm(arrays, options).token_vectors(["a"])
    np.testing.assert_allclose(vectors, [[7.0, 2.0]] * 3, atol=1e-12)

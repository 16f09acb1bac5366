"""The published layout gives the published numbers: our torch biLM against the reference embeddings
of AllenNLP and bilm-tf, and against a plain NumPy one in float64 that was written from the
description of that layout alone.
"""

import copy
import json
from typing import Any

import h5py
import numpy as np
import pytest
import torch

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import read_hdf5
from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.encoders.elmo import Elmo, steps_of
from elmo_tasks.text.characters import character_ids
from tests.bilm.numpy_bilm import Arrays, NumpyBilm, fill, shapes
from tests.bilm.tiny import load_published

# The references are float32 themselves: of 9,000 values two are further than 1e-6 (1.14e-6) from
# what float64 gives too.
ONE_ROUNDING = float(np.finfo(np.float32).eps)


@pytest.mark.parametrize(
    ("name", "sentences", "skip_connections"),
    [("allennlp", "sentences.json", True), ("bilm_tf", "lm_embeddings_sentences.json", False)],
)
@pytest.mark.parametrize(("precision", "most_over"), [(torch.float64, 2), (torch.float32, 3)])
@torch.inference_mode()
def test_top_layer_with_carried_state(
    shared_data, name, sentences, skip_connections, precision, most_over
):
    folder = shared_data / "elmo_fixture" / name
    bilm = load_published(folder).to(precision)
    assert bilm.options.lstm.use_skip_connections is skip_connections
    streams = json.loads((folder / sentences).read_text())
    states = None
    n_over = 0
    for i in range(10):
        texts = [stream[i].split() for stream in streams]
        output = bilm(*steps_of(texts, 50), states=states, carry=True)
        states = output.states
        for k, words in enumerate(texts):
            with h5py.File(folder / f"lm_embeddings_{k}.hdf5") as file:
                expected = np.concatenate(file[str(i)][()], axis=-1)
            top = output.layers[-1, k, 1 : len(words) + 1].numpy()
            np.testing.assert_allclose(top, expected, atol=1e-6, rtol=ONE_ROUNDING)
            n_over += int((abs(top - expected) > 1e-6).sum())
    assert n_over <= most_over


@torch.inference_mode()
def test_token_layer_of_the_vocabulary(shared_data):
    folder = shared_data / "elmo_fixture" / "allennlp"
    words = [line.strip() for line in (folder / "vocab_test.txt").read_text().splitlines()]
    with h5py.File(folder / "elmo_token_embeddings.hdf5") as file:
        expected = file["embedding"][()]
    table = [character_ids(word) for word in words]
    vectors = load_published(folder).token_encoder(torch.tensor(table)).numpy()
    plain = [k for k, word in enumerate(words) if word not in ("<S>", "</S>")]
    np.testing.assert_allclose(vectors[plain], expected[plain], atol=1e-6, rtol=4 * ONE_ROUNDING)
    assert (abs(vectors[plain] - expected[plain]) > 1e-6).sum() <= 5
    assert len(plain) >= len(words) - 2


SENTENCES = [
    ["The", "ferry", "is", "late", "again", "."],
    ["Naïve", "cafés", "sell", "crème", "brûlée", "🍮", "for", "9", "€"],
    ["x" * 70, "-"],
    ["No"],
]


OPTIONS: dict[str, Any] = BiLMOptions(
    LSTMOptions(dim=64, projection_dim=16, cell_clip=3, proj_clip=3),
    CharCNNOptions(((1, 8), (2, 8), (3, 16)), embedding_dim=8),
).to_dict()


def changed(**values: Any) -> dict[str, Any]:
    options = copy.deepcopy(OPTIONS)
    for name, value in values.items():
        part = options["lstm"] if name in options["lstm"] else options["char_cnn"]
        assert name in part
        part[name] = value
    return options


@pytest.mark.parametrize("clip", [None, 3])
@pytest.mark.parametrize(
    "cells", [48, 16, 9]
)  # more than the projection has outputs, as many, fewer
@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize(
    ("highways", "n_characters", "activation"),
    [(1, 261, "relu"), (2, 262, "relu"), (2, 262, "tanh")],
)
def test_all_layers_agree(tmp_path, clip, skip, cells, highways, n_characters, activation):
    options = changed(
        use_skip_connections=skip,
        cell_clip=clip,
        proj_clip=clip,
        dim=cells,
        filters=[[1, 8], [2, 8], [3, 16], [7, 24]],
        n_highway=highways,
        embedding={"dim": 6},
        n_characters=n_characters,
        activation=activation,
    )
    arrays = fill(options)
    with h5py.File(tmp_path / "w.hdf5", "w") as file:
        for name, array in arrays.items():
            file[name] = array
    ours_options = BiLMOptions.from_dict(options)
    bilm = BiLM(ours_options)
    bilm.load_state_dict(read_hdf5(tmp_path / "w.hdf5", ours_options))
    ours = Elmo(bilm).encode(SENTENCES)
    reference = NumpyBilm(arrays, options)
    for k, sentence in enumerate(SENTENCES):
        theirs, _ = reference.layers(sentence)
        assert np.abs(theirs).max() > 0.5  # not a comparison of zeros
        np.testing.assert_allclose(ours.sentence(k).numpy(), theirs, atol=1e-5, rtol=0)


# --- The yardstick itself. ---

SENTENCE = [
    "The",
    "heron",
    "stood",
    "on",
    "the",
    "river",
    "bank",
    "until",
    "the",
    "bank",
    "'s",
    "bell",
    "rang",
    ".",
]


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
    assert all(
        np.linalg.matrix_rank(a.reshape(-1, a.shape[-1])) > 2
        for a in fill(options).values()
        if a.ndim > 1
    )
    hidden_and_cells = [
        part for direction in state for layer_state in direction for part in layer_state
    ]
    assert all(np.abs(part).max() <= 3.0 for part in hidden_and_cells)


@pytest.mark.parametrize("which", ["cell_clip", "proj_clip"])
def test_clipping_really_clips_filled_models(which: str) -> None:
    clipped, _ = NumpyBilm(fill(OPTIONS), OPTIONS).layers(SENTENCE)
    options = changed(**{which: None})
    free, free_state = NumpyBilm(fill(options), options).layers(SENTENCE)
    if which == "cell_clip":
        assert max(np.abs(cell).max() for direction in free_state for _, cell in direction) > 3.5
    else:
        assert np.abs(free[1]).max() > 3.25
        assert np.mean(np.abs(clipped[1]) == 3.0) > 0.01
    np.testing.assert_array_equal(clipped[0], free[0])
    # A reader that forgets to clip misses by hundreds of times the 1e-5 that other code is compared
    # with.
    assert np.abs(clipped[1] - free[1]).max() > 5e-3
    assert np.abs(clipped[2] - free[2]).max() > 5e-3


def test_one_step_worked_out_by_hand() -> None:
    """One layer, one cell, every weight 0 but the biases: the gates are known numbers."""
    options = changed(
        n_layers=1, dim=1, projection_dim=1, filters=[[1, 1]], cell_clip=None, proj_clip=None
    )
    arrays = {name: np.zeros(shape) for name, shape in shapes(options).items()}
    for direction in range(2):
        cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell0/LSTMCell"
        arrays[f"{cell}/B"] = np.array([0.1, 0.2, 0.3, 0.4])  # input, candidate, forget, output
        arrays[f"{cell}/W_P_0"] = np.array([[2.0]])
    layers, _ = NumpyBilm(arrays, options).layers(["a"])
    # 1.3: the forget gate's bias plus 1
    gate_in, gate_out, forget = (1 / (1 + np.exp(-x)) for x in (0.1, 0.4, 1.3))
    first = gate_in * np.tanh(0.2)  # at the boundary
    second = forget * first + gate_in * np.tanh(0.2)
    np.testing.assert_allclose(layers[1], [[2 * gate_out * np.tanh(second)] * 2], atol=1e-15)


def test_a_highway_mixes_its_input_and_its_transform() -> None:
    """With an open carry gate the transformed value comes out, with a shut one the value that went
    in."""
    options = changed(filters=[[1, 2]], projection_dim=2)
    arrays: Arrays = {name: np.zeros(shape) for name, shape in shapes(options).items()}
    arrays["CNN/b_cnn_0"] = np.array([0.5, 2.0])
    arrays["CNN_high_0/b_transform"] = np.array([7.0, 7.0])
    arrays["CNN_high_0/b_carry"] = np.array([100.0, -100.0])
    arrays["CNN_proj/W_proj"] = np.eye(2)
    vectors = NumpyBilm(arrays, options).token_vectors(["a"])
    np.testing.assert_allclose(vectors, [[7.0, 2.0]] * 3, atol=1e-12)

"""The outputs of the TF-Hub module, by its names: shapes, and numbers against AllenNLP's fixture."""

import json

import h5py
import numpy as np
import pytest
import torch

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import InputError
from tests.bilm.test_bilm import tiny
from tests.bilm.test_reference import load


def test_names_shapes_and_numbers(shared_data):
    folder = shared_data / "elmo_fixture" / "allennlp"
    elmo = Elmo(load(folder))
    texts = [stream[0] for stream in json.loads((folder / "sentences.json").read_text())]
    longest = max(len(text.split()) for text in texts)
    found = elmo.hub_outputs(texts)
    assert {name: tuple(value.shape) for name, value in found.items()} == {
        "word_emb": (3, longest, 16),
        "lstm_outputs1": (3, longest, 32),
        "lstm_outputs2": (3, longest, 32),
        "elmo": (3, longest, 32),
        "default": (3, 32),
    }
    vocabulary = [line.strip() for line in (folder / "vocab_test.txt").read_text().splitlines()]
    with h5py.File(folder / "elmo_token_embeddings.hdf5") as file:
        table = dict(zip(vocabulary, file["embedding"][()], strict=True))
    for k, text in enumerate(texts):
        words = text.split()
        with h5py.File(folder / f"lm_embeddings_{k}.hdf5") as file:
            top = np.concatenate(file["0"][()], axis=-1)
        np.testing.assert_allclose(found["lstm_outputs2"][k, : len(words)].numpy(), top, atol=2e-6)
        known = [t for t, word in enumerate(words) if word in table]
        assert known
        expected = np.stack([table[words[t]] for t in known])
        np.testing.assert_allclose(found["word_emb"][k, known].numpy(), expected, atol=2e-6)
        np.testing.assert_allclose(
            found["default"][k].numpy(), found["elmo"][k, : len(words)].mean(dim=0).numpy(), atol=1e-6
        )
    both = torch.cat([found["word_emb"]] * 2, dim=-1) + found["lstm_outputs1"] + found["lstm_outputs2"]
    torch.testing.assert_close(found["elmo"], both / 3)


def test_tokens_may_be_padded_and_lengths_given():
    elmo = Elmo(tiny())
    plain = elmo.hub_outputs(["the cat sat", "dogs"])
    for lengths in (None, [3, 1]):
        padded = elmo.hub_outputs([["the", "cat", "sat"], ["dogs", "", ""]], lengths)
        for name, value in plain.items():
            torch.testing.assert_close(padded[name], value)
    assert elmo.hub_outputs([["the", "cat", "sat"]], [2])["elmo"].shape[1] == 2


@pytest.mark.parametrize(("sentences", "lengths"), [(["a b"], [3]), (["a b"], [1, 1]), ([["a"]], [0])])
def test_lengths_that_do_not_fit(sentences, lengths):
    with pytest.raises(
        InputError, match="lengths: expected one for each of 1 sentences, from 1 to its number of tokens"
    ):
        Elmo(tiny()).hub_outputs(sentences, lengths)


@pytest.mark.parametrize("empty", ["", "  ", [], ["", ""]])
def test_an_empty_sentence_has_no_mean(empty):
    with pytest.raises(InputError, match="sentence 2 has no tokens, and no mean over them; leave it out"):
        Elmo(tiny()).hub_outputs(["a b", empty])

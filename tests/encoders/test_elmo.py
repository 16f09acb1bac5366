"""Sentences in, Layers out."""

import json
import warnings

import h5py
import numpy as np
import pytest
import torch

from elmo_tasks.encoders.elmo import Elmo, OneSentenceWarning
from elmo_tasks.errors import InputError
from elmo_tasks.layers import Layers, layer_names, with_mean
from tests.bilm.tiny import load_published, tiny


@pytest.fixture(scope="module")
def elmo():
    return Elmo(tiny())


def test_raw_strings_are_tokenized_and_keep_their_offsets(elmo):
    text = "We can't stay, she said."
    layers = elmo.encode([text])
    assert layers.tokens[0] == ("We", "ca", "n't", "stay", ",", "she", "said", ".")
    assert [text[a:b] for a, b in layers.offsets[0]] == list(layers.tokens[0])


def test_token_lists_are_not_tokenized_again(elmo):
    tokens = ["can't", "stay,", "U.S."]
    layers = elmo.encode([tokens])
    assert layers.tokens[0] == tuple(tokens)
    assert layers.offsets is None


def test_a_string_and_its_tokens_give_the_same(elmo):
    assert torch.equal(
        elmo.encode(["A cat sat."]).values, elmo.encode([["A", "cat", "sat", "."]]).values
    )


def test_one_tokenized_sentence_is_pointed_out(elmo):
    with pytest.warns(
        OneSentenceWarning, match="3 strings of one word each look like the words of one sentence"
    ):
        assert len(elmo.encode(["I", "ate", "it"])) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        elmo.encode(["Yes.", "I did it"])
        elmo.encode([["I"], ["ate"], ["it"]])
        list(elmo.encode_batches(["I", "ate", "it"]))


def test_batches_of_a_corpus_come_in_order_and_lazily(elmo):
    read = []

    def corpus():
        for k in range(7):
            read.append(k)
            yield ["word"] * (k + 1)

    batches = elmo.encode_batches(corpus(), batch_size=3)
    first = next(batches)
    assert read == [0, 1, 2]
    lengths = [len(t) for layers in [first, *batches] for t in layers.tokens]
    assert lengths == list(range(1, 8))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("one string", "expected a list of sentences, found one string"),
        ([], "expected at least one sentence, found none"),
        ([[1, 2]], r"expected a sentence as text or as a list of tokens, found list: \[1, 2\]"),
    ],
)
def test_wrong_input_is_named(elmo, wrong, message):
    with pytest.raises(InputError, match=message):
        elmo.encode(wrong)


def test_hostile_text(elmo):
    texts = [
        "",
        " ",
        "\x00\x01",
        "🍎" * 30,
        "שלום עולם",
        "<b>bank</b>",
        "\ud800",
        "a" * 5000,
        "e\u0301" * 20,
    ]
    layers = elmo.encode(texts)
    assert torch.isfinite(layers.values).all()
    assert len(layers.tokens[0]) == len(layers.tokens[1]) == 0


def test_layers_check_their_shape():
    with pytest.raises(
        ValueError, match=r"values \(3, 2, 4, 8\) do not fit a torch.bool mask \(2, 5\)"
    ):
        Layers(torch.zeros(3, 2, 4, 8), torch.ones(2, 5, dtype=torch.bool), ((), ()))


def test_the_mean_stands_behind_the_layers():
    vectors = torch.randn(3, 5, 4)
    assert layer_names(3) == ("0", "1", "2", "mean")
    assert torch.equal(with_mean(vectors)[-1], vectors.mean(dim=0))
    assert layer_names(1) == ("0",)
    assert len(with_mean(vectors[:1])) == 1


def test_names_shapes_and_numbers(shared_data):
    folder = shared_data / "elmo_fixture" / "allennlp"
    elmo = Elmo(load_published(folder))
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
            found["default"][k].numpy(),
            found["elmo"][k, : len(words)].mean(dim=0).numpy(),
            atol=1e-6,
        )
    both = (
        torch.cat([found["word_emb"]] * 2, dim=-1) + found["lstm_outputs1"] + found["lstm_outputs2"]
    )
    torch.testing.assert_close(found["elmo"], both / 3)


def test_tokens_may_be_padded_and_lengths_given():
    elmo = Elmo(tiny())
    plain = elmo.hub_outputs(["the cat sat", "dogs"])
    for lengths in (None, [3, 1]):
        padded = elmo.hub_outputs([["the", "cat", "sat"], ["dogs", "", ""]], lengths)
        for name, value in plain.items():
            torch.testing.assert_close(padded[name], value)
    assert elmo.hub_outputs([["the", "cat", "sat"]], [2])["elmo"].shape[1] == 2


@pytest.mark.parametrize(
    ("sentences", "lengths"), [(["a b"], [3]), (["a b"], [1, 1]), ([["a"]], [0])]
)
def test_lengths_that_do_not_fit(sentences, lengths):
    with pytest.raises(
        InputError,
        match="lengths: expected one for each of 1 sentences, from 1 to its number of tokens",
    ):
        Elmo(tiny()).hub_outputs(sentences, lengths)


@pytest.mark.parametrize("empty", ["", "  ", [], ["", ""]])
def test_an_empty_sentence_has_no_mean(empty):
    with pytest.raises(InputError, match="sentence 2 has no tokens, and so no mean; leave it out"):
        Elmo(tiny()).hub_outputs(["a b", empty])


def test_many_sentences_are_encoded_by_length_and_come_back_in_order(elmo):
    sentences = [["w"] * (1 + k * 7 % 11) for k in range(700)] + [["long"] * 60, []]
    layers = elmo.encode(sentences)
    assert layers.values.shape[1:3] == (702, 60)
    assert layers.mask.sum(dim=1).tolist() == [len(words) for words in sentences]
    for k in (0, 5, 699, 700, 701):
        alone = elmo.encode([sentences[k]]).values[:, 0]
        torch.testing.assert_close(layers.values[:, k, : alone.shape[1]], alone)
        assert not layers.values[:, k, len(sentences[k]) :].any()


def test_a_result_beyond_the_memory_is_refused_at_once(elmo, monkeypatch):
    monkeypatch.setattr("elmo_tasks.encoders.elmo._MOST_BYTES", 100_000)
    with pytest.raises(
        InputError,
        match=r"501 sentences, .* longest of 90 tokens, need .* encode_batches\(\) gives",
    ):
        elmo.encode([["w"]] * 500 + [["w"] * 90])
    assert (
        sum(len(layers.tokens) for layers in elmo.encode_batches([["w"]] * 50, batch_size=10)) == 50
    )


def test_arrow_strings_are_strings(elmo):
    strings = pytest.importorskip("pyarrow").array(["A bank.", "Bo"])
    assert elmo.encode(strings).tokens == (("A", "bank", "."), ("Bo",))

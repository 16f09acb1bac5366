"""A biLM under mixes as a module: against the reference embeddings of AllenNLP, and against Elmo
itself."""

import json
import re

import h5py
import numpy as np
import pandas as pd
import pytest
import torch

from elmo_tasks.encoders import load as load_encoder
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.elmo_module import ElmoModule
from elmo_tasks.errors import ConfigError, InputError
from tests.bilm.tiny import load_published, tiny

SENTENCES = [["The", "bank", "lends", "."], ["A", "heron"]]
TOP = (-1e4, -1e4, 0.0)


@pytest.fixture
def elmo():
    return Elmo(tiny())


def test_carried_state_gives_the_published_numbers(shared_data):
    folder = shared_data / "elmo_fixture" / "allennlp"
    module = ElmoModule(Elmo(load_published(folder)), fixed_scalars=TOP, stateful=True).eval()
    streams = json.loads((folder / "sentences.json").read_text())
    for i in range(10):
        texts = [stream[i].split() for stream in streams]
        (vectors,) = module(texts).representations
        for k, words in enumerate(texts):
            with h5py.File(folder / f"lm_embeddings_{k}.hdf5") as file:
                expected = np.concatenate(file[str(i)][()], axis=-1)
            np.testing.assert_allclose(vectors[k, : len(words)].numpy(), expected, atol=2e-6)


def test_several_mixes_begin_as_the_mean_and_are_learned_apart(elmo):
    module = ElmoModule(elmo, n_mixes=2, dropout=0.0)
    layers = elmo.encode(SENTENCES)
    mixed = module(SENTENCES)
    assert torch.equal(mixed.mask, layers.mask)
    assert [tuple(r.shape) for r in mixed.representations] == [(2, 4, elmo.width)] * 2
    torch.testing.assert_close(mixed.representations[0], layers.values.mean(dim=0))
    mixed.representations[1].square().sum().backward()
    assert module.mixes[0].scalars.grad is None
    assert module.mixes[1].scalars.grad.abs().max() > 0
    assert all(p.grad is None for p in module.bilm.parameters())


def test_fixed_scalars_are_softmaxed_and_nothing_of_them_is_learned(elmo):
    module = ElmoModule(elmo, fixed_scalars=TOP, dropout=0.0)
    torch.testing.assert_close(
        module(SENTENCES).representations[0], elmo.encode(SENTENCES).values[2]
    )
    assert not any(p.requires_grad for p in module.parameters())


def test_gradients_reach_a_copy_of_the_bilm_on_request(elmo):
    before = elmo.encode(SENTENCES).values
    module = ElmoModule(elmo, requires_grad=True, dropout=0.0)
    slow = {id(p) for p in module.bilm.parameters()}
    rest = [p for p in module.parameters() if id(p) not in slow]
    optimizer = torch.optim.SGD(
        [{"params": module.bilm.parameters(), "lr": 0.01}, {"params": rest, "lr": 0.1}]
    )
    module(SENTENCES).representations[0].square().sum().backward()
    gradients = {
        name
        for name, p in module.bilm.named_parameters()
        if p.grad is not None and p.grad.abs().max() > 0
    }
    assert any("token_encoder" in name for name in gradients)
    assert any("forward_lm.layers.1" in name for name in gradients)
    assert any("backward_lm.layers.0" in name for name in gradients)
    held = [p for name, p in module.bilm.named_parameters() if "bias_hh" in name]
    optimizer.step()
    assert all(p.count_nonzero() == 0 for p in held)
    assert not torch.equal(module(SENTENCES).representations[0], before.mean(dim=0))
    assert torch.equal(elmo.encode(SENTENCES).values, before)
    assert not any(p.requires_grad for p in elmo.bilm.parameters())


def test_boundaries_are_kept_on_request(elmo):
    module = ElmoModule(elmo, keep_boundaries=True, dropout=0.0)
    mixed = module(SENTENCES)
    assert mixed.mask.sum(dim=1).tolist() == [6, 4]
    expected = elmo.states(SENTENCES)
    torch.testing.assert_close(mixed.representations[0], expected.layers.mean(dim=0))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_first_layers_are_those_of_the_whole_model(elmo, n):
    module = ElmoModule(elmo, n_layers=n, dropout=0.0)
    torch.testing.assert_close(
        module(SENTENCES).representations[0], elmo.encode(SENTENCES).values[:n].mean(dim=0)
    )
    assert len(module.bilm.forward_lm.layers) == n - 1


@pytest.mark.parametrize(
    "vocabulary", [["The", "bank", "The", "unseen"], ["The", "bank", "lends", ".", "A", "heron"]]
)
def test_a_table_of_words_changes_no_number(elmo, vocabulary, monkeypatch):
    module = ElmoModule(elmo, vocabulary=vocabulary, dropout=0.0)
    assert module.table.shape == (len(set(vocabulary)), elmo.width // 2)
    read, expected = [], elmo.encode(SENTENCES).values.mean(dim=0)
    encode = module.bilm.token_encoder.forward
    monkeypatch.setattr(
        module.bilm.token_encoder, "forward", lambda c: read.append(len(c)) or encode(c)
    )
    torch.testing.assert_close(module(SENTENCES).representations[0], expected)
    words = {word for sentence in SENTENCES for word in sentence}
    assert read == [2 + len(words - set(vocabulary))]
    assert "table" not in module.state_dict()


def test_state_is_carried_row_by_row_and_can_be_reset(elmo):
    module = ElmoModule(elmo, stateful=True, dropout=0.0)
    both = module(SENTENCES).representations[0]
    second = module([SENTENCES[0]]).representations[0]
    assert not torch.allclose(second[0], both[0])
    # The second row was not in the last batch: it continues from the first call.
    third = module(SENTENCES).representations[0]
    module.reset_states()
    torch.testing.assert_close(module(SENTENCES).representations[0], both)
    torch.testing.assert_close(module(SENTENCES).representations[0][1], third[1])
    plain = ElmoModule(elmo, dropout=0.0)
    torch.testing.assert_close(
        plain(SENTENCES).representations[0], plain(SENTENCES).representations[0]
    )


def test_more_rows_than_before_begin_at_zero(elmo):
    module = ElmoModule(elmo, stateful=True, dropout=0.0)
    module([SENTENCES[0]])
    torch.testing.assert_close(
        module(SENTENCES).representations[0][1],
        ElmoModule(elmo, dropout=0.0)(SENTENCES).representations[0][1],
    )


def test_dropout_is_for_training_only(elmo):
    module = ElmoModule(elmo)
    assert (module(SENTENCES).representations[0][0] == 0).float().mean() > 0.2
    torch.testing.assert_close(
        module.eval()(SENTENCES).representations[0], elmo.encode(SENTENCES).values.mean(dim=0)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_mixes": 0}, "n_mixes: expected at least one mix, got 0"),
        ({"n_layers": 4}, "n_layers: the biLM has 1 to 3 layers to keep, not 4"),
        (
            {"fixed_scalars": [1.0]},
            r"fixed_scalars: expected 3 numbers, one for each layer, got \[1.0\]",
        ),
    ],
)
def test_impossible_options_are_refused(elmo, arguments, message):
    with pytest.raises(ConfigError, match=message):
        ElmoModule(elmo, **arguments)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "expected at least one sentence, found none"),
        ("A bank", "expected a list of sentences, found one string"),
        (
            [["A"], None],
            "sentence 2: expected a sentence as text or as a list of tokens, found a missing value",
        ),
        ({"A bank", "A river"}, "found a set, which has no order"),
    ],
)
def test_values_other_than_sentences_are_refused(elmo, sentences, message):
    with pytest.raises(InputError, match=re.escape(message)):
        ElmoModule(elmo)(sentences)


def test_a_string_as_vocabulary_is_refused(elmo):
    with pytest.raises(InputError, match="expected a list of words, found one string"):
        ElmoModule(elmo, vocabulary="bank")
    with pytest.raises(InputError, match="word 1: expected text, found int: 1"):
        ElmoModule(elmo, vocabulary=[1, 2])
    kept = ElmoModule(elmo, vocabulary=pd.Series(["bank", "river"])).table
    assert kept is not None
    assert len(kept) == 2


def test_texts_are_tokenized(elmo):
    module = ElmoModule(elmo).eval()
    torch.testing.assert_close(
        module(["A bank."]).representations, module([["A", "bank", "."]]).representations
    )


def test_the_layers_of_any_encoder_are_mixed():
    module = ElmoModule(load_encoder("static-mini"), n_mixes=2).eval()
    first, second = module([["the", "bank"], ["river"]]).representations
    torch.testing.assert_close(
        first, load_encoder("static-mini").encode([["the", "bank"], ["river"]]).values[0]
    )
    assert second.shape == first.shape
    assert [name for name, _ in module.named_parameters() if "mixes" not in name] == []
    with pytest.raises(
        ConfigError, match="requires_grad: for a biLM; static-mini is a StaticVectors"
    ):
        ElmoModule(load_encoder("static-mini"), requires_grad=True)


def test_functional_calls(elmo):
    module = ElmoModule(elmo).eval()
    parameters = {name: value.detach().clone() for name, value in module.named_parameters()}
    called = torch.func.functional_call(module, parameters, ([["bank"]],))
    torch.testing.assert_close(called.representations, module([["bank"]]).representations)

"""A biLM in int8: near float32, the same in every batch, and float32 where int8 does not help."""

from __future__ import annotations

import pickle
from copy import deepcopy

import pytest
import torch

from elmo_tasks.bilm import int8
from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.int8 import (
    Int8Linear,
    checked_precision,
    has_int8,
    in_precision,
    is_int8,
    to_int8,
)
from elmo_tasks.encoders import load
from elmo_tasks.encoders.elmo import Elmo, steps_of
from elmo_tasks.encoders.elmo_module import ElmoModule
from elmo_tasks.errors import ConfigError
from tests.bilm.tiny import SENTENCES, tiny
from tests.training.toy_task import write_encoder, write_static

needs_int8 = pytest.mark.skipif(not has_int8(), reason="this processor has no products in int8")


@pytest.fixture
def rounded() -> Elmo:
    return Elmo(to_int8(tiny(clip=3.0)), "tiny")


@needs_int8
def test_a_product_is_near_that_in_float32() -> None:
    torch.manual_seed(0)
    weight, bias, x = torch.randn(40, 64), torch.randn(40), torch.randn(7, 64).relu()
    weight[3] *= 100  # each output has a scale of its own, and so has each row
    x[5] *= 1000
    x[6] = 0
    expected, found = x @ weight.T + bias, Int8Linear(weight, bias)(x)
    errors = (found - expected).norm(dim=1) / expected.norm(dim=1)
    assert errors.max() < 0.03
    torch.testing.assert_close(found[6], bias)
    assert (found[:, 3] - expected[:, 3]).abs().max() / expected[:, 3].abs().max() < 0.02


@needs_int8
def test_products_that_would_overflow_16_bits_are_right() -> None:
    x, weight = torch.ones(2, 512), torch.full((8, 512), 0.7)
    product, scale = Int8Linear(weight).unscaled(x)
    torch.testing.assert_close(product * scale, x @ weight.T)


@needs_int8
@pytest.mark.parametrize("clip", [None, 0.05, 3.0])
@pytest.mark.parametrize("dim", [24, 16])
def test_vectors_point_where_those_in_float32_point(clip: float | None, dim: int) -> None:
    exact = Elmo(tiny(clip, dim=dim))
    rounded = Elmo(to_int8(deepcopy(exact.bilm)))
    expected, found = exact.encode(SENTENCES), rounded.encode(SENTENCES)
    assert torch.equal(found.mask, expected.mask)
    cosines = torch.cosine_similarity(found.values, expected.values, dim=-1)[:, expected.mask]
    assert 0.99 < cosines.min() < cosines.max() < 1 + 1e-6
    assert not torch.equal(found.values, expected.values)


@needs_int8
def test_a_sentence_gives_the_same_vectors_alone_and_in_any_batch(rounded: Elmo) -> None:
    together = rounded.encode(SENTENCES)
    for k, sentence in enumerate(SENTENCES):
        alone = rounded.encode([sentence]).sentence(0)
        torch.testing.assert_close(together.sentence(k), alone, atol=1e-5, rtol=0)


@needs_int8
def test_states_are_those_after_the_last_word(rounded: Elmo) -> None:
    characters, words, lengths = steps_of(SENTENCES, 50)
    together = rounded.bilm(characters, words, lengths, carry=True)
    for k, sentence in enumerate(SENTENCES):
        alone = rounded.bilm(*steps_of([sentence], 50), carry=True)
        for states, own in zip(together.states, alone.states, strict=True):
            for layer, own_layer in zip(states, own, strict=True):
                for state, own_state in zip(layer, own_layer, strict=True):
                    torch.testing.assert_close(state[:, k], own_state[:, 0], atol=1e-5, rtol=0)


@needs_int8
def test_a_copy_for_another_process_is_the_same(rounded: Elmo) -> None:
    copied: BiLM = pickle.loads(pickle.dumps(rounded.bilm))
    assert torch.equal(Elmo(copied).encode(SENTENCES).values, rounded.encode(SENTENCES).values)


@needs_int8
def test_it_is_loaded_by_name_and_keeps_the_checksum_of_its_files(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    write_encoder(tmp_path / "m")
    exact, rounded = Elmo.load(tmp_path / "m"), Elmo.load(tmp_path / "m", precision="int8")
    assert (exact.precision, rounded.precision) == ("float32", "int8")
    assert rounded.checksum == exact.checksum
    other = load(tmp_path / "m", precision="int8")
    assert torch.equal(other.encode(SENTENCES[:2]).values, rounded.encode(SENTENCES[:2]).values)


@needs_int8
def test_it_is_neither_trained_nor_cut(rounded: Elmo) -> None:
    with pytest.raises(
        ConfigError,
        match="tiny: a model in int8 cannot be trained; load it with precision='float32'",
    ):
        rounded.unfrozen()
    for options in ({"requires_grad": True}, {"n_layers": 2}):
        with pytest.raises(
            ConfigError, match="tiny: a model in int8 is neither trained nor cut; use float32"
        ):
            ElmoModule(rounded, **options)
    assert ElmoModule(rounded)([["a", "b"]]).representations[0].shape == (1, 2, 32)


@needs_int8
@pytest.mark.parametrize(
    ("capability", "units", "is_rounded"),
    [("AVX512", 24, True), ("AVX2", 24, False), ("AVX2", 1024, True)],
)
def test_where_int8_is_slower_the_model_stays_in_float32(
    capability, units, is_rounded, monkeypatch, caplog
) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    assert is_int8(in_precision(tiny(dim=units), "int8")) is is_rounded
    slower = (
        "int8 is slower than float32 for a model of this size on this processor, which lacks"
        " AVX-512: computing in float32."
    )
    assert caplog.messages == ([] if is_rounded else [slower])


@pytest.mark.parametrize(("device", "has_products"), [("cpu", False), ("meta", True)])
def test_where_it_is_not_available_the_model_stays_in_float32(
    device, has_products, monkeypatch, caplog
) -> None:
    monkeypatch.setattr(int8, "has_int8", lambda: has_products)
    assert not is_int8(in_precision(tiny(), "int8", device))
    assert caplog.messages == [
        f"int8 needs a CPU and a PyTorch that support it: computing in float32 on {device}."
    ]


def test_a_pytorch_without_the_operator_has_none(monkeypatch) -> None:
    def missing(*_: object) -> None:
        raise AttributeError("'_OpNamespace' 'quantized' object has no attribute 'linear_prepack'")

    monkeypatch.setattr(Int8Linear, "__init__", missing)
    assert not has_int8.__wrapped__()


def test_other_encoders_stay_in_float32(tmp_path, caplog) -> None:
    write_static(tmp_path / "vectors")
    assert load(tmp_path / "vectors", precision="int8").encode([["Oslo"]]).values.any()
    assert caplog.messages == [f"{tmp_path / 'vectors'} is not a biLM: computing in float32."]


def test_another_precision_is_refused(tmp_path) -> None:
    for name in ("int4", "", 8):
        with pytest.raises(ConfigError, match="precision: expected float32 or int8, found"):
            checked_precision(name)
    with pytest.raises(ConfigError, match="precision: expected float32 or int8, found"):
        Elmo.load(write_encoder(tmp_path / "m"), precision="int4")

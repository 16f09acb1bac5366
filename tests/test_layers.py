from __future__ import annotations

import math
import re
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from elmo_tasks.devices import cpu_multiplies_bfloat16
from elmo_tasks.errors import ConfigError
from elmo_tasks.layers import ScalarMix, masked_max, masked_mean

MASK = torch.tensor([[True, True, True], [True, False, False], [False, False, False]])


def mix_with(scalars: Sequence[float], gamma: float = 1.0, layer_norm: bool = False) -> ScalarMix:
    mix = ScalarMix(len(scalars), layer_norm)
    mix.load_state_dict({"scalars": torch.tensor(scalars), "gamma": torch.tensor(gamma)})
    return mix


def vectors(*leading: int) -> torch.Tensor:
    # all of them below 0
    return torch.randn(*leading, 3, 3, 4, generator=torch.Generator().manual_seed(1)) - 5


@pytest.mark.parametrize("leading", [(), (2,)])
def test_pooling_by_hand(leading: tuple[int, ...]) -> None:
    values = vectors(*leading)
    zero = torch.zeros(*leading, 4)
    rows = [values[..., 0, :, :], values[..., 1, :1, :]]
    torch.testing.assert_close(
        masked_mean(values, MASK), torch.stack([*(r.mean(-2) for r in rows), zero], -2)
    )
    torch.testing.assert_close(
        masked_max(values, MASK), torch.stack([*(r.amax(-2) for r in rows), zero], -2)
    )


@pytest.mark.parametrize("pool", [masked_mean, masked_max])
def test_pooled_padding_may_hold_anything(pool) -> None:
    values = vectors()
    dirty = values.masked_fill(~MASK.unsqueeze(2), torch.nan).requires_grad_()
    assert torch.equal(pool(dirty, MASK), pool(values, MASK))
    pool(dirty, MASK).sum().backward()
    assert dirty.grad is not None
    assert dirty.grad.isfinite().all()
    assert not dirty.grad[~MASK].any()


@pytest.mark.parametrize("pool", [masked_mean, masked_max])
def test_pooling_no_tokens_at_all(pool) -> None:
    assert torch.equal(
        pool(torch.zeros(2, 3, 0, 4), torch.zeros(3, 0, dtype=torch.bool)), torch.zeros(2, 3, 4)
    )


def test_the_mean_commutes_with_the_mix() -> None:
    values, mix = vectors(3), mix_with([0.2, -1.0, 0.5], gamma=1.3)
    torch.testing.assert_close(mix(masked_mean(values, MASK)), masked_mean(mix(values, MASK), MASK))


def test_the_mean_of_half_precision_is_summed_in_float32() -> None:
    # the sum is above what float16 can hold
    values = torch.full((1, 5000, 1), 30.0, dtype=torch.float16)
    assert masked_mean(values, torch.ones(1, 5000, dtype=torch.bool)).item() == 30


@pytest.mark.parametrize("pool", [masked_mean, masked_max])
def test_pooled_shapes_that_do_not_fit(pool) -> None:
    with pytest.raises(
        ValueError, match=re.escape("the mask (3, 3) does not fit vectors (2, 3, 4)")
    ):
        pool(torch.zeros(2, 3, 4), MASK)


def some_layers(n_layers: int = 3, *shape: int) -> Tensor:
    return torch.randn(
        n_layers, *(shape or (2, 4, 5)), generator=torch.Generator().manual_seed(n_layers)
    )


@pytest.mark.parametrize("n_layers", [1, 2, 3, 7])
@pytest.mark.parametrize("shape", [(2, 4, 5), (2, 5)], ids=["tokens", "pooled"])
def test_the_formula(n_layers: int, shape: tuple[int, ...]) -> None:
    scalars = [0.3 * k - 0.5 for k in range(n_layers)]
    mix = mix_with(scalars, gamma=1.7)
    values = some_layers(n_layers, *shape)
    total = sum(math.exp(w) for w in scalars)
    expected = torch.zeros(shape)
    for w, layer in zip(scalars, values, strict=True):
        expected += 1.7 * math.exp(w) / total * layer
    torch.testing.assert_close(mix(values), expected)
    assert mix.weights() == pytest.approx([math.exp(w) / total for w in scalars])


def test_layer_norm_is_per_token() -> None:
    values = 20 * some_layers() + 3
    expected = torch.zeros(2, 4, 5)
    for layer in values:
        for b in range(2):
            for t in range(4):
                x = layer[b, t]
                expected[b, t] += (x - x.mean()) / x.std(correction=0) / 3
    torch.testing.assert_close(ScalarMix(3, layer_norm=True)(values), expected)


@pytest.mark.parametrize("layer_norm", [False, True])
def test_a_sentence_does_not_depend_on_its_neighbours(layer_norm: bool) -> None:
    mix = mix_with([0.1, -1.0, 2.0], layer_norm=layer_norm)
    values = some_layers()
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    alone = mix(values[:, :1], mask[:1])
    changed = values.clone()
    changed[:, 1] = 1e3
    assert torch.equal(mix(values, mask)[:1], alone)
    assert torch.equal(mix(changed, mask)[:1], alone)


@pytest.mark.parametrize("layer_norm", [False, True])
def test_padding_is_zero(layer_norm: bool) -> None:
    mix = ScalarMix(2, layer_norm)
    values = some_layers(2)
    values[:, 1, 2:] = torch.nan
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    mixed = mix(values, mask)
    assert not mixed[1, 2:].any()
    assert mixed[1, :2].all()
    assert not mix(torch.zeros(2, 1, 3, 5)).any()
    assert mix(torch.zeros(2, 0, 0, 5), torch.zeros(0, 0, dtype=torch.bool)).shape == (0, 0, 5)


def test_gradients() -> None:
    mix = mix_with([0.5, 0.0, -0.5], gamma=2.0).double()
    values = some_layers().double().requires_grad_()
    mix(values).square().sum().backward()
    for parameter in (mix.scalars, mix.gamma):
        assert parameter is not None
        assert parameter.grad is not None
        assert parameter.grad.abs().min() > 0
    assert mix.scalars is not None

    def mixed(scalars: Tensor, gamma: Tensor) -> Tensor:
        return torch.func.functional_call(
            mix, {"scalars": scalars, "gamma": gamma}, (values.detach(),)
        )

    assert torch.autograd.gradcheck(mixed, (mix.scalars, mix.gamma))


def test_fixed_weights() -> None:
    mix = ScalarMix(3, fixed_weights=[0.0, 0.25, 0.75])
    values = some_layers()
    torch.testing.assert_close(mix(values), 0.25 * values[1] + 0.75 * values[2])
    assert mix.weights() == (0.0, 0.25, 0.75)
    assert mix.l2() == 0
    assert [name for name, _ in mix.named_parameters()] == ["gamma"]
    assert list(mix.state_dict()) == ["gamma"]
    assert mix.double().weights() == (0.0, 0.25, 0.75)


def test_l2_pulls_towards_the_mean() -> None:
    mix = mix_with([2.0, -1.0, 0.5])
    assert mix.l2().item() == pytest.approx(5.25)
    mix.l2().backward()
    assert mix.scalars is not None
    assert mix.scalars.grad is not None
    assert mix.scalars.grad.tolist() == [4.0, -2.0, 1.0]
    assert mix.gamma.grad is None


@pytest.mark.parametrize("layer_norm", [False, True])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_layers_are_mixed_in_float32(dtype: torch.dtype, layer_norm: bool) -> None:
    mix = mix_with([0.1, 0.2, 0.3], layer_norm=layer_norm)
    values = some_layers().to(dtype)
    with torch.autocast("cpu", torch.bfloat16):
        mixed = mix(values)
    assert mixed.dtype == torch.float32
    assert torch.equal(mixed, mix(values.float()))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_layers": 0}, "n_layers: a mix needs at least one layer, got 0"),
        (
            {"fixed_weights": [0.5, 0.5]},
            "fixed_weights: expected 3 finite numbers, one for each layer, got [0.5, 0.5]",
        ),
        ({"fixed_weights": [1.0, 1.0, 1.0]}, "not negative and sum to 1, got [1.0, 1.0, 1.0]"),
        ({"fixed_weights": [1.5, -0.5, 0.0]}, "not negative and sum to 1, got [1.5, -0.5, 0.0]"),
        ({"fixed_weights": [math.nan, 0.5, 0.5]}, "fixed_weights: expected 3 finite numbers"),
    ],
)
def test_settings_that_do_not_fit(settings: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        ScalarMix(**({"n_layers": 3} | settings))


def test_layers_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"expected .* with L = 3, got \(2, 2, 4, 5\)"):
        ScalarMix(3)(some_layers(2))
    with pytest.raises(ValueError, match=r"the mask \(2, 3\) does not fit layers \(3, 2, 4, 5\)"):
        ScalarMix(3)(some_layers(), torch.ones(2, 3, dtype=torch.bool))


@pytest.mark.parametrize(
    ("is_queryable", "supported"), [(True, True), (True, False), (False, True)]
)
def test_bfloat16_support_is_that_of_the_cpu(monkeypatch, is_queryable, supported):
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: is_queryable)
    monkeypatch.setattr(
        torch.ops, "mkldnn", SimpleNamespace(_is_mkldnn_bf16_supported=lambda: supported)
    )
    assert cpu_multiplies_bfloat16() is supported

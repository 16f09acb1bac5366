from __future__ import annotations

import re

import pytest
import torch

from elmo_tasks.layers.pooling import masked_max, masked_mean
from elmo_tasks.layers.scalar_mix import ScalarMix

MASK = torch.tensor([[True, True, True], [True, False, False], [False, False, False]])


def vectors(*leading: int) -> torch.Tensor:
    return torch.randn(*leading, 3, 3, 4, generator=torch.Generator().manual_seed(1)) - 5  # all of them below 0


@pytest.mark.parametrize("leading", [(), (2,)])
def test_by_hand(leading: tuple[int, ...]) -> None:
    values = vectors(*leading)
    zero = torch.zeros(*leading, 4)
    rows = [values[..., 0, :, :], values[..., 1, :1, :]]
    torch.testing.assert_close(masked_mean(values, MASK), torch.stack([*(r.mean(-2) for r in rows), zero], -2))
    torch.testing.assert_close(masked_max(values, MASK), torch.stack([*(r.amax(-2) for r in rows), zero], -2))


@pytest.mark.parametrize("pool", [masked_mean, masked_max])
def test_padding_may_hold_anything(pool) -> None:
    values = vectors()
    dirty = values.masked_fill(~MASK.unsqueeze(2), torch.nan).requires_grad_()
    assert torch.equal(pool(dirty, MASK), pool(values, MASK))
    pool(dirty, MASK).sum().backward()
    assert dirty.grad is not None
    assert dirty.grad.isfinite().all()
    assert not dirty.grad[~MASK].any()


@pytest.mark.parametrize("pool", [masked_mean, masked_max])
def test_no_tokens_at_all(pool) -> None:
    assert torch.equal(pool(torch.zeros(2, 3, 0, 4), torch.zeros(3, 0, dtype=torch.bool)), torch.zeros(2, 3, 4))


def test_the_mean_commutes_with_the_mix() -> None:
    values, mix = vectors(3), ScalarMix(3, initial_scalars=[0.2, -1, 0.5], initial_gamma=1.3)
    torch.testing.assert_close(mix(masked_mean(values, MASK)), masked_mean(mix(values, MASK), MASK))


def test_half_precision_is_summed_in_float32() -> None:
    values = torch.full((1, 5000, 1), 30.0, dtype=torch.float16)  # the sum is above what float16 can hold
    assert masked_mean(values, torch.ones(1, 5000, dtype=torch.bool)).item() == 30


@pytest.mark.parametrize("pool", [masked_mean, masked_max])
def test_shapes_that_do_not_fit(pool) -> None:
    with pytest.raises(ValueError, match=re.escape("the mask (3, 3) does not fit vectors (2, 3, 4)")):
        pool(torch.zeros(2, 3, 4), MASK)

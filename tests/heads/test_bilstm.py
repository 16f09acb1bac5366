from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from elmo_tasks.heads.head import BiLSTM

D, H = 5, 4
LENGTHS = (3, 7, 0, 1, 5)


def a_pair(n_layers: int) -> tuple[BiLSTM, nn.LSTM]:
    """Ours, and PyTorch's with the same weights."""
    torch.manual_seed(0)
    ours = BiLSTM(D, H, n_layers).double()
    theirs = nn.LSTM(D, H, n_layers, batch_first=True, bidirectional=True).double()
    with torch.no_grad():
        for k in range(n_layers):
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(theirs, f"{name}_l{k}").copy_(getattr(ours.forwards[k], f"{name}_l0"))
                getattr(theirs, f"{name}_l{k}_reverse").copy_(
                    getattr(ours.backwards[k], f"{name}_l0")
                )
    return ours, theirs


def a_batch(lengths: tuple[int, ...] = LENGTHS) -> tuple[Tensor, Tensor]:
    mask = torch.arange(max(lengths, default=0)) < torch.tensor(
        lengths, dtype=torch.long
    ).unsqueeze(1)
    x = torch.randn(*mask.shape, D, dtype=torch.double, generator=torch.Generator().manual_seed(1))
    return x, mask


def packed(lstm: nn.LSTM, x: Tensor, mask: Tensor) -> Tensor:
    """Return PyTorch's outputs for sentences with tokens; zeros for empty ones, which it cannot
    pack."""
    lengths = mask.sum(dim=1)
    there = lengths > 0
    run, _ = lstm(
        pack_padded_sequence(x[there], lengths[there], batch_first=True, enforce_sorted=False)
    )
    found, _ = pad_packed_sequence(run, batch_first=True, total_length=mask.shape[1])
    return torch.zeros(*mask.shape, 2 * H, dtype=x.dtype).index_put(
        (there.nonzero().squeeze(1),), found
    )


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_values_and_gradients_are_those_of_a_packed_lstm(n_layers: int) -> None:
    ours, theirs = a_pair(n_layers)
    x, mask = a_batch()
    weigh = torch.randn(
        *mask.shape, 2 * H, dtype=torch.double, generator=torch.Generator().manual_seed(2)
    )
    inputs = [x.clone().requires_grad_(), x.clone().requires_grad_()]
    outputs = ours(inputs[0], mask), packed(theirs, inputs[1], mask)
    torch.testing.assert_close(*outputs, rtol=0, atol=1e-6)
    for output in outputs:
        (output * weigh).sum().backward()
    torch.testing.assert_close(inputs[0].grad, inputs[1].grad, rtol=0, atol=1e-6)
    for k in range(n_layers):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            there, back = (
                getattr(lstms[k], f"{name}_l0").grad for lstms in (ours.forwards, ours.backwards)
            )
            torch.testing.assert_close(
                there, getattr(theirs, f"{name}_l{k}").grad, rtol=0, atol=1e-6
            )
            torch.testing.assert_close(
                back, getattr(theirs, f"{name}_l{k}_reverse").grad, rtol=0, atol=1e-6
            )


def test_padding_has_no_effect() -> None:
    ours, _ = a_pair(2)
    x, mask = a_batch()
    dirty = x.masked_fill(~mask.unsqueeze(2), torch.nan)
    assert torch.equal(ours(dirty, mask), ours(x, mask))
    leaf = dirty.requires_grad_()
    ours(leaf, mask).sum().backward()
    assert leaf.grad is not None
    assert not leaf.grad[~mask].any()
    assert not ours(x, mask)[~mask].any()


@pytest.mark.parametrize("lengths", [(), (0,), (0, 0)])
def test_sentences_without_tokens(lengths: tuple[int, ...]) -> None:
    ours, _ = a_pair(1)
    assert ours(*a_batch(lengths)).shape == (len(lengths), 0, 2 * H)
    wide = ours(
        torch.ones(len(lengths), 3, D).double(), torch.zeros(len(lengths), 3, dtype=torch.bool)
    )
    assert wide.shape == (len(lengths), 3, 2 * H)
    assert not wide.any()


def test_dropout_acts_between_layers_and_in_training_only() -> None:
    torch.manual_seed(0)
    one, two = BiLSTM(D, H, 1, dropout=0.9), BiLSTM(D, H, 2, dropout=0.9)
    x, mask = torch.randn(1, 6, D), torch.ones(1, 6, dtype=torch.bool)
    assert torch.equal(one(x, mask), one(x, mask))
    assert not torch.equal(two(x, mask), two(x, mask))
    two.eval()
    assert torch.equal(two(x, mask), two(x, mask))

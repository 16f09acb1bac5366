"""The fast log-partition against the plain one, and when it steps aside."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from elmo_tasks.heads.crf import CRF
from elmo_tasks.heads.forward_backward import log_z
from elmo_tasks.heads.lattice import Lattice, forward_scores, log_partition
from elmo_tasks.text.tag_schemes import Scheme, labels_of
from tests.heads.crf_cases import BIO, BIOES, a_batch, a_crf


def a_lattice(crf: CRF, lengths: list[int], seed: int, scale: float, dtype: torch.dtype = torch.float32) -> Lattice:
    emissions, _, mask = a_batch(lengths, crf.num_tags, seed, scale)
    parts = [emissions.masked_fill(~mask.unsqueeze(2), 0.0).to(dtype)]
    for scores, may in (
        (crf.start_transitions, crf.may_start),
        (crf.transitions, crf.may_follow),
        (crf.end_transitions, crf.may_end),
    ):
        parts.append(scores.detach().to(dtype) + ~may * -1e4)
    for part in parts:
        part.requires_grad_()
    return Lattice(parts[0], mask, *parts[1:])


def z_and_gradients(z: Tensor, lattice: Lattice) -> tuple[Tensor, ...]:
    weights = torch.arange(1, len(z) + 1, dtype=z.dtype)  # so that a mix-up of rows shows
    parts = lattice.emissions, lattice.start, lattice.transitions, lattice.end
    return z.detach(), *torch.autograd.grad((z * weights).sum(), parts)


def assert_equal_to_the_plain_recursion(lattice: Lattice, is_fast: bool) -> None:
    z = log_z(lattice)
    if is_fast:
        assert "LogPartition" in type(z.grad_fn).__name__
    plain = log_partition(lattice, forward_scores(lattice))
    for a, b in zip(z_and_gradients(z, lattice), z_and_gradients(plain, lattice), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("labels", "scheme"), [(BIO, None), (BIO, "BIO"), (BIOES, "BIOES")])
@pytest.mark.parametrize("scale", [0.0, 1.0, 8.0])
@settings(max_examples=15, deadline=None)
@given(lengths=st.lists(st.integers(0, 40), min_size=1, max_size=5), seed=st.integers(0, 2**16))
def test_equal_to_the_plain_recursion(
    labels: tuple[str, ...], scheme: Scheme | None, scale: float, lengths: list[int], seed: int
) -> None:
    lattice = a_lattice(a_crf(labels, scheme, seed), [2, *lengths], seed, scale, torch.float64)
    assert_equal_to_the_plain_recursion(lattice, is_fast=scale < 8)


def test_long_sentences_do_not_underflow() -> None:
    lattice = a_lattice(a_crf(labels_of("WXYZ", "BIOES"), "BIOES"), [2000, 3], 0, 3.0, torch.float64)
    assert_equal_to_the_plain_recursion(lattice, is_fast=True)


def test_float32_is_as_exact_as_float32_can_be() -> None:
    crf = a_crf(scheme="BIO")
    exact, mine = a_lattice(crf, [300], 1, 3.0, torch.float64), a_lattice(crf, [300], 1, 3.0)
    torch.testing.assert_close(log_z(mine).double(), log_z(exact), rtol=1e-6, atol=0)


@pytest.mark.parametrize("scale", [100.0, 1000.0])
def test_scores_too_far_apart_for_probabilities(scale: float) -> None:
    """A best sequence may begin with what looks hopeless: emissions that float64 cannot hold as probabilities."""
    lattice = a_lattice(a_crf(BIOES, "BIOES"), [9, 0, 4], 0, scale, torch.float64)
    mine = log_z(lattice)
    assert "LogPartition" not in type(mine.grad_fn).__name__
    assert torch.equal(mine, log_partition(lattice, forward_scores(lattice)))


def test_a_sentence_that_no_sequence_fits() -> None:
    """``B`` and ``E`` alone spell no sentence of one token: its log-sum is as low as the constraints put it, not ``-inf``."""
    crf = CRF(("B-X", "I-X", "E-X"), "BIOES")
    emissions, tags, mask = a_batch([1, 2], 3)
    likelihood = crf(emissions, tags, mask, "none")
    assert torch.isfinite(likelihood).all()
    likelihood.sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in crf.parameters() if p.grad is not None)


def test_not_a_number_stays_one() -> None:
    crf = a_crf()
    emissions, tags, mask = a_batch([3], crf.num_tags)
    emissions[0, 1, 2] = torch.nan
    assert crf(emissions, tags, mask).isnan()

from __future__ import annotations

import math
import re

import pytest
import torch
import torchcrf
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.heads.crf import CRF, TagPath
from elmo_tasks.heads.lattice import Lattice, log_partition, log_z
from elmo_tasks.text.tag_schemes import Scheme, Span, convert, labels_of, spans_of
from tests.heads.crf_cases import (
    BIO,
    BIOES,
    SCHEMED,
    a_batch,
    a_crf,
    allowed_paths,
    enumerated_log_z,
    enumerated_span_probabilities,
    every_span,
    probabilities,
)


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_pytorch_crf(seed: int) -> None:
    crf = a_crf(seed=seed)
    theirs = torchcrf.CRF(crf.num_tags, batch_first=True)
    theirs.load_state_dict(crf.state_dict())
    emissions, tags, mask = a_batch([7, 1, 4, 12], crf.num_tags, seed)
    for reduction in ("none", "sum", "mean", "token_mean"):
        torch.testing.assert_close(
            crf(emissions, tags, mask, reduction),
            theirs(emissions, tags, mask, reduction),
            rtol=1e-5,
            atol=1e-5,
        )
    assert crf.decode(emissions, mask) == theirs.decode(emissions, mask)
    everything = torch.ones_like(mask)  # what no mask means
    torch.testing.assert_close(
        crf(emissions, tags), theirs(emissions, tags, everything), rtol=1e-5, atol=1e-5
    )
    assert crf.decode(emissions) == theirs.decode(emissions, everything)
    for model in (crf, theirs):
        model(emissions, tags, mask).backward()
    for mine, other in zip(crf.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, other.grad, rtol=1e-4, atol=1e-5)


def test_a_span_that_cannot_be_spelled() -> None:
    crf = CRF(["O", "B-X"], "BIO")
    long, unknown, short = crf.span_probabilities(
        torch.zeros(1, 2, 2), [[Span(0, 2, "X"), Span(0, 1, "Z"), Span(0, 1, "X")]]
    )[0]
    assert long == unknown == 0
    assert short == pytest.approx(0.5, abs=0.1)


def test_long_sentences_are_exact() -> None:
    crf = a_crf(scheme="BIO")
    emissions, _, _ = a_batch([500], crf.num_tags, scale=5)
    spans = [spans_of([crf.labels[k] for k in crf.decode(emissions)[0]], "BIO")]
    assert len(spans[0]) > 50
    expected = crf.span_probabilities(emissions.double(), spans)[0]
    assert crf.span_probabilities(emissions, spans)[0] == pytest.approx(expected, abs=1e-5)


def test_either_spelling_of_bioes() -> None:
    crf, other = a_crf(BIOES, "BIOES"), a_crf(("O", "B-X", "I-X", "L-X", "U-X"), "BIOES")
    emissions, _, _ = a_batch([4], 5)
    spans = [[Span(0, 1, "X"), Span(0, 4, "X")]]
    assert crf.span_probabilities(emissions, spans) == other.span_probabilities(emissions, spans)


@pytest.mark.parametrize("scheme", [None, "BIO"])
def test_gradients_are_finite(scheme: Scheme | None) -> None:
    crf = a_crf(scheme=scheme)
    # random tags break the rules
    emissions, tags, mask = a_batch([6, 0, 3], crf.num_tags, scale=30)
    emissions[~mask] = torch.nan
    emissions.requires_grad_()
    (-crf(emissions, tags, mask)).backward()
    for tensor in (emissions, *crf.parameters()):
        assert tensor.grad is not None
        assert torch.isfinite(tensor.grad).all()
    assert emissions.grad is not None
    assert not emissions.grad[~mask].any()


def test_gradient_check() -> None:
    crf = a_crf(scheme="BIO").double()
    emissions, tags, mask = a_batch([3, 0, 2], crf.num_tags)
    emissions = emissions.double().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda e: crf(e, torch.zeros_like(tags), mask, "none"), emissions
    )


def test_float32_under_autocast() -> None:
    crf = a_crf(scheme="BIO")
    emissions, tags, mask = a_batch([9, 4], crf.num_tags)
    half = emissions.bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        likelihood, decoded = crf(half, tags, mask), crf.decode(half, mask)
        readings = crf.k_best(half, 2, mask)
    assert likelihood.dtype == torch.float32
    assert torch.equal(likelihood, crf(half.float(), tags, mask))
    assert decoded == crf.decode(half.float(), mask)
    assert readings == crf.k_best(half.float(), 2, mask)
    assert crf.bfloat16()(half, tags, mask).dtype == torch.float32


@pytest.mark.parametrize("lengths", [[], [0], [0, 0], [0, 3, 0]])
def test_empty_sentences(lengths: list[int]) -> None:
    crf = a_crf(scheme="BIO")
    emissions, tags, mask = a_batch(lengths, crf.num_tags)
    likelihoods = crf(emissions, tags, mask, "none")
    assert likelihoods.shape == (len(lengths),)
    assert not likelihoods[[n == 0 for n in lengths]].any()
    assert torch.isfinite(crf(emissions, tags, mask, "token_mean"))
    crf(emissions, tags, mask).backward()
    assert all(torch.isfinite(p.grad).all() for p in crf.parameters() if p.grad is not None)
    assert [len(ids) for ids in crf.decode(emissions, mask)] == lengths
    assert crf.span_probabilities(emissions, [[] for _ in lengths], mask) == [[] for _ in lengths]
    readings = crf.k_best(emissions, 3, mask)
    assert all(
        row == [TagPath((), 0.0)] for row, n in zip(readings, lengths, strict=True) if n == 0
    )


def test_one_label() -> None:
    crf = CRF(["only"])
    emissions = torch.randn(1, 3, 1)
    assert crf(emissions, torch.zeros(1, 3, dtype=torch.long)).item() == pytest.approx(0, abs=1e-6)
    [[reading]] = crf.k_best(emissions, 5)
    assert reading.tags == (0, 0, 0)
    assert reading.log_probability == pytest.approx(0, abs=1e-6)


def test_constraints_survive_loading() -> None:
    """Weights trained without constraints, even if they prefer forbidden transitions."""
    free = a_crf()
    with torch.no_grad():
        free.transitions[0, 2] = free.start_transitions[2] = 50.0  # O I-X, and I-X first
    bound = CRF(BIO, "BIO")
    bound.load_state_dict(torchcrf.CRF(len(BIO)).state_dict())
    bound.load_state_dict(free.state_dict())
    emissions, _, _ = a_batch([8], len(BIO))
    tags = [BIO[k] for k in bound.decode(emissions)[0]]
    assert convert(tags, "BIO", "BIO") == tags
    loose = [BIO[k] for k in free.decode(emissions)[0]]
    assert convert(loose, "BIO", "BIO") != loose


@pytest.mark.gpu
def test_on_a_gpu_as_on_the_cpu_and_without_waiting() -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    crf = a_crf(scheme="BIO")
    emissions, tags, mask = a_batch([9, 0, 4], crf.num_tags)
    spans = [every_span(9), [], every_span(4)]
    here = crf(emissions, tags, mask)
    lists = crf.decode(emissions, mask), crf.span_probabilities(emissions, spans, mask)
    crf, on_gpu = crf.cuda(), (emissions.cuda(), tags.cuda(), mask.cuda())
    torch.cuda.set_sync_debug_mode("error")
    try:
        with torch.autocast("cuda", torch.bfloat16):
            there = crf(*on_gpu)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert there.dtype == torch.float32
    torch.testing.assert_close(here, there.cpu(), rtol=1e-4, atol=1e-4)
    assert crf.decode(on_gpu[0], on_gpu[2]) == lists[0]
    for row, expected in zip(
        crf.span_probabilities(on_gpu[0], spans, on_gpu[2]), lists[1], strict=True
    ):
        assert row == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("labels", "scheme", "error", "message"),
    [
        ([], None, ConfigError, "labels: expected at least one, each of them once, got none"),
        (
            ["O", "O"],
            None,
            ConfigError,
            "labels: expected at least one, each of them once, got O, O",
        ),
        (["O", "E-X", "L-X"], "BIOES", ConfigError, "each of them once, got O, E-X, L-X"),
        (["O", "E-X"], "BIO", DataError, "'E-X' is not a tag of the scheme BIO"),
        (["O", "I-X"], "IOB1", ConfigError, "constraints exist for BIO and BIOES, not for IOB1"),
    ],
)
def test_labels_that_cannot_be_used(
    labels: list[str], scheme: Scheme, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        CRF(labels, scheme)


def test_arguments_that_do_not_fit() -> None:
    crf = CRF(BIO, "BIO")
    emissions, _, mask = a_batch([3, 2], 5)
    with pytest.raises(ValueError, match=r"the mask \(2, 2\) does not fit emissions \(2, 3, 5\)"):
        crf.decode(emissions, mask[:, :2])
    with pytest.raises(ValueError, match=r"expected emissions \[B, T, 5\], got \(2, 3, 4\)"):
        crf.decode(emissions[:, :, :4], mask)
    with pytest.raises(ValueError, match="k: expected at least 1, got 0"):
        crf.k_best(emissions, 0, mask)


lengths_of_a_batch = st.lists(st.integers(0, 5), min_size=1, max_size=4)
seeds = st.integers(0, 2**16)
few = settings(max_examples=25, deadline=None)


@pytest.mark.parametrize(("labels", "scheme"), SCHEMED)
@few
@given(lengths=lengths_of_a_batch, seed=seeds)
def test_equal_to_enumeration(
    labels: tuple[str, ...], scheme: Scheme, lengths: list[int], seed: int
) -> None:
    crf = a_crf(labels, scheme, seed)
    emissions, tags, mask = a_batch(lengths, crf.num_tags, seed)
    emissions = emissions.double()
    likelihoods = crf(emissions, tags, mask, "none")
    decoded = crf.decode(emissions, mask)
    readings = crf.k_best(emissions, 4, mask)
    for b, n in enumerate(lengths):
        sentence = emissions[b, :n]
        paths = allowed_paths(crf, sentence)
        z = enumerated_log_z(paths)
        gold = tuple(tags[b, :n].tolist())
        if gold in paths:
            assert likelihoods[b].item() == pytest.approx(paths[gold] - z, abs=1e-8)
        else:
            assert -1e5 < likelihoods[b].item() < -5e3
        assert tuple(decoded[b]) == next(iter(paths))
        assert [r.tags for r in readings[b]] == list(paths)[:4]
        logs = [score - z for score in list(paths.values())[:4]]
        assert [r.log_probability for r in readings[b]] == pytest.approx(logs, abs=1e-8)


@pytest.mark.parametrize(("labels", "scheme"), SCHEMED)
@few
@given(lengths=lengths_of_a_batch, seed=seeds)
def test_spans_are_equal_to_enumeration(
    labels: tuple[str, ...], scheme: Scheme, lengths: list[int], seed: int
) -> None:
    crf = a_crf(labels, scheme, seed)
    emissions, _, mask = a_batch(lengths, crf.num_tags, seed)
    emissions = emissions.double()
    spans = [every_span(n) for n in lengths]
    for b, (row, found) in enumerate(
        zip(spans, crf.span_probabilities(emissions, spans, mask), strict=True)
    ):
        expected = enumerated_span_probabilities(crf, emissions[b, : lengths[b]])
        assert found == pytest.approx([expected.get(span, 0.0) for span in row], abs=1e-9)


@few
@given(lengths=lengths_of_a_batch, seed=seeds)
def test_any_constraints(lengths: list[int], seed: int) -> None:
    """Any masks are obeyed, not only those of tag schemes."""
    crf = a_crf(("a", "b", "c"), seed=seed)
    draw = torch.Generator().manual_seed(seed)
    for allowed in (crf.may_start, crf.may_follow, crf.may_end):
        allowed.copy_(torch.rand(allowed.shape, generator=draw) < 0.7)
    emissions, _, mask = a_batch(lengths, 3, seed)
    emissions = emissions.double()
    for b, readings in enumerate(crf.k_best(emissions, 300, mask)):
        # none where the constraints leave none
        expected = probabilities(crf, emissions[b, : lengths[b]])
        assert [r.tags for r in readings] == list(expected)
        assert [math.exp(r.log_probability) for r in readings] == pytest.approx(
            list(expected.values()), abs=1e-9
        )


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@few
@given(
    lengths=st.lists(st.integers(0, 30), min_size=1, max_size=5),
    seed=seeds,
    scale=st.sampled_from([0.0, 1.0, 30.0]),
)
def test_decoded_tags_are_well_formed(
    scheme: Scheme, lengths: list[int], seed: int, scale: float
) -> None:
    crf = a_crf(labels_of("XYZ", scheme), scheme, seed)
    emissions, _, mask = a_batch(lengths, crf.num_tags, seed, scale)
    for b, ids in enumerate(crf.decode(emissions, mask)):
        tags = [crf.labels[k] for k in ids]
        assert len(tags) == lengths[b]
        assert convert(tags, scheme, scheme) == tags
    for b, readings in enumerate(crf.k_best(emissions, 3, mask)):
        assert readings
        assert len({r.tags for r in readings}) == len(readings)
        assert all(len(r.tags) == lengths[b] for r in readings)
        assert [r.log_probability for r in readings] == sorted(
            (r.log_probability for r in readings), reverse=True
        )


@few
@given(lengths=lengths_of_a_batch, seed=seeds, extra=st.integers(0, 3))
def test_padding_and_neighbours_do_not_matter(lengths: list[int], seed: int, extra: int) -> None:
    crf = a_crf(scheme="BIO", seed=seed)
    emissions, tags, mask = a_batch([*lengths, max(lengths) + extra], crf.num_tags, seed)
    spoiled, off = emissions.clone(), ~mask
    spoiled[off] = torch.nan
    wrong = tags.masked_fill(off, -100)
    spans = [every_span(n) for n in [*lengths, 0]]
    together = crf(spoiled, wrong, mask, "none")
    decoded = crf.decode(spoiled, mask)
    chances, readings = crf.span_probabilities(spoiled, spans, mask), crf.k_best(spoiled, 2, mask)
    for b, n in enumerate(lengths):
        alone = emissions[b : b + 1, :n]
        torch.testing.assert_close(
            together[b : b + 1], crf(alone, tags[b : b + 1, :n], reduction="none")
        )
        assert decoded[b] == crf.decode(alone)[0]
        assert chances[b] == pytest.approx(
            crf.span_probabilities(alone, spans[b : b + 1])[0], abs=1e-6
        )
        assert [r.tags for r in readings[b]] == [r.tags for r in crf.k_best(alone, 2)[0]]


def a_lattice(
    crf: CRF, lengths: list[int], seed: int, scale: float, dtype: torch.dtype = torch.float32
) -> Lattice:
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
    plain = log_partition(lattice)
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
    lattice = a_lattice(
        a_crf(labels_of("WXYZ", "BIOES"), "BIOES"), [2000, 3], 0, 3.0, torch.float64
    )
    assert_equal_to_the_plain_recursion(lattice, is_fast=True)


def test_float32_is_as_exact_as_float32_can_be() -> None:
    crf = a_crf(scheme="BIO")
    exact, mine = a_lattice(crf, [300], 1, 3.0, torch.float64), a_lattice(crf, [300], 1, 3.0)
    torch.testing.assert_close(log_z(mine).double(), log_z(exact), rtol=1e-6, atol=0)


@pytest.mark.parametrize("scale", [100.0, 1000.0])
def test_scores_too_far_apart_for_probabilities(scale: float) -> None:
    """A best sequence may begin with a tag of probability zero in float64."""
    lattice = a_lattice(a_crf(BIOES, "BIOES"), [9, 0, 4], 0, scale, torch.float64)
    mine = log_z(lattice)
    assert "LogPartition" not in type(mine.grad_fn).__name__
    assert torch.equal(mine, log_partition(lattice))


def test_a_sentence_that_no_sequence_fits() -> None:
    """``B`` and ``E`` alone spell no sentence of one token: its log-sum is as low as the
    constraints put it, not ``-inf``."""
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

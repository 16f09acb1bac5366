"""The CRF against enumeration, and what holds for any batch."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_tasks.text.tag_schemes import Scheme, convert, labels_of
from tests.heads import brute_force
from tests.heads.crf_cases import SCHEMED, a_batch, a_crf, every_span

lengths_of_a_batch = st.lists(st.integers(0, 5), min_size=1, max_size=4)
seeds = st.integers(0, 2**16)
few = settings(max_examples=25, deadline=None)


@pytest.mark.parametrize(("labels", "scheme"), SCHEMED)
@few
@given(lengths=lengths_of_a_batch, seed=seeds)
def test_equal_to_enumeration(labels: tuple[str, ...], scheme: Scheme, lengths: list[int], seed: int) -> None:
    crf = a_crf(labels, scheme, seed)
    emissions, tags, mask = a_batch(lengths, crf.num_tags, seed)
    emissions = emissions.double()
    likelihoods = crf(emissions, tags, mask, "none")
    decoded = crf.decode(emissions, mask)
    readings = crf.k_best(emissions, 4, mask)
    for b, n in enumerate(lengths):
        sentence = emissions[b, :n]
        paths = brute_force.allowed_paths(crf, sentence)
        z = brute_force.log_z(paths)
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
def test_spans_are_equal_to_enumeration(labels: tuple[str, ...], scheme: Scheme, lengths: list[int], seed: int) -> None:
    crf = a_crf(labels, scheme, seed)
    emissions, _, mask = a_batch(lengths, crf.num_tags, seed)
    emissions = emissions.double()
    spans = [every_span(n) for n in lengths]
    for b, (row, found) in enumerate(zip(spans, crf.span_probabilities(emissions, spans, mask), strict=True)):
        expected = brute_force.span_probabilities(crf, emissions[b, : lengths[b]])
        assert found == pytest.approx([expected.get(span, 0.0) for span in row], abs=1e-9)


@few
@given(lengths=lengths_of_a_batch, seed=seeds)
def test_any_constraints(lengths: list[int], seed: int) -> None:
    """The masks do what they say whatever they are, not for tag schemes only."""
    crf = a_crf(("a", "b", "c"), seed=seed)
    draw = torch.Generator().manual_seed(seed)
    for allowed in (crf.may_start, crf.may_follow, crf.may_end):
        allowed.copy_(torch.rand(allowed.shape, generator=draw) < 0.7)
    emissions, _, mask = a_batch(lengths, 3, seed)
    emissions = emissions.double()
    for b, readings in enumerate(crf.k_best(emissions, 300, mask)):
        expected = brute_force.probabilities(crf, emissions[b, : lengths[b]])  # none where the constraints leave none
        assert [r.tags for r in readings] == list(expected)
        assert [r.probability for r in readings] == pytest.approx(list(expected.values()), abs=1e-9)


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@few
@given(
    lengths=st.lists(st.integers(0, 30), min_size=1, max_size=5), seed=seeds, scale=st.sampled_from([0.0, 1.0, 30.0])
)
def test_decoded_tags_are_well_formed(scheme: Scheme, lengths: list[int], seed: int, scale: float) -> None:
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
        assert [r.log_probability for r in readings] == sorted((r.log_probability for r in readings), reverse=True)


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
        torch.testing.assert_close(together[b : b + 1], crf(alone, tags[b : b + 1, :n], reduction="none"))
        assert decoded[b] == crf.decode(alone)[0]
        assert chances[b] == pytest.approx(crf.span_probabilities(alone, spans[b : b + 1])[0], abs=1e-6)
        assert [r.tags for r in readings[b]] == [r.tags for r in crf.k_best(alone, 2)[0]]

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import precision_recall_fscore_support
from torch import distributed, multiprocessing

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.tasks.span_scores import SpanCounts, SpanF1, span_counts
from elmo_tasks.text.tag_schemes import SCHEMES, Scheme, labels_of

Corpus = list[list[str]]
TYPES = ("LOC", "ORG", "PER")

PREDICTED = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "I-ORG", "B-PER"], ["O", "O"], []]
GOLD = [["B-PER", "I-PER", "O", "B-ORG"], ["O", "B-ORG", "I-ORG"], ["O", "O"], []]


def random_tags(seed: int, scheme: Scheme, noise: float = 0.3) -> tuple[Corpus, Corpus]:
    """Tags that break their scheme often, and others that agree with most of them."""
    draw = random.Random(seed)
    labels = labels_of(TYPES, scheme)
    gold = [[draw.choice(labels) for _ in range(draw.randrange(12))] for _ in range(40)]
    return [[draw.choice(labels) if draw.random() < noise else t for t in tags] for tags in gold], gold


def assert_as_seqeval(preds: Corpus, target: Corpus, scheme: Scheme) -> None:
    metric = SpanF1(TYPES, scheme)
    half = len(preds) // 2
    metric.update(preds[:half], target[:half])
    metric.update(preds[half:], target[half:])
    scores = {name: float(value) for name, value in metric.compute().items()}
    micro = precision_recall_fscore_support(target, preds, average="micro", zero_division=0)
    assert [scores["precision"], scores["recall"], scores["f1"]] == pytest.approx(micro[:3])
    by_type = zip(*precision_recall_fscore_support(target, preds, average=None, zero_division=0), strict=True)
    counts = span_counts(preds, target, scheme)
    for type_, (precision, recall, f1, support) in zip(counts, by_type, strict=True):
        mine = [scores[f"{score}/{type_}"] for score in ("precision", "recall", "f1")]
        assert mine == pytest.approx([precision, recall, f1])
        assert counts[type_].gold == support


def test_by_hand() -> None:
    assert span_counts(PREDICTED, GOLD, "BIO") == {
        "LOC": SpanCounts(0, 1, 0),
        "ORG": SpanCounts(0, 1, 2),
        "PER": SpanCounts(1, 2, 1),
    }
    metric = SpanF1(TYPES)
    metric.update(PREDICTED, GOLD)
    scores = {name: float(value) for name, value in metric.compute().items()}
    assert scores["precision"] == pytest.approx(1 / 4)
    assert scores["recall"] == pytest.approx(1 / 3)
    assert scores["f1"] == pytest.approx(2 / 7)
    assert scores["f1/PER"] == pytest.approx(2 / 3)
    assert scores["f1/LOC"] == scores["recall/LOC"] == scores["precision/ORG"] == 0
    assert len(scores) == 12


def test_hand_written_tags_as_seqeval() -> None:
    assert_as_seqeval(PREDICTED, GOLD, "BIO")
    assert_as_seqeval([["I-PER", "I-LOC", "B-LOC"]], [["B-PER", "B-LOC", "I-LOC"]], "BIO")
    assert_as_seqeval([["B-PER", "O", "E-PER"]], [["S-PER", "O", "S-PER"]], "BIOES")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(5))
def test_random_tags_as_seqeval(scheme: Scheme, seed: int) -> None:
    assert_as_seqeval(*random_tags(seed, scheme), scheme)


@given(st.data())
def test_any_tags_as_seqeval(data: st.DataObject) -> None:
    labels = st.sampled_from(labels_of(TYPES, "BIO"))
    pairs = data.draw(st.lists(st.lists(st.tuples(labels, labels), max_size=6), min_size=1, max_size=4))
    preds, target = ([[pair[side] for pair in pairs_] for pairs_ in pairs] for side in (0, 1))
    if span_counts(preds, target, "BIO"):  # seqeval has no answer where there is no span at all
        assert_as_seqeval(preds, target, "BIO")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_perfect(scheme: Scheme) -> None:
    _, gold = random_tags(0, scheme)
    metric = SpanF1(TYPES, scheme)
    metric.update(gold, gold)
    assert all(value == 1 for value in metric.compute().values())


def test_nothing_to_find_is_zero() -> None:
    metric = SpanF1(TYPES)
    metric.update([["O"]], [["O"]])
    assert not any(metric.compute().values())
    assert span_counts([["O"]], [["O"]], "BIO") == {}
    no_types = SpanF1([])
    no_types.update([["O"]], [["O"]])
    assert set(no_types.compute()) == {"precision", "recall", "f1"}


def test_reset_and_forward() -> None:
    metric = SpanF1(TYPES)
    metric.update(GOLD, GOLD)
    assert float(metric(PREDICTED, GOLD)["f1"]) == pytest.approx(2 / 7)  # of this batch alone
    assert metric.counts()["PER"] == SpanCounts(2, 3, 2)  # of both
    metric.reset()
    assert metric.counts() == dict.fromkeys(TYPES, SpanCounts())


def _score_a_share(rank: int, folder: str) -> None:
    """What each of two processes does: the first sees 39 sentences, the second one sentence without spans."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    try:
        preds, target = random_tags(0, "BIO")
        target[39] = preds[39] = ["O"] * 3
        idle, metric = SpanF1(TYPES), SpanF1(TYPES)
        share = slice(0, 39) if rank == 0 else slice(39, 40)
        metric.update(preds[share], target[share])
        if rank == 0:
            idle.update(preds, target)
        # Twice: a sum that was kept would count the other process again.
        scores = [{name: float(value) for name, value in m.compute().items()} for m in (metric, metric, idle)]
        torch.save([*scores, vars(metric.counts()["PER"])], f"{folder}/{rank}.pt")
    finally:
        distributed.destroy_process_group()


@pytest.mark.ci
@pytest.mark.skipif(not distributed.is_available(), reason="this PyTorch has no torch.distributed")
def test_two_processes(tmp_path: Path) -> None:
    multiprocessing.spawn(_score_a_share, (str(tmp_path),), nprocs=2)
    preds, target = random_tags(0, "BIO")
    target[39] = preds[39] = ["O"] * 3
    alone = SpanF1(TYPES)
    alone.update(preds, target)
    expected = {name: float(value) for name, value in alone.compute().items()}
    assert 0 < expected["f1"] < 1
    for rank in range(2):
        *scores, own = torch.load(tmp_path / f"{rank}.pt", weights_only=True)
        assert scores == [expected] * 3
        assert SpanCounts(**own) == (alone.counts()["PER"] if rank == 0 else SpanCounts())


@pytest.mark.parametrize(
    ("preds", "target", "error", "message"),
    [
        ([["O"]], [], ValueError, "tags of 1 sentences were predicted, but there are 0 sentences"),
        ([["O"], ["O"]], [["O"], []], ValueError, "sentence 2: 1 tags were predicted, but there are 0 tokens"),
        ([["NOUN"]], [["O"]], DataError, "token 1: 'NOUN' is not a tag of the scheme BIO"),
        ([["O"]], [["B-X"]], DataError, "spans of type X, but the label set has LOC, ORG, PER"),
    ],
)
def test_tags_that_cannot_be_scored(preds: Corpus, target: Corpus, error: type[Exception], message: str) -> None:
    metric = SpanF1(TYPES)
    with pytest.raises(error, match=re.escape(message)):
        metric.update(preds, target)


def test_a_type_twice() -> None:
    with pytest.raises(ConfigError, match="types: each span type once, got X, Y, X"):
        SpanF1(["X", "Y", "X"])

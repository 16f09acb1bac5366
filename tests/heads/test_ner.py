from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from torch import Tensor

from elmo_tasks.devices import cpu_multiplies_bfloat16
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.heads.head import HeadTask, TokenFeatures, characters_of
from elmo_tasks.heads.ner import NerHead
from elmo_tasks.heads.tagging import FoundSpan
from elmo_tasks.text.characters import character_ids
from elmo_tasks.text.tag_schemes import Scheme, Span, labels_of, spans_of
from tests.heads.crf_cases import enumerated_span_probabilities

LABELS = labels_of(["LOC", "PER"], "BIO")
L, D, S = 3, 6, 2
WORDS = (("Ada", "saw", "Old", "Town"), ("Ada",), (), ("in", "Town"))
TASK: dict[str, Any] = {
    "labels": LABELS,
    "scheme": "BIO",
    "input_dim": D,
    "n_layers": L,
    "static_dim": 0,
}
EVERYTHING: dict[str, Any] = {"character_filters": 4, "character_embedding": 3, "static_dim": S}


def built(**settings: Any) -> NerHead:
    task = {name: settings.pop(name, default) for name, default in TASK.items()}
    return NerHead(HeadTask(**task | {"labels": tuple(task["labels"])}), **settings)


def a_head(
    labels: tuple[str, ...] = LABELS, scheme: Scheme | None = "BIO", **settings: Any
) -> NerHead:
    """In evaluation mode, with weights of some size."""
    torch.manual_seed(0)
    head = built(labels=labels, scheme=scheme, **{"lstm_hidden": 5, **settings}).eval()
    with torch.no_grad():
        for parameter in (*head.emit.parameters(), *head.crf.parameters()):
            parameter.normal_()
    return head


def a_batch(words: tuple[tuple[str, ...], ...] = WORDS) -> tuple[Tensor, Tensor, TokenFeatures]:
    """Layers, mask and features; the same word in the same place of a sentence has the same ones in
    every batch."""
    longest = max(map(len, words), default=0)
    values, static = torch.zeros(L, len(words), longest, D), torch.zeros(len(words), longest, S)
    mask = torch.zeros(len(words), longest, dtype=torch.bool)
    for b, sentence in enumerate(words):
        draw = torch.Generator().manual_seed(sum(map(ord, "".join(sentence))))
        values[:, b, : len(sentence)] = torch.randn(L, len(sentence), D, generator=draw)
        static[b, : len(sentence)] = torch.randn(len(sentence), S, generator=draw)
        mask[b, : len(sentence)] = True
    return values, mask, TokenFeatures(*characters_of(words), static)


@pytest.mark.parametrize(
    "settings", [{}, EVERYTHING, {"lstm_layers": 1, "mix_layer_norm": True}, {"lstm_hidden": 0}]
)
@pytest.mark.parametrize(
    ("labels", "scheme"), [(LABELS, "BIO"), (labels_of("X", "BIOES"), "BIOES"), (("N", "V"), None)]
)
def test_shapes(labels: tuple[str, ...], scheme: Scheme | None, settings: dict[str, Any]) -> None:
    head = a_head(labels, scheme, **settings)
    values, mask, features = a_batch()
    assert head(values, mask, features).shape == (4, 4, len(labels))
    loss = head.loss(values, mask, torch.zeros(4, 4, dtype=torch.long), features)
    assert loss.shape == ()
    assert loss.isfinite()
    predictions = head.predict(values, mask, features, n_readings=3)
    assert [len(p.tags) for p in predictions] == [4, 1, 0, 2]
    if scheme is None:
        assert {tag for p in predictions for tag in p.tags} <= set(labels)
        assert not any(p.spans for p in predictions)


def test_the_loss_is_the_mean_over_sentences() -> None:
    head = a_head()
    values, mask, _ = a_batch()
    tags = torch.zeros(4, 4, dtype=torch.long)
    singly = [head.loss(values[:, b : b + 1], mask[b : b + 1], tags[b : b + 1]) for b in range(4)]
    torch.testing.assert_close(head.loss(values, mask, tags), torch.stack(singly).mean())
    assert singly[2] == 0  # nothing to tag


@pytest.mark.parametrize("settings", [{}, EVERYTHING])
def test_a_batch_equals_its_sentences(settings: dict[str, Any]) -> None:
    head = a_head(**settings)
    together = head.predict(*a_batch(), n_readings=3)
    for words, expected in zip(WORDS, together, strict=True):
        (alone,) = head.predict(*a_batch((words,)), n_readings=3)
        for mine, theirs in zip(
            (alone, *alone.alternatives), (expected, *expected.alternatives), strict=True
        ):
            assert mine.tags == theirs.tags
            assert mine.probability == pytest.approx(theirs.probability, rel=1e-4)
            assert [s.confidence for s in mine.spans] == pytest.approx(
                [s.confidence for s in theirs.spans], rel=1e-4
            )


@pytest.mark.parametrize(
    "settings", [{}, {**EVERYTHING, "normalize_mixed": True}, {"lstm_hidden": 0}]
)
def test_padding_does_not_matter(settings: dict[str, Any]) -> None:
    head = a_head(**settings)
    values, mask, features = a_batch()
    assert features.words is not None
    assert features.static is not None
    dirty = values.masked_fill(~mask.unsqueeze(2), 1e4)
    other = TokenFeatures(
        features.characters,
        features.words.masked_fill(~mask, 2),
        features.static.masked_fill(~mask.unsqueeze(2), 1e9),
    )
    assert torch.equal(head(values, mask, features)[mask], head(dirty, mask, other)[mask])
    head.loss(dirty, mask, torch.full(mask.shape, 2), other).backward()
    assert all(p.grad.isfinite().all() for p in head.parameters() if p.grad is not None)


def test_only_empty_sentences() -> None:
    head = a_head(**EVERYTHING)
    for words in ((), ((), ())):
        values, mask, features = a_batch(words)
        assert [(p.tags, p.spans, p.probability) for p in head.predict(values, mask, features)] == [
            ((), (), 1.0)
        ] * len(words)
    # The batch above has no time step; this one has two of padding.
    values, mask, features = a_batch((("Ada", "saw"),))
    (found,) = head.predict(values, torch.zeros_like(mask), features)
    assert found.tags == ()
    head.loss(
        values, torch.zeros_like(mask), torch.zeros(1, 2, dtype=torch.long), features
    ).backward()


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
def test_confidences_are_exact(scheme: Scheme) -> None:
    """The sum over all taggings of the sentence that spell exactly this span."""
    head = a_head(labels_of("X", scheme), scheme)
    values, mask, _ = a_batch((("Ada", "saw", "Town"),))
    (found,) = head.predict(values, mask, n_readings=6)
    expected = enumerated_span_probabilities(head.crf, head(values, mask)[0])
    readings = (found, *found.alternatives)
    assert len(readings) > 1
    assert any(r.spans for r in readings)
    for reading in readings:
        assert [Span(s.start, s.end, s.type) for s in reading.spans] == spans_of(
            reading.tags, "BIO"
        )
        for span in reading.spans:
            assert span.confidence == pytest.approx(
                expected[Span(span.start, span.end, span.type)], abs=1e-5
            )


def test_gradient_reaches_the_mix() -> None:
    head = a_head(**EVERYTHING)
    values, mask, features = a_batch()
    head.loss(values, mask, torch.ones(4, 4, dtype=torch.long), features).backward()
    for name, parameter in head.named_parameters():
        assert parameter.grad is not None, name
        if name != "mix.gamma":  # which the layer norm undoes
            assert parameter.grad.abs().sum() > 0, name
    plain = a_head()
    plain.loss(values, mask, torch.ones(4, 4, dtype=torch.long)).backward()
    assert plain.mix.gamma.grad is not None
    assert plain.mix.gamma.grad.abs() > 1e-6


@pytest.mark.parametrize("settings", [{}, EVERYTHING])
def test_it_learns_four_sentences(settings: dict[str, Any]) -> None:
    words = (*WORDS[:2], ("in", "Town"), ("saw", "Ada", "in", "Old", "Town"))
    gold = [
        ("B-PER", "O", "B-LOC", "I-LOC"),
        ("B-PER",),
        ("O", "B-LOC"),
        ("O", "B-PER", "O", "B-LOC", "I-LOC"),
    ]
    torch.manual_seed(1)
    head = built(lstm_hidden=8, lstm_layers=1, dropout=0.0, **settings)
    values, mask, features = a_batch(words)
    tags = torch.zeros(mask.shape, dtype=torch.long)
    for b, row in enumerate(gold):
        tags[b, : len(row)] = torch.tensor([LABELS.index(tag) for tag in row])
    optimizer = torch.optim.Adam(head.parameters(), lr=0.03)
    for _ in range(60):
        optimizer.zero_grad()
        head.loss(values, mask, tags, features).backward()
        optimizer.step()
    found = head.eval().predict(values, mask, features)
    assert [p.tags for p in found] == gold
    assert found[0].spans[1] == FoundSpan(2, 4, "LOC", found[0].spans[1].confidence)
    assert min(s.confidence for p in found for s in p.spans) > 0.7


def test_bioes_comes_out_as_bio() -> None:
    head = a_head(("O", "B-X", "I-X", "L-X", "U-X"), "BIOES")
    for prediction in head.predict(*a_batch()[:2]):
        assert set(prediction.tags) <= {"O", "B-X", "I-X"}
        spans = [Span(s.start, s.end, s.type) for s in prediction.spans]
        assert spans == spans_of(prediction.tags, "BIO")


@pytest.mark.skipif(not cpu_multiplies_bfloat16(), reason="this CPU has no products of bfloat16")
def test_bfloat16_autocast_and_float16_layers() -> None:
    head = a_head(**EVERYTHING)
    values, mask, features = a_batch()
    exact = head.loss(values, mask, torch.zeros(4, 4, dtype=torch.long), features)
    with torch.autocast("cpu", torch.bfloat16):
        loss = head.loss(values.half(), mask, torch.zeros(4, 4, dtype=torch.long), features)
        assert [len(p.tags) for p in head.predict(values.half(), mask, features)] == [4, 1, 0, 2]
    assert loss.dtype == torch.float32
    loss.backward()
    assert loss.item() == pytest.approx(exact.item(), rel=0.05)


def test_characters_of_a_batch() -> None:
    characters, words = characters_of((("in", "Town"), (), ("Town",)))
    assert characters.tolist() == [character_ids(w) for w in ("", "in", "Town")]
    assert words.tolist() == [[1, 2], [0, 0], [2, 0]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_layers": 0}, "n_layers: a mix needs at least one layer, got 0"),
        ({"lstm_hidden": -1}, "lstm_hidden: expected a whole number of at least 0, got -1"),
        ({"lstm_layers": 0}, "lstm_layers: expected a whole number of at least 1, got 0"),
        ({"dropout": 1.0}, "dropout: expected a share from 0 to below 1, got 1.0"),
        (
            {"character_filters": -1},
            "character_filters: expected a whole number of at least 0, got -1",
        ),
        (
            {"character_filters": 2, "character_width": 0},
            "character_width: expected a whole number of at least 1, got 0",
        ),
        (
            {"character_filters": 2, "character_width": 51},
            "character_width: a token has 50 characters, got 51",
        ),
        (
            {"character_filters": 2, "character_embedding": 0},
            "character_embedding: expected a whole number of at least 1",
        ),
        ({"labels": []}, "labels: expected at least one, each of them once, got none"),
        (
            {"fixed_weights": [1]},
            "fixed_weights: expected 3 finite numbers, one for each layer, got [1]",
        ),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        built(**settings)


def test_a_label_of_no_scheme() -> None:
    with pytest.raises(DataError, match="'NN' is not a tag of the scheme BIO"):
        built(labels=["NN"])

from __future__ import annotations

import math
import re
from typing import Any, get_args

import pytest
import torch
from torch import Tensor

from elmo_tasks.devices import cpu_multiplies_bfloat16
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head import HeadTask, TokenFeatures
from elmo_tasks.heads.sentiment import Pooling, SentimentHead
from elmo_tasks.layers import masked_mean

L, D = 3, 6
NAMES = ("negative", "neutral", "positive")
WAYS = [{"pooling": p, "lstm_hidden": h} for p in get_args(Pooling) for h in (0, 4)]

TASK: dict[str, Any] = {"class_names": NAMES, "input_dim": D, "n_layers": L}


def a_head(class_names: tuple[str, ...] = NAMES, **settings: Any) -> SentimentHead:
    torch.manual_seed(0)
    return SentimentHead(HeadTask(class_names, D, L), **{"hidden": 5, **settings}).eval()


def a_batch(lengths: tuple[int, ...] = (4, 1, 0, 2)) -> tuple[Tensor, Tensor]:
    """Layers and mask; the first sentence of a length is the same in every batch."""
    mask = torch.arange(max(lengths, default=0)) < torch.tensor(
        lengths, dtype=torch.long
    ).unsqueeze(1)
    values = torch.zeros(L, *mask.shape, D)
    for b, n in enumerate(lengths):
        values[:, b, :n] = torch.randn(L, n, D, generator=torch.Generator().manual_seed(n))
    return values, mask


@pytest.mark.parametrize("settings", [*WAYS, {"hidden": 0}, {"mix_layer_norm": True}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_shapes(settings: dict[str, Any], n_classes: int) -> None:
    head = a_head(NAMES[:n_classes], **settings)
    values, mask = a_batch()
    assert head(values, mask).shape == (4, n_classes)
    loss = head.loss(values, mask, torch.tensor([0, 1, 1, 0]))
    assert loss.shape == ()
    predictions = head.predict(values, mask)
    for prediction in predictions:
        assert tuple(prediction.probabilities) == NAMES[:n_classes]
        assert sum(prediction.probabilities.values()) == pytest.approx(1)
        assert prediction.confidence == max(prediction.probabilities.values())
    right = [
        list(p.probabilities.values())[k] for p, k in zip(predictions, [0, 1, 1, 0], strict=True)
    ]
    assert loss.item() == pytest.approx(-sum(map(math.log, right)) / 4, abs=1e-5)


@pytest.mark.parametrize("settings", WAYS)
def test_a_batch_equals_its_texts(settings: dict[str, Any]) -> None:
    head = a_head(**settings)
    together = head(*a_batch())
    for b, n in enumerate((4, 1, 0, 2)):
        torch.testing.assert_close(head(*a_batch((n,)))[0], together[b], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("settings", WAYS)
def test_padding_does_not_matter(settings: dict[str, Any]) -> None:
    head = a_head(**settings)
    values, mask = a_batch()
    dirty = values.masked_fill(~mask.unsqueeze(2), 1e4)
    assert torch.equal(head(values, mask), head(dirty, mask))
    head.loss(dirty, mask, torch.tensor([0, 1, 2, 0])).backward()
    assert all(p.grad.isfinite().all() for p in head.parameters() if p.grad is not None)


@pytest.mark.parametrize("settings", WAYS)
def test_empty_texts_are_zero_vectors(settings: dict[str, Any]) -> None:
    head = a_head(**settings)
    zero = head.classify(
        torch.relu(
            head.get_submodule("hidden")(torch.zeros(2, 8 if settings["lstm_hidden"] else D))
        )
    )
    for length in (0, 3):
        found = head(torch.ones(L, 2, length, D), torch.zeros(2, length, dtype=torch.bool))
        torch.testing.assert_close(found, zero)
    assert head.predict(*a_batch(())) == []


@pytest.mark.parametrize("settings", WAYS)
def test_gradient_reaches_the_mix(settings: dict[str, Any]) -> None:
    head = a_head(**settings)
    head.loss(*a_batch(), torch.tensor([0, 1, 2, 0])).backward()
    for name, parameter in head.named_parameters():
        assert parameter.grad is not None, name
        # Attention does not change when all of its scores rise.
        assert name == "attend.bias" or parameter.grad.abs().sum() > 0, name


def test_pooled_layers_give_the_same() -> None:
    head = a_head()
    assert head.accepts_pooled
    values, mask = a_batch()
    pooled = masked_mean(values, mask)
    assert torch.equal(head(pooled), head(values, mask))
    head.train()
    losses = []
    for given in ((pooled, None), (values, mask)):
        torch.manual_seed(3)  # of the dropout
        losses.append(head.loss(*given, torch.tensor([0, 1, 2, 0])))
    assert losses[0] == losses[1]
    half = masked_mean(values, mask).half()  # as they are kept on disk
    torch.testing.assert_close(head.eval()(half), head(values, mask), rtol=1e-2, atol=1e-2)


def test_pooled_layers_and_static_vectors_give_the_same() -> None:
    torch.manual_seed(0)
    head = SentimentHead(HeadTask(NAMES, D, L, static_dim=2), hidden=5).eval()
    assert head.accepts_pooled
    values, mask = a_batch()
    static = torch.randn(*mask.shape, 2)
    of_texts = head(
        masked_mean(values, mask), None, TokenFeatures(static=masked_mean(static, mask))
    )
    assert torch.equal(of_texts, head(values, mask, TokenFeatures(static=static)))
    assert not torch.equal(of_texts, head(values, mask, TokenFeatures(static=static + 1)))
    for settings in (
        {"pooling": "max"},
        {"pooling": "attention"},
        {"lstm_hidden": 4},
        {"mix_layer_norm": True},
    ):
        assert not a_head(**settings).accepts_pooled  # where it would make a difference


def test_all_are_tokens_by_default() -> None:
    head = a_head(pooling="attention")
    values, mask = a_batch((3, 3))
    assert torch.equal(head(values), head(values, mask))


def test_attention_is_a_mean_to_begin_from() -> None:
    """With equal scores its weights are those of the plain mean."""
    attention, mean = a_head(pooling="attention"), a_head()
    attention.load_state_dict(mean.state_dict(), strict=False)
    with torch.no_grad():
        attention.get_submodule("attend").get_parameter("weight").zero_()
    torch.testing.assert_close(attention(*a_batch()), mean(*a_batch()))


@pytest.mark.parametrize("settings", WAYS)
def test_it_learns_four_texts(settings: dict[str, Any]) -> None:
    torch.manual_seed(1)
    head = SentimentHead(HeadTask(NAMES, D, L), hidden=8, dropout=0.0, **settings)
    values, mask = a_batch((4, 1, 3, 2))
    labels = torch.tensor([0, 2, 1, 2])
    optimizer = torch.optim.Adam(head.parameters(), lr=0.03)
    for _ in range(60):
        optimizer.zero_grad()
        head.loss(values, mask, labels).backward()
        optimizer.step()
    found = head.eval().predict(values, mask)
    assert [p.label for p in found] == [NAMES[k] for k in labels.tolist()]
    assert min(p.confidence for p in found) > 0.7


@pytest.mark.skipif(not cpu_multiplies_bfloat16(), reason="this CPU has no products of bfloat16")
@pytest.mark.parametrize("settings", WAYS)
def test_bfloat16_autocast_and_float16_layers(settings: dict[str, Any]) -> None:
    head = a_head(**settings)
    values, mask = a_batch()
    labels = torch.tensor([0, 1, 2, 0])
    exact = head.loss(values, mask, labels)
    with torch.autocast("cpu", torch.bfloat16):
        loss = head.loss(values.half(), mask, labels)
        assert len(head.predict(values.half(), mask)) == 4
    assert loss.dtype == torch.float32
    loss.backward()
    assert loss.item() == pytest.approx(exact.item(), rel=0.05)


def test_fixed_weights() -> None:
    head = a_head(fixed_weights=[0, 0, 1])
    values, mask = a_batch()
    changed = values.clone()
    changed[:2] += 1
    assert torch.equal(head(values, mask), head(changed, mask))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pooling": "sum"}, "pooling: expected one of mean, max, attention, got 'sum'"),
        ({"n_layers": 0}, "n_layers: a mix needs at least one layer, got 0"),
        ({"lstm_hidden": -1}, "lstm_hidden: expected a whole number of at least 0, got -1"),
        (
            {"lstm_hidden": 4, "lstm_layers": 0},
            "lstm_layers: expected a whole number of at least 1, got 0",
        ),
        ({"hidden": -1}, "hidden: expected a whole number of at least 0, got -1"),
        ({"dropout": -0.1}, "dropout: expected a share from 0 to below 1, got -0.1"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    task = {name: settings.pop(name, default) for name, default in TASK.items()}
    with pytest.raises(ConfigError, match=re.escape(message)):
        SentimentHead(
            HeadTask(tuple(task["class_names"]), task["input_dim"], task["n_layers"]), **settings
        )

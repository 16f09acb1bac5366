"""The losses of context bags: their targets by hand, and their gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.data.language_batches import StreamBatch, StreamLoader, TokenizedCorpus, target_ids
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError
from elmo_tasks.recipes.context_bags import (
    ContextBagLoss,
    ContextBagModule,
    pairwise_difference,
    weighted_vectors,
)
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.bilm_module import BiLMModule

SENTENCES = [
    ["rain", "fell", "all", "night"],
    ["wind"],
    ["a", "cold", "wind", "bent", "the", "old", "trees"],
]
FIRST = len(SPECIAL_WORDS)


@pytest.fixture
def corpus(tmp_path: Path) -> TokenizedCorpus:
    (tmp_path / "text.txt").write_text("".join(f"{' '.join(words)}\n" for words in SENTENCES))
    return TokenizedCorpus.build([tmp_path / "text.txt"], tmp_path / "cache")


def windows(corpus: TokenizedCorpus, steps: int) -> list[StreamBatch]:
    targets = target_ids(corpus.words, Vocabulary(corpus.words))
    n = (len(corpus.forward) - 1) // steps
    return list(StreamLoader(corpus, targets, batch_size=1, unroll_steps=steps, n_batches=n))


def bags_of(corpus: TokenizedCorpus) -> ContextBagLoss:
    """Return bags in which each word of the corpus has its own dimension."""
    n = len(corpus.words)
    rows = torch.cat([torch.full((FIRST,), n), torch.arange(FIRST, n)])
    return ContextBagLoss(6, torch.cat([torch.eye(n), torch.zeros(1, n)]), rows)


def read_before(corpus: TokenizedCorpus, backward: bool) -> list[set[str]]:
    """Return the words of the sentence after each position of the stream, computed from the
    sentences."""
    found: list[set[str]] = []
    for words in SENTENCES:
        order = words[::-1] if backward else words
        found += [set(), *(set(order[:k]) for k in range(len(order))), set()]
    return found


@pytest.mark.parametrize("steps", [3, 4, 17])
def test_each_half_has_the_words_on_its_side_however_the_windows_cut_it(
    corpus: TokenizedCorpus, steps: int
) -> None:
    bags = bags_of(corpus)
    parts = [bags.targets(batch, torch.ones(1, 1)) for batch in windows(corpus, steps)]
    found = torch.cat(parts, dim=2)[:, 0]  # [2, T, words]
    for direction in (0, 1):
        expected = read_before(corpus, backward=bool(direction))
        words = [{corpus.words[k] for k in row.nonzero().flatten()} for row in found[direction]]
        assert words[: len(expected)] == expected[: len(words)]


def test_a_forgotten_stream_has_read_nothing() -> None:
    # Two streams that read three words of a corpus, none of them a boundary.
    table = torch.tensor([[1.0], [10.0], [100.0], [0.0]])
    bags = ContextBagLoss(4, table, torch.tensor([3, 3, 3, 0, 1, 2]))
    words = torch.arange(3).expand(2, 2, 3)
    batch = StreamBatch(torch.zeros(3, 50), words, words, torch.tensor([3, 4, 5]))
    assert bags.targets(batch, None)[..., 0].tolist() == [[[0, 1, 11], [0, 1, 11]]] * 2
    kept = bags.targets(batch, torch.tensor([[1.0], [0.0]]))
    assert kept[..., 0].tolist() == [[[111, 112, 122], [0, 1, 11]]] * 2
    assert bags.sums is not None
    assert bags.sums[..., 0].tolist() == [[222, 111]] * 2


def test_rare_words_weigh_more_around_a_centre_of_zero() -> None:
    static = StaticVectors(["the", "kettle"], torch.tensor([[3.0, 0.0], [0.0, 0.5]]), [9_999, 1])
    table, rows = weighted_vectors(static, [*SPECIAL_WORDS, "Kettle", "unheard-of", "the"])
    assert rows.tolist() == [2, 2, 2, 1, 2, 0]
    w = [1e-4 / (1e-4 + share) for share in (0.9999, 0.0001)]  # 0.0001 and 0.5
    both = [0.9999 * w[0], 0.0001 * w[1]]
    centre = [b / sum(both) for b in both]
    expected = [
        [w[0] * (1 - centre[0]), -w[0] * centre[1]],
        [-w[1] * centre[0], w[1] * (1 - centre[1])],
        [0, 0],
    ]
    torch.testing.assert_close(table, torch.tensor(expected), atol=1e-6, rtol=1e-5)
    # Weighted by their frequency in text, they cancel.
    torch.testing.assert_close(
        0.9999 * table[0] + 0.0001 * table[1], torch.zeros(2), atol=1e-8, rtol=0
    )


def test_pairs_are_compared_by_cosine() -> None:
    halves = torch.tensor([[2.0, 0.0], [0.0, 5.0], [1.0, 1.0]])
    bags = torch.tensor([[1.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    r = math.sqrt(0.5)
    expected = ((0 - -1) ** 2 + (r - 0) ** 2 + (r - 0) ** 2) / 3
    assert pairwise_difference(halves, bags).item() == pytest.approx(expected, abs=1e-6)


def test_without_pairs_the_losses_are_zero_with_a_gradient() -> None:
    bags = ContextBagLoss(4, torch.zeros(2, 3), torch.zeros(5, dtype=torch.long))
    losses = bags(torch.randn(2, 1, 6, 4), torch.zeros(2, 1, 6, 3))
    assert [loss.item() for loss in losses] == [0, 0]
    torch.stack(losses).sum().backward()
    assert all(p.grad is not None and not p.grad.any() for p in bags.parameters())


class _Trainer:
    world_size = 1


Module = TypeVar("Module", bound=BiLMModule)


def alone(made: Module, corpus: TokenizedCorpus) -> Module:
    """A module beside no trainer, with the softmax that ``configure_model`` would have made."""
    made.softmax = LMSoftmax(len(corpus.words), 6)
    made.__dict__["_trainer"] = _Trainer()
    made.log = made.log_dict = lambda *args, **kwargs: None  # type: ignore[method-assign,assignment]
    return made


SIZES: dict[str, Any] = {"filters": [(1, 4), (2, 4)], "dim": 8, "projection_dim": 6, "n_draws": 500}


def language_model(corpus: TokenizedCorpus) -> BiLMModule:
    torch.manual_seed(4)
    return alone(BiLMModule(**SIZES), corpus)


def with_bags(corpus: TokenizedCorpus, bag: float, pair: float) -> ContextBagModule:
    torch.manual_seed(4)
    made = alone(ContextBagModule(bag, pair, **SIZES), corpus)
    made.side_bags = bags_of(corpus)
    return made


def test_without_a_recipe_the_loss_is_that_of_the_language_model_alone(
    corpus: TokenizedCorpus,
) -> None:
    batch, ours = windows(corpus, 9)[0], language_model(corpus)
    torch.manual_seed(1)
    loss = ours.training_step(batch, 0)
    assert {name.split(".")[0] for name in ours.state_dict()} == {"bilm", "softmax"}
    torch.manual_seed(1)
    vectors = ours.bilm.token_encoder(batch.characters)
    lms = (ours.bilm.forward_lm, ours.bilm.backward_lm)
    tops = torch.stack(
        [lm(vectors[batch.words[k]], dropout=0.1)[0][-1] for k, lm in enumerate(lms)]
    )
    hidden = F.dropout(tops, 0.1)
    counts = batch.targets != torch.tensor([BEGIN_ID, END_ID]).view(2, 1, 1)
    assert ours.softmax is not None
    assert (
        loss.item() == ours.softmax.sampled_loss(hidden[counts], batch.targets[counts], 500).item()
    )


@pytest.mark.parametrize("weights", [(3.0, 0.0), (0.0, 3.0)], ids=["bag", "pair"])
def test_each_loss_changes_layer_2_of_both_directions(
    corpus: TokenizedCorpus, weights: tuple[float, float]
) -> None:
    batch = windows(corpus, 17)[0]
    gradients = []
    for ours in (language_model(corpus), with_bags(corpus, *weights)):
        torch.manual_seed(1)
        ours.training_step(batch, 0).backward()  # type: ignore[no-untyped-call]
        gradients.append(
            [lm.layers[1].weight_hr_l0.grad for lm in (ours.bilm.forward_lm, ours.bilm.backward_lm)]
        )
    for without, beside in zip(*gradients, strict=True):
        assert (without - beside).abs().max() > 1e-4


def test_a_recipe_adds_a_loss_of_the_outputs_of_every_layer(corpus: TokenizedCorpus) -> None:
    seen: list[list[torch.Size]] = []

    class Recipe(BiLMModule):
        def extra_loss(self, batch: StreamBatch, layers: Sequence[Tensor]) -> Tensor:
            seen.append([layer.shape for layer in layers])
            return layers[0].square().mean()

    batch = windows(corpus, 5)[0]
    torch.manual_seed(4)
    recipe = alone(Recipe(**SIZES, dropout=0.0), corpus)
    torch.manual_seed(4)
    plain = alone(BiLMModule(**SIZES, dropout=0.0), corpus)
    torch.manual_seed(1)
    with_recipe = recipe.training_step(batch, 0)
    torch.manual_seed(1)
    without = plain.training_step(batch, 0)
    assert seen == [[torch.Size([2, 1, 5, 6])] * 2]
    lms, vectors = (
        (plain.bilm.forward_lm, plain.bilm.backward_lm),
        plain.bilm.token_encoder(batch.characters),
    )
    first = torch.stack([lm(vectors[batch.words[k]])[0][0] for k, lm in enumerate(lms)])
    torch.testing.assert_close(with_recipe - without, first.square().mean(), atol=1e-6, rtol=1e-4)


def test_settings_are_those_of_the_language_model_and_two_weights() -> None:
    made = ContextBagModule(pair_weight=2.0, static="static-mini", **SIZES)
    assert made.hparams["pair_weight"] == 2.0
    assert (made.hparams["dim"], made.hparams["static"]) == (8, "static-mini")
    assert [line.split(" ")[0] for line in made.learned_from()] == ["the", "the", "how"]
    with pytest.raises(
        ConfigError, match="model.bag_weight -1, model.pair_weight 10.0: expected 0"
    ):
        ContextBagModule(bag_weight=-1, filters=[(1, 4)])

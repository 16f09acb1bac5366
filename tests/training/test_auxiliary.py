"""What the top layer learns besides the next word: the targets by hand, and whom the gradient reaches."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.data.language_batches import StreamBatch, StreamLoader, target_ids
from elmo_tasks.data.tokenized_corpus import TokenizedCorpus
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, UNKNOWN_ID, Vocabulary
from elmo_tasks.training.auxiliary import (
    DistantWords,
    SideBags,
    distance_of,
    distant_counts,
    pairwise_difference,
    running_sums,
    weighted_vectors,
)
from elmo_tasks.training.bilm_module import BiLMModule

SENTENCES = [["rain", "fell", "all", "night"], ["wind"], ["a", "cold", "wind", "bent", "the", "old", "trees"]]
FIRST = len(SPECIAL_WORDS)


@pytest.fixture
def corpus(tmp_path: Path) -> TokenizedCorpus:
    (tmp_path / "text.txt").write_text("".join(f"{' '.join(words)}\n" for words in SENTENCES))
    return TokenizedCorpus.build([tmp_path / "text.txt"], tmp_path / "cache")


def windows(corpus: TokenizedCorpus, steps: int) -> list[StreamBatch]:
    targets = target_ids(corpus.words, Vocabulary(corpus.words))
    n = (len(corpus.forward) - 1) // steps
    return list(StreamLoader(corpus, targets, batch_size=1, unroll_steps=steps, n_batches=n))


def bags_of(corpus: TokenizedCorpus) -> SideBags:
    """Bags in which each word of the corpus has a dimension of its own."""
    n = len(corpus.words)
    rows = torch.cat([torch.full((FIRST,), n), torch.arange(FIRST, n)])
    return SideBags(6, torch.cat([torch.eye(n), torch.zeros(1, n)]), rows)


def read_before(corpus: TokenizedCorpus, backward: bool) -> list[set[str]]:
    """The words of the sentence that each place of the stream has behind it, written out from the sentences."""
    found: list[set[str]] = []
    for words in SENTENCES:
        order = words[::-1] if backward else words
        found += [set(), *(set(order[:k]) for k in range(len(order))), set()]
    return found


@pytest.mark.parametrize("steps", [3, 4, 17])
def test_each_half_has_the_words_on_its_side_of_the_sentence_however_the_windows_cut_it(
    corpus: TokenizedCorpus, steps: int
) -> None:
    bags = bags_of(corpus)
    keep, parts = None, []
    for batch in windows(corpus, steps):
        parts.append(bags.targets(batch, keep))
        keep = torch.ones(1, 1)
    found = torch.cat(parts, dim=2)[:, 0]  # [2, T, words]
    for direction in (0, 1):
        expected = read_before(corpus, backward=bool(direction))
        words = [{corpus.words[k] for k in row.nonzero().flatten()} for row in found[direction]]
        assert words[: len(expected)] == expected[: len(words)]


def test_a_forgotten_stream_has_read_nothing() -> None:
    # Two streams that read three words of a corpus, none of them a boundary.
    table = torch.tensor([[1.0], [10.0], [100.0], [0.0]])
    bags = SideBags(4, table, torch.tensor([3, 3, 3, 0, 1, 2]))
    words = torch.arange(3).expand(2, 2, 3)
    batch = StreamBatch(torch.zeros(3, 50), words, words, torch.tensor([3, 4, 5]))
    assert bags.targets(batch, None)[..., 0].tolist() == [[[0, 1, 11], [0, 1, 11]]] * 2
    kept = bags.targets(batch, torch.tensor([[1.0], [0.0]]))
    assert kept[..., 0].tolist() == [[[111, 112, 122], [0, 1, 11]]] * 2
    assert bags.sums is not None
    assert bags.sums[..., 0].tolist() == [[222, 111]] * 2


def test_either_boundary_ends_a_sentence() -> None:
    vectors = torch.tensor([[2.0], [3.0], [0.0], [0.0], [5.0], [7.0]])
    boundary = torch.tensor([False, False, True, True, False, False])
    sums, end = running_sums(vectors, boundary, torch.tensor([1.0]))
    assert sums.flatten().tolist() == [1, 3, 0, 0, 0, 5]
    assert end.tolist() == [12]


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
    # As often as they come in text, they cancel.
    torch.testing.assert_close(0.9999 * table[0] + 0.0001 * table[1], torch.zeros(2), atol=1e-8, rtol=0)


def test_pairs_are_compared_by_cosine_as_they_are() -> None:
    halves = torch.tensor([[2.0, 0.0], [0.0, 5.0], [1.0, 1.0]])
    bags = torch.tensor([[1.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    r = math.sqrt(0.5)
    expected = ((0 - -1) ** 2 + (r - 0) ** 2 + (r - 0) ** 2) / 3
    assert pairwise_difference(halves, bags).item() == pytest.approx(expected, abs=1e-6)


def test_a_distant_word_is_in_the_window_and_in_the_sentence_and_not_too_common() -> None:
    # What comes next, read from <S>: a b c d </S> <S> e f, with c below the lowest id that is predicted.
    a, b, c, d, e, f = 10, 11, 5, 13, 14, 15
    targets = torch.tensor([a, b, c, d, END_ID, BEGIN_ID, e, f])
    assert distant_counts(targets, 2, first=6).tolist() == [True, False, True, False, False, False, True]
    assert distant_counts(targets, 4, first=6).tolist() == [True, False, False, False, False]
    assert distant_counts(targets, 3, first=UNKNOWN_ID + 1).tolist() == [True, True, False, False, False, False]
    assert distant_counts(targets, 9, first=6).tolist() == []


def test_distances_take_turns_and_stay_in_the_window() -> None:
    assert [distance_of(step, 20) for step in range(13)] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 2, 3]
    assert [distance_of(step, 4) for step in range(4)] == [2, 3, 4, 2]


def test_the_distant_loss_is_that_of_the_words_so_far_ahead_of_each_direction() -> None:
    torch.manual_seed(0)
    softmax, distant = LMSoftmax(12, 4), DistantWords(4, 12)
    for linear in distant.maps:
        torch.nn.init.normal_(linear.weight)  # type: ignore[arg-type]
    tops, targets = torch.randn(2, 1, 3, 4), torch.tensor([[[3, 4, 5]], [[6, 7, 8]]])
    # Step 1: three ahead. So many draws that every word is drawn: the full cross entropy.
    loss = distant(tops, targets, 1, softmax, 1_000_000)
    states = torch.stack([linear(x[0, 0]) for linear, x in zip(distant.maps, tops, strict=True)])
    assert loss.item() == pytest.approx(F.cross_entropy(softmax(states), torch.tensor([5, 8])).item(), abs=1e-5)
    loss.backward()
    assert all(p.grad is None for p in softmax.parameters())


def test_where_there_is_nothing_to_ask_the_losses_are_zero_with_a_gradient() -> None:
    distant, bags = DistantWords(4, 12), SideBags(4, torch.zeros(2, 3), torch.zeros(5, dtype=torch.long))
    targets = torch.full((2, 1, 6), END_ID)
    losses: list[Tensor] = [distant(torch.randn(2, 1, 6, 4), targets, 0, LMSoftmax(12, 4), 10)]
    losses += bags(torch.randn(2, 1, 6, 4), torch.zeros(2, 1, 6, 3))
    assert [loss.item() for loss in losses] == [0, 0, 0]
    torch.stack(losses).sum().backward()
    assert all(p.grad is not None and not p.grad.any() for m in (distant, bags) for p in m.parameters())


class _Trainer:
    world_size = 1


def module(corpus: TokenizedCorpus, distant: float = 0.0, bag: float = 0.0, pair: float = 0.0) -> BiLMModule:
    """A tiny biLM beside no trainer, with what ``configure_model`` would have made."""
    torch.manual_seed(4)
    weights = {"distant_weight": distant, "bag_weight": bag, "pair_weight": pair}
    made = BiLMModule([(1, 4), (2, 4)], dim=8, projection_dim=6, n_draws=500, **weights)  # type: ignore[arg-type]
    made.softmax = LMSoftmax(len(corpus.words), 6)
    if distant:
        made.distant_words = DistantWords(6, len(corpus.words))
    if bag or pair:
        made.side_bags = bags_of(corpus)
    made.__dict__["_trainer"] = _Trainer()
    made.log = made.log_dict = lambda *args, **kwargs: None  # type: ignore[method-assign,assignment]
    return made


def test_without_weights_the_loss_is_that_of_the_language_model_alone(corpus: TokenizedCorpus) -> None:
    batch, ours = windows(corpus, 9)[0], module(corpus)
    torch.manual_seed(1)
    loss = ours.training_step(batch, 0)
    assert {name.split(".")[0] for name in ours.state_dict()} == {"bilm", "softmax"}
    torch.manual_seed(1)
    vectors = ours.bilm.token_encoder(batch.characters)
    lms = (ours.bilm.forward_lm, ours.bilm.backward_lm)
    tops = torch.stack([lm(vectors[batch.words[k]], dropout=0.1)[0][-1] for k, lm in enumerate(lms)])
    hidden = F.dropout(tops, 0.1)
    counts = batch.targets != torch.tensor([BEGIN_ID, END_ID]).view(2, 1, 1)
    assert ours.softmax is not None
    assert loss.item() == ours.softmax.sampled_loss(hidden[counts], batch.targets[counts], 500).item()


@pytest.mark.parametrize("which", ["distant", "bag", "pair"])
def test_each_loss_adds_to_the_language_model_s_and_changes_layer_2_of_both_directions(
    corpus: TokenizedCorpus, which: str
) -> None:
    batch = windows(corpus, 16 if which == "distant" else 17)[0]
    gradients = []
    for weight in (0.0, 3.0):
        ours = module(corpus, **{which: weight})
        torch.manual_seed(1)
        ours.training_step(batch, 0).backward()  # type: ignore[no-untyped-call]
        gradients.append([lm.layers[1].weight_hr_l0.grad for lm in (ours.bilm.forward_lm, ours.bilm.backward_lm)])
    for without, beside in zip(*gradients, strict=True):
        assert (without - beside).abs().max() > 1e-4


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(ConfigError, match="model.bag_weight -1, model.pair_weight 0.0, .*: expected 0"):
        BiLMModule([(1, 4)], bag_weight=-1)

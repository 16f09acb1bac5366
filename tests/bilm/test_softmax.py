"""The sampled loss is an estimate of the full one, and its own gradient is that of autograd."""

import math

import pytest
import torch
from torch.nn import functional as F

from elmo_tasks.bilm.softmax import LMSoftmax, Perplexity, sentence_losses
from elmo_tasks.data.language_batches import sentence_batches
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, UNKNOWN_ID, Vocabulary
from tests.bilm.tiny import tiny


def expected_count(word, n_words, draws):
    p = math.log((word + 2) / (word + 1)) / math.log(n_words + 1)
    return 1 - (1 - p) ** draws


def test_the_loss_and_its_gradients_are_those_of_the_written_out_formula():
    torch.manual_seed(3)
    n_words, draws = 40, 15
    softmax = LMSoftmax(n_words, 8)
    hidden = torch.randn(300, 8, requires_grad=True)  # more rows than one block
    targets = torch.randint(0, n_words, (300,))
    torch.manual_seed(7)
    loss = softmax.sampled_loss(hidden, targets, draws)
    loss.backward()
    gradients = [hidden.grad.clone(), softmax.weight.grad.clone(), softmax.bias.grad.clone()]

    torch.manual_seed(7)
    uniform = torch.rand(draws, dtype=torch.float64)
    drawn = sorted({int(math.exp(u * math.log(n_words + 1))) - 1 for u in uniform.tolist()})
    hidden.grad = softmax.weight.grad = softmax.bias.grad = None
    corrected = softmax(hidden) - torch.tensor(
        [math.log(expected_count(w, n_words, draws)) for w in range(n_words)]
    )
    losses = []
    for row, target in zip(corrected, targets.tolist(), strict=True):
        others = [w for w in drawn if w != target]
        losses.append(F.cross_entropy(row[[target, *others]].unsqueeze(0), torch.tensor([0])))
    written_out = torch.stack(losses).mean()
    written_out.backward()
    assert loss.item() == pytest.approx(written_out.item(), abs=1e-5)
    for ours, autograds in zip(
        gradients, (hidden.grad, softmax.weight.grad, softmax.bias.grad), strict=True
    ):
        torch.testing.assert_close(ours, autograds, atol=1e-6, rtol=1e-4)


def test_with_everything_in_the_sample_it_is_the_full_loss():
    torch.manual_seed(0)
    softmax, hidden, targets = LMSoftmax(20, 8), torch.randn(50, 8), torch.randint(0, 20, (50,))
    sampled = softmax.sampled_loss(hidden, targets, 200_000)
    assert sampled.item() == pytest.approx(
        F.cross_entropy(softmax(hidden), targets).item(), abs=1e-5
    )


def test_common_words_are_drawn_more_often():
    torch.manual_seed(0)
    softmax = LMSoftmax(1000, 4)
    softmax.sampled_loss(torch.randn(1, 4), torch.tensor([999]), 200).backward()
    drawn = softmax.bias.grad.abs() > 0
    assert drawn[:20].float().mean() > 0.8
    assert drawn[-500:-1].float().mean() < 0.2


def test_perplexity_against_one_sentence_at_a_time():
    words = Vocabulary([*SPECIAL_WORDS, "the", "cat", "sat", "down"])
    sentences = [["the", "cat", "sat"], ["down"], ["the", "zebra", "sat", "down"]]
    bilm = tiny()
    torch.manual_seed(1)
    softmax = LMSoftmax(len(words), 16)
    total = Perplexity()
    for b in sentence_batches(sentences, words):
        total += sentence_losses(
            bilm, softmax, b.characters, b.words, b.lengths, b.targets, UNKNOWN_ID
        )

    ahead = back = 0.0
    for sentence in sentences:
        (b,) = sentence_batches([sentence], words)
        top = bilm(b.characters, b.words, b.lengths).layers[-1, 0]  # [T, 2 P]
        ids = b.targets[0]
        for t in range(len(ids) - 1):
            ahead -= softmax(top[t, :16]).log_softmax(-1)[ids[t + 1]].item()
            back -= softmax(top[t + 1, 16:]).log_softmax(-1)[ids[t]].item()
    assert total.n_targets == sum(len(s) + 1 for s in sentences)
    assert total.n_unknown == 1
    assert total.unknown_rate == pytest.approx(1 / total.n_targets)
    assert total.forward == pytest.approx(math.exp(ahead / total.n_targets), rel=1e-5)
    assert total.backward == pytest.approx(math.exp(back / total.n_targets), rel=1e-5)

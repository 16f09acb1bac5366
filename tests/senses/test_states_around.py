"""The states around a word are those that the language model is scored with, and both sides are joined by Bayes' rule."""

import pytest
import torch

from elmo_tasks.bilm.perplexity import sentence_losses
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.data.language_batches import sentence_batches
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.senses.expected_words import log_frequencies, states_around, told_by_all
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, UNKNOWN_ID, Vocabulary
from tests.bilm.test_bilm import tiny

SENTENCE = ["The", "ferry", "left", "the", "old", "harbour", "."]
WORDS = (*SPECIAL_WORDS, "the", "The", ".", "ferry", "left", "old", "river", "sea")  # harbour is not in it


@pytest.mark.parametrize("other", [[], ["A", "longer", "row", "before", "it", "and", "then", "some", "more", "words"]])
def test_the_log_probabilities_of_a_sentence_sum_to_its_loss(other):
    bilm, vocabulary = tiny(), Vocabulary(WORDS)
    torch.manual_seed(1)
    softmax = LMSoftmax(len(vocabulary), bilm.options.lstm.projection_dim).requires_grad_(False)
    (batch,) = sentence_batches([SENTENCE], vocabulary)
    loss = sentence_losses(
        bilm, softmax, batch.characters, batch.words, batch.lengths, batch.targets, vocabulary.id_of("?")
    )

    n = len(SENTENCE)
    top = Elmo(bilm).states([SENTENCE, other]).layers[-1][:1]  # beside a row of another length
    ids = [vocabulary.id_of(word) for word in SENTENCE]
    before, after = 0.0, 0.0
    for k, word in enumerate(ids):
        ahead, back = states_around(top, torch.tensor([k + 1]))
        before += softmax(ahead).log_softmax(-1)[0, word].item()
        after += softmax(back).log_softmax(-1)[0, word].item()
    # What is left is the far boundary of each direction.
    ahead, back = top[0].chunk(2, dim=-1)
    before += softmax(ahead[n]).log_softmax(-1)[END_ID].item()
    after += softmax(back[1]).log_softmax(-1)[BEGIN_ID].item()
    assert UNKNOWN_ID in ids
    assert -before == pytest.approx(loss.forward_loss, abs=1e-4)
    assert -after == pytest.approx(loss.backward_loss, abs=1e-4)


def test_the_word_itself_changes_neither_state():
    elmo = Elmo(tiny())
    places = torch.tensor([3])
    kept = states_around(elmo.states([SENTENCE]).layers[-1], places)
    changed = states_around(elmo.states([[*SENTENCE[:2], "sank", *SENTENCE[3:]]]).layers[-1], places)
    for one, other in zip(kept, changed, strict=True):
        torch.testing.assert_close(one, other)


def test_each_state_hangs_on_its_own_side_only():
    elmo = Elmo(tiny())
    places = torch.tensor([3])
    ahead, back = states_around(elmo.states([SENTENCE]).layers[-1], places)
    other_ahead, other_back = states_around(elmo.states([[*SENTENCE[:5], "quay", "."]]).layers[-1], places)
    torch.testing.assert_close(ahead, other_ahead)
    assert not torch.allclose(back, other_back)


def test_both_sides_are_joined_by_bayes_rule():
    torch.manual_seed(0)
    prior = torch.rand(5).softmax(-1)
    likelihood = torch.rand(2, 5)  # p(side | word)
    before, after = (prior * side / (prior * side).sum() for side in likelihood)
    wanted = prior * likelihood[0] * likelihood[1]
    joined = told_by_all((before.log()[None], after.log()[None]), prior.log())
    torch.testing.assert_close(joined.exp()[0], wanted / wanted.sum())


def test_frequencies_fall_with_the_rank_and_sum_to_1():
    frequency = log_frequencies(100).exp()
    assert frequency.sum().item() == pytest.approx(1)
    assert (frequency.diff() < 0).all()
    assert (frequency[0] / frequency[10]).item() == pytest.approx(12.7 / 2.7)

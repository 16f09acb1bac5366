"""Substitutes of a word: against the sum written out, the loss of the language model, and Bayes'
rule."""

import numpy as np
import pytest
import torch

from elmo_tasks.bilm.softmax import LMSoftmax, sentence_losses
from elmo_tasks.data.language_batches import sentence_batches
from elmo_tasks.encoders.cloze import Cloze, ClozeOptions, write_cloze
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.use_vectors import UseVectors, read_uses
from elmo_tasks.senses.expected_words import (
    BidirectionalScorer,
    ClozeScorer,
    ExpectedWords,
    combine_directions,
    log_frequencies,
)
from elmo_tasks.text.uses import Use
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, UNKNOWN_ID, Vocabulary
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.tiny import tiny

WORDS = [*SPECIAL_WORDS, "the", ",", "river", "unheard-of", "loan"]
STATIC = StaticVectors(
    ["the", ",", "river", "loan"], torch.eye(4)[:, :3] + 0.2, [9000, 8000, 10, 5], name="toy"
)
USES = [Use.of_tokens(("the", "river", "bank"), 1)]


def written_out(weight, bias, before, after):
    """p(w | before) p(w | after) / p(w), times how rare the word is, times its direction; of real,
    known words only."""
    total, log_frequency = np.zeros(3), log_frequencies(len(WORDS)).numpy()
    for k, word in enumerate(WORDS):
        if word not in ("the", "river", "loan"):
            continue
        probable = np.exp(
            weight[k] @ before + bias[k] + weight[k] @ after + bias[k] - log_frequency[k]
        )
        vector = STATIC.vectors_of([word])[0].numpy()
        rare = 1e-4 / (1e-4 + STATIC.share_of(word))
        total += probable * rare * vector / np.linalg.norm(vector)
    return total / np.linalg.norm(total)


def test_it_is_the_mean_of_the_substitutes_by_how_probable_and_how_rare_they_are():
    random = np.random.default_rng(0)
    weight, bias = random.normal(size=(len(WORDS), 4)), random.normal(size=len(WORDS))
    before, after = random.normal(size=(2, 5, 4))
    scorer = BidirectionalScorer(
        *(torch.tensor(x, dtype=torch.float32) for x in (weight, bias)), WORDS
    )
    lower = torch.full((1, 5, 4), 9.0)  # states of lower layers are not used
    sides = (
        torch.cat([lower, torch.tensor(side, dtype=torch.float32)[None]])
        for side in (before, after)
    )
    found = ExpectedWords(scorer, STATIC)(USES * 5, UseVectors(torch.zeros(0), *sides))
    assert found.shape == (5, 3)
    for k in range(5):
        np.testing.assert_allclose(
            found[k], written_out(weight, bias, before[k], after[k]), atol=1e-5
        )


def test_the_candidates_are_the_likeliest_words_without_punctuation():
    torch.manual_seed(0)
    scorer = BidirectionalScorer(torch.randn(len(WORDS), 4), torch.randn(len(WORDS)), WORDS)
    sides = torch.randn(1, 2, 4), torch.randn(1, 2, 4)
    chances = scorer(USES * 2, *sides).exp()
    found = ExpectedWords(scorer, STATIC).candidates(USES * 2, UseVectors(torch.zeros(0), *sides))
    for row, chance in zip(found, chances, strict=True):
        wanted = {word: chance[WORDS.index(word)].item() for word in ("the", "river", "loan")}
        assert dict(row) == pytest.approx(wanted)
        assert [word for word, _ in row] == sorted(wanted, key=lambda word: -wanted[word])


def test_a_model_that_knows_none_of_the_static_words_expects_nothing():
    expected = ExpectedWords(
        BidirectionalScorer(torch.randn(4, 2), torch.randn(4), [*SPECIAL_WORDS, "zebra"]), STATIC
    )
    assert not expected(
        USES * 2, UseVectors(torch.zeros(0), torch.randn(1, 2, 2), torch.randn(1, 2, 2))
    ).any()


def test_with_a_cloze_head_it_is_the_mean_of_its_predictions():
    torch.manual_seed(0)
    scorer = ClozeScorer(Cloze(ClozeOptions(1, 2, n_words=3, hidden=5, n_heads=1), STATIC), STATIC)
    states = torch.randn(1, 1, 2), torch.randn(1, 1, 2)
    found = ExpectedWords(scorer, STATIC)(USES, UseVectors(torch.zeros(0), *states))[0]
    total = np.zeros(3)
    for word, chance in zip(scorer.words, scorer(USES, *states)[0].exp().tolist(), strict=True):
        vector = STATIC.vectors_of([word])[0].numpy()
        if word != ",":  # no word
            total += (
                chance * 1e-4 / (1e-4 + STATIC.share_of(word)) * vector / np.linalg.norm(vector)
            )
    np.testing.assert_allclose(found, total / np.linalg.norm(total), atol=1e-5)


def test_the_cloze_head_beside_a_model_answers_in_place_of_its_output_layer(tmp_path):
    bilm = tiny()
    write_model(
        tmp_path / "m",
        bilm,
        LMSoftmax(len(WORDS), bilm.options.lstm.projection_dim),
        Vocabulary(WORDS),
    )
    elmo = Elmo.load(tmp_path / "m")
    two = ExpectedWords.load(elmo, STATIC)
    options = ClozeOptions(elmo.n_layers - 1, elmo.width // 2, n_words=3, hidden=5, n_heads=1)
    write_cloze(tmp_path / "m", Cloze(options, STATIC), elmo, STATIC)
    one = ExpectedWords.load(elmo, STATIC)
    assert one.checksum != two.checksum
    assert ExpectedWords.load(elmo, STATIC).checksum == one.checksum
    read = read_uses(elmo, USES)
    assert np.abs(one(USES, read) - two(USES, read)).max() > 0.01


@pytest.mark.parametrize("writes", [True, False])
def test_only_a_model_with_its_output_layer_expects_words(tmp_path, writes):
    bilm = tiny()
    output = (
        (LMSoftmax(len(WORDS), bilm.options.lstm.projection_dim), Vocabulary(WORDS))
        if writes
        else ()
    )
    write_model(tmp_path / "m", bilm, *output)
    found = ExpectedWords.load(Elmo.load(tmp_path / "m"), STATIC)
    assert (found is not None) == writes
    assert ExpectedWords.load(Elmo(bilm), STATIC) is None


def test_its_checksum_is_that_of_the_output_layer_as_given():
    weight, bias = torch.randn(len(WORDS), 4), torch.randn(len(WORDS))
    one = ExpectedWords(BidirectionalScorer(weight, bias, WORDS), STATIC)
    assert (
        ExpectedWords(BidirectionalScorer(weight.clone(), bias, list(WORDS)), STATIC).checksum
        == one.checksum
    )
    others = [
        (weight + 1, bias, WORDS),
        (weight, bias + 1, WORDS),
        (weight, bias, [*WORDS[:-1], "lend"]),
    ]
    assert one.checksum not in {
        ExpectedWords(BidirectionalScorer(*other), STATIC).checksum for other in others
    }


SENTENCE = ("The", "ferry", "left", "the", "old", "harbour", ".")
# harbour is not in it
VOCABULARY = Vocabulary([*SPECIAL_WORDS, "the", "The", ".", "ferry", "left", "old", "sea"])


def test_the_log_probabilities_of_a_sentence_sum_to_its_loss():
    bilm = tiny()
    torch.manual_seed(1)
    softmax = LMSoftmax(len(VOCABULARY), bilm.options.lstm.projection_dim).requires_grad_(False)
    (batch,) = sentence_batches([list(SENTENCE)], VOCABULARY)
    loss = sentence_losses(
        bilm,
        softmax,
        batch.characters,
        batch.words,
        batch.lengths,
        batch.targets,
        VOCABULARY.id_of("?"),
    )
    elmo, ids = Elmo(bilm), [VOCABULARY.id_of(word) for word in SENTENCE]
    read = read_uses(elmo, [Use.of_tokens(SENTENCE, k) for k in range(len(SENTENCE))])
    sums = [
        sum(
            softmax(state).log_softmax(-1)[word].item()
            for state, word in zip(side[-1], ids, strict=True)
        )
        for side in (read.before, read.after)
    ]
    # The remaining term is the far boundary of each direction.
    ahead, back = elmo.states([SENTENCE]).layers[-1][0].chunk(2, dim=-1)
    sums[0] += softmax(ahead[len(SENTENCE)]).log_softmax(-1)[END_ID].item()
    sums[1] += softmax(back[1]).log_softmax(-1)[BEGIN_ID].item()
    assert UNKNOWN_ID in ids
    assert [-value for value in sums] == pytest.approx(
        [loss.forward_loss, loss.backward_loss], abs=1e-4
    )


def test_the_states_beside_a_word_have_read_their_own_side_only():
    elmo = Elmo(tiny())

    def states(*changed):
        read = read_uses(elmo, [Use.of_tokens((*SENTENCE[:2], *changed), 2)])
        return read.before, read.after

    before, after = states(*SENTENCE[2:])
    for kept, same in zip((before, after), states("sank", *SENTENCE[3:]), strict=True):
        torch.testing.assert_close(kept, same)
    other_before, other_after = states(*SENTENCE[2:5], "quay", ".")
    torch.testing.assert_close(before, other_before)
    assert not torch.allclose(after, other_after)


def test_both_sides_are_joined_by_bayes_rule():
    torch.manual_seed(0)
    prior = torch.rand(5).softmax(-1)
    likelihood = torch.rand(2, 5)  # p(side | word)
    before, after = (prior * side / (prior * side).sum() for side in likelihood)
    expected = prior * likelihood[0] * likelihood[1]
    joined = combine_directions(before.log()[None], after.log()[None], prior.log())
    torch.testing.assert_close(joined.exp()[0], expected / expected.sum())


def test_frequencies_fall_with_the_rank_and_sum_to_1():
    frequency = log_frequencies(100).exp()
    assert frequency.sum().item() == pytest.approx(1)
    assert (frequency[0] / frequency[10]).item() == pytest.approx(12.7 / 2.7)

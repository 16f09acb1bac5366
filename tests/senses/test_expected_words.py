"""What a model expects in a place, against the sum written out."""

import numpy as np
import pytest
import torch

from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.encoders.cloze import Cloze, ClozeOptions, write_cloze
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.expected_words import BidirectionalScorer, ClozeScorer, ExpectedWords, log_frequencies
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.export_bilm import write_model
from elmo_tasks.uses import Use, UseVectors, read_uses
from tests.bilm.test_bilm import tiny

WORDS = [*SPECIAL_WORDS, "the", ",", "river", "unheard-of", "loan"]
STATIC = StaticVectors(["the", ",", "river", "loan"], torch.eye(4)[:, :3] + 0.2, [9000, 8000, 10, 5], "toy")
USES = [Use.of_tokens(("the", "river", "bank"), 1)]


def written_out(weight, bias, before, after):
    """p(w | before) p(w | after) / p(w), times how rare the word is, times its direction; of real, known words only."""
    total, log_frequency = np.zeros(3), log_frequencies(len(WORDS)).numpy()
    for k, word in enumerate(WORDS):
        if word not in ("the", "river", "loan"):
            continue
        probable = np.exp(weight[k] @ before + bias[k] + weight[k] @ after + bias[k] - log_frequency[k])
        vector = STATIC.vectors_of([word])[0].numpy()
        rare = 1e-4 / (1e-4 + STATIC.share_of(word))
        total += probable * rare * vector / np.linalg.norm(vector)
    return total / np.linalg.norm(total)


def test_it_is_the_mean_of_the_substitutes_by_how_probable_and_how_rare_they_are():
    random = np.random.default_rng(0)
    weight, bias = random.normal(size=(len(WORDS), 4)), random.normal(size=len(WORDS))
    before, after = random.normal(size=(2, 5, 4))
    told = BidirectionalScorer(*(torch.tensor(x, dtype=torch.float32) for x in (weight, bias)), WORDS)
    lower = torch.full((1, 5, 4), 9.0)  # the states of lower layers are not asked
    sides = (torch.cat([lower, torch.tensor(side, dtype=torch.float32)[None]]) for side in (before, after))
    found = ExpectedWords(told, STATIC)(USES * 5, UseVectors(torch.zeros(0), *sides))
    assert found.shape == (5, 3)
    for k in range(5):
        np.testing.assert_allclose(found[k], written_out(weight, bias, before[k], after[k]), atol=1e-5)


def test_the_candidates_are_the_likeliest_words_without_punctuation():
    torch.manual_seed(0)
    told = BidirectionalScorer(torch.randn(len(WORDS), 4), torch.randn(len(WORDS)), WORDS)
    sides = torch.randn(1, 2, 4), torch.randn(1, 2, 4)
    chances = told(USES * 2, *sides).exp()
    found = ExpectedWords(told, STATIC).candidates(USES * 2, UseVectors(torch.zeros(0), *sides))
    for row, chance in zip(found, chances, strict=True):
        wanted = {word: chance[WORDS.index(word)].item() for word in ("the", "river", "loan")}
        assert dict(row) == pytest.approx(wanted)
        assert [word for word, _ in row] == sorted(wanted, key=lambda word: -wanted[word])


def test_a_model_that_knows_none_of_the_static_words_expects_nothing():
    expected = ExpectedWords(BidirectionalScorer(torch.randn(4, 2), torch.randn(4), [*SPECIAL_WORDS, "zebra"]), STATIC)
    assert not expected(USES * 2, UseVectors(torch.zeros(0), torch.randn(1, 2, 2), torch.randn(1, 2, 2))).any()


def test_with_a_cloze_head_it_is_the_mean_of_what_that_says():
    torch.manual_seed(0)
    told = ClozeScorer(Cloze(ClozeOptions(1, 2, n_words=3, hidden=5, n_heads=1), STATIC), STATIC)
    states = torch.randn(1, 1, 2), torch.randn(1, 1, 2)
    found = ExpectedWords(told, STATIC)(USES, UseVectors(torch.zeros(0), *states))[0]
    total = np.zeros(3)
    for word, chance in zip(told.words, told(USES, *states)[0].exp().tolist(), strict=True):
        vector = STATIC.vectors_of([word])[0].numpy()
        if word != ",":  # no word
            total += chance * 1e-4 / (1e-4 + STATIC.share_of(word)) * vector / np.linalg.norm(vector)
    np.testing.assert_allclose(found, total / np.linalg.norm(total), atol=1e-5)


def test_the_cloze_head_beside_a_model_answers_in_place_of_its_output_layer(tmp_path):
    bilm = tiny()
    write_model(tmp_path / "m", bilm, LMSoftmax(len(WORDS), bilm.options.lstm.projection_dim), Vocabulary(WORDS))
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
    output = (LMSoftmax(len(WORDS), bilm.options.lstm.projection_dim), Vocabulary(WORDS)) if writes else ()
    write_model(tmp_path / "m", bilm, *output)
    found = ExpectedWords.load(Elmo.load(tmp_path / "m"), STATIC)
    assert (found is not None) == writes
    assert ExpectedWords.load(Elmo(bilm), STATIC) is None


def test_its_checksum_is_that_of_the_output_layer_as_given():
    weight, bias = torch.randn(len(WORDS), 4), torch.randn(len(WORDS))
    one = ExpectedWords(BidirectionalScorer(weight, bias, WORDS), STATIC)
    assert ExpectedWords(BidirectionalScorer(weight.clone(), bias, list(WORDS)), STATIC).checksum == one.checksum
    others = [(weight + 1, bias, WORDS), (weight, bias + 1, WORDS), (weight, bias, [*WORDS[:-1], "lend"])]
    assert one.checksum not in {ExpectedWords(BidirectionalScorer(*other), STATIC).checksum for other in others}

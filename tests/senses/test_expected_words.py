"""What a model expects in a place, against the sum written out."""

import numpy as np
import pytest
import torch

from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.substitutes import log_frequencies
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.test_bilm import tiny

WORDS = [*SPECIAL_WORDS, "the", ",", "river", "unheard-of", "loan"]
STATIC = StaticVectors(["the", ",", "river", "loan"], torch.eye(4)[:, :3] + 0.2, [9000, 8000, 10, 5], "toy")


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
    expected = ExpectedWords(*(torch.tensor(x, dtype=torch.float32) for x in (weight, bias)), WORDS, STATIC)
    found = expected(torch.tensor(before), torch.tensor(after))
    assert found.shape == (5, 3)
    for k in range(5):
        np.testing.assert_allclose(found[k], written_out(weight, bias, before[k], after[k]), atol=1e-5)


def test_a_model_that_knows_none_of_the_static_words_expects_nothing():
    expected = ExpectedWords(torch.randn(4, 2), torch.randn(4), [*SPECIAL_WORDS, "zebra"], STATIC)
    assert not expected(torch.randn(2, 2), torch.randn(2, 2)).any()


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
    one = ExpectedWords(weight, bias, WORDS, STATIC)
    assert ExpectedWords(weight.clone(), bias, list(WORDS), STATIC).checksum == one.checksum
    others = [(weight + 1, bias, WORDS), (weight, bias + 1, WORDS), (weight, bias, [*WORDS[:-1], "lend"])]
    assert one.checksum not in {ExpectedWords(*other, STATIC).checksum for other in others}

"""What is kept of marked words is what the encoder and the views give for them, one sentence at a time."""

import numpy as np
import pytest
import torch
from elmo_tasks.senses.marked_vectors import BEFORE_AFTER, VERDICT, all_views, marked_vectors
from elmo_tasks.senses.views_of_uses import BOTH, WORDS, surroundings, view_of

from elmo_tasks.encoders import batches
from elmo_tasks.encoders.batches import token_vectors
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.expected_words import EXPECTED, ExpectedWords, TwoAnswers
from elmo_tasks.text.vocabulary import SPECIAL_WORDS
from elmo_tasks.uses import Use, UseVectors
from tests.bilm.test_bilm import tiny

STATIC = StaticVectors(["the", "old", "ferry", "left"], torch.eye(4) + 0.1, [900, 50, 30, 20], "toy")
SENTENCES = [
    ("the", "old", "ferry", "left", "the", "harbour"),
    ("ferry",),
    ("nobody", "left"),
    ("the", "old", "ferry", "left", "the", "harbour"),
]
WORDS_IN = [Use.of_tokens(SENTENCES[k], *place) for k, place in enumerate([(1, 3), (0, 1), (1, 2), (5, 6)])]


@pytest.fixture(scope="module")
def elmo():
    torch.manual_seed(0)
    return Elmo(tiny())


def test_layers_are_those_of_the_encoder_and_a_long_word_is_the_mean_of_its_tokens(elmo):
    found = marked_vectors(elmo, STATIC, WORDS_IN)
    for k, word in enumerate(WORDS_IN):
        expected = elmo.encode([word.tokens]).values[:, 0, word.token_start : word.token_end].mean(dim=1)
        np.testing.assert_allclose(found.layers[:, k], expected, atol=2e-3)


def test_before_after_is_the_state_before_and_the_state_behind_of_the_top_layer(elmo):
    found = marked_vectors(elmo, STATIC, WORDS_IN)
    for k, word in enumerate(WORDS_IN):
        top = elmo.states([word.tokens]).layers[-1, 0]  # step 0 is the boundary
        half = elmo.width // 2
        expected = torch.cat([top[word.token_start, :half], top[word.token_end + 1, half:]])
        np.testing.assert_allclose(found.before_after[k], expected, atol=2e-3)


def test_before_after_does_not_see_the_word(elmo):
    one, other = (marked_vectors(elmo, STATIC, [Use.of_tokens(("the", w, "left"), 1, 2)]) for w in ("old", "zebra"))
    np.testing.assert_array_equal(one.view(BEFORE_AFTER), other.view(BEFORE_AFTER))
    assert not np.allclose(one.view("2"), other.view("2"))


def test_the_words_around_a_long_word_are_those_outside_of_it(elmo):
    found = marked_vectors(elmo, STATIC, WORDS_IN)
    tokens = ("the", "ANY", "left", "the", "harbour")  # one token in place of two
    vectors = STATIC.vectors_of(tokens).numpy()
    vectors[1] = STATIC.vectors_of(["old", "ferry"]).mean(dim=0)  # what is related to it counts more
    expected = surroundings(vectors, np.array([STATIC.share_of(t) for t in tokens]), 1)
    np.testing.assert_allclose(found.around[0], expected, atol=1e-3)
    assert not found.around[1].any()


def test_views_are_those_of_the_app(elmo):
    found = marked_vectors(elmo, STATIC, WORDS_IN)
    assert all_views(elmo) == ("0", "1", "2", "mean", BEFORE_AFTER, WORDS, BOTH)
    assert all_views(elmo, judges=True) == (*all_views(elmo), VERDICT)
    layers, around = found.layers.astype(np.float32), found.around.astype(np.float32)
    for name in ("0", "2", "mean", WORDS, BOTH):
        np.testing.assert_allclose(found.view(name), view_of(name, layers, ("0", "1", "2", "mean"), around), atol=1e-5)


def test_what_the_model_expects_is_a_view_where_it_writes(elmo):
    torch.manual_seed(0)
    words = [*SPECIAL_WORDS, *STATIC.words]
    told = TwoAnswers(torch.randn(len(words), elmo.width // 2), torch.randn(len(words)), words)
    expected = ExpectedWords(told, STATIC)
    found = marked_vectors(elmo, STATIC, WORDS_IN, expected=expected)
    assert all_views(elmo, writes=True) == ("0", "1", "2", "mean", BEFORE_AFTER, EXPECTED, WORDS, BOTH)
    for k, word in enumerate(WORDS_IN):
        lstms, half = elmo.states([word.tokens]).layers[1:, 0], elmo.width // 2
        sides = lstms[:, word.token_start, :half].unsqueeze(1), lstms[:, word.token_end + 1, half:].unsqueeze(1)
        alone = expected([word], UseVectors(torch.zeros(0), *sides))
        np.testing.assert_allclose(found.view(EXPECTED)[k], alone[0], atol=2e-3)
    assert marked_vectors(elmo, STATIC, WORDS_IN).expected is None


def test_an_encoder_with_one_layer_and_no_directions_has_fewer_views():
    assert all_views(STATIC) == ("0", WORDS, BOTH)
    found = marked_vectors(STATIC, STATIC, WORDS_IN)
    assert found.before_after is None
    np.testing.assert_allclose(found.layers[0, 1], STATIC.vectors_of(["ferry"])[0], atol=1e-3)
    assert found.view(BOTH).shape == (4, 8)


def test_sentences_are_encoded_once_and_progress_counts_the_words(elmo, monkeypatch):
    read, told = [], []
    states = Elmo.states
    monkeypatch.setattr(Elmo, "states", lambda self, batch: read.extend(batch) or states(self, batch))
    monkeypatch.setattr(batches, "_PLACES", 6)
    marked_vectors(elmo, STATIC, WORDS_IN, told.append)
    assert sorted(read) == sorted(set(SENTENCES))
    assert sum(told) == 4
    assert len(told) > 1


def test_token_vectors_come_with_the_number_of_their_sentence(elmo):
    found = dict(token_vectors(elmo, SENTENCES))
    assert sorted(found) == [0, 1, 2, 3]
    for k, sentence in enumerate(SENTENCES):
        np.testing.assert_allclose(found[k], elmo.encode([sentence]).values[:, 0], atol=2e-3)

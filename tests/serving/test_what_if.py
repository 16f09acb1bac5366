"""Other mixes and other spellings, on a tiny model."""

import pytest
import torch

from elmo_tasks.errors import InputError
from elmo_tasks.serving.session import Session
from elmo_tasks.serving.what_if import UNRELATED
from tests.senses.test_mixing import mixed_cosine

SENTENCES = ["The bank gave us a loan.", "We sat on the bank of the river.", "A bank opened."]


@pytest.fixture(scope="module")
def session(folder):
    return Session(str(folder))


def test_products_give_the_cosines_of_the_comparison(session):
    found = session.what_if.layer_products("bank", SENTENCES)
    products = torch.tensor(found.products, dtype=torch.float64)
    compared = session.compare("bank", SENTENCES)
    for layer, weights in enumerate(torch.eye(3)):
        cosine = torch.tensor(compared.layers[layer].cosine, dtype=torch.float64)
        assert torch.allclose(mixed_cosine(products, weights), cosine, atol=1e-3)
    mean = torch.tensor(compared.layers[3].cosine, dtype=torch.float64)
    assert torch.allclose(mixed_cosine(products, torch.full((3,), 1 / 3)), mean, atol=1e-3)
    assert found.layers == ("0", "1", "2")


def test_the_same_spelling_moves_nothing(session):
    found = session.what_if.respell("bank", SENTENCES, "bank")
    assert all(c == pytest.approx(1.0, abs=1e-5) for layer in found.layers for c in layer.cosine)


def test_letters_alone_move_the_word_by_the_same_in_every_sentence(session):
    found = session.what_if.respell("bank", SENTENCES, "bankk")
    first, second = found.layers[0].cosine, found.layers[1].cosine
    assert max(first) - min(first) < 1e-5
    assert first[0] < 1.0
    assert max(second) - min(second) > 1e-5
    assert [layer.name for layer in found.layers] == ["0", "1", "2", "mean"]
    assert found.sentences[1] == "We sat on the [bankk] of the river."


def test_one_sentence_is_enough_and_brackets_mark_another_word(session):
    found = session.what_if.respell("bank", ["We walked along the [shore]."], "coast")
    assert (found.word, found.sentences) == ("shore", ("We walked along the [coast].",))


@pytest.mark.parametrize("spelling", ["", "  ", "two words", "a.b. c", "x" * 51, "x" * 500, "don't"])
def test_what_is_not_one_word_is_refused(session, spelling):
    with pytest.raises(InputError, match="spelling|one word") as caught:
        session.what_if.respell("bank", SENTENCES, spelling)
    assert caught.value.field == "spelling"


@pytest.mark.parametrize("sentences", [[], SENTENCES * 5])
def test_the_limits_of_comparing_hold(session, sentences):
    with pytest.raises(InputError, match="Comparing takes 1 to 12 sentences"):
        session.what_if.respell("bank", sentences, "bankk")


def test_training_is_off_by_default(session):
    assert not session.training.offer().allowed
    assert session.training.jobs() == ()


def test_unrelated_words_in_its_place_are_measured(session):
    found = session.what_if.respell("bank", SENTENCES, "bankk")
    assert found.unrelated == UNRELATED
    other = [session.what_if.respell("bank", SENTENCES, word).layers for word in UNRELATED]
    for k, layer in enumerate(found.layers):
        cosines = [c for layers in other for c in layers[k].cosine]
        assert layer.unrelated_cosine == pytest.approx(sum(cosines) / len(cosines), abs=1e-5)
    assert "garden" not in session.what_if.respell("bank", SENTENCES, "garden").unrelated


def test_the_letters_of_a_misspelling_are_known_to_the_shipped_model():
    """One letter twice at the end, over many words: layer 0 keeps it closer than an unrelated word."""
    session = Session()
    for word in ("bank", "river", "window", "house", "market", "school", "letter", "music", "doctor", "winter"):
        first = session.what_if.respell(word, [f"The {word} is here."], word + word[-1]).layers[0]
        assert first.cosine[0] > first.unrelated_cosine + 0.1, word

"""What a model with a cloze head would have written: told by both sides at once."""

from dataclasses import replace

import pytest
import torch

from elmo_tasks.api import Guess
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.encoders.cloze import Cloze, ClozeOptions
from elmo_tasks.encoders.cloze_files import write_cloze
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.serving import substitutes
from elmo_tasks.serving.session import Session
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.test_bilm import tiny

SENTENCES = ["The bank gave us a loan.", "We sat on the bank of the river.", "They live in Paris with us."]
WORDS = (*SPECIAL_WORDS, "the", "Paris", "bank", "of")


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder, bilm, static = tmp_path_factory.mktemp("models") / "toy", tiny(), StaticVectors.load()
    torch.manual_seed(2)
    write_model(folder, bilm, LMSoftmax(len(WORDS), bilm.options.lstm.projection_dim), Vocabulary(WORDS))
    elmo = Elmo.load(folder)
    head = Cloze(ClozeOptions(elmo.n_layers - 1, elmo.width // 2, n_words=6000, hidden=8, n_heads=2), static)
    with torch.no_grad():
        head.bias[static.words.index("paris")] = 9.0  # it would write that anywhere
    write_cloze(folder, head, elmo, static)
    return Session(str(folder), may_measure=False)


def test_both_sides_are_told_by_the_head(session):
    found = session.substitutes.written("bank", SENTENCES[:2])
    assert found.at_once
    assert found.vocabulary == 6000
    assert found.to_dict()["at_once"] is True
    for use in found.uses:
        assert use.alike == ()
        assert use.both[0].word == "Paris"  # as the language model writes it
        assert use.both[0].probability > 0.5
        assert {guess.word for guess in use.before} == set(WORDS[3:])  # one side is told by the output layer


def test_the_word_that_stands_there_is_found_however_it_is_written(session):
    found = session.substitutes.written("Paris", [SENTENCES[2], "We love Paris."]).uses
    assert [use.rank for use in found] == [1, 1]
    assert all(use.both[0].is_form for use in found)
    unknown = session.substitutes.written("gullxx", ["The gullxx left.", "Two gullxx ate."]).uses[0]
    assert (unknown.rank, unknown.probability) == (None, None)


@pytest.mark.parametrize(
    ("both", "rank", "said"),
    [
        ((("shore", 0.3),), 9, "shore"),
        ((("shore", 0.299),), 9, None),
        (
            (("the", 0.4), ("banks", 0.3), ("shore", 0.3)),
            9,
            "shore",
        ),  # neither a word like "the" nor a form of the word
        ((("shore", 0.9),), 51, "shore"),  # the word that stands there is unlikely, but the place is known
        ((), 9, None),
    ],
)
def test_only_what_is_probable_enough_is_named(session, both, rank, said):
    use = session.substitutes.written("bank", SENTENCES[:2]).uses[0]
    guesses = tuple(Guess(word, chance, word == "banks") for word, chance in both)
    assert substitutes.named(replace(use, both=guesses, rank=rank)) == said


def test_words_are_shown_as_they_are_nearly_always_written():
    vocabulary = ["the", "Paris", "Museum", "museum", "bank", *(f"x{k}" for k in range(20)), "paris", "Bank"]
    shown = substitutes.as_written(["paris", "museum", "bank", "gull"], vocabulary)
    assert shown == ["Paris", "museum", "bank", "gull"]

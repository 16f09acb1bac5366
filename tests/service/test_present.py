"""What is shown to an audience, with the bundled model."""

import pytest

from elmo_tasks.api import MapRequest
from elmo_tasks.errors import InputError
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.session import Session
from elmo_tasks.ui.present_tab import FORMINGS, OWN_WORDS, STORIES


@pytest.fixture(scope="module")
def session():
    return Session()


def test_ready_sentences_are_test_sentences(session):
    for word in OWN_WORDS:
        ready = session.ready_sentences(word)
        entry = bundled_lexicon()[ready.word]
        assert len(set(ready.meant)) >= 2
        for sentence, key in zip(ready.sentences, ready.meant, strict=True):
            assert sentence in entry.sense(key).test_sentences
    assert session.ready_sentences("Banks").word == "bank"
    assert session.ready_sentences("flibber") is None


def test_the_test_counts_what_the_model_gets_wrong(session):
    found = session.dictionary_test()
    assert found.n_sentences == 120
    assert 90 < found.n_right < 120
    for mistake in found.mistakes:
        assert bundled_lexicon()[mistake.word].is_held_out
        assert mistake.meant != mistake.found
    probabilities = [mistake.probability for mistake in found.mistakes]
    assert probabilities == sorted(probabilities, reverse=True)


@pytest.mark.parametrize("turning", FORMINGS, ids=lambda turning: turning.word)
def test_the_meaning_turns_at_the_word_that_decides(session, turning):
    one, other = (session.incremental_reading(turning.word, s, turning.senses) for s in turning.sentences)
    shared = sum(a == b for a, b in zip(one.steps, other.steps, strict=True))
    assert 0 < shared < len(one.steps)
    assert one.steps[-1].found == turning.senses[0]
    assert other.steps[-1].found == turning.senses[1]


def test_each_step_reads_the_words_so_far(session):
    found = session.incremental_reading("bank", "The bank of the river.")
    assert [step.words for step in found.steps] == [2, 3, 4, 5, 6]
    whole = session.compare("bank", ["The bank of the river.", "A bank."]).uses[0]
    assert found.steps[-1].probabilities == pytest.approx(whole.probabilities[:2], abs=0.02)
    assert found.to_dict()["steps"][0]["read"] == ("The", "bank")


LONG, WIDE = "The bank " + "very " * 300, "The bank " + "x" * 3000


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.incremental_reading("bank", "No such word."), "does not contain"),
        (lambda s: s.incremental_reading("bank", "The bank.", ["money", "none"]), "Choose two different meanings"),
        (lambda s: s.incremental_reading("flibber", "A flibber."), "no two meanings"),
        (lambda s: s.incremental_reading("bank", "The bank " + "and " * 60), "the most is 40"),
        (lambda s: s.static_neighbours("bank", 51), "Between 1 and 50 neighbours can be shown, not 51"),
        (lambda s: s.static_neighbours("flibberty"), "is not among"),
        (
            lambda s: s.sense_map(MapRequest("bank", "The bank. " * 250_000)),
            "2,500,000 characters; the most is 2,000,000",
        ),
        (lambda s: s.nearest("bank", LONG), "302 words; the most is 200"),
        (lambda s: s.nearest("bank", WIDE), "the most is 2,000"),
        (lambda s: s.explain("bank", [LONG, "A bank."]), "the most is 200"),
        (lambda s: s.substitutes("bank", [LONG, "A bank."]), "the most is 200"),
    ],
)
def test_what_cannot_be_answered_is_refused(session, ask, message):
    with pytest.raises(InputError, match=message):
        ask(session)


def test_neighbours_are_those_of_the_static_vectors(session):
    assert len(session.static_neighbours("bank", 7).neighbours) == 7


def test_the_stories_are_sorted_as_they_were_meant(session):
    for story in STORIES:
        found = session.compare(story.word, story.sentences)
        meant = [tuple(k for k, m in enumerate(story.meant) if m == name) for name in dict.fromkeys(story.meant)]
        assert set(found.groups) == set(meant), story.word

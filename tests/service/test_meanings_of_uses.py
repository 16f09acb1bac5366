"""Meanings of uses by the bundled model: of the dictionary, own ones, or neither; and as in
Present."""

import pytest

from elmo_tasks import compare, disambiguate
from elmo_tasks.api import Certainty, MapRequest, MeaningSource, NearestRequest
from elmo_tasks.errors import InputError
from elmo_tasks.senses.judging import entries_for
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.own_meanings import own_entries
from elmo_tasks.ui.present_tab import FORMINGS, OWN_WORDS, STORIES

#: Sentences that tutorials show, and some like them, each with the key of its meaning.
TUTORIALS = {
    "bank": {
        "I deposited money at the bank.": "money",
        "We sat on the river bank.": "river",
        "Don't bank on it.": "rely",
    },
    "run": {
        "I went for a run this morning.": "move fast",
        "There was a run on the bank.": "panic",
        "She has a run in her stockings.": "stocking",
        "The program takes a long time to run.": "work",
    },
    "bark": {
        "The dog let out a sharp bark.": "dog",
        "The bark of the ancient oak was rough.": "tree",
    },
    "bucket": {
        "The bucket was filled with water.": "container",
        "He kicked the bucket.": "die",
        "I have yet to cross off all the items on my bucket list.": "wishes",
    },
    "play": {
        "The children play football in the garden.": "compete",
        "The new play opened at the theatre.": "theatre",
        "Critics praised the actors and the play.": "theatre",
    },
    "apple": {
        "She bit into a crisp red apple.": "fruit",
        "Apple released a new phone in September.": "company",
        "Shares in Apple fell after the announcement.": "company",
    },
    "light": {
        "This bag is very light, I can carry it with one hand.": "weight",
        "He used a match to light the candle.": "ignite",
    },
    "spring": {
        "The flowers bloom in spring.": "season",
        "The spring in the mattress is broken.": "coil",
        "We drank cold water from the mountain spring.": "water",
    },
    "match": {
        "They won the football match last night.": "game",
        "He struck a match to light the fire.": "fire",
        "Her shoes match her dress.": "go together",
    },
}
OWN = """\
bank
  slope, noun: a long heap of snow
    The skier fell into a deep [bank] of snow.
    A [bank] of snow blocked the road.
  firm, noun: a place for money
    She has an account at the [bank].
    The [bank] lends money.
"""


@pytest.mark.parametrize("word", TUTORIALS)
def test_sentences_of_tutorials_are_right(word):
    found = compare(word, list(TUTORIALS[word]))
    assert [use.meaning.key for use in found.uses] == list(TUTORIALS[word].values())
    assert found.certainty is not Certainty.ABSTAIN
    keys = list(TUTORIALS[word].values())
    assert found.groups == tuple(
        tuple(k for k, x in enumerate(keys) if x == key) for key in dict.fromkeys(keys)
    )


@pytest.mark.parametrize(
    ("word", "forms", "entries"),
    [
        ("rose", ["rose", "rose"], ["rose", "rise"]),
        ("bank", ["banks", "banked"], ["bank"]),
        ("", ["bank", "Banks"], ["bank"]),
        ("left", ["left"], ["left", "leave"]),
        ("", ["bank", "bark"], []),
        ("bright", ["brighter", "bright"], ["bright"]),
    ],
)
def test_the_entries_that_uses_may_belong_to(word, forms, entries):
    assert [e.word for e in entries_for(word, forms, bundled_lexicon())] == entries


def test_own_meanings_count_before_the_dictionary(session):
    assert own_entries(" \n") == []
    sentences = ["A bank of snow lay in front of the door.", "I took money from the bank."]
    found = session.compare("bank", sentences, own_meanings=OWN)
    assert found.source is MeaningSource.OWN
    assert [m.key for m in found.meanings] == ["slope", "firm"]
    assert [use.meant.best for use in found.uses] == [0, 1]
    assert (
        session.compare("bark", ["A bark.", "The bark of a tree."], own_meanings=OWN).source
        is MeaningSource.DICTIONARY
    )
    (word,) = [
        w
        for w in session.disambiguate(sentences[0], own_meanings=OWN).words
        if w.use.word == "bank"
    ]
    assert word.meaning.key == "slope"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bank\n  a, noun: x\n    A [bank].\n", "“bank” has one meaning; give at least two"),
        ("bank\n  nothing\n", "^Own meanings, line 2: expected a meaning as"),
        (
            OWN.replace("a deep [bank] of", "a [deep, bank] of"),
            "Own meanings, “bank”.*around a word, or a phrase",
        ),
        ("#" * 20_001, "20,001 characters; the most is 20,000"),
        (OWN + "    A [bank].\n" * 57, "61 sentences; the most is 60"),
    ],
)
def test_own_meanings_that_cannot_be_read(text, message):
    with pytest.raises(InputError, match=message) as caught:
        own_entries(text)
    assert caught.value.field == "own_meanings"


def test_a_word_with_one_meaning_and_one_in_no_list():
    one = compare(
        "telescope",
        ["He looked at the moon through a telescope.", "The telescope stands on a hill."],
    )
    assert one.source is MeaningSource.ONE_MEANING
    assert one.groups == ((0, 1),)
    unlisted = compare("zorple", ["We ate a zorple for lunch.", "The zorple landed on the roof."])
    assert unlisted.source is MeaningSource.UNLISTED
    assert unlisted.certainty is not Certainty.CONFIDENT
    assert 0 <= unlisted.same_meaning[0][1] <= 1
    assert "did you mean" not in unlisted.message.details
    misspelled = compare("banck", ["The banck refused the loan.", "We sat on the banck."])
    assert "(did you mean “bank”?)" in misspelled.message.details


def test_other_languages_and_different_words_get_no_meanings():
    found = compare(
        "die", ["Wir sehen uns die alten Häuser an.", "Das sind die Kinder meiner Schwester."]
    )
    assert found.source is MeaningSource.NONE
    assert "reads only English" in str(found.message)
    other = compare("bank", ["The bank is shut.", "The [shore] is long."])
    assert other.spellings_differ
    assert other.groups == ()


def test_words_of_a_text_are_at_their_offsets():
    text = "She sat on the river bank. \ud800 Then the dog began to bark!"
    found = disambiguate(text)
    assert all(found.text[w.use.char_start : w.use.char_end] == w.use.word for w in found.words)
    keys = {w.use.word: w.meaning.key for w in found.words if w.meaning}
    assert keys["bank"] == "river"
    once, twice = (
        compare("bank", ["We sat on the bank.", *["The bank lent us money."] * n]).probability
        for n in (1, 2)
    )
    assert once == twice
    assert {w.use.word for w in disambiguate("I can't bear it. You won’t park here.").words} == {
        "bear",
        "park",
    }
    for bad, message in (
        (" ", "Type a text"),
        ("a " * 10_001, "20,002 characters"),
        ("a, " * 1_500, "3,000 words"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            disambiguate(bad)
        assert caught.value.field == "text"


def test_a_name_of_several_words_begins_with_a_capital():
    found = disambiguate("An old white house stood behind a wall street in the north.")
    assert not {"white house", "wall street"} & {word.use.word for word in found.words}
    found = disambiguate("Wall Street fell sharply.")
    assert "Wall Street" in {word.use.word for word in found.words}


def test_ready_sentences_are_test_sentences(session):
    for word in OWN_WORDS:
        ready = session.ready_sentences(word)
        entry = bundled_lexicon()[ready.word]
        assert len(set(ready.meant)) >= 2
        for sentence, key in zip(ready.sentences, ready.meant, strict=True):
            assert sentence in entry.sense(key).test_sentences
    assert session.ready_sentences("Banks").word == "bank"
    assert session.ready_sentences("flibber") is None
    assert len(session.static_neighbours("bank", 7).neighbours) == 7


def test_the_test_counts_the_errors_of_the_model(session):
    found = session.dictionary_test()
    assert found.n_sentences == 120
    assert 90 < found.n_right < 120
    for mistake in found.mistakes:
        assert bundled_lexicon()[mistake.known.word].is_held_out
        assert mistake.known != mistake.meaning
    probabilities = [mistake.meant.probability for mistake in found.mistakes]
    assert probabilities == sorted(probabilities, reverse=True)


@pytest.mark.parametrize("turning", FORMINGS, ids=lambda turning: turning.word)
def test_the_meaning_turns_at_the_word_that_decides(session, turning):
    one, other = (
        session.incremental_reading(turning.word, s, turning.senses) for s in turning.sentences
    )
    shared = sum(a == b for a, b in zip(one.steps, other.steps, strict=True))
    assert 0 < shared < len(one.steps)
    assert one.steps[-1].found == turning.senses[0]
    assert other.steps[-1].found == turning.senses[1]


def test_each_step_reads_the_words_so_far(session):
    found = session.incremental_reading("bank", "The bank of the river.")
    assert [step.words for step in found.steps] == [2, 3, 4, 5, 6]
    whole = session.compare("bank", ["The bank of the river.", "A bank."]).uses[0]
    assert found.steps[-1].probabilities == pytest.approx(whole.meant.probabilities[:2], abs=0.02)
    assert found.to_dict()["steps"][0]["read"] == ("The", "bank")


LONG, WIDE = "The bank " + "very " * 300, "The bank " + "x" * 3000


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.incremental_reading("bank", "No such word."), "does not contain"),
        (
            lambda s: s.incremental_reading("bank", "The bank.", ["money", "none"]),
            "Choose two different meanings",
        ),
        (lambda s: s.incremental_reading("flibber", "A flibber."), "no two meanings"),
        (lambda s: s.incremental_reading("bank", "The bank " + "and " * 60), "the most is 40"),
        (
            lambda s: s.static_neighbours("bank", 51),
            "Between 1 and 50 neighbours can be shown, not 51",
        ),
        (lambda s: s.static_neighbours("flibberty"), "is not among"),
        (
            lambda s: s.sense_map(MapRequest("bank", "The bank. " * 250_000)),
            "2,500,000 characters; the most is",
        ),
        (lambda s: s.nearest(NearestRequest("bank", LONG)), "302 words; the most is 200"),
        (lambda s: s.nearest(NearestRequest("bank", WIDE)), "the most is 2,000"),
    ],
)
def test_unanswerable_requests_are_refused(session, ask, message):
    with pytest.raises(InputError, match=message):
        ask(session)


def test_the_stories_are_sorted_as_they_were_meant(session):
    for story in STORIES:
        found = session.compare(story.word, story.sentences)
        meant = [
            tuple(k for k, m in enumerate(story.meant) if m == name)
            for name in dict.fromkeys(story.meant)
        ]
        assert set(found.groups) == set(meant), story.word

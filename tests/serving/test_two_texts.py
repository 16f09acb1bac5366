"""A word in two texts, by the bundled model."""

import json

import pytest

from elmo_tasks.errors import InputError
from elmo_tasks.senses.gallery import gallery
from elmo_tasks.serving.session import Session
from elmo_tasks.ui.texts_tab import FIRST, NAMES, SECOND, WORD


@pytest.fixture(scope="module")
def session():
    return Session()


def text_of(word, sense, start=0, stop=8):
    """Sentences of the gallery as somebody's text."""
    found = [use.sentence for use in gallery() if (use.word, use.sense) == (word, sense)][start:stop]
    return "\n".join(sentence.replace("[", "").replace("]", "") for sentence in found)


def test_the_example_of_the_page_is_told_apart(session):
    found = session.texts.set_against(FIRST, SECOND, WORD, NAMES)
    assert found.words[0].p <= 0.01
    assert found.words[0].distance > found.words[0].chance
    assert f"use “{WORD}” differently" in found.verdict
    p = found.words[0].p
    assert f"in {1000 * p:.0f} of 1,000 such deals, this one among them (p = {p:.3f})." in found.verdict
    assert [group.n_uses for group in found.map.groups] == [found.words[0].n_first, found.words[0].n_second]
    assert json.loads(json.dumps(found.to_dict()))["names"] == list(NAMES)


def test_one_sense_in_both_texts_is_not(session):
    found = session.texts.set_against(text_of("bank", "money", 0, 4), text_of("bank", "money", 4, 8), "bank")
    assert found.words[0].p > 0.05
    assert "No difference in the use of “bank” is sure" in found.verdict


def test_every_use_is_on_the_map_in_the_colour_of_its_text(session):
    found = session.texts.set_against(text_of("bank", "money"), text_of("bank", "river"), "bank").map
    assert [use.group for use in found.uses] == [0] * 8 + [1] * 8
    assert not any(use.own for use in found.uses)  # no stars: the colour says whose each is
    assert all(-1 <= use.x <= 1 and -1 <= use.y <= 1 for use in found.uses)


def test_the_words_of_both_texts_are_ranked(session):
    said = []
    fill = "\n".join(f"The boat reached the harbour on day {k} before the storm." for k in range(6))
    first, second = (f"{text_of('bank', sense)}\n{fill}" for sense in ("money", "river"))
    found = session.texts.set_against(first, second, progress=lambda what, share: said.append(share))
    assert found.words[0].word == "bank"
    assert {word.word for word in found.words} >= {"bank", "boat", "harbour", "storm"}
    assert found.n_candidates == len(found.words)
    assert found.map is None
    assert said[-1] == 1.0
    still = next(word for word in found.words if word.word == "harbour")
    assert still.p > 0.05  # the same sentences


@pytest.mark.parametrize(
    ("arguments", "field", "message"),
    [
        (("", "b"), "first", "Paste the first text"),
        (("a", " "), "second", "Paste the second text"),
        (("a", "b" * 500_001), "second", "the most is 500,000"),
        (("A bank.", "A bank.", "bank"), "word", "uses only once “bank”; at least 4"),
        (("A boat.", "A bank.", "bank"), "word", "does not use “bank”"),
        (("A boat.", "A bank."), "second", "No content word comes 4 times in both"),
        (("A boat.", "A bank.", "two words"), "word", "one word"),
    ],
)
def test_what_cannot_be_set_against_each_other_is_said_at_its_field(session, arguments, field, message):
    with pytest.raises(InputError, match=message) as caught:
        session.texts.set_against(*arguments)
    assert caught.value.field == field

"""Meanings in one line each, and the entry that a person starts from."""

import pytest

from elmo_tasks.errors import InputError
from elmo_tasks.senses.entries import parse_entries
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.own_meanings import entry_text, expanded, own_entries


def test_a_line_for_each_meaning_is_an_entry():
    text = (
        "player = Jordan scored forty points.\ncountry = Jordan borders on Israel.\ncountry = a"
        " kingdom, its capital"
    )
    (entry,) = own_entries(expanded(text, "Jordan"))
    assert [sense.key for sense in entry.senses] == ["player", "country"]
    assert entry.senses[0].sentences == ("[Jordan] scored forty points.",)
    assert entry.senses[1].sentences == (
        "[Jordan] borders on Israel.",
        "[Jordan]: a kingdom, its capital",
    )


def test_entries_of_the_dictionarys_format_stay_as_they_are():
    text = "bank\n  money, noun: a firm\n    The [bank] lent cash.\n"
    assert expanded(text, "bank") == text
    assert expanded("", "bank") == ""


def test_a_line_of_another_form_is_named():
    with pytest.raises(
        InputError, match="expected a name, “=” and a sentence on every line.*found “a country”"
    ):
        expanded("player = Jordan scored.\na country", "Jordan")
    with pytest.raises(InputError, match="Type the word"):
        expanded("player = Jordan scored.", " ")


def test_the_entry_of_a_word_can_be_given_as_own_meanings():
    (entry,) = parse_entries(entry_text("bank"))
    known = bundled_lexicon()["bank"]
    assert [(sense.key, sense.gloss) for sense in entry.senses] == [
        (s.key, s.gloss) for s in known.senses
    ]
    assert all(1 <= len(sense.sentences) <= 3 for sense in entry.senses)
    assert entry_text("zorp") == ""
    assert own_entries(entry_text("bank"))

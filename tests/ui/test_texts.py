from dataclasses import replace

import pytest

from elmo_tasks.api import Said
from elmo_tasks.ui import texts_tab
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE

TEXTS = {"first": "A bank of the river.\nMy bank.", "second": "The bank.", "first_name": "Ada", "second_name": "Ben"}


def asked(service, **more):
    return list(texts_tab.respond(service, {**TEXTS, **more}))[-1]


def test_a_word_is_drawn_in_the_colours_of_its_texts(service):
    value, page = asked(service, word="bank", revision=3)
    assert (value["revision"], value["note"]) == (3, None)
    assert "use “bank” differently" in page
    seen = parsed(page)
    assert seen.called("Use ") == len(seen.rows) - 1 == 3
    assert "Ada against Ben" in page
    assert [sum(f", group {letter}:" in label for label in seen.labels) for letter in "AB"] == [2, 1]


def test_all_words_are_listed_and_open_their_map(service):
    page = asked(service, word="bank", all=True)[1]
    seen = parsed(page)
    assert len(seen.carried["texts-word"]) == 2
    assert "★" in page
    assert "0.61" in page
    assert {"p", "Score"} <= set(seen.buttons)  # buttons: the key reaches what explains them
    assert len(seen.carried["explains"]) == 2


@pytest.mark.parametrize(
    ("more", "field", "message"),
    [
        ({"word": ""}, "word", "Type a word that both texts use."),
        ({"word": "lion"}, "word", "Both texts must use “lion”."),
        ({"word": "bank", "second": ""}, "second", "Paste both texts."),
    ],
)
def test_what_is_missing_stands_at_its_field(service, more, field, message):
    value, page = asked(service, **more)
    assert (value["note"]["field"], value["note"]["text"]) == (field, message)
    assert message in page


def test_nothing_from_a_person_is_markup(service):
    found = service.texts.set_against(f"bank {HOSTILE}", f"bank {HOSTILE}", "bank", (HOSTILE, HOSTILE))
    bad = replace(found, said=Said(HOSTILE, HOSTILE), model=HOSTILE, words=(replace(found.words[0], word=HOSTILE),))
    for answer in (bad, replace(bad, map=None)):
        tags = parsed(texts_tab.page(answer, ()))
        assert not tags.seen & {"img", "script"}
        assert "onerror" not in tags.attributes


def test_the_spreadsheet_runs_no_formula(service):
    found = service.texts.set_against("a bank", "a bank")
    bad = replace(found, words=(replace(found.words[0], word="=cmd()"),))
    page = texts_tab.page(bad, ())
    assert "%27%3Dcmd%28%29" in page  # in the link of the file

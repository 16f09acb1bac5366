"""Nothing that a person typed or a model found is read as markup, on any page of Compare, the maps, Nearest and Present."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elmo_tasks.api import MapRequest, Message
from elmo_tasks.ui import compare_answer, compare_details, map_tab, nearest_tab, page, present_tab
from elmo_tasks.ui.compare_form import Form
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE

TWO = [HOSTILE, "The bank."]
FORM = Form(HOSTILE, (HOSTILE,))
SERVICE = FakeService()


def compared():
    found = SERVICE.compare("bank", TWO)
    return replace(found, message=Message(HOSTILE, HOSTILE), model=HOSTILE, word=HOSTILE)


def by_several():
    found = SERVICE.side_by_side("bank", TWO, ("fake-small", "fake-large"))
    return replace(found, agreement=HOSTILE, senses=(HOSTILE, HOSTILE))


def mapped():
    found = SERVICE.sense_map(MapRequest("bank", f"A bank {HOSTILE}\nMy bank {HOSTILE}"))
    groups = tuple(replace(group, name=HOSTILE, letter=HOSTILE) for group in found.groups)
    return replace(found, word=HOSTILE, message=Message(HOSTILE, "Yes."), groups=groups, model=HOSTILE)


def landed():
    found = SERVICE.project_use(f"The bank {HOSTILE}", MapRequest("bank"))
    return replace(found, verdict=HOSTILE, meanings=(replace(found.meanings[0], name=HOSTILE),))


def near(model=None):
    found = SERVICE.nearest("bank", f"bank {HOSTILE}", model=model)
    return replace(found, message=Message(HOSTILE, HOSTILE), source=HOSTILE, sense=HOSTILE)


def explained():
    found = SERVICE.explain("bank", TWO)
    return replace(found, answer=HOSTILE, layer=HOSTILE, side_answer=HOSTILE)


def forming():
    turning = present_tab.FORMINGS[0]
    one, other = (SERVICE.incremental_reading(turning.word, sentence, turning.senses) for sentence in turning.sentences)
    hostile = replace(one.senses[0], key=HOSTILE, gloss=HOSTILE)
    return present_tab.forming((replace(one, senses=(hostile, one.senses[1])), other))


def own():
    typed = {"ask": "own", "word": "bank", "sentences": f"A bank. {HOSTILE}\nThe bank {HOSTILE}"}
    return present_tab.respond(SERVICE, typed)["parts"]["own"]


def neighbours():
    return present_tab.part("neighbours", [replace(SERVICE.static_neighbours("bank"), word=HOSTILE)])


PAGES = {
    "comparison": lambda: compare_answer.page(compared(), FORM, SERVICE.models()),
    "refused": lambda: page.nothing("compare", HOSTILE),
    "several models": lambda: compare_answer.page(by_several(), FORM, SERVICE.models()),
    "whole sentences": lambda: compare_answer.page([SERVICE.compare_sentences(TWO)], FORM),
    "why": lambda: compare_details.why_body(explained()),
    "expected words": lambda: compare_details.expected_words(
        replace(SERVICE.substitutes("bank", TWO), word=HOSTILE), [None, None]
    ),
    "map": lambda: map_tab.page(mapped(), (), MapRequest(HOSTILE, HOSTILE)),
    "landed": lambda: map_tab.landed_markup(landed()),
    "nearest": lambda: nearest_tab.page(near(), ()),
    "nearest by several": lambda: nearest_tab.page_of_several([near(), near("fake-large")], HOSTILE, HOSTILE),
    "forming": forming,
    "own word": own,
    "neighbours": neighbours,
    "problem": lambda: present_tab.part("problem", HOSTILE),
    "saved comparison": lambda: compare_answer.saved(compared(), FORM),
    "saved map": lambda: map_tab.file_of(mapped(), ())[1],
}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_markup(name):
    markup = PAGES[name]()
    tags = parsed(markup)
    assert "img" not in tags.seen
    assert "onerror" not in tags.attributes
    assert markup.count("<script") == markup.count("</script") == name.startswith("saved")  # the page's own
    assert HOSTILE in tags.text

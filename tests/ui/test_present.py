"""The markup and the answers of the Present tab, without a browser."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest

from elmo_tasks.ui import layout, present_parts, present_steps, present_tab
from elmo_tasks.ui.page import render
from elmo_tasks.ui.present_examples import FAILURES, FORMINGS, STORIES

HOSTILE = "<img src=x onerror=alert(1)>"


def forming(service, at=0):
    chosen = FORMINGS[at]
    return service.present.forms(chosen.word, chosen.sentence, chosen.senses)


def test_there_are_ten_steps_each_with_notes():
    assert len(present_steps.STEPS) == 11
    assert all(step.title and step.notes for step in present_steps.STEPS)
    assert present_steps.markup().count('<section class="step ') == 11


def test_every_other_tab_has_a_link_on_the_last_step():
    linked = re.findall(r'href="\?tab=(\w+)"', present_steps.markup(layout.TABS))
    assert linked == [tab for tab in layout.TABS if tab != "present"]


def test_the_first_question_fills_every_part(service):
    markup = present_steps.markup()
    places = set(re.findall(r'data-part="(\w+)"', markup))
    value = present_tab.respond(service, {"ask": "all", "revision": 3})
    assert set(value["parts"]) == places - {"own"}
    assert value["revision"] == 3


def test_a_part_that_cannot_be_answered_leaves_the_others(service, monkeypatch):
    monkeypatch.setattr(present_tab, "STATIC_WORDS", ("no-letters!",))
    parts = present_tab.everything(service)
    assert 'class="problem"' in parts["neighbours"]
    assert "not among the words" in parts["neighbours"]
    assert 'class="forming"' in parts["forming"]


@pytest.mark.parametrize("choice", [-1, 99, "x", None, True])
def test_a_choice_that_is_none_is_answered_all_the_same(service, choice):
    for ask in ("story", "forming", "failure"):
        assert present_tab.respond(service, {"ask": ask, "choice": choice})["parts"]


def test_the_story_hides_the_groups_until_they_are_revealed(service):
    story = STORIES[0]
    markup = present_parts.story(service.compare(story.word, story.sentences))
    before, after = markup.split("<div data-reveal hidden>")
    assert "Group A" not in before
    assert "Group A" in after
    assert before.count("data-pick") == 2 * len(story.sentences)
    assert json.loads(re.search(r"data-groups='([^']+)'", markup)[1]) == [[0, 2, 4], [1, 3]]


def test_an_unsure_answer_names_no_groups(service):
    markup = present_parts.own(service.compare("muddle", ["A muddle.", "The muddle."]), "")
    assert "No clear groups" in markup
    assert "Group A" not in markup


def test_what_is_said_of_a_failure_comes_from_the_answer(service):
    example = FAILURES[0]
    comparison = service.compare(example.word, example.sentences)
    said = {
        ((0, 2), (1, 3)): "This model gets it right.",
        ((0, 1), (2, 3)): "The model is sure here, and wrong.",
        (): "The model cannot tell these apart, and says so.",
    }
    for found, sentence in said.items():
        markup = present_parts.failure(replace(comparison, groups=found), example)
        assert [text for text in said.values() if text in markup] == [sentence]


def test_the_dot_moves_from_the_first_pole_to_the_second(service):
    markup = present_parts.forming(forming(service))
    steps = json.loads(re.search(r"data-steps='([^']+)'", markup)[1])
    assert steps[0]["at"] < 50 < steps[-1]["at"]
    assert steps[0]["said"] == "nearer to “legal”"
    assert steps[-1]["said"] == "nearer to “illness”"
    assert "It is “illness” from the word “flu” on." in markup
    assert all(0 < step["at"] < 100 for step in steps)


def test_the_sentence_is_whole(service):
    markup = present_parts.forming(forming(service))
    sentence = re.search(r'<p class="sentence">(.*?)</p>', markup)[1]
    assert html.unescape(re.sub("<[^>]+>", "", sentence)) == FORMINGS[0].sentence


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"can_tell": False, "right": 2}, "cannot tell these two senses apart"),
        ({"right_by_spelling": 4}, "do not read this as meaning"),
    ],
)
def test_how_far_it_can_be_trusted_is_said(service, change, said):
    assert said in present_parts.forming(replace(forming(service), **change))


def test_a_reading_that_stays_is_said_to_stay(service):
    assert "The first reading stays: “legal”" in present_parts.forming(forming(service, 1))


def test_ready_sentences_of_an_own_word(service):
    value = present_tab.respond(service, {"ask": "own", "word": " bank ", "sentences": "", "revision": 1})
    assert value["sentences"].count("\n") == 3
    assert "Group" in value["parts"]["own"]
    assert "?word=bank&amp;s=" in value["parts"]["own"]
    assert value["note"] == ""


def test_an_own_word_without_ready_sentences_asks_for_some(service):
    value = present_tab.respond(service, {"ask": "own", "word": "house", "sentences": ""})
    assert value["note"] == "Type at least two sentences that use “house”, one a line."
    assert value["parts"] == {"own": ""}


def test_an_own_word_that_cannot_be_compared_keeps_what_was_typed(service):
    value = present_tab.respond(service, {"ask": "own", "word": "house", "sentences": "A house.\n\nA hut."})
    assert "“house” is not in sentence 2" in value["note"]
    assert value["sentences"] == "A house.\nA hut."


def test_nothing_typed_is_read_as_markup(service):
    word = f"bank {HOSTILE}"
    value = present_tab.respond(
        service, {"ask": "own", "word": "bank", "sentences": f"A bank. {HOSTILE}\nThe bank {HOSTILE}"}
    )
    assert "<img" not in value["parts"]["own"]
    answer = forming(service)
    hostile = replace(answer, senses=(replace(answer.senses[0], name=HOSTILE, gloss=HOSTILE), answer.senses[1]))
    assert "<img" not in present_parts.forming(hostile)
    assert "<img" not in present_parts.problem(word)
    assert "<img" not in present_parts.neighbours([replace(service.present.neighbours("bank"), word=HOSTILE)])


def test_the_picture_says_what_it_shows():
    drawn = render("present/stages.html")
    said = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"', drawn)
    assert len(said) == 4
    assert all(len(words) > 30 for words in said)
    assert "http" not in drawn

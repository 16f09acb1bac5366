"""The markup and the answers of the Present tab, without a browser."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest

from elmo_tasks.api import Certainty
from elmo_tasks.ui import map_tab, present_tab
from elmo_tasks.ui.examples import outcome
from elmo_tasks.ui.page import render
from elmo_tasks.ui.present_tab import FORMINGS, STORIES
from tests.ui.reader import parsed

HOSTILE = "<img src=x onerror=alert(1)>"


def forming(service, at=0):
    chosen = FORMINGS[at]
    one, other = (service.incremental_reading(chosen.word, sentence, chosen.senses) for sentence in chosen.sentences)
    return one, other


def test_there_are_nine_steps_each_with_short_notes():
    assert len(present_tab.STEPS) == 9
    assert all(step.title and 0 < len(step.notes) < 400 for step in present_tab.STEPS)
    assert present_tab.stage_markup().count('<section class="step ') == 9


def test_the_first_question_fills_every_part(service):
    places = set(re.findall(r'data-part="(\w+)"', present_tab.stage_markup()))
    value = present_tab.respond(service, {"ask": "all", "revision": 3})
    assert set(value["parts"]) == places - {"own"}
    assert value["revision"] == 3
    with_headline = {name for name, markup in value["parts"].items() if "data-headline" in markup}
    assert with_headline == {"story", "forming", "mistakes"}


def test_a_part_that_cannot_be_answered_leaves_the_others(service, monkeypatch):
    monkeypatch.setattr(present_tab, "STATIC_WORDS", ("no-letters!",))
    shown = present_tab.respond(service, {})
    assert "not among the words" in shown["parts"]["neighbours"]
    assert "Words read: 2 of" in parsed(shown["parts"]["forming"]).text


@pytest.mark.parametrize("choice", [-1, 99, "x", None, True])
def test_a_choice_that_is_none_is_answered_all_the_same(service, choice):
    for ask in ("story", "forming"):
        assert present_tab.respond(service, {"ask": ask, "choice": choice})["parts"]


def test_the_story_hides_the_meanings_until_they_are_revealed(service):
    story = STORIES[0]
    markup = present_tab.part("story", service.compare(story.word, story.sentences))
    before, after = markup.split("<div data-reveal hidden>")
    assert "the water kind" not in before
    assert "the water kind" in after
    assert before.count("data-pick") == 2 * len(story.sentences)
    assert json.loads(re.search(r"data-groups='([^']+)'", markup)[1]) == [[0, 2, 4], [1, 3]]


@pytest.mark.parametrize(
    ("groups", "certainty", "said"),
    [
        (((0, 2), (1, 3)), Certainty.CONFIDENT, "The model sorts them as they were meant, and is sure of it."),
        (
            ((0, 1), (2, 3)),
            Certainty.CONFIDENT,
            "The model sorts them otherwise than they were meant, and is sure of it.",
        ),
        (((1, 3), (0, 2)), Certainty.TENTATIVE, "The model sorts them as they were meant, without being sure."),
        ((), Certainty.ABSTAIN, "The model cannot tell how these group, and says so."),
    ],
)
def test_what_became_of_known_meanings_comes_from_the_answer(service, groups, certainty, said):
    found = replace(service.compare("match", ["A match."] * 4), groups=groups, certainty=certainty)
    assert outcome(found, ("fire", "game", "fire", "game")) == said


def test_mistakes_are_shown_and_their_meanings_revealed(service):
    text = parsed(present_tab.part("mistakes", service.dictionary_test())).text
    assert "100 test sentences" in text
    assert "the right meaning of 99" in text
    assert "Meant: a state of things. The model: a cover or box (80 %)." in text
    none = replace(service.dictionary_test(), n_right=100, mistakes=())
    assert "What does the marked word mean" not in present_tab.part("mistakes", none)


def test_the_landing_map_names_the_meanings(service):
    legend = html.unescape(map_tab.stage(service)).split("</ul>")[0]
    assert "a firm that lends money" in parsed(legend).text


def test_the_dots_part_at_the_word_that_decides(service):
    answers = forming(service)
    markup = present_tab.forming(answers)
    steps = json.loads(re.search(r"data-steps='([^']+)'", html.unescape(markup))[1])
    at = present_tab.deciding_word(answers)
    first, last = steps[0], steps[-1]
    assert first["at"] == [50, 50]
    assert last["at"][0] < 50 < last["at"][1]
    assert first["said"] == ["cannot tell"] * 2
    assert next(s["words"] for s in steps if s["at"][0] != s["at"][1]) == at + 1
    assert steps[-1]["words"] == len(answers[0].tokens)
    assert steps[-1]["read"] == len(answers[0].tokens) - 1  # the full stop is no word
    one, other = FORMINGS[0].senses
    assert f"In the end 1 means “{one}” ({one} 90 %, {other} 10 %)." in parsed(markup).text
    assert all(sentence in parsed(markup).text for sentence in FORMINGS[0].sentences)


def test_what_does_not_turn_is_not_said_to(service):
    one, other = forming(service)
    unsure = replace(one, steps=(*one.steps[:-1], replace(one.steps[-1], found=None)))
    assert "In the end 1 cannot be told" in present_tab.forming_said((unsure, other))


def test_ready_sentences_of_an_own_word(service):
    value = present_tab.respond(service, {"ask": "own", "word": " Banks ", "sentences": "", "revision": 1})
    assert (value["word"], value["note"]) == ("bank", "")
    assert value["sentences"].count("\n") == 1
    assert any("?word=bank&s=" in link for link in parsed(value["parts"]["own"]).links)
    assert "Meant: money: 1; river: 2." in value["parts"]["own"]
    assert "The dictionary has “bank”, not “Banks”." in value["parts"]["own"]
    again = present_tab.respond(service, {"ask": "own", "word": "bank", "sentences": "A bank.\nMy bank of the river."})
    assert "Meant:" not in again["parts"]["own"]


def test_an_own_word_without_ready_sentences_asks_for_some(service):
    value = present_tab.respond(service, {"ask": "own", "word": "flibber", "sentences": ""})
    assert value["note"].startswith("“flibber” is not in the dictionary. Type at least two sentences")
    assert value["parts"] == {"own": ""}


def test_an_own_word_that_cannot_be_compared_keeps_what_was_typed(service):
    value = present_tab.respond(service, {"ask": "own", "word": "house", "sentences": "A house.\n\nA hut."})
    assert "“house” is not in sentence 2" in value["note"]
    assert value["sentences"] == "A house.\nA hut."


def test_nothing_typed_is_read_as_markup(service):
    typed = f"A bank. {HOSTILE}\nThe bank {HOSTILE}"
    value = present_tab.respond(service, {"ask": "own", "word": "bank", "sentences": typed})
    assert "img" not in parsed(value["parts"]["own"]).seen
    answer, other = forming(service)
    hostile = replace(answer, senses=(replace(answer.senses[0], key=HOSTILE, gloss=HOSTILE), answer.senses[1]))
    assert "img" not in parsed(present_tab.forming((hostile, other))).seen
    assert "<img" not in present_tab.part("problem", HOSTILE)
    assert "<img" not in present_tab.part("neighbours", [replace(service.static_neighbours("bank"), word=HOSTILE)])


def test_the_picture_says_what_it_shows():
    drawn = render("present/stages.html")
    said = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"', drawn)
    assert len(said) == 4
    assert all(len(words) > 30 for words in said)
    assert "http" not in drawn

"""The markup and the answers of the Present tab, without a browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from elmo_tasks.ui import present_tab
from elmo_tasks.ui.present_tab import FORMINGS, QUIZ, STORIES
from elmo_tasks.ui.rendering import render
from tests.ui.reader import parsed


def forming(service, at=0):
    chosen = FORMINGS[at]
    one, other = (
        service.incremental_reading(chosen.word, sentence, chosen.senses)
        for sentence in chosen.sentences
    )
    return one, other


def test_there_are_nine_steps_each_with_short_notes():
    assert len(present_tab.STEPS) == 9
    assert all(step["title"] and 0 < len(step["notes"]) < 400 for step in present_tab.STEPS)
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
def test_an_invalid_choice_falls_back_to_the_default(service, choice):
    for what in ("story", "forming", "pair", "reveal"):
        assert ask(service, ask=what, choice=choice)["parts"]


def test_the_story_hides_the_meanings_until_they_are_revealed(service):
    story = STORIES[0]
    markup = present_tab.part("story", service.compare(story.word, story.sentences))
    before, after = markup.split("<div data-reveal hidden>")
    assert "the water kind" not in before
    assert "the water kind" in after
    assert before.count("data-pick") == 2 * len(story.sentences)
    assert json.loads(re.search(r"data-groups='([^']+)'", markup)[1]) == [[0, 2, 4], [1, 3]]


def test_pictures_have_text_alternatives():
    drawn = render("present/stages.html")
    message = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"', drawn)
    assert len(message) == 4
    assert all(len(words) > 30 for words in message)
    assert "http" not in drawn


# --- The quiz ---


def ask(service, **question):
    return present_tab.respond(service, question)


def is_same(at):
    return len(set(QUIZ[at].meant)) == 1


def test_there_are_ten_pairs_of_both_kinds():
    kinds = [is_same(at) for at in range(len(QUIZ))]
    assert len(kinds) == 10
    assert 3 <= sum(kinds) <= 7
    assert len({pair.word for pair in QUIZ}) == 10


def test_a_pair_is_shown_without_its_solution(service):
    shown = ask(service, ask="pair", choice=1)
    markup = shown["parts"]["pair"]
    assert shown["at"] == 1
    assert f"“{QUIZ[1].word}”" in markup
    assert [word.casefold() for word in parsed(markup).marked] == [QUIZ[1].word] * 2
    assert "mean" not in parsed(markup).text


def test_the_reveal_names_the_correct_answers(service):
    same = next(at for at in range(10) if is_same(at))
    right, wrong, none = (
        ask(service, ask="reveal", choice=same, guess=guess) for guess in ("same", "different", "")
    )
    assert (right["room"], wrong["room"], none["room"]) == (True, False, None)
    assert "Both mean the same" in right["parts"]["result"]
    assert "The room:" not in none["parts"]["result"]
    assert right["model"] is not None
    assert "likely" in right["parts"]["result"]


def test_a_model_without_calibration_cannot_tell(service):
    comparison = service.compare("muddle", ["A muddle.", "One muddle."])
    assert present_tab.model_answer(comparison) == (None, "cannot tell.")


def test_a_coin_toss_scores_nobody(service):
    comparison = service.compare("bank", ["The bank of the river.", "A bank loan."])
    for chance, model, words in (
        (0.55, None, "cannot tell: “the same” gets 55"),
        (0.3, False, "different, 70"),
        (0.6, True, "the same, 60"),
    ):
        close = replace(comparison, same_meaning=((1.0, chance), (chance, 1.0)))
        found, sentence = present_tab.model_answer(close)
        assert found is model
        assert sentence.startswith(words)

"""The markup and the answers of the Present tab, without a browser."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest
from elmo_tasks.ui.present_examples import FORMINGS, STORIES

from elmo_tasks.api import Said
from elmo_tasks.ui import maps, present_parts, present_steps, present_tab
from elmo_tasks.ui.examples import Example, told
from elmo_tasks.ui.page import render
from tests.ui.reader import parsed

HOSTILE = "<img src=x onerror=alert(1)>"


def forming(service, at=0):
    chosen = FORMINGS[at]
    one, other = (service.present.forms(chosen.word, sentence, chosen.senses) for sentence in chosen.sentences)
    return one, other


def test_there_are_nine_steps_each_with_short_notes():
    assert len(present_steps.STEPS) == 9
    assert all(step.title and 0 < len(step.notes) < 400 for step in present_steps.STEPS)
    assert present_steps.markup().count('<section class="step ') == 9


def test_every_answer_has_a_headline_for_the_notes(service):
    """Except those that have no answer of the model before somebody asks."""
    parts = present_tab.respond(service, {})["parts"]
    with_headline = {name for name, markup in parts.items() if "data-headline" in markup}
    assert with_headline == {"story", "forming", "failure"}
    own = present_parts.own(service.compare("bank", ["A bank.", "The bank of a river."]), "")
    assert "data-headline" in own


def test_the_first_question_fills_every_part(service):
    markup = present_steps.markup()
    places = set(re.findall(r'data-part="(\w+)"', markup))
    value = present_tab.respond(service, {"ask": "all", "revision": 3})
    assert set(value["parts"]) == places - {"own"}
    assert value["revision"] == 3


def test_a_part_that_cannot_be_answered_leaves_the_others(service, monkeypatch):
    monkeypatch.setattr(present_tab, "STATIC_WORDS", ("no-letters!",))
    shown = present_tab.respond(service, {})
    assert "not among the words" in shown["parts"]["neighbours"]
    assert "Words read: 2 of 9" in parsed(shown["parts"]["forming"]).text


@pytest.mark.parametrize("choice", [-1, 99, "x", None, True])
def test_a_choice_that_is_none_is_answered_all_the_same(service, choice):
    for ask in ("story", "forming", "failure"):
        assert present_tab.respond(service, {"ask": ask, "choice": choice})["parts"]


def test_the_story_hides_the_groups_until_they_are_revealed(service):
    story = STORIES[0]
    markup = present_parts.part("story", service.compare(story.word, story.sentences))
    before, after = markup.split("<div data-reveal hidden>")
    assert "Group A" not in before
    assert "Group A" in after
    assert before.count("data-pick") == 2 * len(story.sentences)
    assert json.loads(re.search(r"data-groups='([^']+)'", markup)[1]) == [[0, 2, 4], [1, 3]]


def test_an_unsure_answer_names_no_groups(service):
    markup = present_parts.own(service.compare("muddle", ["A muddle.", "The muddle."]), "")
    assert "Not sorted" in markup
    assert "Group A" not in markup


def test_what_is_said_of_a_failure_comes_from_the_answer(service):
    example = Example("match", "match", ("A match.",) * 4, ("fire", "game", "fire", "game"))
    comparison = service.compare(example.word, example.sentences)
    said = {
        ("named", ((0, 2), (1, 3))): "The model sorts them as they were meant, and is sure of it.",
        ("named", ((0, 1), (2, 3))): "The model is sure here, and wrong.",
        ("leaning", ((0, 1), (2, 3))): "The model leans to another grouping than was meant",
        ("leaning", ((1, 3), (0, 2))): "The model leans to what was meant",
        ("leaning", ()): "The model does not sort them all. It is surest that",
        ("silent", ()): "The model cannot tell how these group, and says so.",
    }
    for (voice, found), sentence in said.items():
        answer = replace(comparison, groups=found, voice=voice)
        text = present_parts.failure(answer, example)
        assert [other for other in said.values() if other in text] == [sentence]


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.78, "1 and 3 mean the same (78 %), rightly."), (0.1, "1 and 3 mean different things (90 %), wrongly.")],
)
def test_of_a_pair_it_is_said_which_and_whether_it_is_right(service, share, said):
    comparison = service.compare("match", ["A match."] * 4)
    same = [[0.5] * 4 for _ in range(4)]
    same[0][2] = same[2][0] = share
    pair = replace(comparison, groups=(), voice="leaning", same_meaning=tuple(map(tuple, same)))
    assert told(pair, ("fire", "game", "fire", "game")).replace("\u00a0", " ").endswith(said)


def test_the_whole_answer_of_a_failure_is_shown(service):
    example = Example("match", "match", ("A match.",) * 4, ("fire", "game", "fire", "game"))
    said = Said(
        "The model cannot tell how all 4 uses of “match” group.",
        "Of all pairs, 1 and 3 are the likeliest to mean the same (81 % for that pair).",
    )
    comparison = replace(service.compare("match", example.sentences), groups=(), voice="leaning", said=said)
    assert str(said) in present_parts.failure(comparison, example)


def test_other_spellings_are_not_said_to_have_been_asked_about(service):
    comparison = replace(
        service.compare("muddle", ["A muddle.", "The muddle."]), spellings_differ=True, voice="silent", groups=()
    )
    for meant in (("a", "b"), ()):
        assert "cannot tell how these" not in present_parts.own(comparison, "", meant)
    asked = "The spellings differ, so the model was not asked to sort these."
    assert asked in present_parts.own(comparison, "", ("a", "b"))


def test_the_landing_map_calls_a_group_by_one_name_and_says_how_well_it_fits(service):
    text = html.unescape(maps.stage(service))
    legend = text.split("</ul>")[0]
    assert "money" in parsed(legend).text
    assert "loan" not in legend  # a word that is typical of the group
    assert "7 of 7 sentences stand in the group of their meaning." in text
    assert '"by_meaning": true' in text


def test_the_dots_part_at_the_word_that_decides(service):
    answers = forming(service)
    markup = present_parts.forming(answers)
    steps = json.loads(re.search(r"data-steps='([^']+)'", html.unescape(markup))[1])
    at = present_parts.deciding_word(answers)
    first, last = steps[0], steps[-1]
    assert first["at"][0] == first["at"][1]
    assert last["at"][0] < 50 < last["at"][1]
    assert first["said"] == ["cannot tell"] * 2
    assert next(s["words"] for s in steps if s["at"][0] != s["at"][1]) == at + 1
    assert steps[-1]["words"] == len(answers[0].tokens)
    assert steps[-1]["read"] == len(answers[0].tokens) - 1  # the full stop is no word
    assert f"From “{FORMINGS[0].deciding[0]}” on, 1 is nearer to “{FORMINGS[0].senses[0]}”." in markup
    assert all(0 < place < 100 for step in steps for place in step["at"])


def test_the_sentences_are_whole(service):
    shown = parsed(present_parts.forming(forming(service))).text
    assert all(sentence in shown for sentence in FORMINGS[0].sentences)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"can_tell": False, "right": 2}, "cannot tell these two senses apart"),
        ({"right_by_spelling": 4}, "do not read this as meaning"),
    ],
)
def test_how_far_it_can_be_trusted_is_said(service, change, said):
    one, other = forming(service)
    assert str(said) in present_parts.forming((replace(one, **change), other))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((None, "b"), "ends nearer to “b”, but not at every word"),
        (("a", None), "cannot be told in the end"),
        (("a", "a"), "on, 1 is nearer"),
    ],
)
def test_what_does_not_turn_is_not_said_to(service, names, said):
    one, other = forming(service)
    at = present_parts.deciding_word((one, other))
    late = [step for step in one.steps if step.words > at]
    steps = [
        *one.steps[: -len(late)],
        *(replace(step, nearer=names[0]) for step in late[:-1]),
        replace(late[-1], nearer=names[1]),
    ]
    assert str(said) in present_parts.forming_said((replace(one, steps=tuple(steps)), other))


def test_ready_sentences_of_an_own_word(service, monkeypatch):
    monkeypatch.setattr(
        present_tab, "ready_uses", lambda word: tuple((s, n) for n in (0, 1) for s in ("money", "river"))
    )
    value = present_tab.respond(service, {"ask": "own", "word": " bank ", "sentences": "", "revision": 1})
    assert value["sentences"].count("\n") == 3
    assert "Group" in value["parts"]["own"]
    assert any("?word=bank&s=" in link for link in parsed(value["parts"]["own"]).links)
    assert value["note"] == ""
    assert "Meant: money: 1 and 3; river: 2 and 4." in value["parts"]["own"]
    assert "keeps apart best" in value["parts"]["own"]
    assert "Others are harder." in value["parts"]["own"]


def test_only_of_sentences_that_were_chosen_it_is_said_that_they_are_the_easiest(service, monkeypatch):
    monkeypatch.setattr(present_tab, "ready_uses", lambda word: ())
    first = present_tab.respond(service, {"ask": "own", "word": "bank", "sentences": ""})
    typed = present_tab.respond(service, {"ask": "own", "word": "bank", "sentences": "A bank.\nThe bank of a river."})
    assert "Meant: " in first["parts"]["own"]
    for value in (first, typed):
        assert "keeps apart best" not in value["parts"]["own"]


def test_an_inflected_own_word_takes_the_sentences_of_its_base_and_says_so(service, monkeypatch):
    monkeypatch.setattr(
        present_tab, "ready_uses", lambda word: tuple((s, n) for n in (0, 1) for s in ("money", "river"))
    )
    value = present_tab.respond(service, {"ask": "own", "word": "Banks", "sentences": ""})
    assert value["word"] == "bank"
    assert "Sentences are ready for “bank”, not for “Banks”." in value["parts"]["own"]
    again = present_tab.respond(service, {"ask": "own", "word": "bank", "sentences": ""})
    assert "Sentences are ready for" not in again["parts"]["own"]


def test_an_own_word_without_ready_sentences_asks_for_some(service):
    value = present_tab.respond(service, {"ask": "own", "word": "house", "sentences": ""})
    assert value["note"] == "No sentences are ready for “house”. Type at least two that use it, one a line."
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
    assert "img" not in parsed(value["parts"]["own"]).seen
    answer, other = forming(service)
    hostile = replace(answer, senses=(replace(answer.senses[0], name=HOSTILE, gloss=HOSTILE), answer.senses[1]))
    assert "img" not in parsed(present_parts.forming((hostile, other))).seen
    assert "<img" not in present_parts.part("problem", word)
    assert "<img" not in present_parts.part("neighbours", [replace(service.present.neighbours("bank"), word=HOSTILE)])


def test_the_picture_says_what_it_shows():
    drawn = render("present/stages.html")
    said = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"', drawn)
    assert len(said) == 4
    assert all(len(words) > 30 for words in said)
    assert "http" not in drawn

"""The quiz of the Present tab: what it says of a pair, of the model and of the room."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elmo_tasks.ui import present_tab
from elmo_tasks.ui.present_tab import QUIZ
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed


@pytest.fixture
def service():
    return FakeService()


@pytest.fixture
def ask(service):
    def compare(at):
        pair = QUIZ[at]
        return service.compare(pair.word, pair.sentences)

    return lambda **question: present_tab.respond_to_quiz({"revision": 1, **question}, compare)


def is_same(at):
    return len(set(QUIZ[at].meant)) == 1


def test_there_are_ten_pairs_of_both_kinds():
    kinds = [is_same(at) for at in range(len(QUIZ))]
    assert len(kinds) == 10
    assert 3 <= sum(kinds) <= 7
    assert len({pair.word for pair in QUIZ}) == 10


def test_a_pair_is_shown_without_what_was_meant(ask):
    shown = ask(ask="pair", at=1)["pair"]
    pair = QUIZ[1]
    assert shown["at"] == 1
    assert f"“{pair.word}”" in shown["markup"]
    assert parsed(shown["markup"]).marked
    assert "mean" not in parsed(shown["markup"]).text


def test_the_reveal_says_who_was_right(ask):
    same = next(at for at in range(10) if is_same(at))
    right = ask(ask="reveal", at=same, guess="same")["result"]
    wrong = ask(ask="reveal", at=same, guess="different")["result"]
    none = ask(ask="reveal", at=same, guess="")["result"]
    assert (right["room"], wrong["room"], none["room"]) == (True, False, None)
    assert "Both mean the same" in right["markup"]
    assert "The room:" not in none["markup"]
    assert right["model"] is not None
    assert "likely" in right["markup"]


def test_a_model_without_calibration_cannot_tell(service):
    comparison = service.compare("muddle", ["A muddle.", "One muddle."])
    assert present_tab.model_says(comparison) == (None, "cannot tell.")


def test_a_coin_toss_scores_nobody(service):
    comparison = service.compare("bank", ["The bank of the river.", "A bank loan."])
    for chance, model, words in (
        (0.55, None, "cannot tell: “the same” gets 55"),
        (0.3, False, "different, 70"),
        (0.6, True, "the same, 60"),
    ):
        close = replace(comparison, same_meaning=((1.0, chance), (chance, 1.0)))
        found, told = present_tab.model_says(close)
        assert found is model
        assert told.startswith(words)


@pytest.mark.parametrize(
    "question", [{}, {"ask": "pair", "at": 99}, {"ask": "pair", "at": True}, {"ask": "reveal", "at": "x"}]
)
def test_odd_questions_are_answered(ask, question):
    assert ask(**question)["note"] == ""

"""The quiz of the Present tab: what it says of a pair, of the model and of the room."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from elmo_tasks.api import VoteCount, VoteState
from elmo_tasks.errors import InputError
from elmo_tasks.ui import quiz
from elmo_tasks.ui.examples import quiz_pairs
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed


@pytest.fixture
def service():
    return FakeService()


@pytest.fixture
def ask(service):
    def compare(at):
        pair = quiz_pairs()[at]
        return service.compare(pair.word, pair.sentences)

    return lambda **question: quiz.respond(service, {"revision": 1, **question}, compare)


def is_same(at):
    return len(set(quiz_pairs()[at].senses)) == 1


def test_there_are_ten_pairs_of_both_kinds():
    kinds = [is_same(at) for at in range(len(quiz_pairs()))]
    assert len(kinds) == 10
    assert 3 <= sum(kinds) <= 7
    assert len({pair.word for pair in quiz_pairs()}) == 10


def test_a_pair_is_shown_without_what_was_meant(ask):
    shown = ask(ask="pair", at=1)["pair"]
    pair = quiz_pairs()[1]
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
    assert quiz.model_says(comparison) == (None, "cannot tell.")


def test_a_coin_toss_scores_nobody(service):
    comparison = service.compare("bank", ["The bank of the river.", "A bank loan."])
    for chance, model, words in (
        (0.55, None, "cannot tell: “the same” gets 55"),
        (0.3, False, "different, 70"),
        (0.6, True, "the same, 60"),
    ):
        close = replace(comparison, same_meaning=((1.0, chance), (chance, 1.0)))
        found, told = quiz.model_says(close)
        assert found is model
        assert told.startswith(words)


def test_with_phones_the_votes_decide_whatever_was_pressed(ask, service):
    room = ask(ask="open", at=0, page="http://192.0.2.7:7860/")["room"]
    names = {"room": room["code"], "key": room["key"]}
    for person, same in (("ada", is_same(0)), ("bob", is_same(0)), ("cy", not is_same(0))):
        service.votes.cast(room["code"], person, 0, same)
    assert ask(ask="look", at=0, **names)["votes"]["people"] == 3
    answer = ask(ask="reveal", at=0, guess="same" if not is_same(0) else "different", **names)
    assert answer["result"]["room"] is True
    assert "2 of 3 votes" in answer["result"]["markup"]
    assert "told" not in answer["result"]  # that is for the phones
    assert "mean" in service.votes.seen_by(room["code"], "ada")["told"]
    ask(ask="pair", at=1, **names)
    seen = service.votes.seen_by(room["code"], "ada")
    assert (seen["number"], seen["told"], seen["vote"]) == (1, None, None)
    ask(ask="close", at=1, **names)
    assert "Open a new one" in ask(ask="look", at=1, **names)["note"]


def test_a_vote_that_is_opened_after_the_reveal_waits_for_the_next_pair(ask, service):
    room = ask(ask="open", at=2, page="http://192.0.2.7:7860/", revealed=True)["room"]
    assert service.votes.seen_by(room["code"], "ada")["told"] == "This pair is over."


def test_a_page_that_is_loaded_again_gets_its_revealed_pair_revealed(ask, service):
    room = ask(ask="open", at=0, page="http://192.0.2.7:7860/")["room"]
    names = {"room": room["code"], "key": room["key"]}
    ask(ask="pair", at=1, **names)
    ask(ask="reveal", at=1, guess="same", **names)
    again = ask(ask="reveal", at=1, guess="same", again=True, **names)
    assert again["pair"]["at"] == again["result"]["at"] == 1
    with pytest.raises(InputError, match="Too late"):
        service.votes.cast(room["code"], "ada", 1, True)
    assert "mean" in service.votes.seen_by(room["code"], "ada")["told"]
    service.votes.close(**{"code": room["code"], "key": room["key"]})
    gone = ask(ask="reveal", at=1, guess="same", again=True, **names)
    assert gone["pair"]["at"] == 1  # there is something to go on from
    assert "Open a new one" in gone["note"]
    assert "pair" not in ask(ask="reveal", at=1, guess="same")


def test_the_results_are_a_spreadsheet(service):
    state = VoteState(3, {0: VoteCount(1, 2), 2: VoteCount(0, 3)}, 0.5)

    def compare(at):
        pair = quiz_pairs()[at]
        return service.compare(pair.word, pair.sentences)

    rows = list(csv.reader(io.StringIO(quiz.results(state, compare))))
    assert rows[0] == list(quiz.COLUMNS)
    assert [(row[0], row[1], row[6], row[7]) for row in rows[1:]] == [
        ("1", quiz_pairs()[0].word, "1", "2"),
        ("3", quiz_pairs()[2].word, "0", "3"),
    ]
    assert "[" not in rows[1][2]


def test_agreement_is_told_from_two_pairs_on():
    one, two = {0: VoteCount(1, 2)}, {0: VoteCount(1, 2), 1: VoteCount(3, 0)}
    assert quiz.agreement_says(VoteState(3, one, 0.0)) == ""
    alone = {0: VoteCount(1, 2), 1: VoteCount(1, 0)}  # one vote agrees with nobody
    assert quiz.agreement_says(VoteState(3, alone, 0.0)) == ""
    assert "alpha 0.25" in quiz.agreement_says(VoteState(3, two, 0.25))


@pytest.mark.parametrize(
    "question", [{}, {"ask": "pair", "at": 99}, {"ask": "pair", "at": True}, {"ask": "reveal", "at": "x"}]
)
def test_odd_questions_are_answered(ask, question):
    assert ask(**question)["note"] == ""

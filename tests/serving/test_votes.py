"""Votes by phone: who may vote on what, what is told to whom, and what comes over the network."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from elmo_tasks.errors import InputError
from elmo_tasks.serving import votes as module
from elmo_tasks.serving.vote_pages import VotePages
from elmo_tasks.serving.votes import MOST_PEOPLE, MOST_ROOMS, Votes
from elmo_tasks.ui.layout import vote_page

PAGE = "http://192.0.2.7:7860/"
PAIR = ("bank", ("The [bank] closed.", "A [bank] of reeds."))


@pytest.fixture
def votes():
    return Votes()


@pytest.fixture
def room(votes):
    found = votes.open(PAGE)
    votes.show(found.code, found.key, 0, *PAIR, None)
    return found


# --- The vote ---


def test_each_person_has_one_vote_a_pair_and_may_change_it(votes, room):
    votes.cast(room.code, "ada", 0, True)
    votes.cast(room.code, "ada", 0, False)
    votes.cast(room.code, "bob", 0, True)
    votes.cast(room.code, "cy", 0, True)
    state = votes.state(room.code, room.key)
    assert state.people == 3
    assert (state.counts[0].same, state.counts[0].different, state.counts[0].majority) == (2, 1, True)
    assert votes.seen_by(room.code, "ada")["vote"] is False


def test_a_tie_has_no_majority(votes, room):
    votes.cast(room.code, "ada", 0, True)
    votes.cast(room.code, "bob", 0, False)
    assert votes.state(room.code, room.key).counts[0].majority is None


def test_agreement_is_counted_over_all_pairs(votes, room):
    for number, answers in enumerate([(True, True), (False, False)]):
        votes.show(room.code, room.key, number, *PAIR, None)
        for person, same in zip(("ada", "bob"), answers, strict=True):
            votes.cast(room.code, person, number, same)
    assert votes.state(room.code, room.key).agreement == pytest.approx(1)


def test_nobody_votes_on_a_pair_that_is_told_or_gone(votes, room):
    votes.show(room.code, room.key, 0, *PAIR, "Different.")
    assert votes.seen_by(room.code, "ada")["told"] == "Different."
    with pytest.raises(InputError, match="this pair is over"):
        votes.cast(room.code, "ada", 0, True)
    votes.show(room.code, room.key, 1, *PAIR, None)
    with pytest.raises(InputError, match="this pair is over"):
        votes.cast(room.code, "ada", 0, True)


def test_before_the_first_pair_nobody_can_vote(votes):
    found = votes.open(PAGE)
    assert votes.seen_by(found.code, "ada")["number"] == -1
    with pytest.raises(InputError, match="this pair is over"):
        votes.cast(found.code, "ada", -1, True)


def test_no_more_people_than_fit_in_but_those_who_are_in_go_on(votes, room):
    for k in range(MOST_PEOPLE):
        votes.cast(room.code, f"person {k}", 0, True)
    with pytest.raises(InputError, match="no more fit in"):
        votes.cast(room.code, "one more", 0, True)
    votes.cast(room.code, "person 3", 0, False)
    assert votes.state(room.code, room.key).people == MOST_PEOPLE


def test_only_the_one_who_opened_a_vote_steers_it(votes, room):
    for act in (votes.state, votes.close):
        with pytest.raises(InputError, match="Open a new one"):
            act(room.code, "guessed")
    for key in ("", "schlüssel", "\ud83d"):
        with pytest.raises(InputError, match="Open a new one"):
            votes.show(room.code, key, 1, *PAIR, None)
    assert votes.seen_by(room.code, "ada")["number"] == 0


def test_a_closed_vote_is_forgotten(votes, room):
    votes.close(room.code, room.key)
    assert votes.seen_by(room.code, "ada") == {"open": False}
    with pytest.raises(InputError, match="over"):
        votes.cast(room.code, "ada", 0, True)


def test_votes_that_nobody_looks_at_make_room(votes, monkeypatch):
    first = [votes.open(PAGE) for _ in range(MOST_ROOMS)]
    with pytest.raises(InputError, match="Try again later"):
        votes.open(PAGE)
    monkeypatch.setattr(module, "_LEFT", 0.0)
    votes.open(PAGE)
    assert votes.seen_by(first[0].code, "ada") == {"open": False}


def test_a_vote_that_nobody_looks_at_is_forgotten_whoever_asks(votes, monkeypatch):
    found = votes.open(PAGE)
    votes.show(found.code, found.key, 0, "bank", ("One.", "Two."), None)
    monkeypatch.setattr(module, "LIFETIME", 0.0)
    with pytest.raises(InputError, match="over"):
        votes.cast(found.code, "ada", 0, True)
    assert votes.seen_by(found.code, "ada") == {"open": False}
    with pytest.raises(InputError, match="over"):
        votes.state(found.code, found.key)


# --- Where phones find it ---


def test_the_address_is_that_of_the_page(votes):
    found = votes.open("https://host.example/some/place/")
    assert found.address == f"https://host.example/some/place/vote?room={found.code}"
    assert found.qr.startswith("<svg")
    assert not found.hint


def test_a_page_that_only_this_computer_reaches_says_what_to_do(votes):
    assert "--host 0.0.0.0" in votes.open("http://0.0.0.0:7860/").hint
    found = votes.open("http://127.0.0.1:7860/")
    assert not found.address
    assert not found.qr
    assert "--host 0.0.0.0" in found.hint


def test_a_page_that_all_reach_names_the_machine(monkeypatch):
    monkeypatch.setattr(module, "_here", lambda: "192.0.2.9")
    for page in ("http://localhost:7861/", "http://0.0.0.0:7861/"):  # the second is what gradio prints
        found = Votes("0.0.0.0").open(page)
        assert found.address == f"http://192.0.2.9:7861/vote?room={found.code}"


@pytest.mark.parametrize(
    "page",
    ["", "http://[", "http://host:99999/", "javascript:alert(1)", "file:///tmp", "http://", "http://x/" + "a" * 600],
)
def test_an_address_that_no_phone_opens(votes, page):
    assert "not one that a phone can open" in votes.open(page).hint


# --- Over the network ---


@pytest.fixture
def phone(votes):
    app = Starlette(routes=[Route("/", lambda request: PlainTextResponse("the app"))])
    return TestClient(VotePages(app, votes, vote_page()))  # type: ignore[arg-type]


def test_a_phone_sees_the_pair_and_votes(votes, room, phone):
    page = phone.get(f"/vote?room={room.code}")
    assert "One vote for each phone" in page.text
    assert "httponly" in page.headers["set-cookie"].lower()
    now = phone.get(f"/vote/now?room={room.code}").json()
    assert (now["word"], now["vote"], now["told"]) == ("bank", None, None)
    assert phone.post(f"/vote/now?room={room.code}", json={"number": 0, "same": False}).json()["vote"] is False
    phone.get(f"/vote?room={room.code}")  # opened again, it is the same phone
    phone.post(f"/vote/now?room={room.code}", json={"number": 0, "same": True})
    assert votes.state(room.code, room.key).counts[0].same == 1
    assert votes.state(room.code, room.key).people == 1


def test_the_link_of_a_tab_leads_there_and_the_rest_is_the_apps(phone):
    found = phone.get("/?tab=vote&room=ABCD", follow_redirects=False)
    assert found.status_code == 302
    assert "room=ABCD" in found.headers["location"]
    assert phone.get("/").text == phone.get("/?tab=map").text == "the app"


@pytest.mark.parametrize(
    "sent",
    [
        {"json": [1]},
        {"json": {"number": True, "same": True}},
        {"json": {"number": 0, "same": "yes"}},
        {"content": b"{", "headers": {"content-type": "application/json"}},
        {"content": b"\xff\xfe", "headers": {"content-type": "application/json"}},
        {"json": {"number": 0, "same": True, "more": "x" * 600}},
        {"data": {"number": "0", "same": "true"}},
    ],
)
def test_what_is_no_vote_is_refused(votes, room, phone, sent):
    phone.get(f"/vote?room={room.code}")
    found = phone.post(f"/vote/now?room={room.code}", **sent)
    assert found.status_code == 409
    assert "Expected a number" in found.json()["note"]
    assert votes.state(room.code, room.key).people == 0


def test_without_a_cookie_nobody_votes(room, phone):
    found = phone.post(f"/vote/now?room={room.code}", json={"number": 0, "same": True})
    assert found.status_code == 409
    assert "needs cookies" in found.json()["note"]


def test_a_vote_that_does_not_exist_is_over(phone):
    assert phone.get("/vote/now?room=NONE").json() == {"open": False}
    assert phone.get("/vote/now").json() == {"open": False}

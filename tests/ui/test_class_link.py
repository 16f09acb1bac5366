"""The link for sentences of a class: one room of limited size, deleted when it is closed."""

import httpx
import pytest

from elmo_tasks.ui import class_link
from elmo_tasks.ui.class_link import MAX_CHARACTERS, MAX_SENTENCES, ClassPages, ClassRoom, respond
from elmo_tasks.ui.layout import build_app
from tests.service.helpers import run
from tests.ui.fake_service import FakeService


@pytest.fixture
def room():
    return ClassRoom()


def test_sentences_come_in_order_and_each_once(room):
    code = room.open("bank")
    assert room.add(code, " The bank\n lent cash. ") == "Sent. You can send another one."
    room.add(code, "A bank.")
    assert room.since(code, 0) == ["The bank lent cash.", "A bank."]
    assert room.since(code, 1) == ["A bank."]
    assert room.since(code, 2) == []


def test_one_room_exists_at_a_time_and_closing_it_forgets_all(room):
    first = room.open("bank")
    room.close(first)
    second = room.open("bark")
    assert room.word_of(first) is None
    assert room.word_of(second) == "bark"
    room.add(second, "A bark.")
    room.close(second)
    assert room.since(second, 0) == []
    assert "closed" in room.add(second, "A bark.")
    assert room.word_of("") is None


def test_a_room_is_bounded(room):
    code = room.open("bank")
    assert str(MAX_CHARACTERS) in room.add(code, "x" * (MAX_CHARACTERS + 1))
    assert str(MAX_CHARACTERS) in room.add(code, "   ")
    assert "does not use “bank”" in room.add(code, "I like pizza.")
    assert room.since(code, 0) == []
    for k in range(MAX_SENTENCES):
        room.add(code, f"Bank {k}.")
    assert (
        room.add(code, "One more bank.")
        == f"The class has sent {MAX_SENTENCES} sentences: that is all that fit."
    )
    assert len(room.since(code, 0)) == MAX_SENTENCES


def test_a_forgotten_room_closes_by_itself(room, monkeypatch):
    code = room.open("bank")
    room.add(code, "A bank.")
    monkeypatch.setattr(class_link, "_UNUSED_SECONDS", -1)
    assert room.since(code, 0) == []


def test_only_the_code_closes_a_room_and_nobody_replaces_one_in_use(room, monkeypatch):
    code = room.open("bank")
    assert len(code) == 6
    for wrong in ("", "another", "äöü", code.upper()):
        room.close(wrong)
        assert room.word_of(wrong) is None
        assert "closed" in room.add(wrong, "A bank.")
    assert respond(room, {"ask": "open", "word": "bark"})["code"] == ""
    assert room.word_of(code) == "bank"
    monkeypatch.setattr(class_link, "_REPLACEABLE_SECONDS", 0)
    assert room.word_of(room.open("bark")) == "bark"


async def _elsewhere(scope, receive, send):
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b"the app"})


def test_the_page_for_phones_accepts_a_sentence_and_escapes_it(room):
    def ask(method, path, **sent):
        async def exchange():
            transport = httpx.ASGITransport(ClassPages(_elsewhere, room))
            async with httpx.AsyncClient(transport=transport, base_url="http://phone") as phone:
                return await phone.request(method, path, **sent)

        return run(exchange())

    code = respond(room, {"ask": "open", "word": "<b>bank</b>", "revision": 2})["code"]
    page = ask("GET", f"/class/{code}")
    assert page.status_code == 200
    assert "A sentence with “&lt;b&gt;bank&lt;/b&gt;”" in page.text
    room.close(code)
    code = respond(room, {"ask": "open", "word": "bank", "revision": 3})["code"]
    assert "Sent." in ask("POST", f"/class/{code}", data={"sentence": "The bank & <i>me</i>."}).text
    value = respond(room, {"ask": "read", "code": code, "n": 0, "revision": 4})
    assert value == {"revision": 4, "code": code, "sentences": ["The bank & <i>me</i>."]}
    assert ask("GET", "/").text == "the app"
    assert "Type the code that your teacher shows." in ask("GET", "/class/").text
    assert "A sentence with" in ask("GET", f"/class/?code={code.upper()}").text
    assert "no class with this code" in ask("GET", "/class/äöü").text
    assert respond(room, {"ask": "close", "code": code})["code"] == ""
    closed = ask("POST", f"/class/{code}", data={"sentence": "A bank."})
    assert closed.status_code == 404
    assert "This link is closed." in closed.text


def test_without_a_room_the_page_offers_none():
    parts = [
        getattr(block, "props", {}).get("part")
        for block in build_app(FakeService()).blocks.values()
    ]
    assert "class-link" not in parts
    with_room = [
        getattr(block, "props", {}).get("part")
        for block in build_app(FakeService(), ClassRoom()).blocks.values()
    ]
    assert "class-link" in with_room


def test_a_sentence_in_another_language_is_sent_with_a_warning():
    room = ClassRoom()
    build_app(FakeService(), room)
    code = room.open("bank")
    assert room.add(code, "Die Bank ist nicht offen.").startswith("Sent. This model reads only")
    assert room.since(code, 0) == ["Die Bank ist nicht offen."]

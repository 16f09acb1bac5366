"""Several people at once: nobody waits for one slow question, and nobody gets another one's answer."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from gradio_client import Client

from elmo_tasks.ui.layout import build_app
from elmo_tasks.ui.theme import launch_options
from tests.ui.fake_service import FakeService


@pytest.fixture(scope="module")
def url():
    app = build_app(FakeService())
    _, url, _ = app.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_options())
    yield url
    app.close()


def test_a_quick_question_does_not_wait_for_a_slow_one(url):
    one, other = (Client(url, verbose=False, analytics_enabled=False) for _ in range(2))
    slow = one.submit(["Read this slowly."] * 5, api_name="/sentiment")  # 4 seconds in the fake
    began = time.monotonic()
    other.predict("bank", ["A bank.", "The bank."], api_name="/compare")
    assert not slow.done(), f"the slow one was over after {time.monotonic() - began:.1f} s"
    assert slow.result()


def test_more_people_than_places_get_their_own_answers(url):
    people = [Client(url, verbose=False, analytics_enabled=False) for _ in range(6)]
    words = [f"bank{letter}" for letter in "abcdef"]

    def ask(k):
        word = words[k % 6]
        return word, people[k % 6].predict(word, [f"The {word} {k}.", f"My {word} {k}."], api_name="/compare")

    with ThreadPoolExecutor(12) as pool:
        for k, (word, answer) in enumerate(pool.map(ask, range(24))):
            assert answer["word"] == word
            assert [item["sentence"] for item in answer["items"]] == [f"The {word} {k}.", f"My {word} {k}."]

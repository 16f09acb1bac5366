"""Several users at once: nobody waits for another's slow request or gets another's answer."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from gradio_client.exceptions import AppError

from tests.ui.conftest import client_of

pytestmark = pytest.mark.ci


def test_a_quick_question_does_not_wait_for_a_slow_one(fake_url):
    one, other = (client_of(fake_url) for _ in range(2))
    slow = one.submit(["Read this slowly."] * 5, api_name="/sentiment")  # 4 seconds in the fake
    began = time.monotonic()
    other.predict("bank", ["A bank.", "The bank."], api_name="/compare")
    assert not slow.done(), f"the slow one was over after {time.monotonic() - began:.1f} s"
    assert slow.result()


def test_more_people_than_slots_get_their_own_answers(fake_url):
    people = [client_of(fake_url) for _ in range(6)]
    words = [f"bank{letter}" for letter in "abcdef"]

    def ask(k):
        word = words[k % 6]
        return word, people[k % 6].predict(
            word, [f"The {word} {k}.", f"My {word} {k}."], api_name="/compare"
        )

    with ThreadPoolExecutor(12) as pool:
        for k, (word, answer) in enumerate(pool.map(ask, range(24))):
            assert answer["word"] == word
            assert [item["sentence"] for item in answer["items"]] == [
                f"The {word} {k}.",
                f"My {word} {k}.",
            ]


# The request of one user at each endpoint, with a word that no other user has.
QUESTIONS = {
    **dict.fromkeys(
        ("/compare", "/side_by_side", "/why", "/substitutes"),
        lambda word: (word, [f"The {word} shut.", f"My {word} is here."]),
    ),
    "/sentences": lambda word: ([f"The {word} shut.", f"My {word} is here."],),
    "/senses": lambda word: (f"My {word} is by the bank.",),
    **dict.fromkeys(("/sentiment", "/ner"), lambda word: ([f"A fine {word}."],)),
    **dict.fromkeys(
        ("/sense_map", "/nearest", "/meaning_forms"), lambda word: (word, f"My {word} is here.")
    ),
    "/land": lambda word: (word, f"My {word} is here.", f"My {word} is here."),
    "/static_neighbours": lambda word: (word,),
}


def test_the_questions_are_those_of_all_tabs(fake_url):
    api = client_of(fake_url).view_api(return_format="dict", print_info=False)
    assert {*QUESTIONS, "/training_runs", "/what_layers_know"} == set(api["named_endpoints"])


@pytest.mark.parametrize("endpoint", QUESTIONS)
def test_answers_are_never_mixed_up_between_people(fake_url, endpoint):
    people = [client_of(fake_url) for _ in range(3)]
    words = ["bankzig", "bankzag", "bankzug"]

    def ask(k):
        try:
            return json.dumps(
                people[k % 3].predict(*QUESTIONS[endpoint](words[k % 3]), api_name=endpoint)
            )
        except AppError as error:  # the fake knows few words; its message names the requested one
            return str(error)

    with ThreadPoolExecutor(9) as pool:
        for k, answer in enumerate(pool.map(ask, range(9))):
            assert not any(other in answer for other in words if other != words[k % 3])

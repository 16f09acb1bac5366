"""More people than the server answers at once: each is told its place in line."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from gradio_client import Client
from gradio_client.client import Job

pytestmark = pytest.mark.browser


@pytest.fixture
def ask_slowly(fake_app) -> Iterator[Callable[[], None]]:
    """Ask as six others do: each question takes the fake eight seconds, and it answers four at a time, so two wait."""
    people = [Client(fake_app, verbose=False, analytics_enabled=False) for _ in range(6)]  # takes a while, so before
    jobs: list[Job] = []

    def ask() -> None:
        jobs.extend(person.submit(["Read this slowly."] * 10, api_name="/ner") for person in people)
        deadline = time.monotonic() + 7
        while sum(job.status().rank is not None for job in jobs) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)

    yield ask
    for job in jobs:
        job.result()


@pytest.mark.slow
def test_who_waits_is_told_the_place_in_line_until_the_answer_comes(open_page, ask_slowly):
    page = open_page()
    ask_slowly()
    page.get_by_role("button", name="match", exact=True).click()
    bar = page.get_by_role("status").filter(has_text="in line")
    bar.wait_for()
    assert re.fullmatch(r"Others are being answered\. You are number [23] in line\.", bar.inner_text())
    page.locator(".eyebrow").filter(has_text="match").wait_for()
    assert not bar.is_visible()


def test_a_quick_answer_says_nothing_of_a_line(open_page):
    page = open_page()
    page.evaluate(
        """() => { window.shown = 0;
            new MutationObserver(() => { shown += document.querySelector('.in-line:not([hidden])') ? 1 : 0; })
                .observe(document.body, { subtree: true, childList: true, attributes: true }); }"""
    )
    for word in ("match", "bank", "match"):
        page.get_by_role("button", name=word, exact=True).click()
        page.locator(".eyebrow").filter(has_text=word).wait_for()
    assert page.evaluate("shown") == 0

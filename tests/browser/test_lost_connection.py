"""Requests without an answer: the tab reports it after a minute and can send another (gradio
reports it for its own components)."""

from __future__ import annotations

import pytest

LOST = "No answer has come for a minute"


def test_a_form_gives_up_after_a_minute_and_can_ask_again(open_page):
    page = open_page(alone=True)
    page.clock.install()
    page.route("**/queue/join*", lambda route: None)
    button = page.locator("button[type=submit].primary:visible").first
    with page.expect_request("**/queue/join*"):
        button.click()
    assert button.inner_text() == "Comparing…"
    page.clock.fast_forward(61_000)
    page.get_by_text(LOST).first.wait_for()
    assert button.inner_text() == "Compare"
    page.unroute("**/queue/join*")
    button.click()
    page.get_by_text(LOST).first.wait_for(state="hidden")
    page.wait_for_function("document.querySelector('.editor .primary').textContent === 'Compare'")


FOLD = ("details.on-demand > summary", ".pair-question")
PRESENT = ("[role=tab]:text-is('Present')", ".present")


@pytest.mark.nightly
@pytest.mark.parametrize(("opens", "answer"), [FOLD, PRESENT], ids=["why", "present"])
def test_automatic_requests_time_out_after_a_minute_and_can_be_repeated(open_page, opens, answer):
    page = open_page(alone=True)
    page.clock.install()
    page.route("**/queue/join*", lambda route: None)
    with page.expect_request("**/queue/join*"):
        page.locator(opens).first.click()
    page.clock.fast_forward(61_000)
    if opens == PRESENT[0]:
        page.locator(".which select").select_option("2")
    page.get_by_text(LOST).locator("visible=true").first.wait_for()
    page.unroute("**/queue/join*")
    # Not a click of the mouse, which waits until the page rests: its clock was put forward, so it
    # may not for a while.
    page.get_by_role("button", name="Ask again").locator("visible=true").first.dispatch_event(
        "click"
    )
    page.locator(answer).locator("visible=true").first.wait_for()
    if opens == PRESENT[0]:
        page.locator("[data-part=neighbours] ol").first.wait_for()


@pytest.mark.nightly
def test_a_second_press_asks_once_more_when_the_first_is_answered(open_page):
    page = open_page()
    requests = []
    page.on(
        "request",
        lambda request: requests.append(request.url) if "queue/join" in request.url else None,
    )
    page.evaluate("for (let k = 0; k < 5; k++) document.querySelector('.editor .primary').click()")
    page.wait_for_function(
        "document.querySelector('.editor .primary').getAttribute('aria-busy') === 'false'"
    )
    page.wait_for_timeout(1000)
    assert len(requests) == 2

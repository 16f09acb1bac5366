"""A question that nobody answers: the form says so after a minute, and can be used again (Try the models has a test of its own)."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

COMPARE = ("", ".answer .verdict h2", "Compare", "Comparing…")
MAP = ("tab=map", ".map-answer .verdict h2", "Draw the map", "Drawing…")
NEAREST = ("tab=nearest", ".near-answer .verdict h2", "Find the nearest uses", "Searching…")


@pytest.mark.parametrize(("query", "ready", "name", "busy"), [COMPARE, MAP, NEAREST], ids=["compare", "map", "nearest"])
def test_a_form_gives_up_after_a_minute_and_can_ask_again(open_page, query, ready, name, busy):
    page = open_page(query=query, ready=ready)
    page.clock.install()
    page.route("**/queue/join*", lambda route: None)
    button = page.locator("button[type=submit]:visible")
    assert button.inner_text() == name
    with page.expect_request("**/queue/join*"):
        button.click()
    assert button.inner_text() == busy
    page.clock.fast_forward(61_000)
    page.get_by_text("No answer has come for a minute").first.wait_for()
    assert button.inner_text() == name
    page.unroute("**/queue/join*")
    button.click()
    page.get_by_text("No answer has come for a minute").first.wait_for(state="hidden")
    page.wait_for_function(
        "(words) => [...document.querySelectorAll('button')].some((b) => b.textContent === words)", arg=name
    )

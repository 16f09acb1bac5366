"""What a person does in the Two texts tab."""

from __future__ import annotations

import pytest

from tests.browser.test_look import CONTRAST

pytestmark = pytest.mark.browser

WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1440])
def test_from_two_texts_to_a_map_in_two_colours(open_page, width, dark):
    query = f"tab=texts&__theme={'dark' if dark else 'light'}"
    page = open_page(query=query, ready=".texts-editor", width=width, dark=dark)
    page.get_by_role("button", name="Compare the word").click()
    page.locator(".texts-editor .note.error").get_by_text("Type a word that both texts use.").wait_for()
    page.get_by_role("button", name="Show an example").click()
    page.locator(".texts-answer .mark").first.wait_for()
    assert "use “cell” differently" in page.locator(".texts-answer h2").inner_text()
    page.locator("#texts-word").fill("wall")
    page.get_by_role("button", name="Compare again").wait_for()
    page.locator("#texts-word").fill("cell")
    page.get_by_role("button", name="Compare again").wait_for(state="detached")
    page.locator(".texts-answer .mark").nth(1).click()
    assert "cell" in page.locator(".texts-answer .told .this").inner_text()
    assert page.evaluate(WIDE) == 0
    assert page.evaluate(CONTRAST) == []
    page.get_by_role("button", name="Find the words that moved most").click()
    page.get_by_role("button", name="Map of “bank” in both texts").wait_for()
    assert page.evaluate(WIDE) == 0
    assert page.evaluate(CONTRAST) == []

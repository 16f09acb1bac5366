"""A link that somebody kept leads to a tab that is gone."""

from __future__ import annotations


def test_it_opens_compare_and_says_so(open_page):
    page = open_page("tab=vote&room=ABCD")
    page.get_by_role("status").filter(has_text="Votes by phone were removed").wait_for()
    assert page.get_by_role("tab", name="Compare").get_attribute("aria-selected") == "true"
    assert page.locator(".verdict:visible").count() == 1

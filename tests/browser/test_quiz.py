"""The room against the model, by a show of hands."""

from __future__ import annotations


def press(page, title):
    page.locator("[data-go=next]").filter(has_text=title).click()


def test_hands_are_counted_against_the_model(open_page):
    page = open_page("tab=present&step=9", ready=".quiz .uses.two")
    page.locator(".quiz .choice").filter(has_text="Different").click()
    press(page, "Reveal")
    page.locator(".quiz .score").filter(has_text="Of 1 pair so far the room is right in").wait_for()
    press(page, "Next pair")
    page.locator(".quiz [data-quiz=pair]").filter(has_text="Pair 2 of 10").wait_for()
    assert page.locator('.quiz .choice[aria-pressed="true"]').count() == 0
    assert page.locator(".quiz .score").count() == 0
    press(page, "Reveal")
    page.locator(".quiz .score").filter(has_text="Of 1 pair so far").wait_for()  # of the second the room said nothing

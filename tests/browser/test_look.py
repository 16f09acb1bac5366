"""How the page behaves on a phone, in the dark and without a mouse."""

from __future__ import annotations

import pytest

from tests.browser.test_accessibility import faults


@pytest.mark.nightly
def test_a_phone_scrolls_to_the_answer(open_page):
    page = open_page(width=390, height=844)
    page.get_by_role("button", name="match", exact=True).click()
    page.locator(".eyebrow").filter(has_text="match").wait_for()
    page.wait_for_function(
        "document.querySelector('.verdict').getBoundingClientRect().top < innerHeight / 2"
    )


@pytest.mark.parametrize("dark", [False, True])
def test_messages_at_a_field_are_legible(open_page, dark):
    page = open_page(dark=dark)
    page.get_by_role("textbox", name="Sentence 1", exact=True).fill(
        "The bank by the bank and a puppy."
    )
    page.get_by_role("button", name="Compare", exact=True).click()
    page.locator(".note.hint").wait_for()
    assert page.evaluate("document.body.classList.contains('dark')") is dark
    assert faults(page) == []
    page.get_by_label("Word", exact=True).fill("")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.locator(".note.error").wait_for()
    assert faults(page) == []


@pytest.mark.smoke
def test_everything_works_from_the_keyboard(open_page):
    page = open_page()
    focused = "document.activeElement"
    page.get_by_label("Word", exact=True).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("puppy")
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focused}.id") == "compare-sentence-1"
    assert page.evaluate(f"getComputedStyle({focused}).outlineStyle") == "solid"
    page.keyboard.press("Control+A")
    page.keyboard.type("A puppy.")
    page.keyboard.press("Enter")
    page.locator(".note.error").filter(has_text="sentence 2").wait_for()
    for _ in range(4):
        assert page.evaluate(f"{focused}.id") == "compare-sentence-2"
        page.keyboard.press("Tab")
        assert page.evaluate(f"{focused}.getAttribute('aria-label')") == "Remove sentence 2"
        page.keyboard.press("Enter")
        if page.locator(".sentences li").count() == 2:
            break
    page.keyboard.press("Control+A")
    page.keyboard.type("My puppy barks.")
    page.keyboard.press("Enter")
    page.locator(".eyebrow").filter(has_text="“puppy” in 2 sentences").wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(f"{focused}.type") == "range":
            break
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "Layer 1"


@pytest.mark.parametrize("width", [390, 1000])
def test_all_tabs_are_in_sight_whatever_the_width(open_page, width):
    page = open_page(width=width, height=844)
    places = [tab.bounding_box() for tab in page.get_by_role("tab").all()]
    assert len(places) == 7
    # Whole, and the last of them as well as the first.
    bar = page.get_by_role("tablist").bounding_box()
    for place in places:
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width
        assert place["y"] + place["height"] <= bar["y"] + bar["height"] + 1
    page.get_by_role("tab", name="Present").click()
    page.locator(".present h2").first.wait_for()


@pytest.mark.nightly
def test_all_tabs_are_in_sight_on_a_laptop(open_page):
    page = open_page(width=1280)
    bar = page.get_by_role("tablist")
    assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")
    ends = bar.evaluate(
        "bar => [...bar.querySelectorAll('[role=tab]')].map(tab =>"
        " tab.getBoundingClientRect().right)"
    )
    assert len(ends) == 7
    assert max(ends) <= 1280


@pytest.mark.parametrize("dark", [False, True])
def test_a_ticked_box_shows_its_tick(open_page, dark):
    page = open_page(dark=dark)
    box = page.locator("#compare-whole")
    box.check()
    ticked = box.screenshot()
    box.uncheck()
    assert box.screenshot() != ticked
    assert box.evaluate("box => getComputedStyle(box).appearance") == "auto"

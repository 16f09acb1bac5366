"""User actions in the Try tab."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode

import pytest

from elmo_tasks.ui.try_tab import TRY_EXAMPLES

READY = ".try-answer .task"
HOSTILE = (
    "<img src=x onerror=alert(1)> ${alert(2)} {{value}} `Oslo` <script>alert(3)</script> $x$ good"
)


@pytest.fixture
def open_try(open_page):
    def open_one(look="all", text=None, **options):
        pairs = [("tab", "try")] if text is None else [("tab", "try"), ("look", look), ("t", text)]
        return open_page(query=urlencode(pairs), **{"ready": READY, **options})

    return open_one


def box(page):
    return page.get_by_label("Your text")


def write(page, text):
    """Type a text as a person does: gradio answers keys, not a value that is set."""
    box(page).fill(text[:-1])
    box(page).press_sequentially(text[-1])


def heading(page, mode="sentiment"):
    return page.locator(f"#{mode}-answer")


def wait_for(locator, text):
    locator.filter(has_text=text).first.wait_for()


def test_the_tab_opens_with_an_ambiguous_example_and_keeps_typed_text(open_page):
    page = open_page()
    assert page.locator(READY).count() == 0  # no request before the tab is opened
    page.get_by_role("tab", name="Try").click()
    page.locator(".pair .differs").first.wait_for()
    assert box(page).input_value() == "\n".join(TRY_EXAMPLES[0].lines)
    box(page).fill("Typed here.")
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("tab", name="Try").click()
    assert box(page).input_value() == "Typed here."


def test_the_answer_follows_the_typing(open_try):
    page = open_try("sentiment", "It is good.")
    wait_for(heading(page), "Positive")
    write(page, "It is bad.")
    wait_for(heading(page), "Negative")
    write(page, "x" * 2001)
    wait_for(page.locator(".try-answer h2"), "has 2,001 characters; the most is 2,000")
    write(page, HOSTILE)
    page.locator(".words").filter(has_text="<img src=x").first.wait_for()


def test_an_example_runs_on_click_and_a_mode_shows_its_part(open_try):
    page = open_try("sentiment", "It is good.")
    page.get_by_role("button", name=TRY_EXAMPLES[0].title, exact=True).click()
    wait_for(heading(page, TRY_EXAMPLES[0].task), "Found")
    assert box(page).input_value() == "\n".join(TRY_EXAMPLES[0].lines)
    page.get_by_role("radio", name="Sentiment").check()
    heading(page).wait_for()
    assert heading(page, "entities").count() == 0


@pytest.mark.nightly
def test_the_link_of_an_answer_opens_it_again(open_page):
    pairs = [
        ("tab", "try"),
        ("look", "entities"),
        ("t", "Oslo."),
        ("tagging", "fake-pos"),
        ("tagging", "fake-medical"),
    ]
    page = open_page(query=urlencode(pairs), ready=".try-several")
    query = parse_qs(page.locator(".try-answer [data-link]").first.get_attribute("data-link"))
    assert query == {
        "tab": ["try"],
        "look": ["entities"],
        "t": ["Oslo."],
        "tagging": ["fake-pos", "fake-medical"],
    }
    assert "The 2 models" in page.locator(".try-several .reading").inner_text()


@pytest.mark.nightly
def test_opened_parts_stay_open_while_typing(open_try):
    page = open_try("entities", "Oslo.\nNairobi.")
    page.get_by_text("All entities in a table").click()
    page.get_by_text("Other readings").first.click()
    write(page, "Oslo.\nNairobi and Lisbon.")
    wait_for(heading(page, "entities"), "3 places")
    assert page.locator(".try-answer .more").first.evaluate("fold => fold.open")

"""User actions in the first part of the Layers tab, the weights."""

from __future__ import annotations

import pytest

READY = ".head-panel .verdict h2"


@pytest.fixture
def open_weights(open_page):
    return lambda **options: open_page(query="tab=layers", ready=READY, **options)


def choose(page, title):
    page.get_by_label("Trained head").click()
    page.get_by_role("option", name=title).click()
    page.locator(READY).filter(has_text=title).wait_for()


def test_the_sentence_comes_first(open_weights):
    page = open_weights()
    panel = page.locator(".head-panel")
    assert (
        panel.locator("h2")
        .inner_text()
        .startswith("The head “Film and hotel reviews (fake)” draws 42")
    )
    assert "their order is not clear" in panel.locator(".reasons").inner_text()
    assert (panel.locator(".weights u").count(), panel.locator("polyline").count()) == (3, 4)


@pytest.mark.smoke
def test_another_head_is_chosen_and_its_link_opens_it_again(open_page, open_weights):
    page = open_weights()
    page.get_by_label("Trained head").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(READY).filter(has_text="Names in the news (fake)” draws 52").wait_for()
    assert "All 3 runs" in page.locator(".head-panel .reasons").inner_text()
    choose(page, "Parts of speech (fake)")
    assert "This head was trained once" in page.locator(".head-panel .reasons").inner_text()
    assert page.locator(".head-panel :is(polyline, u)").count() == 0
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("tab", name="Layers").click()
    assert "Parts of speech" in page.locator(READY).inner_text()
    again = open_page(
        page.locator(".head-panel [data-link]").first.get_attribute("data-link"), ready=READY
    )
    assert "Parts of speech" in again.locator(READY).inner_text()


@pytest.mark.nightly
def test_the_error_bars_match_the_table(open_weights):
    page = open_weights()
    places = page.evaluate("""() => {
            const row = document.querySelectorAll('.head-panel .weights li')[1];
            const track = row.querySelector('i').getBoundingClientRect();
            const at = x => (x - track.left) / track.width;  // the scale ends at 100 %
            const line = row.querySelector('u').getBoundingClientRect();
            return [row.querySelector('b').getBoundingClientRect().right, line.left, line.right].map(at);
        }""")
    assert places == pytest.approx([0.42, 0.36, 0.48], abs=0.004)


@pytest.mark.nightly
def test_the_charts_follow_the_mode(open_weights):
    colours = {
        open_weights(dark=dark)
        .locator("polyline")
        .first.evaluate("e => getComputedStyle(e).stroke")
        for dark in (0, 1)
    }
    assert len(colours) == 2

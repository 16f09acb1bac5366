"""The second part of the Layers tab, with the results of probes, on a desktop and a phone."""

from __future__ import annotations

import pytest

READY = ".probes-answer h2"
PLACES = (
    "[...document.querySelectorAll('.dots .dot')].map(d => (d.offsetLeft + d.offsetWidth / 2) /"
    " d.parentElement.offsetWidth)"
)


@pytest.mark.parametrize("width", [1280, 390])
def test_marks_stand_where_their_numbers_are_and_all_can_be_read(open_page, width):
    page = open_page("tab=layers", width=width, height=844, ready=READY)
    places = page.evaluate(PLACES)
    shown = [
        float(text.split(":")[-1].replace("−", "-"))
        for text in page.locator(".dots li:not(.columns) .values > span").all_text_contents()
    ]
    assert len(places) == len(shown) == 6
    for place, number in zip(places, shown, strict=True):
        assert place == pytest.approx(max(0.0, number / (100 if number > 1 else 1)), abs=0.02)
    for text in page.locator(".dots .what b").all():
        box = text.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.nightly
def test_the_tab_is_two_screens_high(open_page):
    page = open_page("tab=layers", width=1280, height=900, ready=READY)
    page.locator(".head-panel .verdict h2").first.wait_for()
    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * 900
    assert page.locator(".head-panel .verdict h2").first.is_visible()


@pytest.mark.nightly
def test_the_numbers_can_be_downloaded(open_page):
    page = open_page("tab=layers", ready=READY)
    with page.expect_download() as saved:
        page.locator(".probes-answer").get_by_role("link", name="Download CSV").click()
    assert 'fake-small,pos,"Tags, dev, accuracy",1,0.936000' in saved.value.path().read_text(
        encoding="utf-8-sig"
    )

"""What each layer knows, in the second part of the Layers tab: on a phone too."""

from __future__ import annotations

import pytest

READY = ".probes-answer h3"
BARS = "[...document.querySelectorAll('.probes-answer .weights i')].map(i => i.firstChild.offsetWidth / i.offsetWidth)"


@pytest.mark.parametrize("width", [1280, 390])
def test_bars_are_as_long_as_their_numbers_and_all_can_be_read(open_page, width):
    page = open_page("tab=layers", width=width, height=844, ready=READY)
    shares = page.evaluate(BARS)
    shown = [float(text.replace("−", "-")) for text in page.locator(".probes-answer .weights .value").all_inner_texts()]
    assert len(shares) == len(shown) == 11
    for share, number in zip(shares, shown, strict=True):
        scale = 100 if number > 1 else 1
        assert share == pytest.approx(max(0.0, number / scale), abs=0.02)
    for text in page.locator(".probes-answer .weights .name").all():
        box = text.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_a_link_to_one_of_the_two_tabs_that_were_joined_opens_them(open_page):
    page = open_page("tab=probes", ready=READY)
    assert page.get_by_role("tab", name="Layers").get_attribute("aria-selected") == "true"
    assert page.locator(".head-panel .verdict h2").first.is_visible()


def test_the_numbers_can_be_taken_along(open_page):
    page = open_page("tab=layers", ready=READY)
    with page.expect_download() as saved:
        page.locator(".probes-answer").get_by_role("link", name="Download CSV").click()
    assert 'fake-small,pos,"Tags, dev, accuracy",1,0.936000' in saved.value.path().read_text(encoding="utf-8-sig")

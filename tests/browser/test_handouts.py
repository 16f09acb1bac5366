"""Files to hand out, opened as they are: from the disk, without a server."""

from __future__ import annotations

import re
from datetime import date

import pytest

from elmo_tasks.api import MapRequest
from elmo_tasks.ui import offline_page, worksheet
from tests.browser.test_look import CONTRAST
from tests.ui.fake_service import FakeService

pytestmark = pytest.mark.browser

DAY = date(2026, 3, 4)
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def open_file(browser, tmp_path):
    """Open markup as a file; fails on errors and on any request."""
    problems, contexts = [], []

    def open_one(markup, width=1280, dark=False):
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(markup, encoding="utf-8")
        contexts.append(
            browser.new_context(
                viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light", offline=True
            )
        )
        page = contexts[-1].new_page()
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: problems.append(str(e)))
        page.on("request", lambda r: problems.append(r.url) if r.url != path.as_uri() else None)
        page.goto(path.as_uri())
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert problems == []


def offline():
    service = FakeService()
    found = service.maps.sense_map(MapRequest("bank", "My own bank is here."))
    return offline_page.page(found, service.compare("bank", offline_page.story_of(found)), service.models(), DAY)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1920])
def test_an_offline_map_works_and_reads_well(open_file, width, dark):
    page = open_file(offline(), width, dark)
    page.locator(".mark").nth(3).click()
    assert "Reeds grew on the bank of the stream." in page.locator(".told .this").inner_text()
    page.keyboard.press("ArrowRight")
    assert "Reeds grew" not in page.locator(".told .this").inner_text()
    for fold in page.locator("details").all():
        fold.evaluate("fold => { fold.open = true; }")
    assert page.evaluate(WIDE) == 0
    assert page.evaluate(CONTRAST) == []


def test_an_offline_map_follows_the_device_into_the_dark(open_file):
    page = open_file(offline())
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {ground} !== light", arg=light)  # fails when it stays light


def test_a_sheet_prints_on_one_page_and_its_answers_on_another(open_file):
    """The longest that a map makes of sentences as long as those of the gallery."""
    text = "\n".join(
        f"Where the river number {k} bends, the bank was so steep that nobody could climb it in wet weather."
        for k in range(30)
    )
    sheet = worksheet.of_map(FakeService().maps.sense_map(MapRequest("bank", text, n_groups=4)))
    assert len(sheet.lines) >= 8
    page = open_file(worksheet.page(sheet, (), DAY))
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
    assert page.evaluate(CONTRAST) == []
    phone = open_file(worksheet.page(sheet, (), DAY), 390, dark=True)
    assert phone.evaluate(WIDE) == 0
    assert phone.evaluate(CONTRAST) == []

"""Saved pages, opened from the disk without a server."""

from __future__ import annotations

import pytest

from elmo_tasks.api import MapRequest
from elmo_tasks.ui import compare_answer, map_tab
from elmo_tasks.ui.compare_form import Form
from tests.browser.test_accessibility import faults
from tests.ui.fake_service import FakeService

SENTENCES = (
    "The bank refused our loan.",
    "We sat on the bank of the river.",
    "The bank lent us money.",
)


@pytest.fixture
def open_file(browser, tmp_path):
    """Open markup as a file; fails on errors and on any request."""
    problems, contexts = [], []

    def open_one(markup, width=1280, dark=False):
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(markup, encoding="utf-8")
        contexts.append(
            browser.new_context(
                viewport={"width": width, "height": 800},
                color_scheme="dark" if dark else "light",
                offline=True,
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


def a_map():
    service = FakeService()
    return map_tab.file_of(
        service.sense_map(MapRequest("bank", "My own bank is here.")), service.models()
    )[1]


def a_comparison():
    service = FakeService()
    return compare_answer.saved(
        service.compare("bank", SENTENCES), Form("bank", SENTENCES), service.models()
    )


def reads_well(page):
    for fold in page.locator("details").all():
        fold.evaluate("fold => { fold.open = true; }")
    return faults(page) == []


@pytest.mark.parametrize(("width", "dark"), [(390, False), (1920, True)])
def test_a_saved_map_works_and_reads_well(open_file, width, dark):
    page = open_file(a_map(), width, dark)
    page.locator(".mark").nth(3).click()
    assert "Reeds grew on the bank of the stream." in page.locator(".readout .this").inner_text()
    page.keyboard.press("ArrowRight")
    assert "Reeds grew" not in page.locator(".readout .this").inner_text()
    assert reads_well(page)


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1920, False)])
def test_a_saved_comparison_works_and_reads_well(open_file, width, dark):
    page = open_file(a_comparison(), width, dark)
    slider = page.get_by_role("slider")
    slider.press("Home")
    assert page.locator(".panel:visible .heat").first.inner_text() == "1.00"
    assert page.locator(".panel:visible").get_attribute("data-panel") == "0"
    slider.press("End")
    assert page.locator(".panel:visible").get_attribute("data-panel") == "mean"
    term = page.locator("[data-explains]:visible").first
    term.scroll_into_view_if_needed()
    page.wait_for_timeout(300)  # scrolling closes what is explained
    term.focus()
    page.locator("#term-tip").wait_for()
    assert reads_well(page)


@pytest.mark.nightly
def test_a_saved_page_follows_the_device_into_the_dark(open_file):
    page = open_file(a_map())
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {ground} !== light", arg=light)  # fails when it stays light


@pytest.mark.parametrize(
    ("query", "ready", "name"),
    [
        ("", ".verdict h2", "compare-bank.html"),
        ("tab=map&word=bank", ".map-answer .mark", "sense-map-bank.html"),
    ],
)
def test_the_button_saves_what_the_tab_shows(open_page, query, ready, name):
    page = open_page(query, ready=ready)
    with page.expect_download() as download:
        page.locator("[data-save]:visible").click()
    assert download.value.suggested_filename == name
    page.locator(".status-line:visible").filter(has_text="Page saved").wait_for()


def test_a_saved_comparison_prints_as_a_work_sheet_without_its_answer(open_file):
    page = open_file(a_comparison())
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Print work sheet").click()
    assert page.evaluate("window.printed")
    page.emulate_media(media="print")
    sheet = page.locator(".worksheet")
    assert sheet.locator("li > p").all_inner_texts() == list(SENTENCES)
    assert sheet.locator(".tick").count() == 4 * len(SENTENCES)
    assert not page.locator("main").is_visible()
    assert "kind" not in sheet.inner_text()


def test_a_printed_page_has_no_controls(open_file):
    page = open_file(a_comparison())
    controls = page.locator(".switch, .layers, .chips, [data-worksheet]")
    shown = [control for control in controls.all() if control.is_visible()]
    assert len(shown) >= 3
    page.emulate_media(media="print")
    assert not any(control.is_visible() for control in shown)
    assert page.locator(".verdict h2").is_visible()

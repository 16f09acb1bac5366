"""Links that restore a view, and pictures of it as PNG."""

from __future__ import annotations

import io
from urllib.parse import urlparse

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.browser.conftest import of_ci_and_nightly
from tests.browser.test_map import choose

READY = {
    "compare": ".answer .verdict h2",
    "map": ".map-answer .verdict h2",
    "nearest": ".near-answer .verdict h2",
    "layers": ".probes-answer h2",
    "try": ".try-answer .task h2",
}
PHONE = {"width": 390, "height": 844, "dark": True}


def pixels_of(page, button) -> tuple[str, NDArray[np.uint8]]:
    """The name of the picture that a button saves, and its pixels ``[height, width, 3]``."""
    with page.expect_download() as saved:
        button.click()
    content = saved.value.path().read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    return saved.value.suggested_filename, np.asarray(
        Image.open(io.BytesIO(content)).convert("RGB")
    )


def ground_of(pixels: NDArray[np.uint8]) -> float:
    """How bright the corner is, from 0 to 255."""
    return float(pixels[4, 4].mean())


@pytest.mark.parametrize("options", [{"width": 1440}, PHONE], ids=["desktop", "dark phone"])
@pytest.mark.parametrize("tab", of_ci_and_nightly("layers", READY))
def test_every_picture_of_a_tab_is_saved_whole_and_not_blank(open_page, tab, options):
    page = open_page("" if tab == "compare" else f"tab={tab}", ready=READY[tab], **options)
    buttons = page.locator("[data-png]:visible")
    assert buttons.count() >= 1
    for at in range(buttons.count()):
        name, pixels = pixels_of(page, buttons.nth(at))
        height, width, _ = pixels.shape
        assert name.endswith(".png")
        assert width >= 2 * 480
        assert 2 * 150 < height < 2 * 6000
        # Something is drawn above and below; on the right a picture may end early.
        drawn = np.abs(pixels.astype(int) - pixels[4, 4]).sum(axis=2) > 60
        assert drawn.mean() > 0.01
        assert drawn[: height // 2, : width // 2].any()
        assert drawn[height // 2 :, : width // 2].any()
        assert (ground_of(pixels) < 60) is bool(options.get("dark"))


#: Counts listeners that are added to the document or the window from now on.
COUNT_LISTENERS = """() => {
  window.added = 0;
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (...given) {
    if (this === document || this === window) window.added += 1;
    return add.apply(this, given);
  };
}"""


@pytest.mark.parametrize("tab", of_ci_and_nightly("map", READY))
def test_a_picture_is_one_file_however_often_it_is_requested(open_page, tab):
    page = open_page("" if tab == "compare" else f"tab={tab}", ready=READY[tab])
    files = []
    page.on("download", lambda file: files.append(file))
    button = page.locator("[data-png]:visible").first
    scripts = page.evaluate("document.scripts.length")
    page.evaluate(COUNT_LISTENERS)
    for pressed in range(1, 6):
        button.click()
        page.locator("[data-png][aria-busy]").wait_for(state="detached")
        page.wait_for_timeout(300)  # a second file would come now
        assert len(files) == pressed
    assert page.evaluate("document.scripts.length") == scripts
    assert page.evaluate("window.added") == 0
    assert page.locator("gradio-app").count() == 1


def test_a_picture_has_the_colours_of_the_heat_map(open_page):
    page = open_page()
    page.get_by_role("slider").press("Home")
    shown = page.locator(".panel:not([hidden]) td.heat").first.evaluate(
        "c => getComputedStyle(c).backgroundColor"
    )
    colour = [int(part) for part in shown.removeprefix("rgb(").removesuffix(")").split(",")]
    _, pixels = pixels_of(page, page.get_by_role("button", name="Download PNG"))
    assert (np.abs(pixels.astype(int) - colour).sum(axis=2) <= 3).sum() > 2000


def test_typed_markup_is_harmless_in_a_picture(open_page):
    page = open_page(
        "word=bank&s=A+bank+%3Cimg+src%3Dx%3E+%26amp%3B+%F0%9F%8F%A6.&s=The+bank+%00%0B+]]%3E."
    )
    _, pixels = pixels_of(page, page.get_by_role("button", name="Download PNG"))
    assert pixels.std() > 10


def link_copied(page) -> str:
    page.locator("[data-link]:visible").first.click()
    page.locator(".status-line:visible").filter(has_text="Link copied").first.wait_for()
    return urlparse(page.evaluate("navigator.clipboard.readText()")).query


def test_a_link_draws_the_same_map_again(open_page):
    page = open_page("tab=map", ready=READY["map"])
    page.get_by_text("Your own text", exact=True).click()
    page.get_by_label("Text with the word in it").fill("My bank & co.\nNo such bank: 100 %.")
    page.get_by_role("button", name="Draw the map").click()
    page.get_by_text("2 uses of “bank”").first.wait_for()
    again = open_page(link_copied(page), ready=READY["map"])
    assert "2 uses of “bank”" in again.locator(READY["map"]).inner_text()
    assert (
        again.get_by_label("Text with the word in it").input_value()
        == "My bank & co.\nNo such bank: 100 %."
    )
    assert not again.get_by_label("Draw the examples of the dictionary, too").is_checked()


@pytest.mark.nightly
def test_a_long_text_is_omitted_from_the_link_with_a_note(open_page):
    page = open_page("tab=map", ready=READY["map"])
    page.get_by_text("Your own text", exact=True).click()
    page.get_by_label("Text with the word in it").fill("My bank.\n" * 300)
    page.get_by_role("button", name="Draw the map").click()
    page.get_by_text("300 uses of “bank”").first.wait_for()
    query = link_copied(page)
    assert len(query) < 200
    assert "without your own text" in page.locator(".map-answer .status-line").inner_text()


@pytest.mark.nightly
def test_a_link_lists_the_same_nearest_uses_again(open_page):
    page = open_page("tab=nearest&word=bank&s=The+bank+was+shut.", ready=READY["nearest"])
    page.get_by_role("radio", name="Other words").check()
    page.locator(".hits:not(.words) li").nth(1).wait_for(state="detached")
    choose(page, "Compare the uses by", "Layer 1")
    page.locator(".near-answer .meta").get_by_text("at layer 1").wait_for()
    again = open_page(link_copied(page), ready=READY["nearest"])
    assert again.locator(".hits:not(.words) li").count() == 1
    assert again.get_by_role("radio", name="Other words").is_checked()
    assert "at layer 1" in again.locator(".near-answer .meta").inner_text()

"""A person's own sorting of the map: moved, named, undone, kept in the link and in a file."""

from __future__ import annotations

import csv
import io
from urllib.parse import parse_qs

import pytest

pytestmark = pytest.mark.browser
READY = ".map-answer .sense-map"


@pytest.fixture
def tool(open_page):
    def open_one(query="tab=map&word=bank", **options):
        page = open_page(query, ready=READY, **options)
        if page.locator(".map-tool[open]").count() == 0:
            page.get_by_text("Sort it yourself").click()
        page.locator(".own-groups").wait_for()
        return page

    return open_one


def group(page, use=0):
    return page.locator(f'.mark[data-use="{use}"]').get_attribute("data-group")


def link(page):
    return parse_qs(page.locator(".map-answer .actions [data-link]").get_attribute("data-link"))


def test_a_use_is_moved_and_the_move_undone(tool):
    page = tool()
    before = group(page)
    page.locator('.mark[data-use="0"]').click()
    told = page.locator(".told .this .sign text")
    first = told.text_content()
    page.locator(".move-to").get_by_role("button", name="a new group").click()
    assert group(page) not in ("", before)
    assert "uses stands elsewhere than the model put it." in page.locator(".sorted-said").inner_text()
    letter = "ABCDEFGHIJKL"[int(group(page))]
    assert page.locator('tr[data-row="0"] .sign text').text_content() == letter
    assert told.text_content() == letter != first
    named = page.locator('.mark[data-use="0"]').get_attribute("aria-label")
    assert named.startswith(f"Use 1, group {letter}: ")
    page.get_by_role("button", name="Undo").click()
    assert group(page) == before
    assert told.text_content() == first
    assert not page.locator("[data-undo]").is_visible()
    assert "sorted" not in link(page)


def test_the_link_brings_the_sorting_back(tool):
    page = tool()
    page.locator('.mark[data-use="1"]').click()
    page.locator(".move-to").get_by_role("button", name="none").click()
    page.locator('.mark[data-use="0"]').click()
    page.get_by_label("Name of group A").fill("<b>money</b> & co")
    # The press that ends the naming is heard, too: it goes to a button that bears the new name by then.
    page.locator(".move-to").get_by_role("button", name="none").click()
    assert group(page, 0) == ""
    page.get_by_role("button", name="Undo").click()
    assert group(page, 1) == ""
    query = page.locator(".map-answer .actions [data-link]").get_attribute("data-link")
    again = tool(query)
    assert group(again, 1) == ""
    assert again.get_by_label("Name of group A").input_value() == "<b>money</b> & co"
    assert "1 named" in again.locator(".sorted-said").inner_text()


@pytest.mark.parametrize(
    "sorted_", ["[", "7", "[]", "[[[999,1]],null,7]", '[{"a":1},[],7]', "[[[0,1],[1,1],[3,0]],[],24]"]
)
def test_a_broken_link_changes_nothing(tool, sorted_):
    page = tool(f"tab=map&word=bank&sorted={sorted_}")  # the last is of a map with another number of uses
    assert page.locator(".sense-map .mark").count() > 2
    moved = page.evaluate(
        "[...document.querySelectorAll('.mark')].filter((m) => m.dataset.group !== m.dataset.first).length"
    )
    assert moved == 0


def test_a_line_around_all_chooses_all(tool):
    page = tool()
    page.get_by_role("button", name="Draw around").click()
    page.locator(".sense-map").scroll_into_view_if_needed()
    box = page.locator(".sense-map").bounding_box()
    corners = [(2, 2), (box["width"] - 2, 2), (box["width"] - 2, box["height"] - 2), (2, box["height"] - 2)]
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    for x, y in [*corners, corners[0]]:
        page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.up()
    n = page.locator(".sense-map .mark").count()
    assert page.locator(".sense-map .mark.chosen").count() == n
    page.locator(".move-to").get_by_role("button", name="group A", exact=True).click()
    assert {group(page, use) for use in range(n)} == {"0"}
    with page.expect_download() as found:
        page.get_by_role("button", name="Your groups as CSV").click()
    rows = list(csv.reader(io.StringIO(found.value.path().read_text(encoding="utf-8-sig"))))
    assert rows[0] == ["your group", "the model's group", "sentence"]
    assert [row[0] for row in rows[1:]] == ["A"] * n


def test_own_text_and_examples_are_told_apart(tool):
    page = tool("tab=map&word=bank&t=We+sat+on+the+bank+of+the+river.%0AMy+bank+gave+a+loan.")
    page.locator("[data-filter]").select_option("own")
    own = page.locator('tr[data-own="yes"]').count()
    assert page.locator(".sense-map .mark:not(.aside)").count() == own > 0
    page.locator("[data-filter]").select_option("all")
    assert page.locator(".sense-map .mark.aside").count() == 0


def test_on_a_phone_nothing_scrolls_sideways(tool):
    page = tool(width=390)
    page.locator('.mark[data-use="0"]').click()
    page.locator(".move-to").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

"""Every control in sight: nothing covered, no table cut, nothing that jumps, and the first answer
soon."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZES = {
    "desktop": (1280, 900),
    "laptop": (1366, 768),
    "phone": (390, 844),
    "twice as large": (640, 450),
}
READY = {
    "compare": ".answer .verdict h2",
    "map": ".map-answer .verdict h2",
    "nearest": ".near-answer .verdict h2",
    "try": ".try-answer .task h2",
    "train": ".train .compare-form button.primary",
    "layers": ".probes-answer h2",
    "present": ".stage .step:not([hidden]) h2",
}
#: Describes the element that covers the middle of a control; empty if there is none.
COVERED = """element => {
    const box = element.getBoundingClientRect();
    const [x, y] = [Math.min(Math.max(box.x + box.width / 2, 1), innerWidth - 1), box.y + Math.min(box.height / 2, 12)];
    if (y < 0 || y > innerHeight) return `out of the window: ${element.outerHTML.slice(0, 80)}`;
    const top = document.elementFromPoint(x, y);
    if (!top || top === element || element.contains(top) || top.contains(element)) return "";
    return `${element.outerHTML.slice(0, 80)} is under ${top.outerHTML.slice(0, 80)}`;
}"""
CUT_TABLES = """() => [...document.querySelectorAll('table')].filter(table => table.checkVisibility())
    .map(table => [table, table.parentElement])
    .filter(([table, frame]) => table.scrollWidth > frame.clientWidth + 1)
    .map(([table, frame]) => `${table.scrollWidth} in ${frame.clientWidth}: ${table.innerText.slice(0, 80)}`)"""
SHIFTS = """() => {
    window.shifted = 0;
    new PerformanceObserver(list => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
}"""


COVERED_OF_TAB = f"""() => [...document.querySelectorAll('[role=tabpanel] :is(button, input, textarea, select)')]
    .filter(control => control.checkVisibility() && control.getBoundingClientRect().height > 4)
    .map(control => {{ control.scrollIntoView({{block: 'nearest'}}); return ({COVERED})(control); }})
    .filter(text => text)"""
OPEN_FOLDS = """() => {
    for (const fold of document.querySelectorAll('.gradio-container details')) fold.open = true;
}"""


def resize(page: Page, size: str) -> None:
    """Give a window another size, and let the page lay itself out."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(300)


def test_no_control_of_the_form_is_covered_during_tabbing(open_page):
    page = open_page()
    for size in SIZES:
        resize(page, size)
        unfold = page.get_by_role("button", name="Your own word and sentences")
        if unfold.is_visible():
            unfold.click()
        page.get_by_label("Word", exact=True).focus()
        reached, covered = 0, []
        while page.evaluate("Boolean(document.activeElement.closest('.editor'))"):
            covered.append(page.locator("*:focus").evaluate(COVERED))
            reached += 1
            page.keyboard.press("Tab")
        assert reached > 25
        assert not [text for text in covered if text], size


def test_a_covered_control_and_a_cut_table_would_be_found(open_page):
    """The checks below are no use if they find nothing."""
    page = open_page()
    assert page.evaluate(COVERED_OF_TAB) == page.evaluate(CUT_TABLES) == []
    page.evaluate("""() => {
        const panel = [...document.querySelectorAll('[role=tabpanel]')].find(one => one.checkVisibility());
        panel.insertAdjacentHTML('afterbegin', `<div style="position: relative">
            <button id="below">below</button><i style="position: absolute; inset: 0; background: red"></i></div>
            <div style="width: 50px"><table><td><p style="width: 90px">wide</p></td></table></div>`);
    }""")
    (covered,) = page.evaluate(COVERED_OF_TAB)
    assert '<button id="below">' in covered
    (cut,) = page.evaluate(CUT_TABLES)
    assert cut.endswith("wide")


@pytest.mark.parametrize("tab", READY)
def test_a_tab_opens_without_a_jump_and_is_whole_at_every_size(open_page, tab):
    page = open_page("" if tab == "compare" else f"tab={tab}", ready=READY[tab])
    page.evaluate(SHIFTS)
    page.wait_for_timeout(500)
    assert page.evaluate("window.shifted") < 0.1
    page.evaluate(OPEN_FOLDS)
    for size in SIZES:
        resize(page, size)
        unfold = page.locator("[data-unfold]:visible")
        if unfold.count():
            unfold.click()
        assert page.evaluate(CUT_TABLES) == [], size
        assert page.evaluate(COVERED_OF_TAB) == [], size


@pytest.mark.parametrize(
    ("tab", "shown"),
    [
        ("map", ".map-answer .sense-map"),
        ("nearest", ".near-answer .query-use"),
        ("try", ".try-answer .words"),
    ],
)
def test_a_phone_has_the_answer_of_a_tab_on_its_first_screen(open_page, tab, shown):
    page = open_page(f"tab={tab}", width=390, height=844, ready=READY[tab])
    page.evaluate(SHIFTS)
    page.wait_for_timeout(200)
    assert page.evaluate("window.shifted") < 0.1
    assert page.locator(shown).first.evaluate("part => part.getBoundingClientRect().top") < 760
    box = page.locator(f"#tab-{tab} .compare-form :is(textarea, input)").first
    assert not box.is_visible()
    page.locator("[data-unfold]:visible").click()
    assert box.is_visible()
    assert box.evaluate("box => box === document.activeElement")


def test_an_error_opens_the_folded_form(open_page):
    page = open_page(
        "tab=map&word=xylograph", width=390, height=844, ready=".map-answer .quiet:not(.waiting)"
    )
    page.locator(".compare-form.unfolded [data-testid=textbox]:visible").first.wait_for()


def test_the_first_answer_comes_soon(open_page):
    if os.getloadavg()[0] > (os.cpu_count() or 1):
        pytest.skip("the machine is busy")
    open_page()  # the page's own scripts are read once
    page = open_page()
    assert page.evaluate("performance.now()") < 1500


def test_a_mark_shows_its_sentence_beside_it(open_page):
    page = open_page("tab=map", ready=READY["map"])
    tip = page.locator(".mark-tip:popover-open")
    mark = page.locator(".mark").first
    mark.hover()
    tip.wait_for()
    beside = """([mark, tip]) => {
        const [a, b] = [mark, tip].map(part => part.getBoundingClientRect());
        return Math.min(Math.abs(a.top - b.bottom), Math.abs(b.top - a.bottom)) < 30 && b.top >= 0 && b.bottom <= innerHeight;
    }"""
    assert page.evaluate(beside, [mark.element_handle(), tip.element_handle()])
    shown = tip.inner_text()
    page.mouse.move(0, 0)
    tip.wait_for(state="detached") if not page.locator(".mark-tip").count() else tip.wait_for(
        state="hidden"
    )
    mark.focus()
    assert tip.inner_text() == shown
    page.keyboard.press("ArrowRight")
    assert tip.inner_text() != shown


@pytest.mark.nightly
@pytest.mark.parametrize("tab", READY)
def test_a_tab_prints_its_answer_whole_and_nothing_for_hands(open_page, tab):
    page = open_page(f"tab={tab}", dark=True, ready=READY[tab])
    page.emulate_media(media="print")
    hands = page.locator(
        "button, input, textarea, select, details:not([open]) summary, .label-wrap"
    )
    assert not [one.inner_text() for one in hands.all() if one.is_visible()]
    assert page.locator("h2:visible").count()
    assert page.locator("body").evaluate("body => getComputedStyle(body).colorScheme") == "light"
    frames = page.locator(".scroll:visible")
    assert not frames.evaluate_all("all => all.filter(f => f.scrollHeight > f.clientHeight + 1)")

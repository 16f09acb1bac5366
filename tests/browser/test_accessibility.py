"""No violation of WCAG 2 A and AA (axe-core) on any tab and no sideways scrolling, on a dark phone and on a light desktop."""

from __future__ import annotations

import pytest

from elmo_tasks.ui.layout import TABS

RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],
}
#: What gradio draws itself and we cannot change: rule, a part of the element's markup, why.
EXCEPTIONS: tuple[tuple[str, str, str], ...] = ()
SETTLED = """() => [...document.querySelectorAll('[aria-busy="true"], .pending')].every(e => !e.checkVisibility())
    && document.getAnimations().every(a => a.playState !== 'running')"""
OPEN_FOLDS = "for (const fold of document.querySelectorAll('.gradio-container details')) fold.open = true"
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
REVEAL = "for (const part of document.querySelectorAll('[data-reveal]')) part.hidden = false"


def violations(page) -> list[str]:
    """Each violation that is no listed exception: rule, element, what is wrong."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    found = []
    for broken in axe.Axe().run(page, options=RULES).response["violations"]:
        for node in broken["nodes"]:
            if any(broken["id"] == rule and part in node["html"] for rule, part, _ in EXCEPTIONS):
                continue
            found.append(f"{broken['id']}: {node['html'][:160]} ({node['failureSummary'][:300]})")
    return found


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)], ids=["dark phone", "desktop"])
@pytest.mark.parametrize("tab", TABS)
def test_no_violation(open_page, tab, width, dark):
    page = open_page(
        query=f"tab={tab}", width=width, height=844, dark=dark, ready="[role=tabpanel]:visible .card:visible"
    )
    page.wait_for_function(SETTLED)
    page.evaluate(OPEN_FOLDS)
    page.wait_for_timeout(300)  # a fold may ask for its answer when it is opened
    page.wait_for_function(SETTLED)
    assert page.evaluate(WIDE) <= 0
    if tab != "present":
        assert violations(page) == []
        return
    for step in range(1, 10):
        page.get_by_label("Go to step").select_option(str(step))
        page.evaluate(REVEAL)
        assert violations(page) == [], step


def test_the_rules_find_a_violation(open_page):
    page = open_page()
    page.evaluate("document.querySelector('.editor label').remove()")
    page.evaluate("document.querySelector('#compare-word').style.color = '#ddd'")
    found = violations(page)
    assert any(line.startswith("label:") for line in found)
    assert any(line.startswith("color-contrast:") for line in found)

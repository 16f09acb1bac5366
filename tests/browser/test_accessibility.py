"""No violation of WCAG 2 A and AA (axe-core) on any tab, and nothing sticks out sideways: on a
phone, a tablet and a desktop."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from elmo_tasks.ui.layout import TABS
from elmo_tasks.ui.try_tab import TRY_EXAMPLES
from tests.browser.conftest import of_ci_and_nightly

RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],
}
#: Violations in gradio's own elements: rule, part of the element's markup, reason.
EXCEPTIONS: tuple[tuple[str, str, str], ...] = ()
SETTLED = """() => [...document.querySelectorAll('[aria-busy="true"], .pending')].every(e => !e.checkVisibility())
    && document.getAnimations().every(a => a.playState !== 'running')"""
OPEN_FOLDS = (
    "for (const fold of document.querySelectorAll('.gradio-container details')) fold.open = true"
)
STICKS_OUT = """() => [...document.querySelectorAll('body, .gradio-container *')]
    .filter(part => part.checkVisibility() && part.getBoundingClientRect().right > innerWidth + 1
        && !part.closest('.scroll, [role=tablist], svg, .mixes, .editor:not(.unfolded) .examples, .components:not(.unfolded) .samples'))
    .map(part => 'sticks out: ' + part.outerHTML.slice(0, 90))"""
REVEAL = "for (const part of document.querySelectorAll('[data-reveal]')) part.hidden = false"


LONG = "x" * 300
LINES = [
    *[line for example in TRY_EXAMPLES for line in example.lines][:9],
    "bad bad bad lovely not lovely",
    f"Oslo {LONG}",
]
#: Queries that fill a tab with long texts and all cards.
QUERIES = {
    "compare": [
        ("word", "bank"),
        ("s", f"The bank {LONG}"),
        ("s", "The bank of the river."),
        ("s", "A bank of cash."),
    ],
    "try": [("tab", "try"), ("look", "all"), ("t", "\n".join(LINES))],
}


def faults(page) -> list[str]:
    """Return each violation without a listed exception (rule, element, problem) and each part that
    overflows."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe-playwright-python"
    )
    found = page.evaluate(STICKS_OUT)
    for broken in axe.Axe().run(page, options=RULES).response["violations"]:
        for node in broken["nodes"]:
            if any(broken["id"] == rule and part in node["html"] for rule, part, _ in EXCEPTIONS):
                continue
            found.append(f"{broken['id']}: {node['html'][:160]} ({node['failureSummary'][:300]})")
    return found


@pytest.mark.parametrize(
    ("width", "dark"), [(390, True), (820, True), (1280, False)], ids=["phone", "tablet", "desktop"]
)
@pytest.mark.parametrize("tab", of_ci_and_nightly("compare", TABS))
def test_no_faults(open_page, tab, width, dark):
    query = urlencode(QUERIES.get(tab, [("tab", tab)]))
    page = open_page(
        query, width=width, height=844, dark=dark, ready="[role=tabpanel]:visible .card:visible"
    )
    page.wait_for_function(SETTLED)
    page.evaluate(OPEN_FOLDS)
    page.wait_for_timeout(300)  # a fold may ask for its answer when it is opened
    page.wait_for_function(SETTLED)
    assert faults(page) == []
    for step in range(2, 10) if tab == "present" else ():
        page.get_by_label("Go to step").select_option(str(step))
        page.evaluate(REVEAL)
        assert faults(page) == [], step


def test_the_rules_find_a_violation(open_page):
    page = open_page()
    page.evaluate("document.querySelector('.editor label').remove()")
    page.evaluate("document.querySelector('#compare-word').style.color = '#ddd'")
    found = faults(page)
    assert any(line.startswith("label:") for line in found)
    assert any(line.startswith("color-contrast:") for line in found)

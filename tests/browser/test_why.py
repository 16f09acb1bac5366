"""User actions in the folds below a comparison: the explanation and the predicted words."""

from __future__ import annotations

import pytest

from tests.browser.test_compare import compare, wait_for, write

WHY, EXPECTED = "Why?", "Expected words"


def fold(page, title):
    return page.locator("details.on-demand").filter(has=page.get_by_text(title, exact=True))


def unfold(page, title):
    fold(page, title).locator("> summary").click()
    page.locator('details.on-demand[data-state="done"]').filter(has_text=title).wait_for()
    return fold(page, title)


@pytest.mark.smoke
def test_why_is_answered_when_it_is_opened(open_page):
    page = open_page(width=390, height=844)
    assert page.locator("details.on-demand[open]").count() == 0
    found = unfold(page, WHY)
    assert found.locator("h2").inner_text() == "Mostly because of “loan” in sentence 1."
    assert found.locator(".word.for4").first.inner_text().startswith("loan")
    found.locator(".word.for4").first.click()
    assert "With “loan” hidden" in found.locator(".tip").inner_text()


@pytest.mark.nightly
def test_another_pair_can_be_chosen_from_the_keyboard(open_page):
    page = open_page()
    found = unfold(page, WHY)
    chooser = found.get_by_label("Uses", exact=True)
    chooser.select_option("1,3")
    wait_for(page, found.locator(".pair-question"), "What sets 2 and 4 apart?")
    assert found.get_by_label("Uses", exact=True).input_value() == "1,3"
    page.wait_for_function("document.activeElement.name === 'pair'")
    found.get_by_label("Layer", exact=True).select_option("mean")
    wait_for(page, found.locator(".reasons"), "in the mean of all layers")
    assert found.get_by_label("Uses", exact=True).input_value() == "1,3"


@pytest.mark.nightly
def test_an_open_fold_follows_the_next_comparison_and_a_closed_one_stays_closed(open_page):
    page = open_page()
    unfold(page, WHY)
    write(page, "bank", "A bank of cash.", "The muddy bank.")
    compare(page)
    wait_for(page, fold(page, WHY).locator("h2"), "“cash” in sentence 1")
    assert page.locator("details.on-demand[open]").count() == 1
    write(page, "", "a", "b")
    compare(page)
    page.locator(".note.error").first.wait_for()
    page.locator("details.on-demand").first.wait_for(state="detached")


@pytest.mark.nightly
def test_the_expected_words_are_listed_for_every_use(open_page):
    page = open_page(width=390, height=844)
    found = unfold(page, EXPECTED)
    assert found.locator(".texts > li").count() == 5
    assert found.locator(".gap").count() == 5
    assert found.locator("ol.bars").first.locator("li").all_inner_texts()[0].split() == [
        "place",
        "50",
        "%",
    ]
    assert found.locator(".bars b b, .bars li > b").count() == 0  # a word named <b> is text


@pytest.mark.nightly
def test_a_model_without_word_predictions_reports_it(open_page):
    page = open_page()
    page.get_by_label("Model", exact=True).select_option("fake-large")
    compare(page)
    wait_for(page, page.locator(".meta"), "Fake large")
    assert "does not predict words" in unfold(page, EXPECTED).locator("h2").inner_text()


def test_a_program_error_is_reported_and_the_rest_stays(open_page):
    page = open_page()
    write(page, "bank", "The bank and breakwhy.", "The river bank.")
    compare(page)
    wait_for(page, page.locator(".meanings-card li"), "breakwhy")
    fold(page, WHY).locator("> summary").click()
    wait_for(page, fold(page, WHY).locator(".lost"), "The program failed on this")
    assert "secret" not in page.locator("body").inner_text()
    assert page.locator(".meanings-card li").count() == 2

"""User actions in the Compare tab."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from elmo_tasks.ui.compare_form import EXAMPLES


def box(page, number):
    return page.get_by_role("textbox", name=f"Sentence {number}", exact=True)


def write(page, word, *sentences):
    """Fill the form, adding or removing boxes as a person would."""
    page.get_by_label("Word", exact=True).fill(word)
    while page.locator(".sentences li").count() > len(sentences):
        page.locator(".sentences .remove").last.click()
    while page.locator(".sentences li").count() < len(sentences):
        page.get_by_role("button", name="Add a sentence").click()
    for number, sentence in enumerate(sentences, 1):
        box(page, number).fill(sentence)


def compare(page):
    page.get_by_role("button", name="Compare", exact=True).click()


def verdict(page):
    return page.locator(".verdict h2")


def panel(page):
    return page.locator(".panel:not([hidden])")


def wait_for(page, locator, text):
    locator.filter(has_text=text).first.wait_for()


def test_the_page_opens_with_an_answer(open_page):
    page = open_page()
    assert page.get_by_label("Word", exact=True).input_value() == "bank"
    assert "has two meanings here" in verdict(page).inner_text()
    assert page.locator(".meanings-card mark").all_inner_texts() == ["bank"] * 5
    assert panel(page).locator(".map td.heat").count() == 20
    assert page.locator(".how[open]").count() == 0


@pytest.mark.smoke
def test_typing_and_comparing(open_page):
    page = open_page()
    write(
        page,
        "bark",
        "The guard heard a bark.",
        "The redwood has thick bark.",
        "A puppy gave a bark.",
    )
    compare(page)
    wait_for(page, verdict(page), "“bark” has two meanings here")
    assert page.locator(".group li").count() == 3


@pytest.mark.nightly
def test_boxes_can_be_added_up_to_twelve_and_removed_down_to_two(open_page):
    page = open_page()
    write(page, "bank", *[f"The bank number {i}." for i in range(12)])
    assert not page.get_by_role("button", name="Add a sentence").is_visible()
    compare(page)
    wait_for(page, page.locator(".eyebrow"), "in 12 sentences")
    write(page, "bank", "One bank.", "Two bank.")
    assert page.locator(".remove:visible").count() == 0


def test_pasting_lines_spreads_them_over_boxes(open_page):
    page = open_page()
    write(page, "bank", "", "")
    box(page, 1).focus()
    page.evaluate("navigator.clipboard.writeText('One bank.\\nTwo bank.\\r\\n\\nThree bank.')")
    page.keyboard.press("Control+V")
    assert [box(page, n).input_value() for n in (1, 2, 3)] == [
        "One bank.",
        "Two bank.",
        "Three bank.",
    ]


def test_an_example_runs_on_click(open_page):
    page = open_page()
    example = next(e for e in EXAMPLES[1:] if e.is_one_word)
    page.get_by_role("button", name=example.title, exact=True).click()
    wait_for(page, page.locator(".meanings-card mark"), example.word)
    assert set(page.locator(".meanings-card mark").all_inner_texts()) == {example.word}
    assert box(page, 2).input_value() == example.sentences[1]


def test_an_error_is_shown_at_its_field_and_a_button_repairs_it(open_page):
    page = open_page()
    box(page, 2).fill("All bankers were closed.")
    compare(page)
    message = page.locator("#compare-sentence-2-note")
    wait_for(page, message, "Sentence 2 does not contain “bank”")
    assert box(page, 2).get_attribute("aria-invalid") == "true"
    assert box(page, 2).evaluate("box => box === document.activeElement")
    message.get_by_role("button", name="Use bankers").click()
    wait_for(page, page.locator(".meanings-card mark"), "bankers")
    assert box(page, 2).input_value() == "All [bankers] were closed."
    assert not message.is_visible()


@pytest.mark.nightly
def test_the_other_place_in_a_sentence_is_offered(open_page):
    page = open_page()
    box(page, 1).fill("The bank stood on the bank of the river.")
    compare(page)
    message = page.locator("#compare-sentence-1-note")
    wait_for(page, message, "“bank” occurs twice here: the 1st is compared.")
    message.get_by_role("button", name="Use the 2nd “bank”").click()
    page.wait_for_function(
        "wanted => [...document.querySelectorAll('.meanings-card li p')].some(use => use.innerHTML"
        " === wanted)",
        arg="The bank stood on the <mark>bank</mark> of the river.",
    )
    assert box(page, 1).input_value() == "The bank stood on the [bank] of the river."
    wait_for(page, message, "the 2nd is compared.")


REFUSED = (
    ("", ("One bank.", "Two bank."), "#compare-word-note", "Type a word"),
    ("bank", ("One bank.", "  "), "#compare-sentences-note", "Comparing takes 2 to 12 sentences"),
    ("bank", ("One bank.", "bank " * 500), "#compare-sentence-2-note", "the most is 2,000"),
    (
        "🙂",
        ("One bank.", "Two bank."),
        "#compare-sentence-1-note",
        "Sentence 1 does not contain “🙂”",
    ),
)


def test_unanswerable_requests_are_reported_at_the_field(open_page):
    page = open_page()
    for word, sentences, field, text in REFUSED:
        write(page, word, *sentences)
        compare(page)
        wait_for(page, page.locator(field), text)
        assert page.locator(".quiet h2").is_visible()
    write(page, "bank", "The bank lent cash.", "The river bank.")
    compare(page)
    wait_for(page, verdict(page), "has two meanings here")


def test_a_program_error_is_reported_in_plain_words(open_page):
    page = open_page()
    write(page, "crash", "One crash.", "Two crash.")
    compare(page)
    wait_for(page, page.locator("#compare-sentences-note"), "The program failed on this")
    wait_for(page, page.locator(".quiet h2"), "The program failed on this")
    assert "secret" not in page.locator("body").inner_text()
    write(page, "bank", "The bank lent cash.", "The river bank.")
    compare(page)
    wait_for(page, verdict(page), "has two meanings here")


def test_typed_markup_is_only_text(open_page):
    page = open_page()
    hostile = (
        "<img src=x onerror=alert(1)> ${alert(2)} {{value}} `bank` <script>alert(3)</script> $x$"
    )
    write(page, "bank", hostile, "<b>bank</b>")
    compare(page)
    wait_for(page, page.locator(".meanings-card li"), "onerror=alert(1)")
    assert (
        page.locator(
            ".answer img, .answer script, .answer .meanings-card li p:not(.sureness) b"
        ).count()
        == 0
    )
    write(page, "<img src=x onerror=alert(4)>", "a", "b")
    compare(page)
    page.locator(".note.error:visible").first.wait_for()
    assert page.locator(".editor img").count() == 0


def test_the_slider_changes_the_numbers(open_page):
    page = open_page()
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuetext") == "Layer 2"
    before = panel(page).inner_text()
    slider.press("Home")
    assert set(panel(page).locator(".map td").all_inner_texts()) <= {"", "1.00"}
    assert "reads the letters of the word only" in panel(page).inner_text()
    slider.press("ArrowRight")
    assert panel(page).inner_text() not in (before, "")
    page.get_by_role("button", name="Mean of layers").click()
    assert slider.get_attribute("aria-valuetext") == "Mean of layers"
    assert "Two random words: 0.10" in panel(page).inner_text()


@pytest.mark.smoke
def test_a_copied_link_restores_the_comparison(open_page):
    page = open_page()
    write(page, "bank", "Cash & 100% <bank>?", "We walked along the [shore].")
    page.get_by_label("Model", exact=True).select_option("fake-large")
    compare(page)
    wait_for(page, page.locator(".meta"), "Fake large")
    page.get_by_role("slider").press("Home")
    page.get_by_role("button", name="Copy link").click()
    wait_for(page, page.locator(".status-line"), "Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    restored = open_page(query=link.split("?", 1)[1])
    assert box(restored, 1).input_value() == "Cash & 100% <bank>?"
    assert (
        restored.get_by_role("slider").get_attribute("aria-valuetext") == "Layer 0: the word alone"
    )
    assert "Fake large" in restored.locator(".meta").inner_text()
    assert restored.locator(".meanings-card mark").all_inner_texts() == ["bank", "shore"]


@pytest.mark.nightly
def test_a_link_shows_its_own_sentences_before_the_answer_comes(open_page):
    page = open_page(
        query="word=bark&s=A+loud+bark.&s=The+bark+of+a+birch.", ready=".sentences textarea"
    )
    assert page.get_by_label("Word", exact=True).input_value() == "bark"
    assert [box(page, number).input_value() for number in (1, 2)] == [
        "A loud bark.",
        "The bark of a birch.",
    ]


def test_a_phone_has_the_answer_on_its_first_screen_and_the_form_behind_a_button(open_page):
    top = "() => document.querySelector('.answer h2').getBoundingClientRect().bottom"
    page = open_page(query="word=bark&s=A+loud+bark.&s=The+bark+of+a+birch.", width=390, height=844)
    page.wait_for_function(f"({top})() < 400")
    page = open_page(width=390, height=844)
    assert page.evaluate(top) < 600
    assert not page.get_by_label("Word", exact=True).is_visible()
    page.get_by_role("button", name="Your own word and sentences").click()
    assert page.get_by_label("Word", exact=True).is_visible()
    write(page, "bark", "A loud bark.", "The bark of a birch.")
    compare(page)
    wait_for(page, page.locator(".eyebrow"), "bark")


@pytest.mark.smoke
def test_one_vector_per_word_turns_into_two_blocks(open_page):
    page = open_page()
    page.get_by_role("button", name="One vector per word (word2vec)").click()
    assert set(panel(page).locator(".map td.heat").all_inner_texts()) == {"1.00"}
    assert not page.get_by_role("slider").is_visible()
    page.get_by_role("button", name="fake-small", exact=True).click()
    assert len(set(panel(page).locator(".map td.heat").all_inner_texts())) > 1
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "Layer 2"


@pytest.mark.nightly
def test_a_custom_mix_of_the_layers_follows_its_weights(open_page):
    page = open_page()
    shown = panel(page).locator(".map td.heat").all_inner_texts()
    page.get_by_role("button", name="my own mix").click()
    assert (
        panel(page).locator(".map td.heat").all_inner_texts() == shown
    )  # it begins with the top layer alone
    weights = panel(page).get_by_role("slider")
    weights.nth(2).fill("0")
    weights.nth(1).fill("100")
    first_layer = page.locator("[data-panel='1'] .map td.heat").all_text_contents()
    assert panel(page).locator(".map td.heat").all_inner_texts() == first_layer
    assert panel(page).locator("output").all_inner_texts() == ["0 %", "100 %", "0 %"]


@pytest.mark.nightly
def test_the_fold_of_the_numbers_stays_open_while_the_slider_moves(open_page):
    page = open_page()
    panel(page).get_by_text("Pairs and vector lengths").click()
    for key in ("ArrowLeft", "ArrowLeft", "End"):
        page.get_by_role("slider").press(key)
        assert panel(page).get_by_role("table", name="Vector lengths").is_visible()


def test_an_undone_edit_keeps_the_answer_current(open_page):
    page = open_page()
    word = page.get_by_label("Word", exact=True)
    word.press("End")
    word.type("x")
    page.locator(".answer .old-sign").wait_for()
    word.press("Backspace")
    page.locator(".answer .old-sign").wait_for(state="detached")


def test_a_wrong_answer_opens_own_meanings_with_the_entry_of_the_word(open_page):
    page = open_page()
    page.get_by_role("button", name="Give your own meanings").click()
    own = page.locator("#compare-own")
    assert own.input_value().startswith("bank\n  money, noun")
    assert own.evaluate("box => box === document.activeElement")


@pytest.mark.nightly
def test_the_csv_downloads(open_page):
    page = open_page()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert download.value.suggested_filename == "compare-bank.csv"
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 45  # five uses in eight views, and their probabilities
    assert rows[0]["meaning"] == "the money kind"
    assert rows[0]["sentence"] == EXAMPLES[0].sentences[0]


def test_a_model_is_added_compared_with_and_removed(open_page):
    page = open_page()
    page.get_by_role("button", name="Add a model to compare with").click()
    other = page.get_by_label("Model 2", exact=True)
    assert other.input_value() == "fake-large"  # one is not compared with itself
    assert other.locator("option[value=fake-small]").is_disabled()
    assert not page.get_by_role(
        "button", name="Add a model to compare with"
    ).is_visible()  # there are two
    compare(page)
    wait_for(page, verdict(page), "“fake-small” is right; “fake-large” does not say.")
    assert page.locator(".by-model h3").all_inner_texts()[1].startswith("fake-large")
    page.get_by_role("button", name="Copy link").click()
    wait_for(page, page.locator(".status-line"), "Link copied")
    restored = open_page(query=page.evaluate("navigator.clipboard.readText()").split("?", 1)[1])
    assert restored.get_by_label("Model 2", exact=True).input_value() == "fake-large"
    page.get_by_role("button", name="Remove model 2").click()
    compare(page)
    wait_for(page, verdict(page), "has two meanings here")
    assert page.locator(".by-model").count() == 0


@pytest.mark.nightly
def test_whole_sentences_need_no_word(open_page):
    page = open_page()
    page.get_by_label("Whole sentences, not a word in them").check()
    assert not page.get_by_label("Word", exact=True).is_visible()
    compare(page)
    wait_for(page, verdict(page), "are most alike")
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "Layer 1"
    page.get_by_role("slider").press("Home")
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "Layer 0: words alone"


@pytest.mark.nightly
def test_an_outdated_answer_is_marked(open_page):
    page = open_page()
    first = page.get_by_label("Sentence 1", exact=True)
    first.fill(first.input_value() + " Twice.")
    page.get_by_role("button", name="Compare again").click()
    page.locator(".answer .old-sign").wait_for(state="detached")

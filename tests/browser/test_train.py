"""The Train tab: on the fake service at every width, and once for real."""

from __future__ import annotations

import pytest

READY = ".train-answer h2"


@pytest.mark.smoke
def test_a_run_is_started_and_followed_to_its_end(open_page):
    page = open_page("tab=train", width=390, height=844, ready=READY)
    page.locator(".data h2").filter(has_text="400 texts").wait_for()
    page.locator("#train-name").fill("Run <b>1</b>")
    page.get_by_role("button", name="Start training").click()
    done = page.locator(".run.is-done").filter(has_text="Run <b>1</b>")  # another test's run may be shown before
    done.locator("h2").filter(has_text="gets 83").wait_for()
    assert "Always giving the most frequent label scores 50" in page.locator(".run .reasons").inner_text()
    assert page.locator(".runs").get_by_text("Run <b>1</b>").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Open it in Try").click()
    page.locator(".try-answer .task").first.wait_for()
    assert page.locator("#try-classification").input_value() == "fake-sentiment"


def test_what_a_person_opened_stays_open_while_it_trains(open_page):
    page = open_page("tab=train", ready=READY)
    page.locator("#train-name").fill("fold")
    page.get_by_role("button", name="Start training").click()
    summary = page.get_by_text("Every round in numbers")
    summary.click()
    page.locator(".run.is-done").wait_for()
    assert page.locator(".run details").evaluate("fold => fold.open")


def test_a_file_is_checked_and_its_columns_can_be_changed(open_page):
    page = open_page("tab=train", ready=READY)
    page.get_by_role("radio", name="My own file").check()
    page.locator(".quiet h2").filter(has_text="Choose a file").wait_for()
    rows = b"good\tFine <img src=x onerror=alert(1)>\nbad\tDull\n"
    page.locator("#train-file").set_input_files({"name": "<b>a</b>.tsv", "mimeType": "text/plain", "buffer": rows})
    page.locator("#train-text-column").wait_for()
    assert page.locator("#train-text-column").input_value() == "column 2"
    assert "Fine <img" in page.locator(".samples").inner_text()
    page.locator("#train-text-column").select_option("column 1")
    page.wait_for_function("document.querySelector('.train-editor').getAttribute('aria-busy') === null")
    assert page.locator("#train-text-column").input_value() == "column 1"
    broken = {"name": "b.tsv", "mimeType": "text/plain", "buffer": b"good\tFine\nno tab\n"}
    page.locator("#train-file").set_input_files(broken)
    page.locator(".data-problem pre").filter(has_text="b.tsv, line 2").wait_for()
    assert page.locator("#train-file").get_attribute("aria-invalid") == "true"


def test_examples_are_typed_a_line_each(open_page):
    page = open_page("tab=train", width=390, height=844, ready=READY)
    page.get_by_role("radio", name="Type them").check()
    page.get_by_role("button", name="Start training").click()
    page.locator("#train-typed-note").filter(has_text="Type some examples, one a line.").wait_for()
    page.locator("#typed-lines-1").fill("The queue was <b>long</b>.\n\nNobody answered the phone.")
    page.locator("#typed-lines-2").fill("They mended it at once.")
    page.locator("#typed-lines-2").blur()
    assert page.get_by_text("3 examples so far.").is_visible()
    page.wait_for_timeout(1500)  # what leaving the box asks is answered first: the form is drawn anew by it
    page.get_by_role("button", name="Start training").click()
    page.locator("#train-typed-note").filter(has_text="Give each label a name.").wait_for()
    page.locator("#typed-label-1").fill("complaint")
    page.locator("#typed-label-2").fill("praise")
    page.locator("#typed-label-2").blur()
    page.locator(".samples").filter(has_text="They mended it at once.").wait_for()
    assert "The queue was <b>long</b>." in page.locator(".samples").inner_text()
    assert page.locator(".data .eyebrow").inner_text().lower() == "my examples.jsonl"
    page.locator("#train-base").select_option("sample")
    page.get_by_role("button", name="Add a label").click()
    assert page.locator("#typed-label-3").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_sentences_with_names_are_typed_a_line_each(open_page):
    page = open_page("tab=train", width=390, height=844, ready=READY)
    page.get_by_role("radio", name="Names in a text").check()
    page.get_by_role("radio", name="Type them").check()
    page.get_by_role("button", name="Start training").click()
    page.locator("#train-typed-note").filter(has_text="Type some sentences, one a line.").wait_for()
    assert not page.locator("#typed-lines-1").is_visible()
    page.locator("#typed-sentences").fill("[Mara <b>Lind</b>](PER) left.\n\nNobody asked why.")
    page.locator("#typed-sentences").blur()
    page.locator(".samples").filter(has_text="[Mara <b>Lind</b>](PER) left.").wait_for()
    assert page.get_by_text("2 sentences so far.").is_visible()
    assert page.locator(".data .eyebrow").inner_text().lower() == "my sentences.marked"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_run_is_renamed_and_deleted(open_page):
    page = open_page("tab=train", ready=READY)
    page.locator("#train-name").fill("Tmp run")
    page.get_by_role("button", name="Start training").click()
    page.locator(".run.is-done").filter(has_text="Tmp run").wait_for()
    page.get_by_role("button", name="Rename").click()
    page.locator("#train-new-name").press("Escape")
    assert page.get_by_role("button", name="Rename").is_visible()
    page.get_by_role("button", name="Rename").click()
    page.locator("#train-new-name").fill("Kept <i>run</i>")
    page.locator("#train-new-name").press("Enter")
    page.locator(".run .eyebrow").filter(has_text="Kept <i>run</i>").wait_for()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("It cannot be brought back.").wait_for()
    page.locator(".run-asking").get_by_role("button", name="Delete").click()
    page.wait_for_function("!document.querySelector('.train-runs').textContent.includes('Kept')")


def test_a_wrong_answer_of_try_is_trained_on(open_page):
    page = open_page("tab=try", ready=".try-editor")
    page.locator("#try-text").fill("A good day.\nA dull one.")
    page.locator(".correct[data-text='A dull one.']").get_by_role("button", name="Keep as an example").click()
    page.get_by_role("button", name="Train with them").click()
    page.locator(".train-editor").wait_for()
    page.locator(".samples").filter(has_text="A dull one.").wait_for()
    assert page.locator("#typed-label-1").input_value() == "positive"
    assert page.locator("#typed-lines-1").input_value() == "A dull one."
    assert page.locator("#train-base").input_value() == "sample"


def test_wrong_names_of_try_are_put_right_and_trained_on(open_page):
    page = open_page("tab=try", ready=".try-editor")
    page.locator("#try-text").fill("Ada Marsh flew to Oslo.")
    box = page.locator(".correct[data-kind=tagging][data-text='Ada Marsh flew to Oslo.']")
    fold = page.locator("details").filter(has=box)
    fold.locator("summary").click()
    marked = box.locator("textarea").input_value()
    assert "](" in marked, marked
    box.locator("textarea").fill("[Ada Marsh](PER) flew to [Oslo](LOC).")
    box.get_by_role("button", name="Keep as an example").click()
    page.get_by_role("button", name="Train with them").click()
    page.locator(".train-editor").wait_for()
    page.locator(".samples").filter(has_text="[Ada Marsh](PER) flew to [Oslo](LOC).").wait_for()
    assert page.locator("#typed-sentences").input_value() == "[Ada Marsh](PER) flew to [Oslo](LOC)."
    assert page.get_by_role("radio", name="Names in a text").is_checked()


def test_a_wrong_number_is_said_at_its_field(open_page):
    page = open_page("tab=train", ready=READY)
    page.locator(".data h2").first.wait_for()
    page.get_by_label("Rounds").fill("0")
    page.get_by_role("button", name="Start training").click()
    page.locator("#train-note").filter(has_text="Rounds: type a whole number").wait_for()
    assert page.get_by_label("Rounds").get_attribute("aria-invalid") == "true"

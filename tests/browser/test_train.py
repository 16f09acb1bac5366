"""The Train tab on the fake service."""

import pytest

from tests.browser.test_accessibility import faults

READY = ".train-data .data h2"
#: The cells whose text breaks, such as 0.3 above 3.
TWO_LINES = """cells => cells.filter(cell => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return text.getClientRects().length > 1;
}).map(cell => cell.innerText)"""


def start(page, name):
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Start training").click()


def test_a_run_is_started_followed_to_its_end_and_deleted(open_page):
    page = open_page("tab=train", width=390, height=844, ready=READY)
    page.locator(".data h2").filter(has_text="400 texts").wait_for()
    start(page, "Run <b>1</b>")
    # another test's run may be shown before
    done = page.locator(".run.is-done").filter(has_text="Run <b>1</b>")
    done.locator("h2").filter(has_text="gets 83").wait_for()
    assert (
        "Always giving the most frequent label scores 50"
        in page.locator(".run .reasons").inner_text()
    )
    assert page.locator(".runs").get_by_text("Run <b>1</b>").is_visible()
    page.get_by_role("button", name="Open it in Try").wait_for()
    assert faults(page) == []
    page.locator(".run details").evaluate("fold => { fold.open = true; }")
    assert page.locator(".train-runs td.number:visible").evaluate_all(TWO_LINES) == []
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete it with its model and its data").click()
    page.wait_for_function(
        "!document.querySelector('.train-runs').textContent.includes('Run <b>1</b>')"
    )


@pytest.mark.nightly
def test_opened_parts_stay_open_during_training(open_page):
    page = open_page("tab=train", ready=READY)
    start(page, "fold")
    page.locator(".run").filter(has_text="fold").get_by_text("Every round in numbers").click()
    page.locator(".run.is-done").filter(has_text="fold").wait_for()
    assert page.locator(".run details").evaluate("fold => fold.open")


def test_a_file_is_checked_and_its_columns_can_be_changed(open_page):
    page = open_page("tab=train", ready=READY)
    page.get_by_role("radio", name="My own file").check()
    page.locator(".quiet h2").filter(has_text="Choose a file").wait_for()
    rows = b"good\tFine <img src=x onerror=alert(1)>\nbad\tDull\n"
    sent = {"name": "<b>a</b>.tsv", "mimeType": "text/plain", "buffer": rows}
    page.locator(".train input[type=file]").first.set_input_files(sent)
    page.get_by_label("Texts are in").wait_for()
    assert "Fine <img" in page.locator(".samples").inner_text()
    label = page.get_by_text("The first line names the columns")
    right = "box => box.getBoundingClientRect().right"
    assert label.evaluate(right) < page.locator(".train .column").first.evaluate(right)


@pytest.mark.nightly
def test_examples_are_counted_while_they_are_typed(open_page):
    page = open_page("tab=train", width=390, height=844, ready=READY)
    page.get_by_role("radio", name="My examples").check()
    box = page.get_by_label("Your examples, one a line")
    box.wait_for()
    # as pasted text, without a key
    box.fill("complaint: The queue was <b>long</b>.\npraise: They mended it at once.")
    page.get_by_text("2 examples so far.").wait_for()  # the box was not left
    page.locator(".samples").filter(has_text="They mended it at once.").wait_for()
    assert "The queue was <b>long</b>." in page.locator(".samples").inner_text()
    assert "file" not in page.locator(".train-data").first.inner_text().lower()
    box.fill("")


def test_a_wrong_answer_of_try_is_trained_on(open_page):
    page = open_page("tab=try&look=sentiment&t=A+good+day.", ready="#sentiment-answer")
    page.get_by_text("Not right? Correct the label").first.click()
    page.get_by_role("button", name="Keep as an example").first.click()
    page.get_by_text("kept. Train reads them.").first.wait_for()
    page.get_by_role("button", name="Train with them").first.click()
    page.locator(READY).wait_for()
    page.wait_for_function(
        "[...document.querySelectorAll('.train label')].some(l => l.textContent.includes('Add my"
        " examples'))"
    )
    assert page.get_by_label("Add my examples").is_checked()


@pytest.mark.nightly
def test_a_wrong_number_is_reported(open_page):
    page = open_page("tab=train", ready=READY)
    page.get_by_label("Rounds").fill("0")
    page.get_by_role("button", name="Start training").click()
    page.locator(".train .note").filter(has_text="Rounds: type a whole number").wait_for()

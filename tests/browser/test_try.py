"""What a person does in the Try tab."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest

from elmo_tasks.ui.try_examples import TRY_EXAMPLES
from tests.browser.test_look import CONTRAST

READY = ".try-answer .task"
SETTLED = "() => document.querySelector('.try-answer:not([aria-busy=true])')"
HOSTILE = "<img src=x onerror=alert(1)> ${alert(2)} {{value}} `Oslo` <script>alert(3)</script> $x$ good"
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def open_try(open_page):
    def open_one(look="both", text=None, **options):
        pairs = [("tab", "try")] if text is None else [("tab", "try"), ("look", look), ("t", text)]
        return open_page(query=urlencode(pairs), **{"ready": READY, **options})

    return open_one


def box(page):
    return page.get_by_label("Your text", exact=True)


def heading(page, task="feeling"):
    return page.locator(f"#{task}-answer")


def wait_for(locator, text):
    locator.filter(has_text=text).first.wait_for()


def count_questions(page):
    """Count what the form sends from now on."""
    page.evaluate(
        """() => {
            window.questions = [];
            const send = window.fetch;
            window.fetch = (...all) => {
                const body = all[1]?.body;
                if (typeof body === 'string' && body.includes('"tagging"') && String(all[0]).includes('/queue/join'))
                    window.questions.push(body);
                return send(...all);
            };
        }"""
    )


def test_a_link_opens_the_tab_and_it_answers(open_try):
    page = open_try()
    assert box(page).input_value() == "\n".join(TRY_EXAMPLES[0].lines)
    assert "Of 2 texts, 1 positive and 1 negative" in heading(page).inner_text()
    assert page.get_by_role("tab", name="Try").get_attribute("aria-selected") == "true"
    assert page.locator(".how[open]").count() == 0


def test_nothing_is_asked_before_the_tab_is_opened(open_page):
    page = open_page()
    assert page.locator(".try-editor").count() == 0
    page.get_by_role("tab", name="Try").click()
    page.locator(READY).first.wait_for()
    box(page).fill("Typed here.")
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("tab", name="Try").click()
    assert box(page).input_value() == "Typed here."


@pytest.mark.smoke
def test_the_answer_follows_the_typing_after_a_pause(open_try):
    page = open_try(look="feeling", text="It is good.")
    count_questions(page)
    box(page).press_sequentially(" but the end is bad and dull.", delay=30)
    assert page.locator(".try-answer.stale").count() == 1
    wait_for(heading(page), "Negative")
    assert len(page.evaluate("window.questions")) == 1
    assert page.locator(".try-answer.stale").count() == 0


def test_an_older_answer_never_replaces_a_newer_one(open_try):
    page = open_try(look="feeling", text="It is good.")
    count_questions(page)
    box(page).fill("It is good, but slowly.")
    page.wait_for_function("window.questions.length === 1")
    box(page).fill("It is bad.")
    page.wait_for_timeout(500)
    box(page).fill("It is bad and dull.")
    wait_for(heading(page), "Negative")
    page.wait_for_function(SETTLED)
    page.wait_for_timeout(1500)
    assert page.locator(".words").first.inner_text() == "It is bad and dull."
    assert "Negative" in heading(page).inner_text()
    assert len(page.evaluate("window.questions")) <= 3


def test_an_example_runs_on_click_and_shows_what_context_buys(open_try):
    page = open_try()
    page.get_by_role("button", name="Jordan", exact=True).click()
    wait_for(heading(page, "names"), "Found 1 person and 1 place")
    said = "Without context, the model reads “Jordan” as a place instead of a person (sentence 1)."
    assert page.locator(".try-answer .reasons").inner_text() == said
    assert page.locator(".text").first.locator(".entity").all_inner_texts() == [
        "Jordan PER 88\u00a0%",
        "Jordan LOC 61\u00a0%",
    ]
    assert page.get_by_role("radio", name="Names").is_checked()
    other = page.get_by_text("Other readings").first
    other.click()
    assert "“Jordan” as an organisation instead of a person" in page.locator(".readings").first.inner_text()
    assert heading(page).count() == 0


def test_a_word_says_what_happens_without_it(open_try):
    page = open_try(look="feeling", text="The food was not bad.")
    side = page.locator(".side").first
    side.locator(".word", has_text="not").hover()
    assert side.locator(".tip").inner_text() == "Without “not”: positive 20\u00a0% instead of 86\u00a0%."
    side.locator(".word").first.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert "Without “bad”" in side.locator(".tip").inner_text()
    page.keyboard.press("Home")
    assert "Without “The”: still positive" in side.locator(".tip").inner_text()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.side') === document.querySelectorAll('.side')[1]")
    page.locator(".try-answer").get_by_text("Show the numbers").click()
    assert re.search(r"not\s+▲ \+0.66", page.locator(".try-answer .more table").inner_text())


def test_the_other_model_can_be_chosen(open_try):
    page = open_try(look="names", text="The dog barked at Oslo.")
    assert not page.get_by_label("Model for feeling").is_visible()
    page.get_by_label("Model for names").select_option("fake-pos")
    wait_for(heading(page, "names"), "6 words, each with its tag")
    assert page.locator(".tagged li").all_inner_texts()[:2] == ["The\nDET", "dog\nNOUN"]
    assert page.locator(".without").count() == 0
    page.get_by_label("Model for names").select_option("fake-medical")
    wait_for(heading(page, "names"), "No names found")
    assert "not measured yet, trained here" in page.locator("#try-tagging-note").inner_text()


def test_an_empty_text_is_a_friendly_start(open_try):
    page = open_try()
    page.get_by_role("button", name="Clear").click()
    wait_for(page.locator(".try-answer .quiet h2"), "Type a sentence, or pick an example.")
    assert box(page).evaluate("box => box === document.activeElement")
    page.keyboard.type("It is good.")
    wait_for(heading(page), "Positive")


def test_what_cannot_be_answered_is_said_and_the_rest_stays(open_try):
    page = open_try(look="feeling", text="It is good.")
    box(page).fill("x" * 2001)
    wait_for(page.locator("#try-note"), "Text 1 is longer than 2000 characters.")
    assert "Positive" in heading(page).inner_text()
    page.locator(".try-answer.kept:not(.stale)").wait_for()
    assert box(page).get_attribute("aria-invalid") == "true"
    box(page).fill("It is bad.")
    wait_for(heading(page), "Negative")
    assert not page.locator("#try-note").is_visible()
    assert page.locator(".kept").count() == 0


def test_typed_markup_is_only_text(open_try):
    page = open_try(text=HOSTILE)
    assert page.locator(".words").first.inner_text().startswith("<img src=x onerror=alert(1)>")
    assert page.locator(".try-answer :is(img, script), .try-editor img").count() == 0


def test_letters_of_all_kinds(open_try):
    text = "هذا جيد good 🙂\n" + "Oslo" + "x" * 400 + "\n👩‍👩‍👧 Oslo"
    page = open_try(text=text)
    assert page.locator(".words").first.inner_text().startswith("هذا جيد good")
    assert page.locator(".words").first.evaluate("p => getComputedStyle(p).direction") == "rtl"
    assert page.locator(".entity").first.inner_text() == "Oslo LOC 97\u00a0%"
    assert page.evaluate(WIDE) <= 0


def test_the_files_download(open_try):
    page = open_try(look="feeling", text="=good()\nIt is bad.")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert download.value.suggested_filename == "sentiment.csv"
    with Path(download.value.path()).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["text"] == "'=good()"
    with page.expect_download() as download:
        page.get_by_role("link", name="Download JSON").click()
    data = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [result["label"] for result in data["results"]] == ["positive", "negative"]


def test_a_copied_link_restores_the_text(open_try, open_page):
    page = open_try(look="names", text="Oslo & 100% <Paris>?\nTwo.")
    page.get_by_role("button", name="Copy link").click()
    wait_for(page.locator(".try-editor .said"), "Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    restored = open_page(query=link.split("?", 1)[1], ready=READY)
    assert box(restored).input_value() == "Oslo & 100% <Paris>?\nTwo."
    assert heading(restored, "names").inner_text() == "Found 2 places"


def chosen_heads(page, kind):
    boxes = page.locator(f".field:has(> #try-{kind}) select")
    return boxes.evaluate_all("all => all.map((box) => box.value)")


def test_a_copied_link_carries_the_heads(open_try, open_page):
    page = open_try(text="Jordan scored in Oslo.")
    page.locator("#try-tagging").select_option("fake-pos")
    page.locator(".field:has(> #try-tagging) .add-model").click()
    page.locator(".field:has(> #try-tagging) .other-models select").select_option("fake-medical")
    page.wait_for_function(SETTLED)
    page.get_by_role("button", name="Copy link").click()
    wait_for(page.locator(".try-editor .said"), "Link copied")
    query = page.evaluate("navigator.clipboard.readText()").split("?", 1)[1]
    restored = open_page(query=query, ready=READY)
    assert chosen_heads(restored, "tagging") == ["fake-pos", "fake-medical"]
    assert parse_qs(query)["classification"] == ["fake-sentiment"]
    restored.wait_for_function(SETTLED)
    assert "Parts of speech (fake)" in restored.locator(".try-answer").inner_text()


def test_heads_of_a_link_that_are_not_here_are_ignored(open_page):
    heads = [("tagging", "gone"), ("tagging", "fake-medical"), ("tagging", "fake-medical"), ("classification", "gone")]
    query = urlencode([("tab", "try"), ("look", "both"), ("t", "Oslo."), *heads])
    page = open_page(query=query, ready=READY)
    assert chosen_heads(page, "tagging") == ["fake-medical"]
    assert chosen_heads(page, "classification") == ["fake-sentiment"]
    page.locator("#try-tagging").select_option("fake-ner")  # what a person chooses stays
    page.wait_for_function(SETTLED)
    box(page).fill("Lima.")
    page.wait_for_timeout(600)
    page.wait_for_function(SETTLED)
    assert chosen_heads(page, "tagging") == ["fake-ner"]


def test_the_page_does_not_scroll_sideways(open_try):
    page = open_try(text="Oslo is good " + "x" * 300 + "\nJordan scored.", height=844)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    for width in (1440, 820, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(WIDE) <= 0, width
        inside = page.evaluate(
            """() => [...document.querySelectorAll('.card, .field, .side, .words, .actions, .chips')]
                .filter(part => part.getBoundingClientRect().right > innerWidth + 1).map(part => part.className)"""
        )
        assert inside == [], width


def test_a_phone_is_taken_to_the_answer(open_try):
    page = open_try(width=390, height=844)
    page.get_by_role("button", name="Jordan", exact=True).click()
    wait_for(heading(page, "names"), "Found")
    page.wait_for_function("document.querySelector('.try-answer').getBoundingClientRect().top < innerHeight / 2")
    assert (
        page.locator(".side")
        .nth(1)
        .evaluate(
            "side => side.getBoundingClientRect().top > side.previousElementSibling.getBoundingClientRect().bottom"
        )
    )


@pytest.mark.parametrize("dark", [False, True])
def test_all_text_has_enough_contrast(open_try, dark):
    lines = [line for example in TRY_EXAMPLES for line in example.lines][
        :9
    ]  # as many as one question may hold, with the next
    page = open_try(text="\n".join([*lines, "bad bad bad lovely not lovely"]), dark=dark)
    assert page.evaluate("document.body.classList.contains('dark')") is dark
    for head in ("fake-ner", "fake-medical", "fake-pos"):
        page.get_by_label("Model for names").select_option(head)
        page.wait_for_function(SETTLED)
        page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        assert page.evaluate(CONTRAST) == [], head
    box(page).fill("x" * 2001)
    page.locator("#try-note").wait_for()
    assert page.evaluate(CONTRAST) == []


def test_everything_works_from_the_keyboard(open_try):
    page = open_try(look="feeling", text="It is good.")
    box(page).focus()
    assert box(page).evaluate("box => getComputedStyle(box).outlineStyle") == "solid"
    for name in ("Clear", "Copy link"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == name
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("radio", name="Names").is_checked()
    wait_for(heading(page, "names"), "No names found")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "try-tagging"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Add a model to compare with"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    title = page.evaluate("document.activeElement.textContent")
    (example,) = (example for example in TRY_EXAMPLES if example.title == title)
    page.keyboard.press("Enter")
    page.wait_for_function("lines => document.querySelector('#try-text').value === lines", arg="\n".join(example.lines))


def test_a_lost_question_does_not_stop_the_form(open_try):
    page = open_try(look="feeling", text="It is good.", alone=True)
    page.clock.install()
    page.route("**/queue/join*", lambda route: None)
    with page.expect_request("**/queue/join*"):
        box(page).fill("It is lovely.")
    page.clock.fast_forward(61_000)
    wait_for(page.locator("#try-note"), "No answer has come for a minute")
    page.unroute("**/queue/join*")
    box(page).fill("It is bad.")
    wait_for(heading(page), "Negative")
    assert not page.locator("#try-note").is_visible()


def test_what_was_opened_stays_open_while_typing(open_try):
    page = open_try(look="names", text="Oslo.\nNairobi.")
    page.get_by_text("Other readings").nth(2).click()
    page.get_by_text("All names in a table").click()
    box(page).fill("Oslo.\nNairobi and Lisbon.")
    wait_for(heading(page, "names"), "3 places")
    opened = page.locator(".try-answer .more").filter(has_not=page.locator(".correct"))
    assert opened.evaluate_all("all => all.map(part => part.open)") == [False, False, True, False, False]


def test_a_fault_at_the_first_question_is_not_waited_for(open_try):
    page = open_try(text="crash", ready="#try-note:not([hidden])")
    wait_for(page.locator("#try-note"), "The program failed on this")
    assert "secret" not in page.locator("body").inner_text()
    assert page.locator(".try-answer .quiet").inner_text() == "No answer yet."
    box(page).fill("It is bad.")
    wait_for(heading(page), "Negative")

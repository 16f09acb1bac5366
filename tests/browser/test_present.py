"""User actions of a speaker in the Present tab."""

from __future__ import annotations

import re

import pytest

from elmo_tasks.ui.present_tab import FORMINGS
from tests.ui.fake_present import READY as READY_SENTENCES

READY = ".present .forming"


@pytest.fixture
def present(open_page):
    def open_one(step=1, **options):
        return open_page(query=f"tab=present&step={step}", ready=".present .stage", **options)

    return open_one


def answered(page):
    page.wait_for_function("!document.querySelector('.present [aria-busy]')")
    return page


def shown(page):
    return page.locator(".step:not([hidden])")


def number(page):
    return int(shown(page).get_attribute("data-step"))


def end_of_reading(page):
    """The findings after both sentences were read to the end."""
    return shown(page).locator("[data-end]")


def next_(page):
    return page.locator("[data-go=next]")


@pytest.mark.nightly
def test_the_keys_of_a_remote_go_through_all_steps(present):
    page = answered(present())
    seen = [number(page)]
    for _ in range(60):
        page.wait_for_function("document.querySelector('[data-go=next]').textContent !== '…'")
        if next_(page).is_disabled():
            break
        page.keyboard.press("PageDown")
        if number(page) != seen[-1]:
            seen.append(number(page))
    assert seen == list(range(1, 10))
    page.keyboard.press("PageUp")
    assert number(page) == 8


def test_a_phone_is_told_of_buttons_not_of_keys(present):
    page = present(1)
    assert page.locator(".keys").is_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert not page.locator(".keys").is_visible()
    assert page.get_by_text("with the buttons below").is_visible()


def test_arrows_home_and_end_change_the_step_but_not_in_a_box(present):
    page = answered(present(1))
    page.keyboard.press("ArrowRight")
    assert number(page) == 2
    page.keyboard.press("ArrowLeft")
    assert number(page) == 1
    page.keyboard.press("End")
    assert number(page) == 9
    page.keyboard.press("Home")
    assert number(page) == 1
    box = page.get_by_label("Your word", exact=True).get_by_role("textbox")
    box.fill("bank")
    box.press("ArrowRight")
    assert number(page) == 1
    box.fill("")
    box.press("ArrowRight")
    assert number(page) == 2  # an empty one needs no arrows


@pytest.mark.nightly
def test_a_remote_works_wherever_the_focus_is(present):
    page = answered(present(6))
    page.get_by_label("Sentences that use it").press("PageDown")
    assert number(page) == 7
    page.get_by_label("Go to step").select_option("2")
    page.keyboard.press("ArrowRight")
    assert number(page) == 2  # it reveals first
    page.keyboard.press("ArrowRight")
    assert number(page) == 3


def test_on_a_phone_the_way_on_is_in_sight_on_every_step(present):
    page = answered(present(width=390, height=844))
    hidden = []
    for step in range(1, 10):
        page.get_by_label("Go to step").select_option(str(step))
        answered(page)
        page.evaluate("scrollTo(0, 0)")
        box = next_(page).bounding_box()
        if box["y"] + box["height"] > 844 or box["x"] + box["width"] > 390:
            hidden.append(step)
    assert hidden == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.nightly
def test_a_reload_keeps_the_step(present):
    page = answered(present(4))
    page.keyboard.press("End")
    page.reload()
    page.locator(".present").wait_for()
    assert number(page) == 9
    assert "step=9" in page.url


@pytest.mark.nightly
def test_leaving_the_tab_leaves_the_address(present):
    page = answered(present(3))
    page.get_by_role("tab", name="Compare").click()
    page.wait_for_function("!location.search.includes('present')")
    page.get_by_role("tab", name="Present").click()
    page.wait_for_function("location.search.includes('tab=present&step=3')")
    page.get_by_role("tab", name="Compare").click()
    page.keyboard.press("PageDown")
    page.get_by_role("tab", name="Present").click()
    assert number(page) == 3


@pytest.mark.smoke
def test_the_audience_sorts_before_the_model(present):
    page = answered(present(3))
    for row, pick in enumerate("ABABB", 1):
        page.get_by_role("button", name=f"{pick}, sentence {row}", exact=True).click()
    assert not shown(page).get_by_text("the water kind").is_visible()
    next_(page).click()
    assert "has two meanings here" in shown(page).locator("h3").inner_text()
    assert "agree on 4 of 5" in shown(page).inner_text()
    page.get_by_role("button", name="spring", exact=True).locator("visible=true").click()
    shown(page).get_by_text("Flowers bloom").first.wait_for()
    assert next_(page).inner_text() == "Reveal"


def test_a_meaning_turns_at_the_word_that_decides(present):
    pair = FORMINGS[0]
    page = answered(present(4))
    findings = shown(page).locator("[data-finding]")
    assert findings.all_inner_texts() == ["cannot tell"] * 2
    one, other = pair.deciding
    assert not end_of_reading(page).is_visible()
    slider = page.get_by_role("slider")
    movers = shown(page).locator(".mover")
    places = "movers => movers.map(mover => mover.style.left)"
    while one not in (
        words := [
            w.inner_text().strip(".") for w in page.locator("[data-word]").all() if w.is_visible()
        ]
    ):
        assert len(set(movers.evaluate_all(places))) == 1
        slider.press("ArrowRight")
    assert words[-1] == other
    assert findings.all_inner_texts() == [f"“{sense}”" for sense in pair.senses]
    assert len(set(movers.evaluate_all(places))) == 2
    slider.press("End")
    end_of_reading(page).filter(has_text=f"In the end 1 means “{pair.senses[0]}”").wait_for()


@pytest.mark.nightly
def test_play_runs_to_the_end_and_next_skips_to_it(present):
    page = answered(present(4))
    assert next_(page).inner_text() == "Play"
    next_(page).click()
    page.wait_for_function("document.querySelector('#present-words').value > 0")
    next_(page).click()
    end_of_reading(page).filter(has_text=f"In the end 1 means “{FORMINGS[0].senses[0]}”").wait_for()
    assert next_(page).inner_text() == "Next →"
    page.get_by_role("button", name=FORMINGS[1].title, exact=True).click()
    # The word that decides may be the name of the meaning, too.
    shown(page).get_by_text(FORMINGS[1].deciding[1], exact=True).first.wait_for(state="attached")
    page.get_by_role("button", name="Play", exact=True).first.click()
    end_of_reading(page).filter(has_text=f"In the end 1 means “{FORMINGS[1].senses[0]}”").wait_for(
        timeout=20_000
    )


@pytest.mark.nightly
def test_the_layers_go_up_with_next(present):
    page = answered(present(5))
    table = shown(page).locator("[data-layer]:not([hidden]) .heat")
    assert set(table.all_inner_texts()) == {"1.00"}
    page.keyboard.press("ArrowRight")
    assert shown(page).locator("output").inner_text() == "Layer 1"
    assert set(table.all_inner_texts()) != {"1.00"}
    page.get_by_role("slider").press("End")
    assert shown(page).locator("output").inner_text() == "Mean of layers"
    assert next_(page).inner_text() == "Next →"


@pytest.mark.nightly
def test_the_own_word_opens_from_any_step_and_comes_back(present):
    page = answered(present(3))
    box = page.get_by_label("Your word", exact=True).get_by_role("textbox")
    box.fill("bank")
    box.press("Enter")
    shown(page).get_by_role("link", name="Open in Compare").wait_for()
    assert number(page) == 6
    ready = [sentence for sentence, _ in READY_SENTENCES["bank"]]
    assert page.get_by_label("Sentences that use it").input_value().splitlines() == ready
    assert len(ready) > 1
    page.get_by_role("button", name="Back to step 3").click()
    assert number(page) == 3


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_the_bar_stays_at_one_place_in_all_steps(present, width, height):
    page = answered(present(width=width, height=height))
    places = set()
    for step in range(1, 10):
        page.get_by_label("Go to step").select_option(str(step))
        answered(page)
        page.evaluate("scrollTo(0, 0)")
        places.add(round(page.locator(".stage .bar").bounding_box()["y"]))
    assert len(places) == 1


# Distance of the end of an answer below the edge of the bar, after scrolling has ended.
BELOW_BAR = """async (selector) => {
    const top = () => document.querySelector(selector).getBoundingClientRect().top;
    for (let was = NaN; was !== top(); await new Promise((done) => setTimeout(done, 150))) was = top();
    const bar = document.querySelector('.bar').getBoundingClientRect();
    return document.querySelector(selector).getBoundingClientRect().bottom - bar.top;
}"""


@pytest.mark.nightly
def test_an_answer_does_not_end_below_the_bar(present):
    page = answered(present(7, width=1366, height=640))
    page.locator("form.landing [data-sentence]").first.click()
    page.locator(".mark.lit").first.wait_for(state="attached")
    page.wait_for_timeout(500)
    assert page.evaluate(BELOW_BAR, ".landed > li") <= 0
    assert page.locator(".sense-map").bounding_box()["y"] >= 0  # beside the map, which stays
    page.get_by_label("Go to step").select_option("6")
    assert page.locator(".present").bounding_box()["y"] >= -1  # from its head
    page.locator("#present-own-word").fill("bank")
    # what fits above the bar
    page.get_by_label("Sentences that use it").fill(
        "\n".join(f"The bank of river {k}." for k in range(8))
    )
    page.locator(".own .primary").click()
    page.get_by_role("link", name="Open in Compare").wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate(BELOW_BAR, "[data-part=own] > :last-child") <= 0
    assert shown(page).get_by_text("[Brackets] mark the word").is_visible()


def test_an_own_word_with_own_sentences(present):
    page = answered(present(6))
    page.locator("#present-own-word").fill("house")
    page.locator(".own .primary").click()
    note = page.locator("#present-own-note")
    note.filter(has_text="Type at least two sentences").wait_for()
    assert page.evaluate("document.activeElement.id") == "present-own-sentences"
    page.keyboard.type("The house by the river.\nA <b>house</b> of savings and ${1+1} {{value}}.")
    page.locator(".own .primary").click()
    shown(page).get_by_text("A <b>house</b> of savings and ${1+1} {{value}}.").last.wait_for()
    assert not note.is_visible()
    link = page.get_by_role("link", name="Open in Compare").get_attribute("href")
    assert link.startswith("?word=house&s=The+house")


@pytest.mark.nightly
def test_a_program_error_is_reported(present):
    page = answered(present(6))
    page.locator("#present-own-word").fill("crash")
    page.get_by_label("Sentences that use it").fill("A crash.\nOne crash.")
    page.locator(".own .primary").click()
    page.locator("#present-own-note").filter(has_text="The program failed on this").wait_for()
    assert "secret" not in page.content()
    page.locator("#present-own-word").fill("bank")
    page.get_by_label("Sentences that use it").fill("")
    page.locator(".own .primary").click()
    shown(page).get_by_role("link", name="Open in Compare").wait_for()


@pytest.mark.nightly
def test_full_screen_shows_the_stage_without_the_notes(present):
    page = answered(present(1, height=720))
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("document.fullscreenElement?.classList.contains('stage')")
    page.keyboard.press("PageDown")
    assert number(page) == 2
    page.get_by_role("button", name="Leave full screen").click()
    page.wait_for_function("!document.fullscreenElement")


@pytest.mark.nightly
def test_the_notes_follow_the_step(present):
    page = answered(present(1))
    page.get_by_text("Speaker notes").click()
    assert "four stages" in page.locator(".notes p:visible").inner_text()
    page.get_by_label("Go to step").select_option("3")
    notes, headline = page.locator(".notes p:visible").all_inner_texts()
    assert "then reveal" in notes
    assert headline.startswith("On the screen: “bank” has two meanings here")
    assert re.match("Step 3 of 9", page.locator(".stage .unseen").inner_text())


def press(page, title):
    page.locator("[data-go=next]").filter(has_text=title).click()


def test_in_the_quiz_hands_are_counted_against_the_model(open_page):
    page = open_page("tab=present&step=9", ready=".quiz .uses.two")
    page.locator(".quiz .choice").filter(has_text="Different").click()
    press(page, "Reveal")
    page.locator(".quiz .score").filter(has_text="Of 1 pair so far the room is right in").wait_for()
    press(page, "Next pair")
    page.locator(".quiz [data-part=pair]").filter(has_text="Pair 2 of 10").wait_for()
    assert page.locator('.quiz .choice[aria-pressed="true"]').count() == 0
    assert page.locator(".quiz .score").count() == 0
    press(page, "Reveal")
    page.locator(".quiz .score").filter(
        has_text="Of 1 pair so far"
    ).wait_for()  # the room did not vote on the second

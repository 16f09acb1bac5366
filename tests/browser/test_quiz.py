"""The room against the model: with hands, with phones, and the presenter's second window."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
QUIZ = "tab=present&step=10"
READY = ".quiz .uses.two"


def press(page, title):
    page.locator("[data-go=next]").filter(has_text=title).click()


def test_hands_are_counted_against_the_model(open_page):
    page = open_page(QUIZ, ready=READY)
    page.locator(".quiz .choice").filter(has_text="Different").click()
    press(page, "Reveal")
    page.locator(".quiz .score").filter(has_text="Of 1 pair so far the room is right in").wait_for()
    press(page, "Next pair")
    page.locator(".quiz [data-quiz=pair]").filter(has_text="Pair 2 of 10").wait_for()
    assert page.locator('.quiz .choice[aria-pressed="true"]').count() == 0
    assert page.locator(".quiz .score").count() == 0


def test_phones_vote_and_see_what_was_meant(open_page):
    page = open_page(QUIZ, ready=READY)
    host = page.evaluate("location.origin")
    page.get_by_role("button", name="Let phones vote").click()
    # The tests' app is reached by this computer only, which is what it says; the phone's page is there all the same.
    page.locator(".quiz-room .note").filter(has_text="--host 0.0.0.0").wait_for()
    code = page.evaluate(
        "new Promise((done) => setTimeout(() => done(document.querySelector('.quiz').dataset.room), 0))"
    )
    phone = open_page(url=f"{host}/vote", query=f"room={code}", ready="#pair li", width=390, alone=True)
    phone.get_by_role("button", name="Different").click()
    phone.locator('button[aria-pressed="true"]').wait_for()
    page.locator(".people").filter(has_text="1 person has voted, 1 on this pair").wait_for()
    assert page.locator(".quiz .votes").first.inner_text() == ""  # nobody is led
    press(page, "Reveal")
    page.locator(".quiz-lines").filter(has_text="1 of 1 votes").wait_for()
    phone.locator(".told").filter(has_text="The model:").wait_for()
    assert phone.locator("button:disabled").count() == 2
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="End the vote").click()
    phone.locator("h1").filter(has_text="This vote is over").wait_for()


def test_the_second_window_goes_with_the_first(open_page):
    page = open_page("tab=present&step=2", ready=".present .stage")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Presenter’s window").click()
    second = opened.value
    second.locator("h1").filter(has_text="2. From counting words").wait_for()
    assert "Go through the four stages" in second.locator(".notes").inner_text()
    second.keyboard.press("PageDown")
    second.locator("h1").filter(has_text="3. One word, one vector").wait_for()
    assert page.locator(".step:not([hidden])").get_attribute("data-step") == "3"
    page.keyboard.press("PageUp")
    second.locator("h1").filter(has_text="2. ").wait_for()
    assert second.locator(".next").inner_text().startswith("Then: One word, one vector")
    second.reload()
    page.keyboard.press("PageDown")
    second.locator("h1").filter(has_text="3. ").wait_for()
    assert page.locator(".step:not([hidden])").get_attribute("data-step") == "3"
    page.close()
    assert second.is_closed() or second.wait_for_event("close") is not None


def test_a_page_that_is_loaded_again_goes_on_with_its_vote(open_page):
    page = open_page("tab=present&step=10", ready=".quiz .uses.two")
    page.get_by_role("button", name="Let phones vote").click()
    page.locator(".quiz .address").filter(has_text="room=").or_(
        page.locator(".quiz-room .note:visible")
    ).first.wait_for()
    room = page.locator(".quiz").get_attribute("data-room")
    with page.expect_popup() as opened:  # has what this window kept, as the same window would after a reload
        page.evaluate("() => { window.open(location.href); }")
    again = opened.value
    again.locator(f'.quiz[data-room="{room}"]').wait_for()
    again.get_by_role("button", name="End the vote").click()
    again.get_by_role("button", name="Let phones vote").wait_for()
    assert again.evaluate("sessionStorage.getItem('elmo-vote')") is None


def reload_between_looks(page):
    """The page looks at an open vote again and again; gradio complains of a question that a reload cuts off."""
    with page.expect_response(lambda response: "queue/join" in response.url):
        pass
    page.wait_for_timeout(600)  # answered by then, and the next look is as far away again
    page.reload()


def test_place_score_and_hint_outlive_a_reload(open_page):
    page = open_page(QUIZ, ready=READY)
    hint = page.locator(".quiz-room .note").filter(has_text="--host 0.0.0.0")
    page.get_by_role("button", name="Let phones vote").click()
    hint.wait_for()
    page.wait_for_timeout(3000)  # two looks at the vote
    assert hint.is_visible()
    for _ in range(2):
        page.locator(".quiz .choice").filter(has_text="Different").click()
        press(page, "Reveal")
        page.locator(".quiz .score").wait_for()
        if page.locator("[data-quiz=pair]").filter(has_text="Pair 1 of").count():
            press(page, "Next pair")
            page.locator("[data-quiz=pair]").filter(has_text="Pair 2 of").wait_for()
    score = page.locator(".quiz .score").inner_text()
    assert "Of 2 pairs so far the room is right in" in score
    room = page.locator(".quiz").get_attribute("data-room")
    reload_between_looks(page)
    page.locator(".quiz .score").wait_for()
    assert page.locator("[data-quiz=pair]").filter(has_text="Pair 2 of").is_visible()
    assert page.locator(".quiz .score").inner_text() == score
    assert "The room:" in page.locator(".quiz-lines").inner_text()
    assert page.locator(".quiz").get_attribute("data-room") == room
    assert hint.is_visible()
    press(page, "Next pair")
    page.locator("[data-quiz=pair]").filter(has_text="Pair 3 of").wait_for()
    reload_between_looks(page)
    page.locator("[data-quiz=pair]").filter(has_text="Pair 3 of").wait_for()
    press(page, "Reveal")
    page.locator(".quiz .score").filter(has_text="Of 2 pairs so far").wait_for()  # of three the room said nothing
    page.get_by_role("button", name="End the vote").click()
    hint.wait_for(state="hidden")


def test_without_a_code_the_phone_is_told_where_it_is(open_page):
    phone = open_page("tab=vote", ready=".told:visible", width=390)
    assert phone.locator("h1").inner_text() == "Which vote?"
    assert "Scan the square" in phone.locator(".told").inner_text()
    assert "over" not in phone.locator("main").inner_text()

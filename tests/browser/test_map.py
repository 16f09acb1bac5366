"""User actions in the Sense map and Nearest uses tabs."""

from __future__ import annotations

import json

import pytest

from tests.browser.test_accessibility import faults

MAP = ".map-answer .verdict h2"
NEAR = ".near-answer .verdict h2"
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def open_map(open_page):
    return lambda **options: open_page(query="tab=map", ready=MAP, **options)


def submit(page, name):
    page.get_by_role("button", name=name).click()


def box(page, label=""):
    """Return a gradio field, whose label includes a hint; the field of the word has no label."""
    field = page.get_by_label(label) if label else page.locator(".one-word textarea")
    return field.locator("visible=true")


def choose(page, label, option):
    """Choose an option of one of gradio's lists."""
    box(page, label).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_a_mark_shows_its_sentence_by_mouse_and_by_key(open_map):
    page = open_map()
    assert "7 uses of “bank” in 2 meanings" in page.locator(MAP).inner_text()
    page.locator(".mark").nth(3).hover()
    assert (
        page.locator(".readout .this")
        .inner_text()
        .strip()
        .endswith("Reeds grew on the bank of the stream.")
    )
    assert page.locator(".readout .near li").count() == 5
    assert page.locator(".ties line").count() == 5
    page.locator(".mark").first.focus()
    before = page.locator(".readout .this").inner_text()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".readout .this").inner_text() != before
    assert page.locator(".mark[aria-pressed=true]").count() == 1


@pytest.mark.nightly
def test_a_typical_use_is_shown_at_once_where_there_is_room(open_map):
    page = open_map()
    rows = page.locator("tr[data-row]")
    sums = [
        sum(cosine for _, cosine, _ in json.loads(row.get_attribute("data-near"))[:5])
        for row in rows.all()
    ]
    typical = rows.nth(sums.index(max(sums))).locator("> *").nth(1)
    assert (
        page.locator(".readout .readout-sentence").first.inner_text().strip()
        == typical.inner_text().strip()
    )
    assert page.locator(".mark[aria-pressed=true]").count() == 0  # shown, not chosen
    phone = open_map(**PHONE)
    assert phone.locator(".readout").is_hidden()
    phone.locator(".mark").first.click()
    assert phone.locator(".readout .this").is_visible()


@pytest.mark.smoke
def test_uses_of_an_own_text_are_stars(open_map):
    page = open_map()
    page.get_by_text("Your own text", exact=True).click()
    box(page, "Text with the word in it").fill(
        "My bank is here.\nNo such bank <img src=x onerror=alert(1)> {{1+1}}."
    )
    # An own text counts alone until the examples are requested.
    submit(page, "Draw the map")
    page.get_by_text("2 uses of “bank”").first.wait_for()
    assert page.locator(".mark .own").count() == page.locator(".mark").count() == 2
    page.get_by_label("Draw the examples of the dictionary, too").check()
    submit(page, "Draw the map")
    page.locator(".mark").nth(8).wait_for()
    assert page.locator(".mark .own").count() == 2
    page.locator(".mark").nth(8).click()
    assert "<img src=x onerror=alert(1)> {{1+1}}" in page.locator(".readout .this").inner_text()


def test_a_file_is_opened_and_a_too_large_one_is_refused(open_map, tmp_path):
    page = open_map()
    page.get_by_text("Your own text", exact=True).click()

    def open_file(content):
        (tmp_path / "<b>.txt").write_text(content, encoding="utf-8")
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Open a file").click()
        chooser.value.set_files(str(tmp_path / "<b>.txt"))

    open_file("The bank of my file.\nAnother bank.")
    page.get_by_text("<b>.txt").wait_for()
    submit(page, "Draw the map")
    page.get_by_text("2 uses of “bank”").first.wait_for()
    open_file("a" * 2_000_001)
    page.get_by_text("the most is 2 MB").wait_for()
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("the most is 2 MB").wait_for(state="detached")
    assert box(page, "Text with the word in it").input_value() == ""


@pytest.mark.nightly
def test_the_uses_of_an_index_are_drawn_unless_left_out(open_map):
    page = open_map()
    box(page).fill("spring")
    box(page).press("Enter")
    page.get_by_text("1 use of “spring”").first.wait_for()
    assert page.locator(".mark .own").count() == 1
    page.get_by_label("Draw its uses in my index “my letters”, too").uncheck()
    page.locator(".map-answer h2").get_by_text("“spring” is not in the dictionary").wait_for()
    choose(page, "Or one of the 2 words with several meanings", "muddle")
    page.get_by_text("8 uses of “muddle”").first.wait_for()


@pytest.mark.nightly
def test_two_texts_are_compared_and_coloured_by_source(open_map):
    page = open_map()
    page.get_by_text("Your own text", exact=True).click()
    box(page, "Text with the word in it").fill("My bank lent money.")
    box(page, "Text B, if you want to compare two").fill("The river has a bank.")
    submit(page, "Draw the map")
    page.get_by_text("The two texts compared").wait_for()
    fill = "getComputedStyle(document.querySelector('.mark.s1 .shape')).fill"
    before = page.evaluate(fill)
    page.get_by_label("Colour by source").check()
    assert page.locator(".map-answer.sources").count() == 1
    page.wait_for_function(
        f"{fill} !== {before!r} || document.querySelector('.mark.s1.g1') !== null"
    )
    assert faults(page) == []


@pytest.mark.nightly
def test_each_model_offers_its_own_views(open_map, open_page):
    page = open_map()
    choose(page, "Model", "Fake large (for tests)")
    page.get_by_text("Read by Fake large").wait_for()
    choose(page, "Compare the uses by", "Layer 3")
    page.get_by_text("compared by layer 3").wait_for()
    linked = open_page(query="tab=map&word=bank&model=fake-large&view=3", ready=MAP)
    assert linked.get_by_text("compared by layer 3").is_visible()
    assert box(linked, "Compare the uses by").input_value() == "Layer 3"
    choose(page, "Model", "Fake small (for tests)")
    page.get_by_text("compared by meaning features").wait_for()


@pytest.mark.smoke
def test_the_nearest_uses_follow_the_filter(open_page):
    page = open_page(query="tab=nearest&word=bank&s=The+bank+was+shut.", ready=NEAR)
    assert page.locator(".hits .other").count() == 1
    page.get_by_role("radio", name="Other words").check()
    page.locator(".hits:not(.words) li").nth(1).wait_for(state="detached")
    assert page.locator(".hits:not(.words) mark").inner_text() == "shore"
    choose(page, "Look through", "your index “my letters”")
    page.locator(".near-answer .meta").get_by_text("your index “my letters”").wait_for()
    box(page, "A sentence with it").fill("No such word.")
    box(page, "A sentence with it").press("Enter")
    page.locator(".near-answer h2").get_by_text("does not contain “bank”").wait_for()


def test_the_uses_in_one_meaning(open_page):
    page = open_page(query="tab=nearest&word=bank&s=The+bank+was+shut.", ready=NEAR)
    choose(page, "Only in the meaning", "river")
    page.locator(".hits .kind", has_text="money").first.wait_for(state="detached")
    assert set(page.locator(".hits:not(.words) .kind").all_inner_texts()) == {"river"}
    word = page.get_by_role("textbox", name="Word", exact=True)
    word.fill("shore")  # a meaning is one of the word
    box(page, "A sentence with it").fill("The shore was quiet.")
    box(page, "A sentence with it").press("Enter")
    page.locator(".near-answer .eyebrow").get_by_text("“shore”").wait_for()
    assert "meaning=" not in page.locator(".near-answer").inner_html()
    again = open_page("tab=nearest&word=bank&s=The+bank+was+shut.&meaning=river", ready=NEAR)
    assert set(again.locator(".hits:not(.words) .kind").all_inner_texts()) == {"river"}


@pytest.mark.nightly
def test_a_button_fills_in_a_related_word(open_page):
    page = open_page(query="tab=nearest&word=bank&s=The+bank+was+shut.", ready=NEAR)
    box(page, "A sentence with it").fill("The banker met another banker.")
    box(page, "A sentence with it").press("Enter")
    page.get_by_text("The banker met another [banker].").click()
    page.locator(".near-answer .query-use", has_text="met another").wait_for()
    assert box(page, "A sentence with it").input_value() == "The banker met another [banker]."


@pytest.mark.nightly
def test_an_outdated_answer_is_marked(open_map, open_page):
    page = open_map()
    box(page).fill("")
    box(page).press_sequentially("spring")
    page.locator(".map-answer .old-sign").get_by_text(
        "The form has changed since this answer."
    ).wait_for()
    page.get_by_role("button", name="Draw it again").click()
    page.locator(".map-answer .eyebrow").get_by_text("“spring”").first.wait_for()
    page.locator(".map-answer .old-sign").wait_for(state="detached")
    near = open_page(query="tab=nearest", ready=NEAR)
    box(near, "A sentence with it").press_sequentially(" The bank raised its rates.")
    near.get_by_role("button", name="Find them again").click()
    near.locator(".near-answer .query-use").get_by_text("raised its rates").wait_for()
    near.locator(".near-answer .old-sign").wait_for(state="detached")


def land(page, sentence):
    page.locator("form.landing input").fill(sentence)
    submit(page, "Let it land")


def test_a_sentence_flies_to_its_place(open_map):
    page = open_map()
    places = (
        "[...document.querySelectorAll('.mark')].map(m => m.getAttribute('x') +"
        " m.getAttribute('y')).join()"
    )
    before = page.evaluate(places)
    land(page, "We sat on the bank of the river.")
    page.locator(".pin").wait_for()
    assert page.evaluate("document.getAnimations().length") > 0
    page.locator(".mark.lit").nth(3).wait_for(state="attached")
    page.locator(".landing-message").get_by_text("It means: the land beside a river").wait_for()
    assert page.locator(".mark.lit").count() == 4
    assert page.evaluate(places) == before
    page.locator(".plane.flying").wait_for(state="detached")
    pin = page.locator(".pin").bounding_box()
    mark = page.locator('.mark[data-use="3"]').bounding_box()
    assert abs(pin["x"] - mark["x"]) < 200
    land(page, "A bank <img src=x onerror=alert(1)> {{1+1}}.")
    page.locator(".landing-message").get_by_text("It means: a firm that lends money").wait_for()
    page.locator(".landed details[open]").wait_for()
    assert page.locator(".pin").count() == 2
    assert page.locator(".landed details[open]").count() == 1
    land(page, "None.")
    page.locator("form.landing .note").get_by_text("does not use “bank”").wait_for()
    assert page.locator(".pin").count() == 2


@pytest.mark.nightly
def test_placed_sentences_are_in_the_link_and_on_the_next_map(open_map, open_page):
    page = open_map()
    land(page, "The river has a bank.")
    page.locator(".landing-message").wait_for()
    query = page.locator(".map-answer [data-link]").get_attribute("data-link")
    assert "&land=The%20river%20has%20a%20bank." in query
    choose(page, "Compare the uses by", "Layer 1")
    page.get_by_text("compared by layer 1").wait_for()
    page.locator(".pin").wait_for()
    page.get_by_role("button", name="Start over").click()
    assert page.locator(".pin, .landed li").count() == 0
    again = open_page(query=query, ready=MAP)
    again.locator(".pin").wait_for()
    assert (
        again.locator(".landed summary").inner_text().split(maxsplit=1)[1]
        == "The river has a bank."
    )


@pytest.mark.nightly
def test_nothing_flies_where_motion_is_not_wanted(open_map):
    page = open_map(width=390)
    page.emulate_media(reduced_motion="reduce")
    land(page, "The river has a bank.")
    page.locator(".mark.lit").first.wait_for(state="attached")
    assert page.locator(".plane.flying").count() == 0
    assert faults(page) == []


def test_a_class_sends_sentences_to_the_map(open_page, fake_app):
    page = open_page("tab=map", ready=".map-answer .verdict h2")
    page.get_by_role("button", name="Open a class link").click()
    address = page.locator(".class-link .address").inner_text()
    assert page.locator(".class-link .qr svg").is_visible()
    phone = open_page(
        url=f"{fake_app}/class/{address.rsplit('/', 1)[1]}", ready="form", width=390, height=700
    )
    phone.locator("textarea").fill("Our bank lends money.")
    phone.get_by_role("button", name="Send").click()
    phone.get_by_text("Sent. You can send another one.").wait_for()
    page.locator(".landed").get_by_text("Our bank lends money.").first.wait_for()
    page.get_by_role("button", name="Close the link").click()
    page.get_by_role("button", name="Open a class link").wait_for()


def test_a_map_of_another_word_closes_the_link_of_the_class(open_page):
    page = open_page("tab=map", ready=".map-answer .verdict h2")
    page.get_by_role("button", name="Open a class link").click()
    page.locator(".class-link .address").wait_for()
    box(page).fill("spring")
    page.get_by_role("button", name="Draw the map").click()
    page.locator(".map-answer .eyebrow").get_by_text("“spring”").first.wait_for()
    page.locator(".class-link").get_by_text("was closed: the map has another word").wait_for()
    page.get_by_role("button", name="Open a class link").wait_for()


def test_the_letters_of_the_marks_can_be_read_on_a_phone(open_map):
    page = open_map(**PHONE)
    sizes = page.locator(".mark text").evaluate_all(
        """letters => letters.map(letter => parseFloat(getComputedStyle(letter).fontSize)
            * letter.getBoundingClientRect().height / letter.getBBox().height)"""
    )
    assert min(sizes) > 12

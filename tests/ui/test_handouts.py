"""Pages that need no server, and worksheets."""

import base64
import hashlib
import re
from dataclasses import replace
from datetime import date

import pytest

from elmo_tasks.api import MapRequest, Said
from elmo_tasks.errors import InputError
from elmo_tasks.ui import format, handouts, offline_page, worksheet
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE

DAY = date(2026, 3, 4)
SENTENCES = ("The bank refused our loan.", "We sat on the bank of the river.", "The bank lent us money.")


def offline(service, found=None):
    found = found or service.maps.sense_map(MapRequest("bank"))
    comparison = service.compare("bank", offline_page.story_of(found))
    return offline_page.page(found, comparison, service.models(), DAY)


def of_comparison(service):
    return worksheet.of_comparison(service.compare("bank", SENTENCES))


def test_a_page_holds_the_map_the_comparison_and_where_it_came_from(service):
    page = offline(service)
    tags = parsed(page)
    for part in ("7 uses of “bank”, probably 2 meanings", "Guess first", "Fake small (for tests)", "2026-03-04"):
        assert part in tags.text
    assert tags.called("Use ") == 7
    assert tags.text.count("Each box is about two sentences only") == 1
    assert tags.text.count("Ducks slept on the muddy") >= 3  # to guess on, in the answer, in the table


def test_a_page_asks_nothing_of_anybody_and_runs_its_own_script_only(service):
    page = offline(service)
    tags = parsed(page)
    assert not tags.seen & {"img", "iframe", "object", "embed", "link"}
    assert not tags.attributes & {"src", "href"}
    assert re.findall(r"url\(|@import|fetch\(|XMLHttp", page) == []
    assert set(re.findall(r'https?://[^"<\s]*', page)) <= {"http://www.w3.org/2000/svg"}
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page


def test_nothing_from_a_person_is_markup(service):
    found = service.maps.sense_map(MapRequest("bank", f"A bank {HOSTILE}\nMy bank {HOSTILE}"))
    groups = tuple(replace(group, words=(HOSTILE,)) for group in found.groups)
    uses = tuple(replace(use, sense=HOSTILE) for use in found.uses)
    bad = replace(found, word=HOSTILE, said=Said(f"{HOSTILE}.", "Yes."), groups=groups, uses=uses, model=HOSTILE)
    for page in (offline(service, bad), worksheet.page(worksheet.of_map(bad), (), DAY)):
        tags = parsed(page)
        assert "img" not in tags.seen
        assert "onerror" not in tags.attributes
        assert page.count("<script") == page.count("</script") <= 1


def test_the_largest_page_is_under_a_megabyte(service):
    """As many uses as a map may have, each of three hundred characters."""
    text = "\n".join(f"Use number {k} of the bank {'and what stands around it ' * 11}." for k in range(300))
    found = service.maps.sense_map(MapRequest("bank", text))
    assert len(found.uses) > 300
    assert len(offline_page.page(found, None, (), DAY).encode()) < 1_000_000
    assert len(offline(service).encode()) < 100_000


def test_the_story_has_typical_short_sentences_of_every_group(service):
    found = service.maps.sense_map(MapRequest("bank", "My [bank] of the river.\nA river " + "of the bank " * 40))
    story = offline_page.story_of(found)
    assert len(story) == 6
    assert all(sentence.count("[") == 1 for sentence in story)
    assert all(len(sentence) <= 402 for sentence in story)
    assert "My [bank] sent a letter about the loan." in story
    assert offline_page.story_of(found) == story
    assert offline_page.story_of(service.maps.sense_map(MapRequest("muddle"))) == []


def test_without_groups_a_page_has_a_map_and_nothing_to_guess(service):
    page = offline_page.page(service.maps.sense_map(MapRequest("muddle")), None, (), DAY)
    assert "Guess first" not in page
    assert parsed(page).called("Use ") == 8
    assert parsed(page).called("Use 1, group") == 0


def test_a_sheet_asks_first_and_answers_on_a_page_of_its_own(service):
    sheet = worksheet.of_map(service.maps.sense_map(MapRequest("bank")))
    page = worksheet.page(sheet, service.models(), DAY)
    asked, answered = page.split('<section class="answers">')
    assert "Sort them into 2 groups" in asked
    assert asked.count("<li>") == answered.count("<tr><th") - 1 == len(sheet.lines) == 7
    assert "river" not in parsed(asked.split("</style>")[1]).text
    assert sum("river" in row for row in parsed(answered).rows) >= 4
    assert "Fake small (for tests)" in answered
    assert "break-before: page" in page
    assert "size: A4" in page
    assert not parsed(page).seen & {"script", "img", "link"}


def test_a_sheet_is_mixed_and_always_the_same(service):
    sheet = worksheet.of_map(service.maps.sense_map(MapRequest("bank")))
    groups = [line.group for line in sheet.lines]
    assert groups != sorted(groups)
    assert worksheet.of_map(service.maps.sense_map(MapRequest("bank"))) == sheet


def test_a_sheet_of_a_comparison_has_its_sentences(service):
    sheet = of_comparison(service)
    assert {line.sentence for line in sheet.lines} == set(SENTENCES)
    page = worksheet.page(sheet, (), DAY)
    assert "Written for" not in page
    assert sheet.n_groups == len(service.compare("bank", SENTENCES).groups)


def other_form(service):
    """A map of example sentences with “bank” that somebody typed “banks” for."""
    found = service.maps.sense_map(MapRequest("bank"))
    said = Said("7 uses of “bank” fall into 2 groups: A, B.")
    return replace(found, word="banks", examples_of=("bank",), said=said)


def test_what_is_handed_out_names_the_form_that_its_sentences_have(service):
    found = other_form(service)
    comparison = service.compare("bank", offline_page.story_of(found))
    page = parsed(offline_page.page(found, comparison, (), DAY)).text
    sheet = parsed(worksheet.page(worksheet.of_map(found), (), DAY)).text
    assert "“bank”: one word, 7 sentences" in page
    assert "What does “bank” mean here?" in sheet
    for text in (page, sheet):
        assert "7 uses of “bank” fall into 2 groups" in text
        assert "banks" not in text


def test_a_sheet_asks_for_as_many_meanings_as_its_answers_list(service):
    found = service.maps.sense_map(MapRequest("bank", n_groups=3))
    page = worksheet.page(worksheet.of_map(found), (), DAY)
    asked, answered = page.split('<section class="answers">')
    assert "Sort them into 2 groups" in asked
    assert {line.meant for line in worksheet.of_map(found).lines} == {"money", "river"}
    assert any("Cmoney" in row for row in parsed(answered).rows)  # the model’s own groups stay what they are
    mixed = worksheet.of_map(service.maps.sense_map(MapRequest("bank", "My own bank.\nA bank of mine.")))
    assert mixed.n_meanings == 0  # nobody knows what the own sentences mean
    assert worksheet.of_map(service.maps.sense_map(MapRequest("zebra", "A zebra.\nThe zebra."))).n_meanings == 2


def test_a_sheet_without_groups_does_not_speak_of_groups_in_its_answers(service):
    sheet = worksheet.of_comparison(service.compare("muddle", ["A muddle.", "The muddle."]))
    text = parsed(worksheet.page(sheet, (), DAY)).text
    assert "It names no groups here." in text
    assert "its guess" not in text
    assert "The groups are its guess" in parsed(worksheet.page(of_comparison(service), (), DAY)).text


def test_a_sheet_without_groups_does_not_say_how_many(service):
    sheet = worksheet.of_map(service.maps.sense_map(MapRequest("muddle")))
    page = worksheet.page(sheet, (), DAY)
    assert "There may be one meaning or several." in page
    assert "Its group" not in page
    assert len(sheet.lines) == 8


def test_a_large_map_makes_a_sheet_of_one_page(service):
    text = "\n".join(f"Sentence {k} of the bank." for k in range(60))
    assert len(worksheet.of_map(service.maps.sense_map(MapRequest("bank", text))).lines) <= worksheet.MOST_SENTENCES
    assert len(worksheet.of_map(service.maps.sense_map(MapRequest("bank", text, n_groups=5))).lines) == 10
    assert (
        len(worksheet.of_map(service.maps.sense_map(MapRequest("muddle", text.replace("bank", "muddle")))).lines) == 10
    )


def test_the_buttons_save_what_their_tab_shows(service):
    asked = {"what": "page", "map": {"word": "bank", "view": "words"}}
    name, text = handouts.of_map(service, asked)
    assert name == "sense-map-bank.html"
    assert "compared by the words around them" in text
    name, text = handouts.of_map(service, {**asked, "what": "worksheet"})
    assert (name, "Sort them into 2 groups" in text) == ("worksheet-bank.html", True)
    query = format.query_of(format.Form("bank", SENTENCES), "fake-small")
    name, text = handouts.of_comparison(service, {"query": query})
    assert (name, "What does “bank” mean here?" in text) == ("worksheet-bank.html", True)


def test_what_cannot_be_saved_is_refused(service):
    with pytest.raises(InputError, match="no example sentences for “zebra”"):
        handouts.of_map(service, {"map": {"word": "zebra"}})
    with pytest.raises(InputError, match="Compare some sentences first"):
        handouts.of_comparison(service, {"query": ""})

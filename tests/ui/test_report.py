import re
from dataclasses import replace
from datetime import date

import pytest

from elmo_tasks.api import Said
from elmo_tasks.ui import format, handouts
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE

SENTENCES = ("The bank refused our loan.", "We sat on the bank of the river.")
LINK = "http://127.0.0.1:7860/?word=bank&s=a&s=b"


def made(service, **more):
    return handouts.report_page(service.compare("bank", SENTENCES), service.models(), date(2026, 3, 4), LINK, **more)


def reported(service, question):
    return handouts.respond(service, question, handouts.report_of_comparison)


def made_whole(service):
    return made(service, explanation=service.why.explain("bank", SENTENCES))


def test_it_holds_the_answer_every_layer_and_where_it_came_from(service):
    text = parsed(made(service)).text
    for part in ("fall into 2 groups", *SENTENCES, "Spelling only", "Layer 1", "Layer 2", "Mean of layers"):
        assert part in text
    for part in ("Fake small (for tests)", "2026-03-04", LINK, "How this was computed"):
        assert part in text
    assert made(service).count('class="map"') == 5  # what the verdict says, then the layers


def test_it_holds_only_what_was_asked(service):
    assert "Why:" not in made(service)
    whole = made_whole(service)
    assert "Mostly because of “loan” in sentence 1." in whole
    assert "Why: each word" in whole


def test_it_needs_no_script_and_nothing_from_elsewhere(service):
    page = made_whole(service)
    tags = parsed(page)
    assert not tags.seen & {"script", "img", "iframe", "object", "embed"}
    assert "src" not in tags.attributes
    assert re.findall(r"url\(|@import", page) == []
    assert re.findall(r'https?://[^"<]*', page) == [LINK.replace("&", "&amp;")] * 2
    assert "default-src 'none'" in page
    assert not any(name.startswith("on") for name in tags.attributes)


def test_nothing_typed_is_markup(service):
    comparison = replace(
        service.compare("bank", [HOSTILE, "The bank."]), said=Said(HOSTILE, HOSTILE), model=HOSTILE, word=HOSTILE
    )
    tags = parsed(handouts.report_page(comparison, service.models(), date(2026, 3, 4), LINK))
    assert not tags.seen & {"img", "script"}
    assert "onerror" not in tags.attributes
    assert HOSTILE in tags.text


@pytest.mark.parametrize("link", ["", "javascript:alert(1)", "data:text/html,x"])
def test_only_a_web_address_is_linked(service, link):
    page = handouts.report_page(service.compare("bank", SENTENCES), service.models(), date(2026, 3, 4), link)
    assert not parsed(page).links


def test_the_report_of_the_page_is_that_of_its_link(service):
    query = format.query_of(format.Form("bank", SENTENCES), "fake-small")
    found = reported(service, {"query": query, "pair": "0,1", "layer": "1", "revision": 7})
    assert found["name"] == "compare-bank.html"
    assert found["revision"] == 7
    assert "Mostly because of" in found["text"]


def test_a_request_that_cannot_be_answered_gives_no_report(service):
    assert reported(service, {"query": "word=&s=a"})["text"] == ""
    assert reported(service, {})["text"] == ""


def test_it_compares_once(service, monkeypatch):
    asked = []
    compare = service.compare
    monkeypatch.setattr(service, "compare", lambda *question: asked.append(question) or compare(*question))
    service.why.compare = service.compare
    query = format.query_of(format.Form("bank", SENTENCES), "fake-small")
    found = reported(service, {"query": query, "pair": "0,1"})
    assert "Mostly because of" in found["text"]
    assert len(asked) == 1

import csv
import io
import json
from dataclasses import replace
from urllib.parse import unquote

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from starlette.datastructures import QueryParams

from elmo_tasks.api import Entity, HeadInfo, Limits, Reading, Score, TaggedSentence
from elmo_tasks.errors import InputError
from elmo_tasks.ui import cards, try_tab
from elmo_tasks.ui.layout import build_app
from elmo_tasks.ui.page import csv_file, data_link
from elmo_tasks.ui.theme import launch_options
from elmo_tasks.ui.try_examples import TRY_EXAMPLES
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed
from tests.ui.test_answer import HOSTILE
from tests.ui.try_answers import JORDAN, NOT_BAD, ask, entities, sentiment, tab_of


def test_nothing_typed_is_markup(service):
    head = HeadInfo(HOSTILE, HOSTILE, "tagging", (HOSTILE,), "m", Score(HOSTILE, 0.5, HOSTILE))
    offer = cards.HeadOption(head, head)
    tokens = (HOSTILE,)
    span = Entity(0, 1, HOSTILE, 0.5, 0, len(HOSTILE))
    best, other = Reading((f"B-{HOSTILE}",), (span,), 0.5), Reading(("O",), (), 0.1)
    tagged = TaggedSentence(HOSTILE, tokens, ((0, len(HOSTILE)),), best, (other,))
    plain = replace(tagged, best=Reading((HOSTILE,), (), 0.5), alternatives=())
    (classified,) = service.classify([HOSTILE])
    odd = replace(classified, label=HOSTILE, probabilities={HOSTILE: 1.0})
    for markup in (
        cards.entity_card(offer, [tagged] * 2, [plain] * 2),
        cards.entity_card(offer, [plain], [plain]),
        cards.sentiment_card(offer, [odd] * 2, [classified] * 2),
        ask(service, text=HOSTILE),
    ):
        tags = parsed(markup)
        assert not tags.seen & {"img", "script"}
        assert not tags.attributes & {"onerror", "onload"}
        assert "onerror=alert(1)" in tags.text


# Files


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(service, start):
    offer, results, without = sentiment(service, f"{start}cmd() good")
    rows = list(csv.DictReader(io.StringIO(cards.sentiment_csv(offer, results, without))))
    assert {row["text"] for row in rows} == {f"'{start}cmd() good"}
    assert csv_file([start], [[f"{start}a", -0.5]]).splitlines()[-1].endswith("-0.500000")
    offer, tagged, _ = entities(service, f"{start}Oslo")
    rows = list(csv.DictReader(io.StringIO(cards.entity_csv(offer, tagged))))
    assert {row["sentence"] for row in rows} == {f"'{start}Oslo"}


def test_the_spreadsheets_hold_both_heads(service):
    offer, results, without = sentiment(service, NOT_BAD, "It is good.")
    rows = list(csv.DictReader(io.StringIO(cards.sentiment_csv(offer, results, without))))
    assert {row["head"] for row in rows} == {"fake-sentiment", "fake-sentiment-static"}
    assert len(rows) == 2 * (6 + 4)
    assert float(next(row for row in rows if row["word"] == "not")["push"]) == pytest.approx(0.656, abs=0.01)
    bare = [replace(result, occlusion=()) for result in results]
    assert len(cards.sentiment_csv(offer, bare).splitlines()) == 3
    offer, tagged, plain = entities(service, *JORDAN, "Nothing.")
    rows = list(csv.DictReader(io.StringIO(cards.entity_csv(offer, tagged, plain))))
    assert rows[0] == {
        "sentence number": "1",
        "head": "fake-ner",
        "reading": "1",
        "reading probability": "0.840000",
        "text": "Jordan",
        "type": "PER",
        "confidence": "0.880000",
        "start character": "0",
        "end character": "6",
        "sentence": JORDAN[0],
    }
    assert any(row["sentence"] == "Nothing." and row["text"] == "" for row in rows)


def test_the_json_is_what_the_endpoint_gives(service):
    offer, results, without = entities(service, *JORDAN)
    data = cards.json_data(offer, results, without)
    assert data["results"] == [result.to_dict() for result in results]
    assert data["without_context"]["head"] == "fake-ner-static"
    assert "without_context" not in cards.json_data(cards.HeadOption(offer.head), service.classify(["x"]))
    link = data_link({"text": '<b> & "ü"'})
    assert json.loads(unquote(link.removeprefix("data:application/json;charset=utf-8,"))) == {"text": '<b> & "ü"'}


# The form


def test_lines_and_older_links_are_read():
    assert try_tab.lines_of(" a \n\n b\r\nc") == ["a", "b", "c"]
    for name, mode in (("feeling", "sentiment"), ("names", "entities"), ("meanings", "meanings")):
        assert [found.name for found in try_tab.modes_of(name)] == [mode]
    for every in ("both", "all", "x"):
        assert [mode.name for mode in try_tab.modes_of(every)] == ["sentiment", "entities", "meanings"]


def test_several_heads_stand_side_by_side_and_the_page_says_where_they_agree(service):
    texts, chosen = ["Ada met Oslo.", "Nothing here."], ["fake-ner", "fake-medical"]
    page = ask(service, "\n".join(texts), "entities", tagging=chosen)
    assert page.count("entities-answer") >= 2
    tags = [[found.tags for found in service.tag(texts, head)] for head in chosen]
    alike = sum(one == other for one, other in zip(*tags, strict=True))
    assert f"The 2 models say the same of {alike} of 2 sentences." in page
    assert "Side by side" not in ask(service, "Nothing here.", "entities", tagging=["fake-ner", "fake-ner"])
    with pytest.raises(InputError, match="At most 3 models stand side by side"):
        ask(service, "Nothing here.", tagging=list("abcd"))


def test_nothing_typed_is_a_friendly_start(service):
    assert "Type a sentence" in ask(service, " \n ")
    tab = tab_of(service)
    shown = tab.answer("", "entities", None, ["gone"])
    assert [name for _, name in shown[tab.head["tagging"]]["choices"]] == ["fake-ner", "fake-medical", "fake-pos"]
    assert shown[tab.head["tagging"]]["value"] == ["fake-ner"]
    assert shown[tab.head["classification"]]["visible"] is False


def test_an_input_error_stands_in_place_of_the_answer(service):
    tab = tab_of(service)
    shown = tab.answer("good\n" + "x" * 2001, "sentiment", None, None)
    assert "Text 2 is longer than 2000 characters." in shown[tab.result]
    assert shown[tab.corrections[0].fold]["visible"] is False


def test_modes_are_answered_alone_or_together(service):
    both, feel, name = (ask(service, NOT_BAD, mode) for mode in ("all", "sentiment", "entities"))
    assert all(part in both for part in ("sentiment-answer", "entities-answer"))
    assert "entities-answer" not in feel
    assert "sentiment-answer" not in name


def test_one_more_mode_is_a_function(service, monkeypatch):
    def shout(service, texts, query):
        return f"<p>{' '.join(texts).upper()} {query}</p>"

    modes = {**try_tab.MODES, "loud": try_tab.PlainMode("loud", "Loud", shout)}
    monkeypatch.setattr(try_tab, "MODES", modes)
    assert "HELLO YOU tab=try&amp;look=loud" in ask(service, "hello\nyou", "loud")
    assert "sentiment-answer" in ask(service, "hello", "all")


def test_a_link_opens_its_text_mode_and_heads(service):
    class Request:
        query_params = QueryParams("tab=try&look=names&t=Oslo.&tagging=fake-medical&tagging=gone")

    tab = tab_of(service)
    shown = tab.open_link(Request)
    assert (shown[tab.text], shown[tab.mode]) == ("Oslo.", "entities")
    assert shown[tab.head["tagging"]]["value"] == ["fake-medical"]
    Request.query_params = QueryParams("tab=map&t=Oslo.")
    assert list(tab.open_link(Request)) == [tab.text]


def test_an_answer_carries_its_link(service):
    page = ask(service, "Oslo.", "entities", tagging=["fake-medical"])
    assert parsed(page).carried["link"] == ["tab=try&look=entities&t=Oslo.&tagging=fake-medical"]


def test_without_heads_the_tab_says_how_to_train_one(service):
    service.on_offer = ()
    markup = ask(service, "good")
    assert "make train-ner" in markup
    assert "make train-sentiment" in markup
    assert build_app(service)


def test_with_one_kind_of_head_the_other_is_explained(service):
    service.on_offer = tuple(head for head in service.heads() if head.kind == "tagging")
    markup = ask(service, "Oslo is good.")
    assert "make train-sentiment" in markup
    assert "Found 1 place" in markup


@pytest.mark.parametrize("example", TRY_EXAMPLES, ids=lambda e: e.title)
def test_examples_are_answered(service, example):
    assert example.task in ("all", *try_tab.MODES)
    assert all(len(line) < Limits().max_characters for line in example.lines)
    shown = parsed(ask(service, "\n".join(example.lines), example.task)).text
    assert all(word in shown for line in example.lines for word in line.split())


# Endpoints


@pytest.fixture(scope="module")
def client():
    app = build_app(FakeService())
    _, url, _ = app.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_options())
    yield Client(url, verbose=False, analytics_enabled=False)
    app.close()


def test_sentiment_endpoint(client):
    expected = [result.to_dict() for result in FakeService().classify([NOT_BAD, "Bad."])]
    assert client.predict([NOT_BAD, "Bad."], api_name="/sentiment") == json.loads(json.dumps(expected))
    other = client.predict(texts=[NOT_BAD], head="fake-sentiment-static", api_name="/sentiment")
    assert other[0]["label"] == "negative"


def test_ner_endpoint(client):
    expected = [result.to_dict() for result in FakeService().tag(JORDAN)]
    assert client.predict(list(JORDAN), api_name="/ner") == json.loads(json.dumps(expected))
    (more, _) = client.predict(sentences=list(JORDAN), head=None, n_readings=3, api_name="/ner")
    assert len(more["runners_up"]) == 2


@pytest.mark.parametrize(
    ("endpoint", "arguments", "message"),
    [
        ("/sentiment", (["x"], "gone"), "There is no head “gone”"),
        ("/sentiment", ([],), "at least one text"),
        ("/sentiment", ("a string",), "a list of strings"),
        ("/ner", ([1],), "a list of strings"),
        ("/ner", (["x"], None, 0), "from 1 to 10"),
        ("/ner", (["x"], None, 1_000_000), "from 1 to 10"),
        ("/ner", (["x"] * 21,), "at most 20 texts"),
    ],
)
def test_endpoints_say_what_is_wrong(client, endpoint, arguments, message):
    with pytest.raises(AppError, match=message):
        client.predict(*arguments, api_name=endpoint)

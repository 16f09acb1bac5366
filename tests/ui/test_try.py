import csv
import io
import json
from dataclasses import replace
from urllib.parse import unquote

import pytest
from starlette.datastructures import QueryParams

from elmo_tasks.api import HeadInfo, Limits, Score
from elmo_tasks.errors import InputError
from elmo_tasks.ui import cards, try_tab
from elmo_tasks.ui.downloads import data_link
from elmo_tasks.ui.layout import build_app
from elmo_tasks.ui.try_tab import TRY_EXAMPLES
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed
from tests.ui.try_answers import JORDAN, NOT_BAD, ask, entities, sentiment, tab_of

# Files


def test_the_spreadsheets_hold_both_heads(service):
    offer, results, without = sentiment(service, NOT_BAD, "It is good.")
    rows = list(csv.DictReader(io.StringIO(cards.sentiment_csv(offer, results, without))))
    assert {row["head"] for row in rows} == {"fake-sentiment", "fake-sentiment-static"}
    assert len(rows) == 2 * (6 + 4)
    assert float(next(row for row in rows if row["word"] == "not")["push"]) == pytest.approx(
        0.656, abs=0.01
    )
    no_pushes = [replace(result, occlusion=()) for result in results]
    assert len(cards.sentiment_csv(offer, no_pushes).splitlines()) == 3
    offer, tagged, plain = entities(service, *JORDAN, "Nothing.")
    header, first, *rows = cards.entity_csv(offer, tagged, plain).splitlines()
    assert header.startswith(
        "sentence number,head,reading,reading probability,text,type,confidence,start character,"
    )
    assert first == f"1,fake-ner,1,0.840000,Jordan,PER,0.880000,0,6,{JORDAN[0]}"
    assert "3,fake-ner,1,0.840000,,,,,,Nothing." in rows


def test_the_json_equals_that_of_the_endpoint(service):
    offer, results, without = entities(service, *JORDAN)
    data = cards.json_data(offer, results, without)
    assert data["results"] == [result.to_dict() for result in results]
    assert data["without_context"]["head"] == "fake-ner-static"
    assert "without_context" not in cards.json_data(
        cards.HeadOption(offer.head), service.classify(["x"])
    )
    link = data_link({"text": '<b> & "ü"'})
    assert json.loads(unquote(link.removeprefix("data:application/json;charset=utf-8,"))) == {
        "text": '<b> & "ü"'
    }


# The form


def test_lines_and_modes_of_links_are_read():
    assert try_tab.lines_of(" a \n\n b\r\nc") == ["a", "b", "c"]
    assert try_tab.modes_of("meanings") == ["meanings"]
    for every in ("all", "x"):
        assert try_tab.modes_of(every) == ["sentiment", "entities", "meanings"]


def test_several_heads_are_shown_side_by_side_with_their_agreement(service):
    texts, chosen = ["Ada met Oslo.", "Nothing here."], ["fake-ner", "fake-medical"]
    page = ask(service, "\n".join(texts), "entities", tagging=chosen)
    assert page.count("entities-answer") >= 2
    assert "The 2 models say the same of 1 of 2 sentences." in page
    assert "The 2 models do not say the same here." in ask(
        service, texts[0], "entities", tagging=chosen
    )
    assert "Side by side" not in ask(
        service, "Nothing here.", "entities", tagging=["fake-ner", "fake-ner"]
    )
    with pytest.raises(InputError, match="At most 3 models stand side by side"):
        ask(service, "Nothing here.", tagging=list("abcd"))


def test_nothing_typed_is_a_friendly_start(service):
    assert "Type a sentence" in ask(service, " \n ")
    tab = tab_of(service)
    shown = tab.answer("", "entities", None, ["gone"])
    assert [name for _, name in shown[tab.head["tagging"]]["choices"]] == [
        "fake-ner",
        "fake-medical",
        "fake-pos",
    ]
    assert shown[tab.head["tagging"]]["value"] == ["fake-ner"]
    assert shown[tab.head["classification"]]["visible"] is False


def test_an_input_error_replaces_the_answer(service):
    tab = tab_of(service)
    shown = tab.answer("good\n" + "x" * 2001, "sentiment", None, None)
    assert "Text 2 has 2,001 characters; the most is 2,000. Shorten it." in shown[tab.result]
    assert shown[tab.corrections[0].fold]["visible"] is False


@pytest.mark.parametrize("mode", ["all", "sentiment", "entities", "meanings"])
def test_modes_are_answered_alone_or_together_and_warn_of_other_languages(service, mode):
    def cards_of(text):
        page = ask(service, text, mode)
        assert ("This model reads only English" in page) == ("nicht" in text)
        return [
            name for name in ("sentiment", "entities", "senses") if f'id="{name}-answer"' in page
        ]

    every = ["sentiment", "entities", "senses"]
    shown = every if mode == "all" else ["senses"] if mode == "meanings" else [mode]
    assert cards_of(NOT_BAD) == shown
    assert cards_of("Das ist nicht gut.") == [name for name in shown if name != "senses"]


def test_a_link_opens_its_text_mode_and_heads(service):
    class Request:
        query_params = QueryParams(
            "tab=try&look=entities&t=Oslo.&tagging=fake-medical&tagging=gone"
        )

    tab = tab_of(service)
    shown = tab.open_link(Request)
    assert (shown[tab.text], shown[tab.mode]) == ("Oslo.", "entities")
    assert shown[tab.head["tagging"]]["value"] == ["fake-medical"]
    assert parsed(shown[tab.result]).carried["link"] == [
        "tab=try&look=entities&t=Oslo.&tagging=fake-medical"
    ]
    Request.query_params = QueryParams("tab=map&t=Oslo.")
    assert list(tab.open_link(Request)) == [tab.text]


def test_a_missing_head_is_explained_with_the_command_that_trains_one(service):
    service.on_offer = tuple(head for head in service.heads() if head.kind == "tagging")
    shown = ask(service, "Oslo is good.")
    assert "make train-sentiment" in shown
    assert "Found 1 place" in shown
    service.on_offer = ()
    assert all(
        command in ask(service, "good") for command in ("make train-ner", "make train-sentiment")
    )
    assert build_app(service)


@pytest.mark.parametrize("example", TRY_EXAMPLES, ids=lambda e: e.title)
def test_examples_are_answered(service, example):
    assert example.task in ("all", *try_tab.MODES)
    assert all(len(line) < Limits().max_characters for line in example.lines)
    shown = parsed(ask(service, "\n".join(example.lines), example.task)).text
    assert all(word in shown for line in example.lines for word in line.split())


# Heads


def test_baselines_are_offered_only_beside_their_head(service):
    options = cards.head_options(service.heads(), "tagging")
    names = [(option.head.name, option.baseline and option.baseline.name) for option in options]
    assert names == [("fake-ner", "fake-ner-static"), ("fake-medical", None), ("fake-pos", None)]
    assert (
        cards.chosen_options(options, ["gone"]) == cards.chosen_options(options, []) == [options[0]]
    )
    assert cards.chosen_options(options, ["fake-pos", "gone", "fake-ner"]) == [
        options[2],
        options[0],
    ]
    lonely = HeadInfo("a", "A", "tagging", ("PER",), "m", None, "gone")
    assert cards.head_options([lonely], "tagging") == (cards.HeadOption(lonely, None),)


def test_score_in_one_line():
    head = HeadInfo("a", "A", "tagging", (), "m", Score("F1", 0.8749, "CoNLL-2003 test"))
    option = cards.HeadOption(head, replace(head, score=Score("F1", 0.7, "CoNLL-2003 test")))
    alone = "A: F1 0.87 on CoNLL-2003 test"
    assert cards.about_line(option, baseline=False) == f"{alone}."
    assert cards.about_line(option, baseline=True) == f"{alone} (on layer 0 alone 0.70)."
    elsewhere = cards.HeadOption(head, replace(head, score=Score("F1", 0.7, "other texts")))
    assert (
        cards.about_line(elsewhere, baseline=True)
        == f"{alone}; on layer 0 alone: F1 0.70 on other texts."
    )
    assert (
        cards.about_line(cards.HeadOption(replace(head, score=None)), baseline=True)
        == "A: not measured yet."
    )


@pytest.mark.parametrize(
    ("kind", "score", "other", "line"),
    [
        ("classification", ("accuracy", 0.842), None, "it was right in 84 of 100 texts."),
        (
            "tagging",
            ("accuracy", 0.97),
            ("accuracy", 0.9),
            "right in 97 of 100 words; on layer 0 alone, in 90.",
        ),
        ("tagging", ("F1", 0.9), ("accuracy", 0.7), "every one found and none invented)."),
        ("tagging", ("F1", 0.9), ("F1", 0.671), "none invented); on layer 0 alone 0.67."),
        ("tagging", None, ("F1", 0.7), "It was not tested yet."),
    ],
)
def test_a_score_in_plain_words(kind, score, other, line):
    def head(measured):
        return HeadInfo("a", "A", kind, (), "m", measured and Score(*measured, "some texts"))

    option = cards.HeadOption(head(score), head(other))
    unit = {"classification": "texts", "tagging": "words"}[kind]
    assert cards.tested_line(option, unit, baseline=True).endswith(line)
    assert "layer 0" not in cards.tested_line(option, unit, baseline=False)


def test_heads_of_one_title_are_distinguished_by_name():
    assert cards.distinct([("a", "Names"), ("a-2", "Names"), ("b", "Tags")]) == [
        "Names: a",
        "Names: a-2",
        "Tags",
    ]


# Endpoints


def test_tools_of_chat_programs_bear_the_names_of_the_endpoints():
    endpoints = [
        fn for fn in build_app(FakeService()).fns.values() if fn.api_visibility == "public"
    ]
    assert [fn.fn.__name__ for fn in endpoints] == [fn.api_name for fn in endpoints]

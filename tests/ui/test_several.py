"""The Compare tab by several models: one column each, the same uses in the same places."""

import csv
import io
from dataclasses import replace

from elmo_tasks.ui import compare_answer
from elmo_tasks.ui.compare_form import (
    EXAMPLES,
    Form,
    form_from,
    form_from_query,
    known_senses,
    query_of,
)
from elmo_tasks.ui.compare_tab import respond, respond_to_link
from tests.ui.reader import parsed

BANK = EXAMPLES[0]
MODELS = ("fake-small", "fake-large")


def form(word=BANK.word, sentences=BANK.sentences):
    return Form(word, tuple(sentences), MODELS[0], None, MODELS[1:])


def page_of(service, filled):
    return respond(service, filled, 1)[1]


def test_every_model_has_a_column_and_correct_ones_are_named(service):
    page = page_of(service, form())
    seen = parsed(page)
    assert [label for label in seen.labels if label.startswith("fake-")] == [
        "fake-small",
        "fake-large",
    ]
    assert seen.headings[0] == "“fake-small” is right; “fake-large” does not say."
    assert "Names no groups" in page
    assert "The right groups are known here" in page
    shown_form = seen.text.split("fake-small Fake small")[0]
    for sentence, sense in zip(BANK.sentences, BANK.meant, strict=True):
        assert f"{sentence} {sense}" in shown_form
    assert "How likely two uses mean the same, by fake-small" in page
    assert "Cosine of every two uses, by fake-large" in page
    assert "Download report" not in seen.buttons  # a report is of one model


def test_nobody_is_right_where_the_meanings_are_not_known(service):
    page = page_of(service, form("bank", ("One bank.", "The bank of the river.")))
    assert "is known here" not in page
    assert (
        parsed(page).headings[0]
        == "Only “fake-small” groups these uses; “fake-large” does not say."
    )
    assert not [
        word
        for word in ("” is right", "” is not right", "</span>Right", "</span>Not right")
        if word in page
    ]


def test_each_column_leads_to_all_layers_of_its_model(service):
    sentences = ("One bank.", "The bank of the river.", "My bank.")
    links = parsed(page_of(service, form("bank", sentences))).links
    queries = [
        f"?{query_of(form('bank', sentences), name)}" for name in ("fake-small", "fake-large")
    ]
    assert [link for link in links if link in queries] == queries


def test_the_folds_below_are_of_one_model_and_stay_closed(service):
    _, _, why, substitutes = respond(service, form(), 1)
    assert why["markup"] == substitutes["markup"] == ""


def test_a_link_keeps_the_models(service):
    query = query_of(form(), *MODELS)
    assert query.endswith("&model=fake-small&model=fake-large")
    assert form_from_query(query) == form()
    shown, page, *_ = respond_to_link(service, query)
    assert shown["models"] == ["fake-small", "fake-large"]
    assert query in parsed(page).carried["query"]


def test_any_browser_data_are_handled():
    assert form_from({"word": "a", "models": "fake-large"}).model is None
    form = form_from({"word": "a", "models": ["", "a", "b", 3]})
    assert (form.model, form.others) == ("a", ("b", "3"))


def test_an_unknown_model_is_reported_at_its_field(service):
    shown, page, *_ = respond(service, replace(form(), others=("gone",)), 1)
    assert shown["notes"][0]["field"] == "model"
    assert "There is no model “gone”" in page


def test_groups_have_the_same_colour_in_every_column():
    assert compare_answer._numbered(["b", "a", None, "b"]) == [0, 1, None, 0]


def test_the_spreadsheet_has_every_pair_of_every_model(service):
    found = service.side_by_side(BANK.word, BANK.sentences, MODELS, BANK.meant)
    rows = list(csv.DictReader(io.StringIO(compare_answer.csv_by_several(found))))
    assert len(rows) == 2 * 10
    assert rows[1]["use"] == "1"
    assert rows[1]["other use"] == "3"
    assert rows[1]["known to mean the same"] == rows[1]["in one group"] == "yes"
    assert rows[0]["known to mean the same"] == "no"
    assert rows[-1]["in one group"] == rows[-1]["probability of the same meaning"] == ""


def test_meanings_of_examples_fit_their_sentences():
    for example in EXAMPLES:
        assert len(example.meant) == len(example.sentences)
    assert known_senses("bank", BANK.sentences[1:3]) == ("river", "money")
    assert known_senses("bank", [*BANK.sentences, "Another bank."]) == ()
    assert known_senses("shore", BANK.sentences) == ()

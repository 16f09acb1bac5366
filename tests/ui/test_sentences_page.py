"""The Compare tab for whole sentences."""

import csv
import io

from elmo_tasks.ui import compare_answer
from elmo_tasks.ui.compare_form import Form, form_from_query, query_of
from elmo_tasks.ui.compare_tab import respond, respond_to_link
from tests.ui.reader import parsed

SENTENCES = ("The film was good.", "The film was not good.", "A dog barked.")


def test_one_model_shows_all_its_layers(service):
    shown, page, why, _ = respond(service, Form("", SENTENCES, whole=True), 1)
    assert shown["whole"] is True
    assert shown["notes"] == []
    assert "Sentences 1 and 2 are most alike" in page
    assert len(parsed(page).carried["panel"]) == 3
    assert parsed(page).carried["layer"] == ["1"]  # the layer that did best
    assert "A test of “fake-small” with 24 sentences: the paraphrase was nearer" in page
    assert "Two unconnected sentences: 0.20" in parsed(page).text
    assert "in 3 of 24" in page
    assert "Download report" not in parsed(page).buttons
    assert why["markup"] == ""


def test_several_models_stand_in_columns(service):
    page = respond(service, Form("", SENTENCES, "fake-small", None, ("fake-large",), True), 1)[1]
    assert parsed(page).labels.count("fake-small") == parsed(page).labels.count("fake-large") == 1
    assert "Cosine of every two sentences, by fake-large" in page


def test_a_link_keeps_that_there_is_no_word(service):
    form = Form("", SENTENCES, "fake-small", "0", (), True)
    query = f"{query_of(form, 'fake-small')}&layer=0"
    assert query.startswith("whole=1&s=The")
    assert form_from_query(query) == form
    assert parsed(respond_to_link(service, query)[1]).carried["layer"] == ["0"]


def test_too_few_examples_are_reported_at_the_field(service):
    shown, page, *_ = respond(service, Form("", SENTENCES[:1], whole=True), 1)
    assert shown["notes"][0]["field"] == "sentences"
    assert "Comparing takes 2 to 12 sentences; there is one sentence." in page


def test_the_spreadsheet_has_every_pair_at_every_layer(service):
    rows = list(
        csv.DictReader(
            io.StringIO(compare_answer.csv_of_sentences([service.sentence_similarity(SENTENCES)]))
        )
    )
    assert len(rows) == 9
    assert rows[0]["cosine"] == "0.800000"

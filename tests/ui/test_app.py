import json

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from elmo_tasks.ui import compare_form, compare_tab
from elmo_tasks.ui.layout import build_app, launch_options
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed

SENTENCES = ["The bank lent cash.", "The muddy [shore]."]


@pytest.fixture(scope="module")
def client():
    app = build_app(FakeService())
    _, url, _ = app.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_options())
    yield Client(url, verbose=False, analytics_enabled=False)
    app.close()


def test_endpoint_gives_the_comparison(client):
    result = client.predict("bank", SENTENCES, None, api_name="/compare")
    assert result == json.loads(json.dumps(FakeService().compare("bank", SENTENCES).to_dict()))


def test_endpoint_has_a_default_model(client):
    by_name = client.predict(word="bank", sentences=SENTENCES, api_name="/compare")
    assert by_name["model"] == "fake-small"
    other = client.predict(word="bank", sentences=SENTENCES, model="fake-large", api_name="/compare")
    assert other["model"] == "fake-large"


@pytest.mark.parametrize(
    ("word", "sentences", "message"),
    [
        ("", SENTENCES, "Type the word to compare"),
        ("bank", ["One bank."], "at least two sentences"),
        ("bank", ["No such thing.", "The bank."], "“bank” is not in sentence 1"),
        ("bank", "The bank.", "a list of strings"),
        ("bank", [1, 2], "a list of strings"),
    ],
)
def test_endpoint_says_what_is_wrong(client, word, sentences, message):
    with pytest.raises(AppError, match=message):
        client.predict(word, sentences, None, api_name="/compare")


def test_only_the_named_endpoints_are_public(client):
    api = client.view_api(return_format="dict", print_info=False)
    comparing = {"/compare", "/why", "/substitutes", "/side_by_side", "/sentences", "/senses"}
    others = {"/sentiment", "/ner", "/training_runs", "/meaning_forms", "/static_neighbours"}
    maps = {"/sense_map", "/land", "/nearest", "/what_layers_know"}
    assert set(api["named_endpoints"]) == comparing | others | maps
    assert not api["unnamed_endpoints"]


def test_respond_puts_an_error_at_its_field(service):
    editor, markup, *_ = compare_tab.respond(service, compare_form.Form("bank", ("The banks.", "The bank.")), 4)
    assert editor["revision"] == 4
    assert [note["field"] for note in editor["notes"]] == ["sentence 1"]
    assert "“bank” is not in sentence 1." in markup


def test_a_bad_link_shows_the_first_example_and_the_message(service):
    editor, markup, *_ = compare_tab.respond_to_link(service, "word=a" + "&s=b" * 13)
    assert editor["word"] == compare_tab.START.word
    assert "13 sentences" in editor["notes"][0]["text"]
    assert "This link cannot be opened" in markup


def test_a_link_restores_the_comparison(service):
    editor, markup, *_ = compare_tab.respond_to_link(
        service, "word=bank&s=A+bank.&s=The+%5Bshore%5D.&model=fake-large&layer=1"
    )
    assert editor["sentences"] == ["A bank.", "The [shore]."]
    assert editor["models"] == ["fake-large"]
    assert parsed(markup).carried["layer"] == ["1"]


def test_no_link_answers_the_first_example(service):
    editor, markup, *_ = compare_tab.respond_to_link(service, "__theme=dark")
    assert editor["word"] == "bank"
    assert parsed(markup).called("Cosine of every two uses")


def test_the_settings_of_the_page_are_plain_values():
    # Gradio copies them for every page that is opened, and fills the log with what it cannot copy.
    assert json.dumps(build_app(FakeService()).get_config_file())

import json

from elmo_tasks.ui import compare_form, compare_tab, layout
from elmo_tasks.ui.layout import build_app
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed


def test_only_the_named_endpoints_are_public(client):
    api = client.view_api(return_format="dict", print_info=False)
    comparing = {"/compare", "/why", "/substitutes", "/side_by_side", "/sentences", "/senses"}
    others = {"/sentiment", "/ner", "/training_runs", "/meaning_forms", "/static_neighbours"}
    maps = {"/sense_map", "/land", "/nearest", "/what_layers_know"}
    assert set(api["named_endpoints"]) == comparing | others | maps
    assert not api["unnamed_endpoints"]


def test_respond_puts_an_error_at_its_field(service):
    editor, markup, *_ = compare_tab.respond(
        service, compare_form.Form("bank", ("The bankers.", "The bank.")), 4
    )
    assert editor["revision"] == 4
    assert [note["field"] for note in editor["notes"]] == ["sentence 1"]
    assert "Sentence 1 does not contain “bank”, but it has “bankers”" in markup


def test_a_bad_link_reports_the_problem(service):
    editor, markup, *_ = compare_tab.respond_to_link(service, "word=a" + "&s=b" * 13)
    assert editor["notes"][0]["field"] == "sentences"
    assert "Comparing takes 2 to 12 sentences; there are 13 sentences." in markup


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
    # Gradio copies them for every opened page, and logs each value that it cannot copy.
    assert json.dumps(build_app(FakeService()).get_config_file())


def test_links_name_the_tabs_of_the_page():
    names = layout.launch_options()["head"].partition("window.elmoTabs = ")[2].partition(";")[0]
    assert json.loads(names) == list(layout.TABS[1:])


def test_slow_work_has_its_own_slots():
    """Slow requests: a comparison waits only for requests that are as quick as itself."""
    app = build_app(FakeService())
    slots = {
        fn.api_name: fn.concurrency_id for fn in app.fns.values() if fn.api_visibility == "public"
    }
    slow = {"sentiment", "sense_map", "land", "side_by_side"}
    assert {name for name, slot in slots.items() if slot == "slow"} == slow
    assert slots["compare"] == "model"
    pressed = {
        _name(app.blocks.get(part)): fn.concurrency_id
        for fn in app.fns.values()
        for part, _ in fn.targets
    }
    assert (pressed["compare"], pressed["Find the nearest uses"]) == ("model", "model")
    assert (pressed["Draw the map"], pressed["Look for"]) == (
        "uses",
        "texts",
    )  # the latter of the tab Try


def _name(block):
    if part := getattr(block, "props", {}).get("part"):
        return part
    return getattr(block, "label", None) or getattr(block, "value", None)

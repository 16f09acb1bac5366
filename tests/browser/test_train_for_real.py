"""The Train tab of the real app, without a fake: from a person's own file to a head that is
tried."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import free_port, serve

READY = ".train-data .data h2, .train-off h2"
NAMES = Path(__file__).parents[2] / "elmo_tasks" / "data" / "samples" / "ner_sample_train.conll"
THINGS = {
    "kitchen": "soup,sauce,bread,stew,cake,pasta,pie,rice,curry,omelette",
    "garden": "roses,beans,apple tree,lawn,hedge,tulips,pond,seedlings,compost,ivy",
}
EXPECTED_TEXTS = {
    "kitchen": (
        "She stirred the {} and tasted it with a spoon.",
        "The {} burned because the oven was far too hot.",
        "We ate the {} from deep plates at the table.",
    ),
    "garden": (
        "The {} needs water after three dry weeks.",
        "Slugs came at night and ruined the {} again.",
        "She raked leaves from around the {} until dark.",
    ),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("runs")


def serve_app(runs: Path) -> Iterator[str]:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    port = free_port()
    yield from serve([sys.executable, "app.py", "--port", str(port), "--runs_dir", str(runs)], port)


@pytest.fixture(scope="module")
def real_app(runs) -> Iterator[str]:
    yield from serve_app(runs)


@pytest.fixture
def open_train(open_page, real_app):
    def open_one():
        page = open_page("tab=train", url=real_app, ready=READY)
        page.set_default_timeout(90_000)
        return page

    return open_one


def upload(page, file: dict | str) -> None:
    page.get_by_role("radio", name="My own file").check()
    page.locator(".train input[type=file]").first.set_input_files(file)


def start_run(page, name: str, rounds: int) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Rounds").fill(str(rounds))
    page.get_by_label("Rounds").press("Tab")
    page.get_by_role("button", name="Start training").click()
    page.locator(".run .eyebrow").filter(has_text=name).wait_for()


def open_in_try(page, runs: Path, name: str) -> None:
    page.locator(".run.is-done h2").filter(has_text=name).wait_for()
    page.get_by_role("button", name="Open it in Try").click()
    page.locator(".task .meta").filter(has_text=name).first.wait_for()
    # with texts of its own data, not the example of another head
    assert "Washington" not in page.get_by_label("Your text").input_value()
    assert (runs / name.lower().replace(" ", "-") / "head" / "head.json").is_file()


def test_an_uploaded_file_trains_a_head_that_opens_in_try(open_train, runs):
    rows = [
        f'"{text.format(thing)}",{kind}'
        for kind in THINGS
        for text in EXPECTED_TEXTS[kind]
        for thing in THINGS[kind].split(",")
    ]
    content = "\n".join(
        ["what was said,place", *sorted(rows, key=lambda row: row[::-1]), ""]
    ).encode()
    page = open_train()
    upload(page, {"name": "said.csv", "mimeType": "text/csv", "buffer": content})
    page.locator(".data h2").filter(has_text="60 texts, 2 labels").wait_for()
    start_run(page, "Kitchen or garden", 12)
    page.close()  # in the middle: the run goes on by itself, and is found again
    page = open_train()
    open_in_try(page, runs, "Kitchen or garden")
    page.get_by_label("Your text").fill("He stirred the sauce and tasted it with a spoon")
    page.get_by_label("Your text").press_sequentially(".")
    page.locator(".task h2").filter(has_text="Kitchen, ").wait_for()


@pytest.mark.parametrize(
    "is_file", [pytest.param(False, marks=pytest.mark.nightly), True], ids=["sample", "conll"]
)
def test_sample_and_conll_file_are_trained_on_and_the_head_tried(open_train, runs, is_file):
    page = open_train()
    page.locator(".data h2").filter(has_text="400 texts").wait_for()
    if is_file:
        page.get_by_role("radio", name="Entities in a text").check()
        upload(page, str(NAMES))
        page.locator(".data h2").filter(has_text="kinds of entities").wait_for()
    name = "Names of mine" if is_file else "The sample"
    start_run(page, name, 2)
    open_in_try(page, runs, name)


@pytest.mark.parametrize(
    ("kind", "name", "content", "message"),
    [
        (
            "A label per text",
            "bad.csv",
            b"text,label\nFine.,good\nDull.\nPoor.,bad\n",
            "bad.csv, line 3",
        ),
        ("Entities in a text", "bad.conll", b"Ada B-PER\nsang\n. O\n", "bad.conll, line 2"),
    ],
)
def test_bad_rows_are_named_with_their_lines(open_train, kind, name, content, message):
    page = open_train()
    page.get_by_role("radio", name=kind).check()
    upload(page, {"name": name, "mimeType": "text/plain", "buffer": content})
    page.locator(".data-problem pre").filter(has_text=message).wait_for()


def test_where_others_can_reach_the_app_training_and_uploads_are_off(open_page, runs, monkeypatch):
    monkeypatch.setenv("GRADIO_SERVER_NAME", "0.0.0.0")
    for url in serve_app(runs):
        page = open_page("tab=train", url=url, ready=READY)
        assert "nobody can train or upload" in page.locator(READY).first.inner_text()
        assert page.locator("input[type=file]:visible").count() == 0
        page.close()  # before its server

"""The Train tab of the real app, without a fake: from a person's own file to a head that is tried."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import free_port, serve

pytestmark = [pytest.mark.browser, pytest.mark.nightly]
READY = ".train-data .data h2, .train-off h2"
NAMES = Path(__file__).parents[2] / "elmo_tasks" / "data" / "samples" / "ner_sample_train.conll"
THINGS = {
    "kitchen": ("soup", "sauce", "bread", "stew", "cake", "pasta", "pie", "rice", "curry", "omelette"),
    "garden": ("roses", "beans", "apple tree", "lawn", "hedge", "tulips", "pond", "seedlings", "compost", "ivy"),
}
SAID = {
    "kitchen": (
        "She stirred the {} and tasted it with a spoon.",
        "The {} burned because the oven was far too hot.",
        "Add some salt and butter to the {} before serving.",
        "We ate the {} from deep plates at the table.",
        "He learned to cook {} from his aunt.",
    ),
    "garden": (
        "The {} needs water after three dry weeks.",
        "Slugs came at night and ruined the {} again.",
        "He dug a bed beside the {} with his old spade.",
        "In spring the sun reaches the {} by noon.",
        "She raked leaves from around the {} until dark.",
    ),
}


def own_file() -> bytes:
    """Fifty texts of each of two kinds, mixed."""
    lines = [f'"{text.format(thing)}",{kind}' for kind in THINGS for text in SAID[kind] for thing in THINGS[kind]]
    return "\n".join(["what was said,place", *sorted(lines, key=lambda line: line[::-1]), ""]).encode()


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def real_app(runs) -> Iterator[str]:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    port = free_port()
    yield from serve([sys.executable, "app.py", "--port", str(port), "--runs_dir", str(runs)], port)


def start_run(page, name: str, rounds: int) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Rounds").fill(str(rounds))
    page.get_by_label("Rounds").press("Tab")
    page.get_by_role("button", name="Start training").click()
    page.locator(".run .eyebrow").filter(has_text=name).wait_for()


def test_a_file_of_ones_own_is_trained_on_and_the_head_tried(open_page, real_app, runs):
    page = open_page("tab=train", url=real_app, ready=READY)
    page.set_default_timeout(90_000)
    page.get_by_role("radio", name="My own file").check()
    page.locator(".train input[type=file]").first.set_input_files(
        {"name": "said.csv", "mimeType": "text/csv", "buffer": own_file()}
    )
    page.locator(".data h2").filter(has_text="100 texts, 2 labels").wait_for()
    began = time.monotonic()
    start_run(page, "Kitchen or garden", 12)
    page.close()  # in the middle: the run goes on by itself, and is found again
    page = open_page("tab=train", url=real_app, ready=READY)
    page.set_default_timeout(90_000)
    page.locator(".run .eyebrow").filter(has_text="Kitchen or garden").wait_for()
    page.locator(".run.is-done h2").filter(has_text="Kitchen or garden").wait_for()
    print(f"trained and scored in {time.monotonic() - began:.0f} s")
    page.get_by_role("button", name="Open it in Try").click()
    page.locator(".task .meta").filter(has_text="Kitchen or garden").wait_for()
    page.get_by_label("Your text").fill("He stirred the sauce and tasted it with a spoon.")
    page.locator(".task h2").filter(has_text="Kitchen, ").wait_for()
    assert (runs / "kitchen-or-garden" / "head" / "head.json").is_file()


@pytest.mark.nightly
def test_a_conll_file_is_trained_on_and_its_names_found(open_page, real_app, runs):
    page = open_page("tab=train", url=real_app, ready=READY)
    page.set_default_timeout(90_000)
    page.get_by_role("radio", name="Entities in a text").check()
    page.get_by_role("radio", name="My own file").check()
    page.locator(".train input[type=file]").first.set_input_files(str(NAMES))
    page.locator(".data h2").filter(has_text="kinds of entities").wait_for()
    start_run(page, "Names of mine", 2)
    page.locator(".run.is-done h2").filter(has_text="Names of mine").wait_for()
    page.get_by_role("button", name="Open it in Try").click()
    page.locator(".task .meta").filter(has_text="Names of mine").wait_for()
    assert (runs / "names-of-mine" / "head" / "head.json").is_file()


@pytest.mark.parametrize(
    ("kind", "name", "content", "said"),
    [
        ("A label per text", "bad.csv", b"text,label\nFine.,good\nDull.\nPoor.,bad\n", "bad.csv, line 3"),
        ("Entities in a text", "bad.conll", b"Ada B-PER\nsang\n. O\n", "bad.conll, line 2"),
    ],
)
def test_bad_rows_are_told_with_their_lines(open_page, real_app, kind, name, content, said):
    page = open_page("tab=train", url=real_app, ready=READY)
    page.get_by_role("radio", name=kind).check()
    page.get_by_role("radio", name="My own file").check()
    page.locator(".train input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )
    page.locator(".data-problem pre").filter(has_text=said).wait_for()


def test_where_others_can_reach_the_app_training_and_uploads_are_off(open_page, runs, monkeypatch):
    monkeypatch.setenv("GRADIO_SERVER_NAME", "0.0.0.0")
    port = free_port()
    for url in serve([sys.executable, "app.py", "--port", str(port), "--runs_dir", str(runs)], port):
        page = open_page("tab=train", url=url, ready=READY)
        assert "nobody can train or upload" in page.locator(READY).first.inner_text()
        assert page.locator(".train-editor, input[type=file]:visible").count() == 0
        page.close()  # before its server

"""The text of each page, word for word: ``pytest tests/ui/test_pages.py --update-snapshots``
rewrites the snapshots."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from elmo_tasks.api import MapRequest, NearestRequest, TrainingPlan
from elmo_tasks.ui import (
    compare_details,
    compare_form,
    compare_tab,
    layers_tab,
    map_tab,
    nearest_tab,
    rendering,
    train_form,
    train_tab,
    try_tab,
)
from tests.ui.fake_service import FakeService

FOLDER = Path(__file__).resolve().parents[1] / "snapshots"
#: Inline elements.
INLINE = {
    "a",
    "abbr",
    "b",
    "bdi",
    "code",
    "em",
    "i",
    "kbd",
    "mark",
    "output",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "u",
}
CELLS = {"td", "th"}
UNREAD = {"script", "style", "svg", "template"}
BANK = ("The bank refused our loan.", "We sat on the bank of the river.", "The bank lent us money.")
JORDAN = "Jordan scored twice.\nThe bus crossed into Jordan."


class Lines(HTMLParser):
    """The text of a page, a line for each block."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self._unread = self._explained = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in UNREAD
        self.words += "" if tag in INLINE | CELLS or ("data-explains" in dict(attrs)) else "\n"
        self._explained += "data-explains" in dict(attrs)

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in UNREAD
        if tag in CELLS:
            self.words += " | "
        elif self._explained and tag in ("button", "span"):
            self._explained -= 1
        elif tag not in INLINE:
            self.words += "\n"

    def handle_data(self, data: str) -> None:
        self.words += "" if self._unread else re.sub(r"\s+", " ", data)


def text_of(markup: str) -> str:
    """Return the text of markup, a line for each block, without empty lines."""
    reader = Lines()
    reader.feed(str(markup))
    return (
        "\n".join(line.strip(" |") for line in reader.words.splitlines() if line.strip(" |")) + "\n"
    )


def compared(word: str, *sentences: str, **form: object) -> str:
    return compare_tab.respond(FakeService(), compare_form.Form(word, sentences, **form), 1)[1]


def folded(kind: str, **question: object) -> str:
    service = FakeService()
    form = compare_form.Form("bank", BANK)
    query = compare_form.query_of(form, service.compare("bank", BANK).model)
    return compare_details.respond(service, kind, {"query": query, "revision": 1, **question})[
        "markup"
    ]


def mapped(word: str, text: str = "", **request: object) -> str:
    service = FakeService()
    map_request = MapRequest(word, text, **request)
    return map_tab.page(service.sense_map(map_request), service.models(), map_request)


def near(sentence: str) -> str:
    service = FakeService()
    return nearest_tab.page([service.nearest(NearestRequest("bank", sentence))], service.models())


def tried(text: str, mode: str = "all") -> str:
    return try_tab.page(FakeService(), text, mode, {})


def data_of(kind: str) -> str:
    service = FakeService()
    unit = service.tasks()[kind].unit
    return train_form.data_card(service.training.preview(TrainingPlan(kind)), unit)


PAGES = {
    "compare-two-groups": lambda: compared("bank", *BANK),
    "compare-cannot-tell": lambda: compared("muddle", "Such a muddle.", "Another muddle."),
    "compare-different-words": lambda: compared(
        "bank", "The bank lent cash.", "We walked along the [shore]."
    ),
    "compare-refused": lambda: compared("bank", "The bank.", "None."),
    "compare-by-several": lambda: compared(
        "bank", *BANK, model="fake-small", others=("fake-large",)
    ),
    "compare-whole": lambda: compared("", *BANK, whole=True),
    "compare-why": lambda: folded("why"),
    "compare-expected-words": lambda: folded("substitutes"),
    "map": lambda: mapped("bank"),
    "map-own-text": lambda: mapped("bank", "My own bank is here."),
    "map-unsure": lambda: mapped("muddle"),
    "nearest": lambda: near("The bank was shut."),
    "layers-weights": lambda: layers_tab.weights_page(FakeService().layer_weights(), {}),
    "layers-no-weights": lambda: layers_tab.weights_page([], FakeService().tasks()),
    "layers-probes": lambda: layers_tab.probes_page(FakeService().probes()),
    "try-sentiment": lambda: tried("The food was not bad.", "sentiment"),
    "try-several-texts": lambda: tried("It is good.\nIt is bad.", "sentiment"),
    "try-entities": lambda: tried(JORDAN, "entities"),
    "try-meanings": lambda: tried("The bank of the river.\nA bank.", "meanings"),
    "try-all": lambda: tried(JORDAN),
    "try-nothing": lambda: tried(""),
    "train-texts": lambda: data_of("classification"),
    "train-names": lambda: data_of("tagging"),
    "train-no-data": lambda: rendering.render("train_data_none.html", message="", is_file=True),
    "train-no-run": lambda: train_tab.page([], None),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_match_their_snapshots(name: str, request: pytest.FixtureRequest) -> None:
    words, kept = text_of(PAGES[name]()), FOLDER / f"{name}.txt"
    if request.config.getoption("--update-snapshots"):
        kept.write_text(words, encoding="utf-8")
    assert words == kept.read_text(encoding="utf-8"), (
        "if it was meant to change: --update-snapshots"
    )


def test_each_snapshot_is_of_a_page() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(PAGES)

"""What is said of a model is what its card says, and a card may be anything."""

import json

import pytest

from elmo_tasks.bilm.model_files import find_model
from elmo_tasks.service.loaded_models import told
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.test_bilm import tiny


@pytest.fixture
def files(tmp_path):
    write_model(tmp_path / "toy", tiny())
    return find_model(str(tmp_path / "toy"))


def test_how_it_was_trained_and_on_what(files):
    sources = [{"name": "a", "what": "novels"}, {"name": "b", "what": "speeches"}, {"name": "c", "what": "novels"}]
    card = {"learned_from": ["the next word", "topics"], "training": {"positions": 62_010_000}, "sources": sources}
    (files.folder / "card.json").write_text(json.dumps(card))
    assert told(files.folder) == (
        "It was trained to predict the next word; and topics.",
        "It has read 62.0 million words and sentence ends, forwards and backwards.",
        "Its text comes from: novels; speeches.",
    )


def test_what_went_on_from_another_model_has_read_more_than_its_card_counts(files):
    card = {"training": {"positions": 100_000}, "config": {"start_from": "somewhere/elmo-mini"}}
    (files.folder / "card.json").write_text(json.dumps(card))
    assert told(files.folder)[0].startswith("It went on from elmo-mini and read 0.1 million words")
    card["training"]["parts"] = []  # our own card counts all parts together
    (files.folder / "card.json").write_text(json.dumps(card))
    assert told(files.folder)[0].startswith("It has read 0.1 million words")


def test_what_only_the_last_part_taught(files):
    parts = [
        {"learned_from": ["the next word"], "positions": 38_000_000},
        {"learned_from": ["the next word", "topics"]},
    ]
    card = {"learned_from": ["the next word", "topics"], "training": {"positions": 62_000_000, "parts": parts}}
    (files.folder / "card.json").write_text(json.dumps(card))
    assert told(files.folder)[2] == "The first 38.0 million of them taught it only the first of these tasks."
    for broken in ([], [3], [{"positions": "x", "learned_from": ["a"]}], "no"):
        card["training"]["parts"] = broken
        (files.folder / "card.json").write_text(json.dumps(card))
        assert len(told(files.folder)) == 2


@pytest.mark.parametrize(
    "card",
    ["", "[]", "{}", '{"learned_from": 3, "training": [], "sources": {"a": 1}}', '{"sources": [4, {"what": 5}]}'],
)
def test_a_card_that_says_nothing(files, card):
    (files.folder / "card.json").write_text(card)
    assert told(files.folder) == ()


def test_no_card(files):
    assert told(files.folder) == ()

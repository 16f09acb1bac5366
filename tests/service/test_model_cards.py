"""A model is described by its card, and a card may be anything."""

import json

import pytest

from elmo_tasks.service.loaded_models import describe_training

PARTS = [
    {"learned_from": ["the next word"], "positions": 38_000_000},
    {"learned_from": ["the next word", "topics"]},
]


@pytest.mark.parametrize(
    ("card", "sentences"),
    [
        (
            {
                "learned_from": ["the next word", "topics"],
                "training": {"positions": 62_010_000, "parts": PARTS},
                "sources": [{"what": "novels"}, {"what": "speeches"}, {"what": "novels"}],
            },
            [
                "It was trained to predict the next word; and topics.",
                "It has read 62.0 million words and sentence ends, forwards and backwards.",
                "The first 38.0 million of them taught it only the first of these tasks.",
                "Its text comes from: novels; speeches.",
            ],
        ),
        (
            {"training": {"positions": 100_000}, "config": {"start_from": "somewhere/elmo-mini"}},
            ["It went on from elmo-mini and read 0.1 million words and sentence ends, forwards and backwards."],
        ),
        (
            {"training": {"positions": 100_000, "parts": []}, "config": {"start_from": "somewhere/elmo-mini"}},
            ["It has read 0.1 million words and sentence ends, forwards and backwards."],
        ),
        ([], []),
        ({}, []),
        ({"learned_from": 3, "training": [], "sources": {"a": 1}}, []),
        ({"sources": [4, {"what": 5}]}, []),
        ({"training": {"positions": 5, "parts": [3]}}, []),
    ],
)
def test_training_is_described_by_the_card(tmp_path, card, sentences):
    (tmp_path / "card.json").write_text(json.dumps(card))
    assert describe_training(tmp_path) == tuple(sentences)


def test_without_a_card_nothing_is_described(tmp_path):
    assert describe_training(tmp_path) == describe_training(None) == ()
    (tmp_path / "card.json").write_text("{")
    assert describe_training(tmp_path) == ()

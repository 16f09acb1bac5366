"""Meanings measured: calibration error by hand, labelled sets, and the bundled model on a small
dictionary."""

import json

import numpy as np
import pytest

from elmo_tasks.api import Certainty
from elmo_tasks.errors import DataError
from elmo_tasks.evaluation.dictionary import (
    calibration_error,
    is_of_uses,
    score_sentences,
    score_sets,
    score_uses,
    sense_table,
)
from elmo_tasks.evaluation.unlisted import score_unlisted, unlisted_line
from elmo_tasks.senses.judging import judge
from elmo_tasks.senses.lexicon import Lexicon, bundled_lexicon
from elmo_tasks.service.loaded_models import LoadedModels
from elmo_tasks.text.mentions import find_mention


@pytest.fixture(scope="module")
def model():
    return LoadedModels(device="cpu").model().senses


def test_calibration_error_by_hand():
    top, right = np.array([0.95, 0.91, 0.55, 1.0]), np.array([True, False, True, True])
    by_hand = 0.75 * abs((0.95 + 0.91 + 1.0) / 3 - 2 / 3) + 0.25 * abs(0.55 - 1)
    assert calibration_error(top, right) == pytest.approx(by_hand)


def test_scores_of_a_few_words(model):
    lexicon = bundled_lexicon()
    few = [
        entry
        for out in (True, False)
        for entry in [e for e in lexicon.ambiguous if e.is_held_out == out][:4]
    ]
    fitted, held_out = score_sentences(model, Lexicon(few))
    assert (fitted.words, held_out.words) == (4, 4)
    assert fitted.sentences == sum(
        len(s.test_sentences) for e in few if not e.is_held_out for s in e.senses
    )
    for scores in (fitted, held_out):
        assert list(scores.by_views) == [
            "context words",
            "expected words",
            "layers and states",
            "all views",
        ]
        assert scores.first < scores.right <= 1
    table = sense_table("elmo-mini", [fitted, held_out], [])
    assert f"| **calibrated model, %** | **{100 * fitted.right:.1f}** |" in table


def test_sets_are_sorted_as_compare_sorts_them(model, tmp_path):
    barks = ["The dog let out a sharp bark.", "The bark of the oak was rough."]
    sets = [
        {"word": "bark", "sentences": barks, "gold": [0, 1]},
        {"word": "bark", "sentences": barks, "gold": [0, 0]},
        {
            "word": "telescope",
            "sentences": ["A telescope.", "Her telescope stands on a hill."],
            "gold": [0, 0],
        },
    ]
    path = tmp_path / "sets.jsonl"
    path.write_text("\n".join(map(json.dumps, sets)))
    found = score_sets(model, bundled_lexicon(), path)
    assert (found.sets, found.by_source) == (3, {"dictionary": 2, "one meaning": 1})
    assert (found.several_named, found.several_right) == (1.0, 1.0)
    assert found.one_split == pytest.approx(1 / (1 + (found.named == 1)))


def test_sets_with_a_sentence_of_the_dictionary_are_counted_apart(model, tmp_path):
    known = bundled_lexicon()["bark"].senses[0].sentences[0].replace("[", "").replace("]", "")
    barks = ["The dog let out a sharp bark.", "The bark of the oak was rough."]
    sets = [
        {"word": "bark", "sentences": barks, "gold": [0, 1]},
        {"word": "bark", "sentences": [barks[1], known.upper()], "gold": [0, 0]},
    ]
    path = tmp_path / "sets.jsonl"
    path.write_text("\n".join(map(json.dumps, sets)))
    found = score_sets(model, bundled_lexicon(), path)
    assert (found.sets, found.unseen) == (2, 1)
    assert (found.unseen_named, found.unseen_right) == (1.0, 1.0)
    row = sense_table("elmo-mini", [], [found]).splitlines()[-1]
    assert row.endswith("| 1 | 100.0 | 100.0 |")


def test_single_uses_are_scored_by_their_key(model, tmp_path):
    rows = [
        {"word": "bark", "sentence": "The dog let out a sharp bark.", "key": "dog"},
        {"word": "bark", "sentence": "The dog let out a sharp bark.", "key": "tree"},
        {"word": "bark", "sentence": "A bark is also a ship.", "key": None},
    ]
    path = tmp_path / "uses.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert is_of_uses(path)
    found = score_uses(model, bundled_lexicon(), path)
    assert (found.uses, found.right, found.right_when_sure) == (2, 0.5, 0.5)
    assert "| uses.jsonl | 2 | 50.0 |" in sense_table("elmo-mini", [], [], [found])
    path.write_text('{"word": "bark", "sentence": "A dog.", "key": "dog"}')
    with pytest.raises(DataError, match="line 1: expected word, sentence and key"):
        score_uses(model, bundled_lexicon(), path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "found an empty file"),
        ("[1]", "line 1: expected an object"),
        ("{}", "line 1: expected word, sentences and gold"),
        ('{"word": "bank", "sentences": ["A bank."], "gold": [0, 1]}', "1 sentences, 2 in gold"),
        ('{"word": "bank", "sentences": ["A dog."], "gold": [0]}', "does not contain “bank”"),
    ],
)
def test_invalid_sets(line, message, tmp_path):
    (tmp_path / "sets.jsonl").write_text(line)
    with pytest.raises(DataError, match=message):
        score_sets(None, bundled_lexicon(), tmp_path / "sets.jsonl")
    with pytest.raises(DataError, match="expected labelled sets"):
        score_sets(None, bundled_lexicon(), tmp_path / "nowhere.jsonl")


def test_held_out_words_are_judged_as_if_on_no_list(model):
    few = [entry for entry in bundled_lexicon().ambiguous if entry.is_held_out][:4]
    scores = score_unlisted(model, Lexicon(few))
    assert scores.pairs == 4 * sum(len(entry.senses) for entry in few)
    assert 0 < scores.answered < 1
    assert scores.right > 0.7
    assert f"answered {100 * scores.answered:.1f} %" in unlisted_line(scores)


@pytest.mark.parametrize(("word", "is_decided"), [("flibber", True), ("Flibber", False)])
def test_uses_of_names_are_never_said_to_mean_the_same(model, word, is_decided):
    sentences = [f"We drank a cold [{word}] in the bar.", f"He drank a warm [{word}] in a bar."]
    uses = [find_mention(word, sentence) for sentence in sentences]
    judged = judge(model, uses, model.embed(uses), word, Lexicon([]))
    assert (judged.certainty is not Certainty.ABSTAIN) == is_decided
    assert judged.groups == (((0, 1),) if is_decided else ())

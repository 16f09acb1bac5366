"""Probabilities of meanings by hand, and the files of a calibration."""

import json
from dataclasses import replace

import numpy as np
import pytest

from elmo_tasks.errors import WeightsError
from elmo_tasks.senses.calibration_files import read_calibration, write_calibration
from elmo_tasks.senses.disambiguation import sense_key, word_of_key
from elmo_tasks.senses.entries import Sense
from elmo_tasks.senses.scoring import (
    TYPED_SCALE,
    Evidence,
    SenseCalibration,
    SenseProbabilities,
    classify,
    near_meanings,
    nearest_others,
    part_scores,
    same_probability,
)
from elmo_tasks.senses.word_matches import Matches

CALIBRATION = SenseCalibration(
    checksum="abc",
    layers=(1, 2),
    weights={"words": 2.0},
    centres={"words": np.zeros(2, np.float32), "layer 1": np.ones(3, np.float32)},
    projection=np.eye(2, dtype=np.float32),
    slope=3.0,
    match=0.5,
    part=2.0,
    parts=("noun", "verb"),
    part_matrix=np.array([[4.0, 0.0], [0.0, 4.0], [0.0, 1.0]], np.float32),
    unknown=(1.0, -4.0, -0.2, 0.3, -2.0, 0.1, 1.0, 2.0),
    same=(-1.0, 2.0),
)
CENTROIDS = {"one": np.array([1, 0], np.float32), "other": np.array([0, 1], np.float32)}


def test_probabilities_by_hand():
    cosines = np.array([[0.6, 0.8], [1.0, 0.0]])
    matches = Matches(
        total=np.array([[-3.0, -1.0], [-2.0, -8.0]]),
        mean=np.array([[-1.5, -0.5], [-1.0, -4.0]]),
        nearest=cosines / 2,
        weight=np.array([2.0, 2.0]),
    )
    evidence = Evidence(
        cosines, matches, np.array([[0.5, 0.3], [0.2, 0.1]]), np.array([[-0.1, -0.4], [-0.2, -0.2]])
    )
    first, second = classify(CALIBRATION, evidence)
    scores = 3 * 0.6 + 0.5 * -3 + 2 * -0.1, 3 * 0.8 + 0.5 * -1 + 2 * -0.4
    odds = (
        1
        - 4 * 0.8
        - 0.2 * (scores[1] - scores[0])
        + 0.3 * -0.5
        - 2 * 0.4
        + 0.1 * -1
        + 0.5
        + 2 * 0.3
    )
    other = 1 / (1 + np.exp(-odds))
    # The total match of the first meaning is two behind, of which one counts.
    powers = [np.exp(TYPED_SCALE * score) for score in (scores[0] + 0.5 * 1, scores[1])]
    share = powers[0] / sum(powers)
    assert first.other == pytest.approx(other, abs=1e-6)
    assert first.probabilities == pytest.approx(
        ((1 - other) * share, (1 - other) * (1 - share)), abs=1e-6
    )
    assert (first.best, second.best) == (1, 0)
    assert sum(second.probabilities) + second.other == pytest.approx(1)
    (alone,) = classify(CALIBRATION, evidence.without(0, 1))
    # no lead: there is no second meaning
    odds = 1 - 4 * 0.6 + 0.3 * -1.5 - 2 * 0.3 + 0.1 * -3 + 0.5 + 2 * 0.3
    assert alone.other == pytest.approx(1 / (1 + np.exp(-odds)))


def test_the_parts_of_speech_by_hand():
    use = np.array([[1.0, 0.0]], np.float32)
    (row,) = part_scores(
        use, CALIBRATION.part_matrix, CALIBRATION.parts, ["noun", "verb", "expression"]
    )
    noun = np.exp(4) / (np.exp(4) + np.exp(1))
    assert row[:2] == pytest.approx(
        [np.log(0.98 * noun + 0.02), np.log(0.98 * (1 - noun) + 0.02)], abs=1e-6
    )
    assert row[2] == row[0]
    assert part_scores(use, np.zeros((3, 0), np.float32), (), ["noun"]).tolist() == [[0.0]]


def test_the_nearest_meanings_of_other_words_by_hand():
    use, others = (
        np.array([[1, 0]], np.float32),
        np.array([[0, 1], [0.6, 0.8], [0.8, 0.6]], np.float32),
    )
    near = near_meanings(use, others, n_own=1)
    assert nearest_others(near)[0] == pytest.approx([0.8, (0 + 0.6 + 0.8) / 3])
    assert nearest_others(near, own=[2])[0] == pytest.approx([0.6, 0.3])
    assert nearest_others(near_meanings(use, np.zeros((0, 2), np.float32))).tolist() == [[0, 0]]


def test_a_key_changes_with_the_examples_and_names_the_word():
    sense = Sense("money", "noun", "a firm", ("An [ice cream] here.",))
    assert word_of_key(sense_key("Ice cream", sense)) == "ice cream"
    assert sense_key("ice cream", sense) != sense_key(
        "ice cream", replace(sense, sentences=("Another [ice cream].",))
    )
    assert " " not in sense_key("ice cream", sense)


def test_two_uses_mean_the_same_by_hand():
    a, b = SenseProbabilities((0.7, 0.1), 0.2), SenseProbabilities((0.2, 0.3), 0.5)
    assert a.same(b) == pytest.approx(0.7 * 0.2 + 0.1 * 0.3 + 0.2 * 0.5)
    found = same_probability(CALIBRATION, np.array([[1, 0], [0.6, 0.8]], np.float32))
    assert found[0, 1] == pytest.approx(1 / (1 + np.exp(-(-1 + 2 * 0.6))), abs=1e-6)


def test_a_calibration_is_read_as_it_was_written(tmp_path):
    write_calibration(tmp_path, CALIBRATION, CENTROIDS)
    found, centroids = read_calibration(tmp_path, "abc")
    arrays = "centres", "projection", "part_matrix"
    for name, value in vars(CALIBRATION).items():
        if name not in arrays:
            assert getattr(found, name) == value
    assert {k: v.tolist() for k, v in found.centres.items()} == {
        "words": [0, 0],
        "layer 1": [1, 1, 1],
    }
    assert found.projection.tolist() == [[1, 0], [0, 1]]
    assert {k: v.tolist() for k, v in centroids.items()} == {"one": [1, 0], "other": [0, 1]}
    assert read_calibration(tmp_path, "of other models") is None
    assert read_calibration(tmp_path / "nowhere", "abc") is None


@pytest.mark.parametrize(
    "broken",
    [
        {"weights": ["words"]},
        {"weights": {"gone": 1.0}},
        {"slope": "steep"},
        {"slope": float("nan")},
        {"match": None},
        {"unknown": [1.0]},
        {"centroids": "one"},
        {"layers": None},
    ],
)
def test_broken_settings_are_refused(tmp_path, broken):
    write_calibration(tmp_path, CALIBRATION, CENTROIDS)
    path = tmp_path / "meanings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | broken))
    with pytest.raises(WeightsError, match="not a calibration of meanings"):
        read_calibration(tmp_path, "abc")


@pytest.mark.parametrize(
    "change",
    [{"projection": np.ones((3, 2), np.float32)}, {"projection": np.ones((2, 5), np.float32)}],
)
def test_parts_that_do_not_fit_each_other_are_refused(tmp_path, change):
    write_calibration(tmp_path, replace(CALIBRATION, **change), CENTROIDS)
    with pytest.raises(WeightsError, match="not a calibration of meanings .ValueError: expected"):
        read_calibration(tmp_path, "abc")


def test_wrong_settings_or_tensor_files_are_refused(tmp_path):
    write_calibration(tmp_path, CALIBRATION, CENTROIDS)
    tensors = tmp_path / "meanings.safetensors"
    tensors.write_bytes(tensors.read_bytes()[:40])
    with pytest.raises(WeightsError):
        read_calibration(tmp_path, "abc")
    tensors.unlink()
    with pytest.raises(WeightsError, match="no meanings.safetensors"):
        read_calibration(tmp_path, "abc")
    for text in ("[]", "{", "3"):
        (tmp_path / "meanings.json").write_text(text)
        with pytest.raises(WeightsError, match="meanings.json"):
            read_calibration(tmp_path, "abc")

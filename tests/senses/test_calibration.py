"""Calibration on vectors whose senses are known to be, or not to be, in them."""

import json
from functools import cache

import numpy as np
import pytest
import torch

from elmo_tasks.senses.calibration import TOGETHER, Calibration
from elmo_tasks.senses.calibration_fit import calibrate, halves
from elmo_tasks.senses.expected_words import EXPECTED
from elmo_tasks.senses.known_sets import WordUses
from elmo_tasks.senses.views_of_uses import WORDS, unit

pytestmark = pytest.mark.ci

NAMES = ("0", "1", "2", "mean")


def words(signal, around=0.0, expected=None):
    """Layer 0 the same for all, layer 1 noise, layer 2 with the sense in it, and something in between as their mean."""
    torch.manual_seed(0)
    r = np.random.default_rng(0)
    found = {}
    for w in range(16):
        senses = tuple("ab"[k % 2] for k in range(16))
        sign = torch.tensor([1.0 if s == "a" else -1.0 for s in senses])
        noise = torch.randn(4, 16, 8)
        noise[0] = noise[0, :1]
        noise[2:, :, 0] += signal * sign
        others = {}
        for view, strength in ((WORDS, around), (EXPECTED, expected)):
            if strength is not None:
                others[view] = r.normal(size=(16, 5)) + 3.0  # all have something in common
                others[view][:, 0] += strength * sign.numpy()
        found[f"word{w}"] = WordUses(noise, others, senses)
    return found


@cache
def calibrated(signal, around=0.0, expected=None):
    return calibrate(NAMES, words(signal, around, expected), (0.5, 0.1, 0.2, 0.3), "abc")


def test_the_layer_that_knows_is_asked():
    calibration = calibrated(6.0)
    assert calibration.verdict_layer in (2, 3)
    knows, noise = calibration.layers[2], calibration.layers[1]
    assert knows.named > 0.8
    assert knows.right > 0.9
    assert noise.named < 0.3
    assert all(size.split < 0.1 for size in knows.by_size)
    assert calibration.layers[0].same_sense is None
    assert [layer.random_pair_cosine for layer in calibration.layers] == [0.5, 0.1, 0.2, 0.3]


def test_where_nothing_knows_nothing_is_named():
    calibration = calibrated(0.0)
    # Where nothing is known, that all mean the same is the likeliest, and is said at most.
    assert all(size.split < 0.1 for reading in calibration.readings for size in reading.by_size)
    assert all(reading.named < 0.35 for reading in calibration.readings)
    assert max(reading.error for reading in calibration.readings) < 0.1


def test_what_knows_speaks():
    words_know = calibrated(0.0, 6.0)
    assert words_know.reading(WORDS).right > 0.9
    assert words_know.reading(WORDS).named > words_know.layers[2].named + 0.3
    both = calibrated(1.2, 1.2)
    assert both.selected == TOGETHER
    assert both.selected_reading is both.reading(TOGETHER)
    assert both.selected_reading.named > max(both.reading(WORDS).named, both.layers[2].named)


@pytest.mark.parametrize(
    ("strengths", "views"),
    [
        ((1.5, 1.5, 1.5), {WORDS, EXPECTED}),
        pytest.param((0.0, 1.5, 1.5), {WORDS, EXPECTED}, marks=pytest.mark.nightly),
        pytest.param((1.5, 0.0, 1.5), {WORDS, EXPECTED}, marks=pytest.mark.nightly),
    ],
)
def test_those_that_know_something_are_read_together(strengths, views):
    calibration = calibrated(*strengths)
    assert calibration.selected == TOGETHER
    assert views <= set(calibration.selected_reading.views)
    if strengths[0]:
        assert {"2", "mean"} & set(calibration.selected_reading.views)  # both have it
    assert len(calibration.selected_reading.same_sense.weights) == len(calibration.selected_reading.views)
    shown = NAMES[calibration.verdict_layer]
    assert shown in calibration.selected_reading.views or not set(NAMES) & set(calibration.selected_reading.views)
    assert [reading.name for reading in calibration.others] == [WORDS, EXPECTED, TOGETHER]


def test_a_model_that_does_not_write_is_calibrated_without():
    assert [reading.name for reading in calibrated(1.2, 1.2).others] == [WORDS, TOGETHER]


@pytest.mark.parametrize("view", [WORDS, EXPECTED])
def test_what_stands_around_is_compared_about_its_centre(view):
    calibration = calibrated(1.5, 1.5, 1.5)
    centre = np.array(calibration.centres[view])
    assert centre == pytest.approx(np.full(5, 3.0), abs=0.3)
    step = np.eye(5)[0]
    near = calibration.cosines(view, np.stack([centre + step, centre - step, np.zeros(5)]))
    assert near[0, 1] == pytest.approx(-1, abs=1e-4)
    assert near[2].tolist() == [0, 0, 0]  # nothing around it is known


def test_probabilities_are_what_they_say():
    reading = calibrated(1.2, 1.2).reading(TOGETHER)
    assert reading.error < 0.1
    assert sum(n for *_, n in reading.reliability) > 500
    assert [mean for mean, *_ in reading.reliability] == sorted(mean for mean, *_ in reading.reliability)


def test_no_word_is_both_fitted_and_held_out():
    fitted, held_out = halves([f"word{k}" for k in range(11)])
    assert not {*fitted} & {*held_out}
    assert len(fitted) + len(held_out) == 11
    assert halves([f"word{k}" for k in reversed(range(11))]) == (fitted, held_out)


def test_it_survives_json():
    calibration = calibrated(1.5, 1.5, 1.5)
    assert Calibration.from_dict(json.loads(json.dumps(calibration.to_dict()))) == calibration
    with pytest.raises(KeyError):
        Calibration.from_dict({})
    assert calibration.selected_reading.grouping.of_size(12) == calibration.selected_reading.grouping.sizes[8]


def test_what_the_selected_view_reads_as_one_vector_ranks_pairs_as_its_probabilities_do():
    calibration = calibrated(1.5, 1.5, 1.5)
    same = calibration.selected_reading.same_sense
    r = np.random.default_rng(4)
    raw = {
        view: r.normal(size=(12, 5)) + (3.0 if view in calibration.centres else 0.0)
        for view in calibration.selected_reading.views
    }
    vectors = {view: unit(values) for view, values in raw.items()}
    cosines = {
        view: calibration.cosines(view, x) if view in calibration.centres else x @ x.T for view, x in vectors.items()
    }
    odds = same.intercept_of_few + sum(
        w * cosines[view] for w, view in zip(same.weights_of_few, calibration.selected_reading.views, strict=True)
    )
    joined = calibration.joined(vectors.__getitem__)
    pairs = np.tril_indices(12, -1)
    fitted = np.polyfit((joined @ joined.T)[pairs], odds[pairs], 1)
    np.testing.assert_allclose(np.polyval(fitted, (joined @ joined.T)[pairs]), odds[pairs], atol=1e-3)
    assert fitted[0] > 0

"""Calibration on vectors whose senses are known to be, or not to be, in them."""

import json

import pytest
import torch

from elmo_tasks.analysis.calibration import Calibration, WordUses, calibrate

NAMES = ("0", "1", "2", "mean")


def words(signal):
    """Layer 0 the same for all, layer 1 noise, layer 2 with the sense in it, and something in between as their mean."""
    torch.manual_seed(0)
    found = {}
    for w in range(12):
        senses = tuple("ab"[k % 2] for k in range(16))
        noise = torch.randn(4, 16, 8)
        noise[0] = noise[0, :1]
        noise[2:, :, 0] += torch.tensor([signal if s == "a" else -signal for s in senses])
        found[f"word{w}"] = WordUses(noise, senses)
    return found


def test_the_layer_that_knows_is_asked():
    calibration = calibrate(NAMES, words(6.0), (0.5, 0.1, 0.2, 0.3), "abc")
    assert calibration.verdict_layer in (2, 3)
    knows, noise = calibration.layers[2], calibration.layers[1]
    assert knows.named > 0.8
    assert knows.right > 0.95
    assert noise.right_of_all < 0.65
    assert noise.named < 0.2
    assert calibration.layers[0].same_sense is None
    assert [layer.random_pair_cosine for layer in calibration.layers] == [0.5, 0.1, 0.2, 0.3]


def test_where_no_layer_knows_nothing_is_named():
    calibration = calibrate(NAMES, words(0.0), (0, 0, 0, 0), "abc")
    assert all(layer.named < 0.2 for layer in calibration.layers)


def test_it_survives_json():
    calibration = calibrate(NAMES, words(6.0), (0.5, 0.1, 0.2, 0.3), "abc")
    assert Calibration.from_dict(json.loads(json.dumps(calibration.to_dict()))) == calibration
    with pytest.raises(KeyError):
        Calibration.from_dict({})

"""Pairs of SemCor's uses, and what a calibration says of them."""

import numpy as np
import pytest
from elmo_tasks.evaluation.calibration_check import check_on_pairs, lexicographer_file, sense_pairs
from elmo_tasks.senses.calibration_fit import calibrate
from elmo_tasks.senses.marked_vectors import MarkedVectors
from tests.senses.test_calibration import NAMES, words

from elmo_tasks.data.sense_uses import SenseUse
from elmo_tasks.uses import Use

RIVER, SLOPE, MONEY = "bank%1:17:01::", "bank%1:17:00::", "bank%1:14:00::"


def uses(keys, lemma="bank%n"):
    return [SenseUse(Use.of_tokens((f"s{lemma}{k}", "bank"), 1), lemma, (key,)) for k, key in enumerate(keys)]


def test_a_key_tells_its_file():
    assert lexicographer_file(RIVER) == "17"
    assert lexicographer_file("run%2:38:00::") == "38"


def test_pairs_have_one_sense_or_senses_of_different_files_and_as_many_of_either():
    asked = [*uses([RIVER, RIVER, SLOPE, MONEY, RIVER, MONEY]), *uses([RIVER, SLOPE], "bench%n")]
    two = SenseUse(asked[0].use, "bank%n", (RIVER, MONEY))
    pairs = sense_pairs([*asked, two])
    assert pairs.same.sum() == (~pairs.same).sum() == 3
    for a, b, same in zip(pairs.first, pairs.second, pairs.same, strict=True):
        one, other = asked[a], asked[b]  # no use that has two senses, and none of a lemma that lacks one kind
        assert one.lemma == other.lemma == "bank%n"
        assert (one.senses == other.senses) == same
        assert same or MONEY in (*one.senses, *other.senses)  # river and slope are in one file


def test_two_uses_of_one_sentence_are_no_pair():
    one = uses([RIVER, RIVER, MONEY])
    same_sentence = [SenseUse(one[0].use, use.lemma, use.senses) for use in one]
    assert len(sense_pairs(same_sentence).same) == 0


@pytest.mark.ci
@pytest.mark.parametrize("signal", [4.0, 0.0])
def test_what_knows_the_senses_is_right_and_what_does_not_is_not(signal):
    calibration = calibrate(NAMES, words(signal), (0.5, 0.1, 0.2, 0.3), "abc")
    r = np.random.default_rng(3)
    sign = np.tile([1.0, -1.0], 40)
    layers = r.normal(size=(3, 80, 8))
    layers[2, :, 0] += signal * sign
    vectors = MarkedVectors(layers.astype(np.float16), None, (r.normal(size=(80, 5)) + 3.0).astype(np.float16))
    pairs = sense_pairs([use for w in range(20) for use in uses([RIVER, MONEY, RIVER, MONEY], f"bank{w}%n")])
    found = {check.name: check for check in check_on_pairs(calibration, vectors, np.zeros(80), pairs)}
    assert list(found) == ["1", "2", "mean", "words", "together"]  # layer 0 is never asked
    assert 0.35 < found["1"].right < 0.65
    if signal:
        assert found["2"].right > 0.85
        assert found["2"].right_when_named >= found["2"].right
        assert found["2"].error < 0.15
    else:
        assert 0.35 < found["2"].right < 0.65
        assert found["2"].error < 0.2

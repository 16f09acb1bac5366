"""Thresholds of a classifier, on rows with known classes."""

from __future__ import annotations

import numpy as np
import pytest

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.heads.confidence import MIN_PRECISION, NAME, Confidence


def rows(n=4000, sharpness=2.0, without_class=0.0):
    """Probabilities of a head that is overconfident by ``sharpness``, and the right classes.

    Rows without a class get probabilities near even odds.
    """
    rng = np.random.default_rng(1)
    odds = rng.normal(0, 2, n)
    gold = [int(rng.random() < 1 / (1 + np.exp(-odd))) for odd in odds]
    none = rng.random(n) < without_class
    odds[none] = rng.normal(0, 0.7, int(none.sum()))
    positive = 1 / (1 + np.exp(-sharpness * odds))
    classes = [None if is_none else k for is_none, k in zip(none, gold, strict=True)]
    return np.stack([1 - positive, positive], axis=1), classes


def test_an_overconfident_head_is_rescaled():
    fitted = Confidence.fit(*rows(), "rows")
    assert fitted.temperature == pytest.approx(2.0, abs=0.2)
    certain = {"a": 1 / (1 + np.exp(3.0)), "b": 1 / (1 + np.exp(-3.0))}
    read = fitted.calibrate(TextPrediction("b", certain)).probabilities
    assert sum(read.values()) == pytest.approx(1)
    assert read["b"] == pytest.approx(1 / (1 + np.exp(-3.0 / fitted.temperature)))


def test_predictions_reach_the_required_precision():
    probabilities, classes = rows(without_class=0.2)
    fitted = Confidence.fit(probabilities, classes, "rows")
    assert fitted.precision >= MIN_PRECISION - 1e-4
    assert 0.5 < fitted.threshold < 1
    # It abstains more often from rows without a class than from the others.
    assert fitted.abstention > 1 - fitted.coverage
    assert fitted.rows + fitted.rows_without_class == len(classes)


def test_a_head_that_is_always_wrong_always_abstains():
    probabilities = np.array([[0.9, 0.1]] * 50)
    assert Confidence.fit(probabilities, [1] * 50, "rows").threshold == 1.0


def test_fitting_needs_rows_with_a_class():
    with pytest.raises(DataError, match="rows: no row has one of the head's classes"):
        Confidence.fit([[0.5, 0.5]], [None], "rows")


def test_the_file_in_the_folder_of_the_head_is_read_again(tmp_path):
    assert Confidence.of(tmp_path) is None
    fitted = Confidence.fit(*rows(100), "rows")
    fitted.write(tmp_path)
    assert Confidence.of(tmp_path) == fitted


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"threshold": 1}',
        '{"temperature": 0, "threshold": 0.5}',
        '{"temperature": 1, "threshold": 2}',
        "x",
    ],
)
def test_another_file_is_refused(tmp_path, text):
    (tmp_path / NAME).write_text(text)
    with pytest.raises(ConfigError, match="expected a file of `elmo-tasks calibrate --head`"):
        Confidence.of(tmp_path)

"""How sure a classifier must be, on rows whose classes are known."""

from __future__ import annotations

import numpy as np
import pytest

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.heads.confidence import MIN_PRECISION, NAME, Confidence


def rows(n=4000, sharpened=2.0, of_no_class=0.0):
    """A head that is right as often as it says, but for a sharpness; rows of no class get
    probabilities near even odds."""
    r = np.random.default_rng(1)
    odds = r.normal(0, 2, n)
    gold = [int(r.random() < 1 / (1 + np.exp(-o))) for o in odds]
    none = r.random(n) < of_no_class
    odds[none] = r.normal(0, 0.7, int(none.sum()))
    positive = 1 / (1 + np.exp(-sharpened * odds))
    return np.stack([1 - positive, positive], axis=1), [
        None if k else g for k, g in zip(none, gold, strict=True)
    ]


def test_a_head_that_is_too_sure_is_flattened_to_what_it_is():
    fitted = Confidence.fit(*rows(), "rows")
    assert fitted.temperature == pytest.approx(2.0, abs=0.2)
    certain = {"a": 1 / (1 + np.exp(3.0)), "b": 1 / (1 + np.exp(-3.0))}
    read = fitted.calibrate(TextPrediction("b", certain)).probabilities
    assert sum(read.values()) == pytest.approx(1)
    assert read["b"] == pytest.approx(1 / (1 + np.exp(-3.0 / fitted.temperature)))


def test_what_is_said_is_right_as_often_as_it_should_be():
    probabilities, classes = rows(of_no_class=0.2)
    fitted = Confidence.fit(probabilities, classes, "rows")
    assert fitted.right >= MIN_PRECISION - 1e-4
    assert 0.5 < fitted.least < 1
    assert (
        fitted.kept_back > 1 - fitted.said
    )  # more of the rows of no class are kept back than of the others
    assert fitted.rows + fitted.of_no_class == len(classes)
    assert fitted.scored(probabilities, classes, "rows") == fitted


def test_a_head_that_is_never_right_says_nothing():
    probabilities = np.array([[0.9, 0.1]] * 50)
    assert Confidence.fit(probabilities, [1] * 50, "rows").least == 1.0


def test_nothing_can_be_fitted_without_a_class():
    with pytest.raises(DataError, match="rows: no row has one of the head's classes"):
        Confidence.fit([[0.5, 0.5]], [None], "rows")


def test_it_is_kept_in_the_folder_of_the_head(tmp_path):
    assert Confidence.of(tmp_path) is None
    fitted = Confidence.fit(*rows(100), "rows")
    fitted.write(tmp_path)
    assert Confidence.of(tmp_path) == fitted


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"least": 1}',
        '{"temperature": 0, "least": 0.5}',
        '{"temperature": 1, "least": 2}',
        "x",
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, text):
    (tmp_path / NAME).write_text(text)
    with pytest.raises(ConfigError, match="expected what `elmo-tasks calibrate --head` writes"):
        Confidence.of(tmp_path)

"""Confidence of a classifier: a temperature and a threshold for abstaining.

A temperature rescales the probabilities (Guo, Pleiss, Sun and Weinberger, 2017), and a text whose
best class is below a threshold gets none (selective classification: Chow, 1970; Geifman and
El-Yaniv, 2017). Both are fitted on labelled rows that the head was not trained on, including rows
without a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import read_json, write_json
from elmo_tasks.heads.classification import TextPrediction

NAME = "confidence.json"
#: Required precision of the predictions; a prediction for a text without a class counts as wrong.
MIN_PRECISION = 5 / 6
_TEMPERATURES = np.geomspace(0.25, 8.0, 301)
_THRESHOLDS = np.arange(0.5, 1.0, 0.005)


@dataclass(frozen=True)
class Confidence:
    """Calibration of a head's probabilities; the fields are the keys of its file."""

    temperature: float  #: divisor of the log-odds of the classes
    threshold: float  #: minimum probability of a prediction, below which the classifier abstains
    fitted_on: str = ""  #: name of the file
    rows: int = 0  #: rows with a class in it
    rows_without_class: int = 0
    coverage: float = 1.0  #: share of the rows with a class that get a prediction
    precision: float = 0.0  #: of the predictions
    abstention: float = 0.0  #: share of the rows without a class that get no prediction

    @classmethod
    def of(cls, folder: Path) -> Confidence | None:
        """Load the file of a head's folder; ``None`` if there is none."""
        path = folder / NAME
        if not path.is_file():
            return None
        try:
            confidence = cls(**read_json(path))
            if not (confidence.temperature > 0 and 0 <= confidence.threshold <= 1):
                raise ValueError(
                    f"temperature {confidence.temperature}, threshold {confidence.threshold}"
                )
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"{path}: expected a file of `elmo-tasks calibrate --head`"
                f" ({type(error).__name__}: {error}); fit it again, or remove the file"
            ) from None
        return confidence

    @classmethod
    def fit(
        cls, probabilities: Sequence[Sequence[float]], classes: Sequence[int | None], name: str
    ) -> Confidence:
        """Fit temperature and threshold on ``[n][classes]`` probabilities and right classes."""
        gold = _ids(classes)
        has_class = gold >= 0
        if not has_class.any():
            raise DataError(
                f"{name}: no row has one of the head's classes, so that nothing can be fitted"
            )
        labelled = np.asarray(probabilities)[has_class]
        right = (np.arange(has_class.sum()), gold[has_class])
        losses = [-_scaled(labelled, divisor)[right].mean() for divisor in _TEMPERATURES]
        temperature = round(float(_TEMPERATURES[int(np.argmin(losses))]), 3)
        scaled = _scaled(probabilities, temperature)
        top, is_right = np.exp(scaled.max(axis=1)), scaled.argmax(axis=1) == gold
        thresholds = (
            limit
            for limit in _THRESHOLDS
            if (top >= limit).any() and is_right[top >= limit].mean() >= MIN_PRECISION
        )
        threshold = round(float(next(thresholds, 1.0)), 3)
        return cls(temperature, threshold)._scored(probabilities, classes, name)

    def _scored(
        self, probabilities: Sequence[Sequence[float]], classes: Sequence[int | None], name: str
    ) -> Confidence:
        """Measure temperature and threshold on rows; see :meth:`fit`."""
        scaled, gold = _scaled(probabilities, self.temperature), _ids(classes)
        has_class, is_right = gold >= 0, scaled.argmax(axis=1) == gold
        predicted = np.exp(scaled.max(axis=1)) >= self.threshold
        return replace(
            self,
            fitted_on=name,
            rows=int(has_class.sum()),
            rows_without_class=int((~has_class).sum()),
            coverage=_share(predicted[has_class]),
            precision=_share(is_right[predicted]),
            abstention=_share(~predicted[~has_class]),
        )

    def write(self, folder: Path) -> None:
        """Write the file into a head's folder."""
        write_json(folder / NAME, asdict(self))

    def calibrate(self, prediction: TextPrediction) -> TextPrediction:
        """Calibrate the probabilities of a text and decide whether the label is certain."""
        scaled = _scaled([list(prediction.probabilities.values())], self.temperature)
        probabilities = dict(zip(prediction.probabilities, np.exp(scaled[0]).tolist(), strict=True))
        return TextPrediction(
            prediction.label, probabilities, max(probabilities.values()) >= self.threshold
        )


def _ids(classes: Sequence[int | None]) -> np.ndarray:
    """``[n]`` class ids, -1 for none."""
    return np.array([-1 if k is None else k for k in classes])


def _share(cases: np.ndarray) -> float:
    return round(float(cases.mean()), 4) if len(cases) else 0.0


def _scaled(
    probabilities: Sequence[Sequence[float]] | np.ndarray, temperature: float
) -> np.ndarray:
    """``[n, C]`` log-probabilities at a temperature."""
    divided = np.log(np.clip(probabilities, 1e-12, 1.0)) / temperature
    return np.asarray(divided - np.logaddexp.reduce(divided, axis=1, keepdims=True))

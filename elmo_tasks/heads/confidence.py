"""When a classifier says that a text is none of its classes: how sure it must be, on probabilities that mean what they say.

Its probabilities are sharpened or flattened by one temperature (Guo, Pleiss, Sun and Weinberger, 2017), and what is less probable
than a limit is not said (selective classification: Chow, 1970; Geifman and El-Yaniv, 2017). Both are fitted on labelled rows that
the head was not trained on, rows of no class among them.
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
#: Of what is said so many are to be right, where saying something of a text of no class is wrong.
RIGHT_WHEN_SAID = 5 / 6
_TEMPERATURES = np.geomspace(0.25, 8.0, 301)
_LIMITS = np.arange(0.5, 1.0, 0.005)


@dataclass(frozen=True)
class Confidence:
    """How to read the probabilities of a head.

    Attributes:
        temperature: what the log-odds of its classes are divided by.
        least: a class that is less probable than this, then, is not said.
        fitted_on: name of the file.
        rows: rows with a class in it.
        of_no_class: rows without one.
        said: share of the rows with a class of which one is said.
        right: share of all that is said that is right.
        kept_back: share of the rows without a class of which none is said.
    """

    temperature: float
    least: float
    fitted_on: str = ""
    rows: int = 0
    of_no_class: int = 0
    said: float = 1.0
    right: float = 0.0
    kept_back: float = 0.0

    @classmethod
    def of(cls, folder: Path) -> Confidence | None:
        """That of a head's folder; ``None`` where none was fitted.

        Raises:
            ConfigError: the file is not one.
        """
        path = folder / NAME
        if not path.is_file():
            return None
        try:
            found = cls(**read_json(path))
            if not (found.temperature > 0 and 0 <= found.least <= 1):
                raise ValueError(f"a temperature of {found.temperature} and a least probability of {found.least}")
        except (OSError, ValueError, TypeError) as error:
            raise ConfigError(
                f"{path}: expected what `elmo-tasks confidence` writes ({type(error).__name__}: {error}); fit it again, or remove "
                "the file"
            ) from None
        return found

    @classmethod
    def fit(cls, probabilities: Sequence[Sequence[float]], classes: Sequence[int | None], name: str) -> Confidence:
        """Fit both numbers.

        Args:
            probabilities: ``[n][classes]`` of each row, as the head gives them.
            classes: the right class of each; ``None`` for a row that has none of them.
            name: of the file.

        Raises:
            DataError: no row has a class.
        """
        logs = _logs(probabilities)
        gold = np.array([-1 if k is None else k for k in classes])
        known = gold >= 0
        if not known.any():
            raise DataError(f"{name}: no row has one of the head's classes, so that nothing can be fitted")
        losses = [-_scaled(logs[known], t)[np.arange(known.sum()), gold[known]].mean() for t in _TEMPERATURES]
        temperature = round(float(_TEMPERATURES[int(np.argmin(losses))]), 3)
        scaled = _scaled(logs, temperature)
        sure, is_right = np.exp(scaled.max(axis=1)), scaled.argmax(axis=1) == gold
        limits = [
            limit for limit in _LIMITS if (sure >= limit).any() and is_right[sure >= limit].mean() >= RIGHT_WHEN_SAID
        ]
        least = round(float(limits[0]), 3) if limits else 1.0
        return cls(temperature, least).scored(probabilities, classes, name)

    def scored(self, probabilities: Sequence[Sequence[float]], classes: Sequence[int | None], name: str) -> Confidence:
        """The same two numbers, measured on other rows; see :meth:`fit`."""
        scaled = _scaled(_logs(probabilities), self.temperature)
        gold = np.array([-1 if k is None else k for k in classes])
        known, is_right = gold >= 0, scaled.argmax(axis=1) == gold
        said = np.exp(scaled.max(axis=1)) >= self.least
        return Confidence(
            self.temperature,
            self.least,
            name,
            int(known.sum()),
            int((~known).sum()),
            round(float(said[known].mean()), 4) if known.any() else 0.0,
            round(float(is_right[said].mean()), 4) if said.any() else 0.0,
            round(float((~said[~known]).mean()), 4) if (~known).any() else 0.0,
        )

    def write(self, folder: Path) -> None:
        """Put it into a head's folder."""
        write_json(folder / NAME, asdict(self))

    def prediction(self, found: TextPrediction) -> TextPrediction:
        """What a head says of a text, with its probabilities as they are to be read, and whether it is sure."""
        read = TextPrediction(found.label, self.read(found.probabilities))
        return replace(read, is_sure=read.confidence >= self.least)

    def read(self, probabilities: dict[str, float]) -> dict[str, float]:
        """Probabilities of classes, as they are to be read."""
        scaled = _scaled(_logs([list(probabilities.values())]), self.temperature)
        return dict(zip(probabilities, np.exp(scaled[0]).tolist(), strict=True))


def _logs(probabilities: Sequence[Sequence[float]]) -> np.ndarray:
    """``[n, C]``, finite."""
    return np.log(np.clip(np.asarray(probabilities, np.float64), 1e-12, 1.0))


def _scaled(logs: np.ndarray, temperature: float) -> np.ndarray:
    """``[n, C]`` log-probabilities at a temperature."""
    divided = logs / temperature
    return np.asarray(divided - np.logaddexp.reduce(divided, axis=1, keepdims=True))

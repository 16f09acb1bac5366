"""A small calibration: a model with random weights tells nothing apart, however much of the dictionary it reads."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from elmo_tasks.senses import calibrate
from elmo_tasks.service import loaded_models


@contextmanager
def small_calibration() -> Iterator[None]:
    """Models that came without a calibration are fitted on a small part of the dictionary."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loaded_models, "_READING_SECONDS", 0.0)
        patch.setattr(calibrate, "_EPOCHS", 1)
        yield

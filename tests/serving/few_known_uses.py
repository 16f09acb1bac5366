"""A small calibration: a model with random weights knows nothing, however many uses it is fitted on."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from elmo_tasks.serving import sense_models


@contextmanager
def few_known_uses() -> Iterator[None]:
    """Models are fitted on a small part of the dictionary."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sense_models, "_MIN_USES", 300)
        patch.setattr(sense_models, "_READING_SECONDS", 0.0)
        yield

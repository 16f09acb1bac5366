"""A small calibration: a model with random weights knows nothing, however many uses it is measured on."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from elmo_tasks.senses import known_sets
from elmo_tasks.serving import calibrations


@contextmanager
def few_known_uses() -> Iterator[None]:
    """Models are measured on a part of the known uses and few sets of them."""
    calibrations._everyday_checksum()  # of all of them: a calibration that came with a model stays good
    uses, everyday = calibrations.gallery()[:240], calibrations.everyday_uses()[:240]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibrations, "gallery", lambda: uses)
        patch.setattr(calibrations, "everyday_uses", lambda: everyday)
        patch.setattr(known_sets, "SETS", 20)
        patch.setattr(known_sets, "SETS_OF_MOST", 10)
        yield

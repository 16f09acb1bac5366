"""What the tests of this folder share."""

import pytest

from elmo_tasks.senses import known_sets


@pytest.fixture(autouse=True)
def few_sets(monkeypatch):
    """Fewer sets of known uses than a calibration draws: clear cases need no more."""
    monkeypatch.setattr(known_sets, "SETS", 60)
    monkeypatch.setattr(known_sets, "SETS_OF_MOST", 20)

"""A room of people at one app on this machine."""

from __future__ import annotations

import os

import pytest

from benchmarks.fifty_people import measured


@pytest.mark.slow
def test_fifty_people_compare_words_for_two_minutes() -> None:
    """Nobody waits, nobody gets an answer that is not theirs, and the app does not grow."""
    found = measured(people=50, seconds=120, pause=10)
    assert not found.wrong
    assert len(found.seconds) > 400
    if (os.cpu_count() or 1) >= 2:
        assert found.p95 < 3
    assert found.megabytes[-1] - found.megabytes[len(found.megabytes) // 2] < 30

"""What tests of every room share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data; what needs it is skipped where it is not there."""
    folder = Path(os.environ.get("ELMO_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not (folder / "elmo_fixture").is_dir():
        pytest.skip(f"no public data at {folder}: this test compares with published files (set ELMO_SHARED_DATA)")
    return folder

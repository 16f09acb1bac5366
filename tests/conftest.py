"""What tests of every room share, and what each of several workers of one run needs for itself."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:  # before torch is imported: a core for each worker
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data; what needs it is skipped where it is not there."""
    folder = Path(os.environ.get("ELMO_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not (folder / "elmo_fixture").is_dir():
        pytest.skip(f"no public data at {folder}: this test compares with published files (set ELMO_SHARED_DATA)")
    return folder


_CACHE = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """One cache folder for a run and all its workers: never the user's own."""
    if not hasattr(config, "workerinput"):
        config.stash[_CACHE] = tempfile.TemporaryDirectory(prefix="elmo-tests-")
        os.environ["ELMO_TASKS_CACHE"] = config.stash[_CACHE].name


def pytest_unconfigure(config: pytest.Config) -> None:
    if (cache := config.stash.get(_CACHE, None)) is not None:
        cache.cleanup()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests come first, so that no worker is left with one of them at the end."""
    long = {item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("browser")}
    items.sort(key=lambda item: item.path not in long)

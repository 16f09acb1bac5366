"""Settings and fixtures of all tests, and of each worker of a parallel run."""

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
    """The folder of public data; tests that need it are skipped without it."""
    folder = Path(os.environ.get("ELMO_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not (folder / "elmo_fixture").is_dir():
        pytest.skip(
            f"no public data at {folder}: this test compares with published files (set"
            " ELMO_SHARED_DATA)"
        )
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots", action="store_true", help="rewrite the texts of tests/snapshots"
    )


_CACHE = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """One cache folder for a run and all its workers: never the user's own."""
    if not hasattr(config, "workerinput"):
        config.stash[_CACHE] = tempfile.TemporaryDirectory(prefix="elmo-tests-")
        os.environ["ELMO_TASKS_CACHE"] = config.stash[_CACHE].name


def pytest_unconfigure(config: pytest.Config) -> None:
    if (cache := config.stash.get(_CACHE, None)) is not None:
        cache.cleanup()


#: Parameters of how a page is displayed. The first combination is tested in CI, the others nightly.
LOOKS = {"width", "dark", "options"}


@pytest.hookimpl(tryfirst=True)  # before -m is applied
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark further displays as nightly; run long files first, so that no worker ends with one."""
    seen = set()
    for item in items:
        if (
            isinstance(item, pytest.Function)
            and hasattr(item, "callspec")
            and LOOKS & item.callspec.params.keys()
        ):
            rest = {
                name: value for name, value in item.callspec.params.items() if name not in LOOKS
            }
            if (key := (item.path, item.originalname, repr(sorted(rest.items())))) in seen:
                item.add_marker(pytest.mark.nightly)
            seen.add(key)
    long = {
        item.path for item in items if "browser" in item.path.parts or item.get_closest_marker("ci")
    }
    items.sort(key=lambda item: item.path not in long)

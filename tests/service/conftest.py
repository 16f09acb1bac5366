"""Fixtures for tests of the service."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from elmo_tasks.service.session import Session
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.tiny import tiny
from tests.service.helpers import small_calibration


@pytest.fixture(scope="module", autouse=True)
def small_calibrations() -> Iterator[None]:
    with small_calibration():
        yield


@pytest.fixture(scope="session")
def session() -> Session:
    """The bundled model."""
    return Session()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model by the name of toy: measured once in a run, since its random weights are always
    the same."""
    folder = tmp_path_factory.mktemp("models") / "toy"
    write_model(folder, tiny())
    return folder

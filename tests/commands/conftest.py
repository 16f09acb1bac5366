"""What tests of the commands share."""

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path_factory.getbasetemp() / "commands-cache"))

"""Fixtures for tests of the commands."""

import json

import pytest
import torch

from elmo_tasks.__main__ import main
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.tiny import tiny
from tests.cli.tiny_suite import write_suite
from tests.service.helpers import small_calibration


class Run:
    """Call a command, and return its exit status, output and errors."""

    def __init__(self, capsys):
        self.capsys = capsys

    def __call__(self, *arguments):
        self.capsys.readouterr()
        status = main([str(a) for a in arguments])
        printed = self.capsys.readouterr()
        return status, printed.out, printed.err

    def done(self, *arguments) -> str:
        """Return the output of a successful command."""
        status, out, err = self(*arguments)
        assert status == 0, err
        return out

    def refused(self, *arguments) -> str:
        """The error of one that could not."""
        status, _, err = self(*arguments)
        assert status == 2
        return err


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path_factory.getbasetemp() / "commands-cache"))


@pytest.fixture(scope="module")
def small_calibrations():
    with small_calibration():
        yield


@pytest.fixture
def run(capsys):
    return Run(capsys)


@pytest.fixture(scope="session")
def toy(tmp_path_factory):
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("models") / "toy"
    write_model(folder, tiny())
    (folder / "card.json").write_text(
        json.dumps({"metrics": {"forward_perplexity": 10.0, "backward_perplexity": 20.0}})
    )
    return folder


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_suite(folder)
    return folder

import argparse

import pytest
import torch

from elmo_tasks import app
from elmo_tasks.__main__ import COMMANDS
from elmo_tasks.cli.fit import apply_device
from elmo_tasks.errors import ConfigError
from elmo_tasks.layers.device import checked_device


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"model"}))
def test_every_command_that_computes_takes_a_device_and_none_by_itself(name):
    parser = argparse.ArgumentParser()
    COMMANDS[name].add_arguments(parser)
    (found,) = (action for action in parser._actions if "--device" in action.option_strings)
    assert found.default is None
    assert "the GPU if there is one" in str(found.help)


def test_without_a_gpu_it_is_the_cpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert checked_device() == checked_device("cpu") == torch.device("cpu")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_with_a_gpu_it_is_the_gpu():
    assert checked_device().type == "cuda"
    assert checked_device("cpu").type == "cpu"


@pytest.mark.parametrize("name", ["banana", "cuda:99"])
def test_a_device_that_is_not_there_is_refused(name):
    with pytest.raises(ConfigError, match=f"device '{name}' cannot be used here .*; expected cpu, or cuda where there"):
        checked_device(name)


def test_training_takes_the_same_words():
    config = ["fit", "--config", "ner_sample"]
    assert apply_device([*config, "--device", "cpu"]) == [*config, "--trainer.accelerator=cpu", "--trainer.devices=1"]
    assert apply_device([*config, "--device=cpu"]) == apply_device([*config, "--device", "cpu"])
    assert apply_device(config) == config


def test_the_app_takes_a_device(monkeypatch):
    asked: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr("elmo_tasks.service.session.Session", lambda *arguments, **_: asked.append(arguments))
        app._service(device="cpu")
    assert asked == [(None, "cpu")]
    with pytest.raises(ConfigError, match="device 'banana' cannot be used here"):
        app._service(device="banana")

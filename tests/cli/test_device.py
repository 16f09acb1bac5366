"""Devices, which every command takes, and precisions that training has on them."""

import argparse

import pytest
import torch

from elmo_tasks import app, devices
from elmo_tasks.__main__ import COMMANDS, main
from elmo_tasks.cli.settings import apply_device, available_precision
from elmo_tasks.devices import checked_device
from elmo_tasks.errors import ConfigError


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"model"}))
def test_every_command_that_computes_takes_an_optional_device(name):
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


def test_training_takes_the_same_words():
    config = ["fit", "--config", "ner_sample"]
    assert apply_device([*config, "--device", "cpu"]) == [
        *config,
        "--trainer.accelerator=cpu",
        "--trainer.devices=1",
    ]
    assert apply_device(config) == config


def test_the_app_takes_a_device(monkeypatch):
    monkeypatch.setattr("elmo_tasks.ui.layout.build_app", lambda session, _: session)
    session = app._build(app._parser().parse_args(["--device", "cpu"]))
    assert session.loaded.device == "cpu"
    with pytest.raises(ConfigError, match="device 'banana' cannot be used here"):
        app._build(app._parser().parse_args(["--device", "banana"]))


@pytest.mark.parametrize(
    ("requested", "accelerator", "gpu", "suits", "used"),
    [
        ("bf16-mixed", "auto", False, False, "32-true"),
        ("bf16-mixed", "cpu", True, False, "32-true"),
        ("bf16-mixed", "auto", True, False, "bf16-mixed"),
        ("bf16-mixed", "auto", False, True, "bf16-mixed"),
        ("16-mixed", "auto", True, False, "16-mixed"),
        (32, "cpu", False, False, 32),
        (None, "auto", False, False, None),
    ],
)
def test_precision(monkeypatch, capsys, requested, accelerator, gpu, suits, used):
    monkeypatch.setattr(devices, "cpu_multiplies_bfloat16", lambda: suits)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: gpu)
    assert available_precision(requested, accelerator) == used
    printed = "This CPU does not support bfloat16: training in float32 instead of bf16-mixed.\n"
    assert capsys.readouterr().out == (printed if requested != used else "")


@pytest.mark.parametrize(
    ("requested", "gpu", "message"),
    [
        (
            "16-mixed",
            False,
            "16-mixed: expected 32-true or bf16-mixed here; a CPU has no training in float16",
        ),
        (16, False, "16: expected 32-true or bf16-mixed here; a CPU has no training in float16"),
        (
            "16-true",
            False,
            "16-true: expected 32-true or bf16-mixed here; weights are trained in float32",
        ),
        (
            "bf16-true",
            True,
            (
                "bf16-true: expected 32-true, bf16-mixed or 16-mixed here; weights are trained in"
                " float32"
            ),
        ),
        (
            "64-true",
            True,
            (
                "64-true: expected 32-true, bf16-mixed or 16-mixed here; weights are trained in"
                " float32"
            ),
        ),
    ],
)
def test_a_precision_that_heads_cannot_be_trained_in_is_refused(
    monkeypatch, requested, gpu, message
):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: gpu)
    with pytest.raises(ConfigError, match=f"trainer.precision {message}"):
        available_precision(requested, "auto")


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore")
def test_it_is_refused_before_anything_is_written(tmp_path, capsys):
    run = [
        "fit",
        "--config",
        "ner_sample",
        "--run_dir",
        str(tmp_path / "run"),
        "--trainer.accelerator=cpu",
    ]
    assert main([*run, "--trainer.precision=16-true"]) == 2
    assert (
        "trainer.precision 16-true: expected 32-true or bf16-mixed here" in capsys.readouterr().err
    )
    assert not (tmp_path / "run").exists()

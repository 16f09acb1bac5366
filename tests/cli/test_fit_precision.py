"""bfloat16 of a configuration becomes float32 where the CPU has no products of it, and nowhere else."""

import pytest
import torch

from elmo_tasks.__main__ import main
from elmo_tasks.cli.fit import available_precision
from elmo_tasks.errors import ConfigError
from elmo_tasks.layers import device


@pytest.mark.parametrize(
    ("asked", "accelerator", "gpu", "suits", "used"),
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
def test_precision(monkeypatch, capsys, asked, accelerator, gpu, suits, used):
    monkeypatch.setattr(device, "cpu_multiplies_bfloat16", lambda: suits)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: gpu)
    assert available_precision(asked, accelerator) == used
    said = "This CPU has no products of bfloat16: training in float32 instead of bf16-mixed.\n"
    assert capsys.readouterr().out == (said if asked != used else "")


@pytest.mark.parametrize(
    ("asked", "gpu", "message"),
    [
        ("16-mixed", False, "16-mixed: expected 32-true or bf16-mixed here; a CPU has no training in float16"),
        (16, False, "16: expected 32-true or bf16-mixed here; a CPU has no training in float16"),
        ("16-true", False, "16-true: expected 32-true or bf16-mixed here; weights are trained in float32"),
        ("bf16-true", True, "bf16-true: expected 32-true, bf16-mixed or 16-mixed here; weights are trained in float32"),
        ("64-true", True, "64-true: expected 32-true, bf16-mixed or 16-mixed here; weights are trained in float32"),
    ],
)
def test_a_precision_that_heads_cannot_be_trained_in_is_refused(monkeypatch, asked, gpu, message):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: gpu)
    with pytest.raises(ConfigError, match=f"trainer.precision {message}"):
        available_precision(asked, "auto")


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore")
def test_it_is_refused_before_anything_is_written(tmp_path, capsys):
    run = ["fit", "--config", "ner_sample", "--run_dir", str(tmp_path / "run"), "--trainer.accelerator=cpu"]
    assert main([*run, "--trainer.precision=16-true"]) == 2
    assert "trainer.precision 16-true: expected 32-true or bf16-mixed here" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()

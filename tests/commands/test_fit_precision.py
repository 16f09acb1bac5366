"""bfloat16 of a configuration becomes float32 where the CPU has no products of it, and nowhere else."""

import pytest
import torch

from elmo_tasks.commands import fit
from elmo_tasks.layers import device


@pytest.mark.parametrize(
    ("asked", "accelerator", "gpu", "suits", "used"),
    [
        ("bf16-mixed", "auto", False, False, "32-true"),
        ("bf16-mixed", "cpu", True, False, "32-true"),
        ("bf16-mixed", "auto", True, False, "bf16-mixed"),
        ("bf16-mixed", "auto", False, True, "bf16-mixed"),
        ("16-mixed", "auto", False, False, "16-mixed"),
        (None, "auto", False, False, None),
    ],
)
def test_precision(monkeypatch, capsys, asked, accelerator, gpu, suits, used):
    monkeypatch.setattr(device, "cpu_multiplies_bfloat16", lambda: suits)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: gpu)
    assert fit._precision_here(asked, accelerator) == used
    said = "This CPU has no products of bfloat16: training in float32 instead of bf16-mixed.\n"
    assert capsys.readouterr().out == (said if asked != used else "")

"""Experiments of tests: complete configurations that train without a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import yaml
from torch import Tensor

#: The path of a class and its settings.
Part = tuple[str, dict[str, Any]]


def described(part: Part) -> dict[str, Any]:
    """Return a class as it stands in a configuration."""
    return {"class_path": part[0], "init_args": part[1]}


def write_experiment(
    folder: Path, model: Part, data: Part, callbacks: list[Part], **trainer: Any
) -> Path:
    """Write ``config.yaml``; the run goes to the folder ``run`` beside it."""
    raw = {
        "seed_everything": 1,
        "model": described(model),
        "data": described(data),
        "trainer": {
            "max_epochs": 1,
            "accelerator": "cpu",
            "logger": False,
            "enable_progress_bar": False,
            "enable_model_summary": False,
            "default_root_dir": str(folder / "run"),
            "callbacks": [described(part) for part in callbacks],
            **trainer,
        },
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(raw))
    return path


def steps_kept(folder: Path, every_n_steps: int) -> Part:
    """Keep all checkpoints of a run that is counted in steps."""
    settings = {
        "dirpath": str(folder),
        "every_n_train_steps": every_n_steps,
        "save_last": True,
        "save_top_k": -1,
        "enable_version_counter": False,
    }
    return "pytorch_lightning.callbacks.ModelCheckpoint", settings


def checkpoint(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint."""
    found: dict[str, Any] = torch.load(path, weights_only=True)
    return found


def assert_same_weights(
    found: dict[str, Tensor], expected: dict[str, Tensor], atol: float = 0.0, rtol: float = 0.0
) -> None:
    """Compare the weights of two models by their names."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        torch.testing.assert_close(
            found[name], value, atol=atol, rtol=rtol, msg=lambda text, name=name: f"{name}: {text}"
        )

"""Small experiments and the files of their runs."""

import csv
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import yaml

from elmo_tasks.__main__ import main
from tests.training.toy_task import write_config, write_encoder

EPOCHS, STEPS = 5, 4  # of 25 rows, 8 a batch


class Killed(Exception):
    """In place of a signal: nothing is saved or closed."""


class KillAt(pl.Callback):
    """Ends the run after a step. tests/cli/test_kills.py kills processes."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        if trainer.global_step == self.step:
            raise Killed


def written(folder: Path, kind: str = "classification", **changes: Any) -> Path:
    """A toy experiment with dropout and a curve."""
    folder.mkdir(exist_ok=True)
    if not (folder / "toy").exists():
        write_encoder(folder / "toy")
    path = write_config(folder, folder / "toy", kind)
    raw = yaml.safe_load(path.read_text())
    raw["model"]["init_args"]["head"]["init_args"]["dropout"] = 0.5
    curve = {
        "class_path": "elmo_tasks.training.run_files.CurveLogger",
        "init_args": {"save_dir": str(folder / "run")},
    }
    raw["trainer"] |= {"max_epochs": EPOCHS, "logger": [curve], "log_every_n_steps": 1}
    raw["data"]["init_args"] |= changes
    path.write_text(yaml.safe_dump(raw))
    return path


def with_kill(path: Path, step: int) -> Path:
    """A copy of an experiment that ends after a step."""
    raw = yaml.safe_load(path.read_text())
    kill = {"class_path": "tests.cli.toy_runs.KillAt", "init_args": {"step": step}}
    raw["trainer"]["callbacks"].append(kill)
    other = path.with_name("killed.yaml")
    other.write_text(yaml.safe_dump(raw))
    return other


def curve(run: Path, log: str = "csv") -> list[dict[str, str]]:
    """The rows of a run's curve, without empty fields."""
    with (run / log / "metrics.csv").open(newline="") as file:
        return [{k: v for k, v in row.items() if v} for row in csv.DictReader(file)]


def files(run: Path) -> dict[str, bytes]:
    """The content of each file of a run."""
    return {str(p.relative_to(run)): p.read_bytes() for p in sorted(run.rglob("*")) if p.is_file()}


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence that a command prints when it refuses its arguments."""
    capsys.readouterr()
    assert main(list(arguments)) == 2
    printed = capsys.readouterr().err.strip()
    assert "Traceback" not in printed
    assert "\n" not in printed
    return printed

"""A run can be watched through a file, and an interrupt ends it with its best head."""

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import yaml

from elmo_tasks.__main__ import main
from elmo_tasks.heads.head_files import find_head
from tests.training.toy_task import EPOCHS, write_config, write_encoder

pytestmark = pytest.mark.filterwarnings("ignore:.*isinstance.treespec, LeafSpec.*")


class InterruptAt(pl.Callback):
    """Presses Ctrl-C in the middle of an epoch.

    Args:
        epoch: from 0.
        times: how often.
    """

    def __init__(self, epoch: int, times: int = 1) -> None:
        self.epoch, self.times = epoch, times

    def on_train_batch_end(self, trainer: pl.Trainer, *args: Any) -> None:
        if trainer.current_epoch == self.epoch:
            for _ in range(self.times):
                os.kill(os.getpid(), signal.SIGINT)


def fit(folder: Path, *more: dict[str, Any]) -> int:
    write_encoder(folder / "toy")
    path = write_config(folder, folder / "toy", "classification")
    config = yaml.safe_load(path.read_text())
    ours = "elmo_tasks.training.job_callbacks"
    first = [
        {
            "class_path": f"{ours}.ProgressFile",
            "init_args": {"path": str(folder / "progress.jsonl"), "every_seconds": 0.0},
        },
        {"class_path": f"{ours}.StopOnInterrupt"},
        *more,
    ]
    config["trainer"]["callbacks"] = [*first, *config["trainer"]["callbacks"]]
    path.write_text(yaml.safe_dump(config))
    return main(["fit", "--config", str(path)])


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "progress.jsonl").read_text().splitlines()]


def test_the_progress_file_has_phases_losses_and_epochs(tmp_path):
    assert fit(tmp_path) == 0
    rows = rows_of(tmp_path)
    assert [row["phase"] for row in rows if "phase" in row] == ["layers", "training", "scoring"]
    start = next(row for row in rows if row.get("phase") == "training")
    assert start["epochs"] == EPOCHS
    assert start["steps"] == EPOCHS * start["steps_per_epoch"]
    assert max(row["step"] for row in rows if "loss" in row) == start["steps"]
    epochs = [row for row in rows if "epoch" in row]
    assert [row["epoch"] for row in epochs] == list(range(EPOCHS + 1))
    assert all(sum(row["weights"]) == pytest.approx(1, abs=1e-4) for row in epochs)
    card = find_head(tmp_path / "run" / "head").card
    assert [row.get("score") for row in epochs] == [
        row["score"] for row in card["layer_weights"]["epochs"]
    ]


def test_an_interrupt_keeps_the_best_head(tmp_path):
    before = signal.getsignal(signal.SIGINT)
    interrupt = {"class_path": f"{__name__}.InterruptAt", "init_args": {"epoch": 1}}
    assert threading.current_thread() is threading.main_thread()
    assert fit(tmp_path, interrupt) == 0
    card = find_head(tmp_path / "run" / "head").card
    assert [row["epoch"] for row in card["layer_weights"]["epochs"]] == [0, 1, 2]
    assert card["scores"]["validation"]["rows"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_interrupt_ends_at_once(tmp_path):
    interrupt = {"class_path": f"{__name__}.InterruptAt", "init_args": {"epoch": 0, "times": 2}}
    with pytest.raises(SystemExit):
        fit(tmp_path, interrupt)
    assert not (tmp_path / "run" / "head").exists()

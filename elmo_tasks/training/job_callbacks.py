"""What lets another program watch a training run and end it: a file with its progress, and a stop that keeps the best head."""

from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor

from elmo_tasks.training.task_module import TaskModule


class ProgressFile(pl.Callback):
    """One JSON object a line: phases, the loss as it goes, and each epoch with its scores and layer weights.

    ``{"phase": "layers" | "training" | "scoring", "time": seconds since 1970}`` (training: also ``epochs``, ``steps``,
    ``steps_per_epoch``), ``{"step", "loss", "time"}``, ``{"epoch", "train_loss", "val_loss", "score", "weights", "gamma",
    "time"}`` (epoch 0: the weights before the first step). A reader takes whole lines only.

    Args:
        path: the file; replaced by a new run, continued by a resumed one.
        every_seconds: how often the loss is written, at most.
    """

    def __init__(self, path: str, every_seconds: float = 0.4) -> None:
        self.path, self.every_seconds = Path(path), every_seconds
        self._recent: list[Tensor] = []
        self._epoch: list[Tensor] = []
        self._written = 0.0

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """The encoder's layers are computed next."""
        if trainer.is_global_zero:
            if trainer.ckpt_path is None:
                self.path.write_text("", encoding="utf-8")
            self._write(trainer, phase="layers")

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Say how long it is going to be."""
        self._write(
            trainer,
            phase="training",
            epochs=trainer.max_epochs,
            steps=int(trainer.estimated_stepping_batches),
            steps_per_epoch=int(trainer.num_training_batches),
        )
        self._write(trainer, epoch=0, **mix_of(pl_module))
        self._written = time.monotonic()

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """The mean loss since the last line, once in a while."""
        loss = outputs["loss"] if isinstance(outputs, dict) else outputs
        if not isinstance(loss, Tensor):
            return
        self._recent.append(loss.detach())
        self._epoch.append(loss.detach())
        if time.monotonic() - self._written >= self.every_seconds:
            self._write(trainer, step=trainer.global_step, loss=_mean(self._recent))
            self._recent, self._written = [], time.monotonic()

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """An epoch is done and scored."""
        if trainer.sanity_checking or trainer.state.fn != "fit" or not isinstance(pl_module, TaskModule):
            return
        metrics = trainer.callback_metrics
        score, loss = metrics.get(f"val_{pl_module.scores.main}"), metrics.get("val_loss")
        self._write(
            trainer,
            epoch=trainer.current_epoch + 1,
            step=trainer.global_step,
            train_loss=_mean(self._epoch) if self._epoch else None,
            val_loss=None if loss is None else round(float(loss), 5),
            score=None if score is None else round(float(score), 5),
            **mix_of(pl_module),
        )
        self._epoch = []

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """What is left: the head is written and scored."""
        self._write(trainer, phase="scoring")

    def _write(self, trainer: pl.Trainer, **row: Any) -> None:
        if not trainer.is_global_zero:
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row | {"time": round(time.time(), 2)}) + "\n")


class StopOnInterrupt(pl.Callback):
    """The first interrupt (SIGINT) ends the training after the batch that runs: it is scored, and the best head is exported.

    Lightning itself ends at once and exports nothing. A second interrupt does that here, too.
    """

    def __init__(self) -> None:
        self._before: Any = None

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """From here on there is something to keep."""
        if threading.current_thread() is not threading.main_thread():
            return

        def stop(number: int, frame: FrameType | None) -> None:
            if trainer.should_stop:
                raise KeyboardInterrupt
            print("\nInterrupted: ending after this batch, with the best head so far.", flush=True)
            trainer.should_stop = True

        self._before = signal.signal(signal.SIGINT, stop)

    def teardown(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """As it was."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None


def _mean(losses: list[Tensor]) -> float:
    return round(float(torch.stack(losses).float().mean()), 5)


def mix_of(module: pl.LightningModule) -> dict[str, Any]:
    """``weights`` and ``gamma`` of the mix of a head, rounded; nothing where there is no head."""
    if not isinstance(module, TaskModule) or module.head is None:
        return {}
    mix = module.head.mix
    return {"weights": [round(weight, 5) for weight in mix.weights()], "gamma": round(mix.gamma.item(), 5)}

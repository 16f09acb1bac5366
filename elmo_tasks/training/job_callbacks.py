"""Callbacks of training jobs: a progress file, and a stop that keeps the best head."""

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

from elmo_tasks.training.task_module import TaskModule, is_validated_epoch


class ProgressFile(pl.Callback):
    """Write phases, losses and epochs with scores and layer weights, one JSON object per line.

    ``{"phase": "layers" | "training" | "scoring", "time": seconds since 1970}`` (training: also
    ``epochs``, ``steps``, ``steps_per_epoch``), ``{"step", "loss", "time"}``, ``{"epoch",
    "train_loss", "val_loss", "score", "weights", "gamma", "time"}`` (epoch 0: the weights before
    the first step). A reader takes whole lines only.

    Args:
        path: the file; replaced by a new run, continued by a resumed one.
        every_seconds: how often the loss is written, at most.
    """

    def __init__(self, path: str, every_seconds: float = 0.4) -> None:
        self.path = Path(path)
        self.every_seconds = every_seconds
        self._recent: list[Tensor] = []
        self._epoch: list[Tensor] = []
        self._written = 0.0

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write that the encoder's layers are computed."""
        if trainer.is_global_zero:
            if trainer.ckpt_path is None:
                self.path.write_text("", encoding="utf-8")
            self._write(trainer, phase="layers")

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the length of the training."""
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
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Write the mean loss since the last such line."""
        loss = outputs["loss"] if isinstance(outputs, dict) else outputs
        if not isinstance(loss, Tensor):
            return
        self._recent.append(loss.detach())
        self._epoch.append(loss.detach())
        if time.monotonic() - self._written >= self.every_seconds:
            self._write(trainer, step=trainer.global_step, loss=_mean(self._recent))
            self._recent = []
            self._written = time.monotonic()

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the scores of the epoch."""
        if not is_validated_epoch(pl_module, trainer):
            return
        metrics = trainer.callback_metrics
        score = metrics.get(f"val_{pl_module.scores.main}")
        loss = metrics.get("val_loss")
        watched = metrics.get(str(getattr(trainer.checkpoint_callback, "monitor", None)))
        self._write(
            trainer,
            epoch=trainer.current_epoch + 1,
            step=trainer.global_step,
            train_loss=_mean(self._epoch) if self._epoch else None,
            val_loss=None if loss is None else round(float(loss), 5),
            score=None if score is None else round(float(score), 5),
            watched=None if watched is None else round(float(watched), 5),
            **mix_of(pl_module),
        )
        self._epoch = []

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write that the head is written and scored."""
        self._write(trainer, phase="scoring")

    def _write(self, trainer: pl.Trainer, **row: Any) -> None:
        if not trainer.is_global_zero:
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row | {"time": round(time.time(), 2)}) + "\n")


class StopOnInterrupt(pl.Callback):
    """End the training at the first SIGINT, and export the best head.

    The current batch is completed, and the best head is scored before it is exported.

    Lightning itself ends at once and exports nothing. A second interrupt does that here, too.
    """

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Listen from here on, as there is a head to keep; Lightning restores the handler."""
        if threading.current_thread() is not threading.main_thread():
            return

        def stop(number: int, frame: FrameType | None) -> None:
            if trainer.should_stop:
                raise KeyboardInterrupt
            print("\nInterrupted: ending after this batch, with the best head so far.", flush=True)
            trainer.should_stop = True

        signal.signal(signal.SIGINT, stop)


def _mean(losses: list[Tensor]) -> float:
    return round(float(torch.stack(losses).float().mean()), 5)


def mix_of(module: pl.LightningModule) -> dict[str, Any]:
    """Return rounded ``weights`` and ``gamma`` of the head's mix; nothing without a head."""
    if not isinstance(module, TaskModule):
        return {}
    mix = module.head.mix
    return {
        "weights": [round(weight, 5) for weight in mix.weights()],
        "gamma": round(mix.gamma.item(), 5),
    }

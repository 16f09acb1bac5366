"""Progress lines of a training run."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from typing import Any

import pytorch_lightning as pl


class ProgressLines(pl.Callback):
    """Print a line every few steps, for runs in the background.

    Args:
        every_n_steps: how often.
    """

    def __init__(self, every_n_steps: int = 100) -> None:
        self.every_n_steps = every_n_steps
        self._since = (0, 0.0)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the clock."""
        self._since = (trainer.global_step, time.monotonic())

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Print the progress and the expected end."""
        step = trainer.global_step
        if step % self.every_n_steps or not trainer.is_global_zero or sys.stdout.isatty():
            return
        first, start = self._since
        rate = (step - first) / max(time.monotonic() - start, 1e-9)
        total = int(trainer.estimated_stepping_batches)
        left = timedelta(seconds=round((total - step) / rate)) if rate else "?"
        values = {
            name: float(value)
            for name, value in trainer.callback_metrics.items()
            if "/" not in name
        }
        shown = " ".join(f"{name} {value:.4g}" for name, value in sorted(values.items()))
        print(f"step {step:,} of {total:,}, {rate:.2f} steps/s, {left} left: {shown}", flush=True)

"""Average of a head's weights over the last steps of its training."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor, nn

from elmo_tasks.errors import ConfigError
from elmo_tasks.training.task_module import TaskModule

_STATE_KEY = "trained_head"


class AveragedHead(pl.Callback):
    """Validate, keep and export a moving average of a head's weights.

    This is the averaging of Polyak and Juditsky (1992); the training itself does not use it. A
    checkpoint holds the average as the head, and beside it the trained weights, with which a run
    is resumed. Lightning's own ``EMAWeightAveraging`` copies the whole module, the open layer cache
    included.

    Args:
        decay: share of the earlier average at each step; the average reaches over about
            ``1 / (1 - decay)`` steps, and over fewer at the beginning.
    """

    def __init__(self, decay: float = 0.999) -> None:
        if not 0 < decay < 1:
            raise ConfigError(f"decay of the average: expected a number from 0 to 1, got {decay}")
        self.decay = decay
        self._average: dict[str, Tensor] = {}
        self._trained: dict[str, Tensor] = {}  # while the average is in the head

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the average; in a resumed run, put the trained weights back into the head."""
        if not self._average:
            self._average = _copy(pl_module)
        self._restore(pl_module)

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Move the average towards the new weights."""
        step = trainer.global_step
        decay = min(self.decay, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, value in _head(pl_module).named_parameters():
                average = self._average[name]
                self._average[name] = average.to(value.device).lerp_(value.detach(), 1 - decay)

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Validate the average."""
        if trainer.state.fn == "fit" and self._average and not self._trained:
            self._trained = _copy(pl_module)
            _put(pl_module, self._average)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Continue with the trained weights."""
        self._restore(pl_module)

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Save the average as the head, and the trained weights beside it."""
        weights = checkpoint["state_dict"]
        checkpoint[_STATE_KEY] = self._trained or _copy(pl_module)
        weights.update({f"head.{name}": value.clone() for name, value in self._average.items()})

    def on_load_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Restore the average and the trained weights of an interrupted run."""
        if trainer.state.fn != "fit" or _STATE_KEY not in checkpoint:
            return
        self._trained = checkpoint[_STATE_KEY]
        weights = checkpoint["state_dict"]
        self._average = {name: weights[f"head.{name}"].clone() for name in self._trained}

    def _restore(self, module: pl.LightningModule) -> None:
        if self._trained:
            _put(module, self._trained)
            self._trained = {}


def _head(module: pl.LightningModule) -> nn.Module:
    if not isinstance(module, TaskModule):
        raise ConfigError("AveragedHead averages the head of a TaskModule; leave it out here")
    return module.head


def _copy(module: pl.LightningModule) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in _head(module).named_parameters()}


def _put(module: pl.LightningModule, weights: dict[str, Tensor]) -> None:
    with torch.no_grad():
        for name, value in _head(module).named_parameters():
            value.copy_(weights[name])

"""Learning rates: validation and schedules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytorch_lightning as pl
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from elmo_tasks.errors import ConfigError


def check_rates(**rates: float) -> None:
    """Reject negative rates before any data is read."""
    for name, rate in rates.items():
        if not rate >= 0:
            raise ConfigError(f"model.{name}: expected a number, 0 or more, found {rate}")


def scheduled(optimizer: Optimizer, share: Callable[[int], float]) -> dict[str, Any]:
    """Build Lightning's optimizer config with a step-dependent factor on all rates."""
    return {
        "optimizer": optimizer,
        "lr_scheduler": {"scheduler": LambdaLR(optimizer, share), "interval": "step"},
    }


def set_rates(trainer: pl.Trainer, rates: Sequence[tuple[float, float]]) -> None:
    """Use the rates of the settings in place of those that a checkpoint brought back.

    Args:
        trainer: whose optimizer and schedule were restored.
        rates: learning rate and weight decay of each group of parameters.
    """
    for optimizer in trainer.optimizers:
        for group, (rate, decay) in zip(optimizer.param_groups, rates, strict=True):
            group["initial_lr"] = rate
            group["weight_decay"] = decay
    for config in trainer.lr_scheduler_configs:
        scheduler = config.scheduler
        assert isinstance(scheduler, LambdaLR)
        scheduler.base_lrs = [rate for rate, _ in rates]
        shares = [share(scheduler.last_epoch) for share in scheduler.lr_lambdas]
        for group, (rate, _), share in zip(
            scheduler.optimizer.param_groups, rates, shares, strict=True
        ):
            group["lr"] = rate * share


def risen(step: int, warmup_steps: int) -> float:
    """Return the warmup factor of a learning rate, which rises to 1 over the first steps."""
    return min(1.0, (step + 1) / max(1, warmup_steps))


def falling(step: int, total: int, decay_fraction: float) -> float:
    """The share of a rate that falls from 1 to 0 over the last part of a run."""
    return min(1.0, max(0.0, (total - step) / max(1, int(total * decay_fraction))))

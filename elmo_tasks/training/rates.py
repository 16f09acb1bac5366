"""Learning rates: which a configuration may give, and how they change while a run learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from elmo_tasks.errors import ConfigError


def check_rates(**rates: float) -> None:
    """Refuse rates below zero before anything is read; PyTorch does so in the middle of a run.

    Raises:
        ConfigError: with the name of the setting.
    """
    for name, rate in rates.items():
        if not rate >= 0:
            raise ConfigError(f"model.{name}: expected a number, 0 or more, found {rate}")


def scheduled(optimizer: Optimizer, share: Callable[[int], float]) -> dict[str, Any]:
    """What Lightning asks for: an optimizer whose rates are multiplied by a share that depends on the step."""
    return {"optimizer": optimizer, "lr_scheduler": {"scheduler": LambdaLR(optimizer, share), "interval": "step"}}


def risen(step: int, warmup_steps: int) -> float:
    """The share of a rate that rises to 1 over the first steps."""
    return min(1.0, (step + 1) / max(1, warmup_steps))


def falling(step: int, total: int, decay_fraction: float) -> float:
    """The share of a rate that falls from 1 to 0 over the last part of a run."""
    return min(1.0, max(0.0, (total - step) / max(1, int(total * decay_fraction))))

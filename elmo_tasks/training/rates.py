"""Learning rates: validation and schedules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    return {"optimizer": optimizer, "lr_scheduler": {"scheduler": LambdaLR(optimizer, share), "interval": "step"}}


def risen(step: int, warmup_steps: int) -> float:
    """The share of a rate that rises to 1 over the first steps."""
    return min(1.0, (step + 1) / max(1, warmup_steps))


def falling(step: int, total: int, decay_fraction: float) -> float:
    """The share of a rate that falls from 1 to 0 over the last part of a run."""
    return min(1.0, max(0.0, (total - step) / max(1, int(total * decay_fraction))))

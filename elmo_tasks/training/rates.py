"""Learning rates that a configuration may give."""

from __future__ import annotations

from elmo_tasks.errors import ConfigError


def check_rates(**rates: float) -> None:
    """Refuse rates below zero before anything is read; PyTorch does so in the middle of a run.

    Raises:
        ConfigError: with the name of the setting.
    """
    for name, rate in rates.items():
        if not rate >= 0:
            raise ConfigError(f"model.{name}: expected a number, 0 or more, found {rate}")

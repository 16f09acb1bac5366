"""``fit``, ``validate`` and ``test``: Lightning runs from a YAML file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from elmo_tasks.errors import ConfigError

HELP = "train, validate or test from a YAML file in lightning_configs/"


def run(arguments: Sequence[str]) -> int:
    """Hand the arguments, the subcommand first, to Lightning's command line."""
    # jsonargparse warns of how Lightning calls it, which is nothing a user can change; likewise Lightning of its own internals.
    os.environ.setdefault("JSONARGPARSE_DEPRECATION_WARNINGS", "off")
    warnings.filterwarnings("ignore", message=".*isinstance.treespec, LeafSpec.*")
    warnings.filterwarnings("ignore", message="LightningCLI's args parameter is intended")
    warnings.filterwarnings("ignore", message=".*is not supported by the model summary.*")
    for before, value in pairwise(arguments):
        if before == "--ckpt_path" and value.endswith(".ckpt") and not Path(value).is_file():
            raise ConfigError(f"--ckpt_path {value}: no such file; leave it out to begin anew")
    # Imported here: Lightning takes seconds, and the other commands do without it.
    from pytorch_lightning import LightningDataModule, LightningModule
    from pytorch_lightning.cli import LightningCLI

    class CLI(LightningCLI):
        @staticmethod
        def subcommands() -> dict[str, set[str]]:
            # Lightning's own predict is off: `predict` is a command of its own here.
            return {k: v for k, v in LightningCLI.subcommands().items() if k != "predict"}

    CLI(
        LightningModule,
        LightningDataModule,
        subclass_mode_model=True,
        subclass_mode_data=True,
        save_config_kwargs={"overwrite": True},
        parser_kwargs={"parser_mode": "yaml"},
        args=list(arguments),
    )
    return 0

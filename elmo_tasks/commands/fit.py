"""``fit``, ``validate`` and ``test``: Lightning runs from a YAML file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence

HELP = "train, validate or test from a YAML file in lightning_configs/"


def run(arguments: Sequence[str]) -> int:
    """Hand the arguments, the subcommand first, to Lightning's command line."""
    # jsonargparse warns of how Lightning calls it, which is nothing a user can change; likewise Lightning of its own internals.
    os.environ.setdefault("JSONARGPARSE_DEPRECATION_WARNINGS", "off")
    warnings.filterwarnings("ignore", message=".*isinstance.treespec, LeafSpec.*")
    warnings.filterwarnings("ignore", message="LightningCLI's args parameter is intended")
    warnings.filterwarnings("ignore", message=".*is not supported by the model summary.*")
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

"""The least that Lightning trains: it notes which rows it saw."""

from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor


class NotesRows(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.seen: list[list[int]] = []
        self.validated: list[int] = []

    def training_step(self, batch: Any, batch_idx: int) -> Tensor:
        self.seen.append(batch.index.tolist())
        return self.weight.sum()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.validated += batch.index.tolist()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def trainer(folder: Any, **arguments: Any) -> pl.Trainer:
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    return pl.Trainer(
        accelerator="cpu",
        default_root_dir=folder,
        num_sanity_val_steps=0,
        **{"enable_checkpointing": False, **quiet, **arguments},
    )

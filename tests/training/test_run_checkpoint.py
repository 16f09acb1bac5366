"""The checkpoints of a run: the best epoch and the last, with any score."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytorch_lightning as pl
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from elmo_tasks.training.run_files import RunCheckpoint


class Scripted(pl.LightningModule):
    """A model with the given validation scores, one per epoch."""

    def __init__(self, scores: list[float]) -> None:
        super().__init__()
        self.scores = scores
        self.layer = nn.Linear(1, 1)

    def training_step(self, batch: Tensor) -> Tensor:
        loss: Tensor = self.layer(batch).square().mean()
        return loss

    def validation_step(self, batch: Tensor) -> None:
        self.log("val_score", self.scores[self.current_epoch])
        self.log("val_loss", 0.5)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


@pytest.mark.parametrize(
    ("scores", "best"), [([0.5, 0.9, 0.3, 0.2], 1), ([0.9, 0.3], 0), ([0.1, 0.2, 0.3], 2)]
)
def test_the_last_epoch_is_saved_whatever_its_score(
    tmp_path: Path, scores: list[float], best: int
) -> None:
    rows = DataLoader(torch.ones(4, 1), batch_size=2)
    trainer = pl.Trainer(
        max_epochs=len(scores),
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        callbacks=[RunCheckpoint(str(tmp_path / "run"), "val_score")],
    )
    trainer.fit(Scripted(scores), rows, rows)
    epochs = {
        name: torch.load(tmp_path / "run" / f"{name}.ckpt", weights_only=True)["epoch"]
        for name in ("best", "last")
    }
    assert epochs == {"best": best, "last": len(scores) - 1}

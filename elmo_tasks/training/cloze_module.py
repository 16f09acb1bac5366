"""A cloze head learns to fill gaps, on top of a frozen biLM."""

from __future__ import annotations

import platform
import time
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.data.cloze_gaps import ClozeGaps, GapBatch
from elmo_tasks.encoders import load
from elmo_tasks.encoders.cloze import Cloze, ClozeOptions, gaps_at
from elmo_tasks.encoders.cloze_files import write_cloze
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import ConfigError
from elmo_tasks.training.rates import check_rates, risen, scheduled


class ClozeModule(pl.LightningModule):
    """A :class:`Cloze` over a biLM that stays as it is; the words to choose among are those that the data asks for.

    Args:
        encoder: the biLM: a name in ``checkpoints/``, a published name, or a folder.
        hidden: see :class:`ClozeOptions`.
        n_heads: see :class:`ClozeOptions`.
        dropout: see :class:`ClozeOptions`.
        learning_rate: highest learning rate of Adam; it falls to zero along a straight line.
        warmup_steps: steps over which it rises.
    """

    def __init__(
        self,
        encoder: str = "elmo-mini",
        hidden: int = 512,
        n_heads: int = 4,
        dropout: float = 0.1,
        learning_rate: float = 1.5e-3,
        warmup_steps: int = 100,
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        check_rates(learning_rate=learning_rate)
        self.encoder_name, self.hidden, self.n_heads, self.dropout = encoder, hidden, n_heads, dropout
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.cloze: Cloze | None = None
        self._encoder: Encoder | None = None
        self._gaps, self._seconds, self._since = 0, 0.0, 0.0

    def configure_model(self) -> None:
        """Load the biLM; make the head.

        Raises:
            ConfigError: the encoder is no language model, or the static vectors have too few words or a width that the heads do
                not divide.
        """
        if self.cloze is not None:
            return
        self._encoder, static = load(self.encoder_name), self.data.static
        assert static is not None
        if self._encoder.language_model is None:
            raise ConfigError(
                f"model.encoder {self.encoder_name}: expected a language model that reads from both ends, found one that does not"
            )
        if static.width % self.n_heads or len(static) < self.data.n_words:
            raise ConfigError(
                f"model.n_heads {self.n_heads}, data.n_words {self.data.n_words}: expected a divisor of {static.width}, the width "
                f"of {static.name}, and at most its {len(static):,} words"
            )
        sizes = (self._encoder.n_layers - 1, self._encoder.width // 2, self.data.n_words)
        self.cloze = Cloze(ClozeOptions(*sizes, self.hidden, self.n_heads, self.dropout), static)

    @property
    def data(self) -> ClozeGaps:
        """The data module of the run."""
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, ClozeGaps)
        return data

    def on_fit_start(self) -> None:
        """Say what is ahead before it begins."""
        assert self._encoder is not None
        self._encoder.to(self.device)
        self._since = time.monotonic()
        if self.trainer.is_global_zero:
            print(
                f"{self.data.n_batches:,} steps of {self.data.batch_size} sentences; {self.data.n_words:,} words to choose among; "
                f"{sum(p.numel() for p in self.parameters()):,} numbers to learn.",
                flush=True,
            )

    def scores(self, batch: GapBatch) -> Tensor:
        """``[n, V]`` of the words in the gaps of a batch."""
        assert self._encoder is not None
        assert self._encoder.language_model is not None
        assert self.cloze is not None
        assert self.data.static is not None
        with torch.no_grad():
            lstms = self._encoder.language_model.states(batch.sentences).layers[
                1:
            ]  # [K, B, T + 2, 2 P], with boundaries
        ahead, back = lstms.chunk(2, dim=-1)
        of, at = torch.tensor(batch.of, device=lstms.device), torch.tensor(batch.at, device=lstms.device)
        places = [(batch.sentences[k], t, t + 1) for k, t in zip(batch.of, batch.at, strict=True)]
        # Token t is step t + 1: the step before it is t, the one behind it t + 2.
        found: Tensor = self.cloze(gaps_at(self.data.static, places, ahead[:, of, at], back[:, of, at + 2]))
        return found

    def training_step(self, batch: GapBatch, batch_idx: int) -> Tensor | None:
        """Cross entropy of the words that stood there."""
        if not len(batch):
            return None
        self._gaps += len(batch) * self.trainer.world_size
        loss = F.cross_entropy(self.scores(batch), torch.tensor(batch.answers, device=self.device))
        self.log("train_loss", loss, prog_bar=True, batch_size=len(batch))
        return loss

    def validation_step(self, batch: GapBatch, batch_idx: int) -> None:
        """Log the cross entropy, and how often the word that stood there is the first guess, or among the first ten."""
        scores, answers = self.scores(batch), torch.tensor(batch.answers, device=self.device)
        rank = (scores > scores.gather(1, answers.unsqueeze(1))).sum(dim=1)
        values = {
            "val_loss": F.cross_entropy(scores, answers),
            "val_first": (rank == 0).float().mean(),
            "val_first_ten": (rank < 10).float().mean(),
        }
        self.log_dict(values, batch_size=len(batch), on_epoch=True, prog_bar=True, sync_dist=True)

    def configure_optimizers(self) -> Any:
        """Adam; the rate rises, then falls to zero."""
        optimizer = torch.optim.Adam(self.parameters(), lr=self.learning_rate)
        total = int(self.trainer.estimated_stepping_batches)
        return scheduled(optimizer, lambda step: risen(step, self.warmup_steps) * max(0.0, 1 - step / total))

    def write(self, folder: Path, metrics: dict[str, float]) -> None:
        """Write the head, and how it was trained."""
        assert self.cloze is not None
        assert self._encoder is not None
        assert self.data.static is not None
        seconds = round(self._seconds + time.monotonic() - self._since)
        about = {
            "training": {"steps": self.trainer.global_step, "gaps": self._gaps, "seconds": seconds},
            "while_training": metrics,
            "versions": {"python": platform.python_version(), "torch": torch.__version__, "lightning": pl.__version__},
        }
        write_cloze(folder, self.cloze, self._encoder, self.data.static, about)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep what was seen."""
        seconds = self._seconds + time.monotonic() - self._since
        checkpoint["seen"] = {"gaps": self._gaps, "seconds": seconds}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Count on from there."""
        self._gaps, self._seconds = checkpoint["seen"]["gaps"], checkpoint["seen"]["seconds"]


class ExportCloze(pl.Callback):
    """At the end of a run, write the head: the two files that lie beside the biLM to be used.

    Args:
        folder: where to write them.
    """

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write it, on one process."""
        if trainer.is_global_zero and isinstance(pl_module, ClozeModule):
            metrics = {k: round(float(v), 4) for k, v in trainer.callback_metrics.items() if k.startswith("val_")}
            pl_module.write(self.folder, metrics)

"""What a run keeps so that it can be gone on with: its best and its last state, its random numbers, its curve."""

from __future__ import annotations

import csv
import io
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ModelCheckpoint
from pytorch_lightning.loggers import CSVLogger
from pytorch_lightning.loggers.csv_logs import ExperimentWriter
from pytorch_lightning.loggers.logger import rank_zero_experiment
from torch import Tensor

from elmo_tasks.files import atomic_write

BEST, LAST = "best.ckpt", "last.ckpt"
_LOSS = "val_loss"


class RunCheckpoint(ModelCheckpoint):
    """``best.ckpt``, the epoch with the best score, and ``last.ckpt``, the state after every epoch.

    Of epochs with the same score the one with the lowest loss on the validation rows is the best: on a few dozen rows many
    epochs score the same.

    Args:
        dirpath: the folder of the run.
        monitor: the score that counts; ``None`` takes the last epoch for the best.
        mode: whether a high score is good (``max``) or a low one (``min``).
    """

    def __init__(self, dirpath: str, monitor: str | None = None, mode: str = "max") -> None:
        super().__init__(
            dirpath=dirpath,
            filename=Path(BEST).stem,
            monitor=monitor,
            mode=mode,
            save_last=True,
            enable_version_counter=False,
            save_on_train_epoch_end=True,
        )
        self._best_loss = float("inf")

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Keep the best, and in any case the last."""
        skip = self._should_skip_saving_checkpoint(trainer)
        super().on_train_epoch_end(trainer, pl_module)
        if not skip and self._last_checkpoint_saved != self.last_model_path:
            self._save_last_checkpoint(trainer, self._monitor_candidates(trainer))

    def check_monitor_top_k(self, trainer: pl.Trainer, current: Tensor | None = None) -> bool:
        """Return whether this epoch is better than the best so far, or as good with less loss; never with a loss of NaN."""
        if math.isnan(_loss_of(trainer)):
            return False
        if current is None or super().check_monitor_top_k(trainer, current):
            return current is not None
        ties = bool(current == self.best_model_score) and _loss_of(trainer) < self._best_loss
        return trainer.strategy.reduce_boolean_decision(ties)

    def _update_best_and_save(
        self, current: Tensor, trainer: pl.Trainer, monitor_candidates: dict[str, Tensor]
    ) -> None:
        self._best_loss = _loss_of(trainer)
        super()._update_best_and_save(current, trainer, monitor_candidates)

    def state_dict(self) -> dict[str, Any]:
        """See Lightning's; with the loss of the best epoch."""
        return {**super().state_dict(), "best_loss": self._best_loss}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """See Lightning's; the folder may have been moved or copied: the files are those of this one."""
        here = Path(str(self.dirpath))

        def moved(path: str) -> str:
            return str(here / Path(path).name) if path else path

        state = {
            **state_dict,
            "dirpath": self.dirpath,
            "best_k_models": {moved(path): score for path, score in state_dict["best_k_models"].items()},
            **{key: moved(state_dict[key]) for key in ("best_model_path", "kth_best_model_path", "last_model_path")},
        }
        super().load_state_dict(state)
        self._best_loss = float(state_dict.get("best_loss", float("inf")))


def _loss_of(trainer: pl.Trainer) -> float:
    loss = trainer.callback_metrics.get(_LOSS)
    return float("inf") if loss is None else float(loss)


class ResumeCallback(pl.Callback):
    """Random numbers (Python's, NumPy's, PyTorch's) and the curve go on where the checkpoint was written.

    With several processes each draws anew after a resume: a checkpoint holds the random state of the first one only.
    """

    state_key = "GoOn"  # in the resume files, whatever the name of this class

    def __init__(self) -> None:
        self._state: dict[str, Any] | None = None

    def state_dict(self) -> dict[str, Any]:
        """The random state, as numbers and tensors: a resume file is read without unpickling anything else."""
        version, numbers, following = random.getstate()
        name, keys, position, has_gauss, cached = np.random.get_state(legacy=True)  # type: ignore[misc]
        return {
            "python": [version, list(numbers), following],
            "numpy": [str(name), torch.from_numpy(np.asarray(keys).astype(np.int64)), position, has_gauss, cached],
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Kept until the first batch: what comes before draws numbers, too."""
        self._state = state_dict

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Scores that are measured again replace the earlier ones."""
        if stage != "fit":
            _go_on(trainer, 0)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """The curve keeps what it had; a run that is done already does not come here."""
        _go_on(trainer, trainer.global_step)

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """From here on the same numbers are drawn as without a break."""
        state, self._state = self._state, None
        if state is None or trainer.world_size > 1:
            return
        version, numbers, following = state["python"]
        random.setstate((version, tuple(numbers), following))
        name, keys, position, has_gauss, cached = state["numpy"]
        np.random.set_state((name, keys.numpy().astype(np.uint32), position, has_gauss, cached))
        torch.set_rng_state(state["torch"].cpu())
        if len(state["cuda"]) == torch.cuda.device_count() and state["cuda"]:
            torch.cuda.set_rng_state_all([one.cpu() for one in state["cuda"]])


def _go_on(trainer: pl.Trainer, step: int) -> None:
    for logger in trainer.loggers:
        if isinstance(logger, CurveLogger) and trainer.is_global_zero:
            logger.go_on(step)


class _Rows(ExperimentWriter):
    """Lightning's own removes what is there when it begins, also when a run is gone on with."""

    def _check_log_dir_exists(self) -> None:
        pass


class CurveLogger(CSVLogger):
    """``metrics.csv``, the learning curve of a run; a run that is gone on with keeps the rows it had before.

    Args:
        save_dir: the folder of the run.
        version: the folder in it.
    """

    def __init__(self, save_dir: str, version: str = "csv") -> None:
        super().__init__(save_dir, name="", version=version)

    @property
    @rank_zero_experiment
    def experiment(self) -> ExperimentWriter:
        """What writes the rows."""
        if self._experiment is None:
            self._experiment = _Rows(log_dir=self.log_dir)
        return self._experiment  # type: ignore[return-value]

    def go_on(self, step: int) -> None:
        """Keep the rows of the steps before this one; those after it are done again."""
        path = Path(self.log_dir) / "metrics.csv"
        rows: list[dict[str, str]] = []
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                rows = [
                    row for row in csv.DictReader(file) if (row.get("step") or "").isdigit() and int(row["step"]) < step
                ]
        names = sorted({name for row in rows for name, value in row.items() if value})
        self.experiment.metrics_keys = names
        if not rows:
            path.unlink(missing_ok=True)
            return
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, fieldnames=names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
        atomic_write(path, text.getvalue())

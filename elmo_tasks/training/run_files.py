"""State of a run for resuming it: best and last checkpoint, random numbers, curve."""

from __future__ import annotations

import contextlib
import math
import os
import random
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ModelCheckpoint
from pytorch_lightning.loggers import CSVLogger
from pytorch_lightning.loggers.csv_logs import ExperimentWriter
from pytorch_lightning.loggers.logger import rank_zero_experiment
from torch import Tensor

from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_write

_MADE_OF = "made_of"


class RunCheckpoint(ModelCheckpoint):
    """Write ``best.ckpt``, the best epoch, and ``last.ckpt``, after every epoch.

    Among epochs with the same score, which are common with a few dozen rows, the one with the
    lowest validation loss is the best.

    Args:
        dirpath: the folder of the run.
        monitor: the score that selects; ``None`` selects the last epoch.
        mode: whether a high score is good (``max``) or a low one (``min``).
    """

    def __init__(self, dirpath: str, monitor: str | None = None, mode: str = "max") -> None:
        super().__init__(
            dirpath=dirpath,
            filename="best",
            monitor=monitor,
            mode=mode,
            save_last=True,
            enable_version_counter=False,
            save_on_train_epoch_end=True,
        )
        self._best_loss = float("inf")

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Save the best epoch, and in any case the last."""
        skip = self._should_skip_saving_checkpoint(trainer)
        super().on_train_epoch_end(trainer, pl_module)
        is_saved = (
            self._last_global_step_saved == trainer.global_step
            and self._last_checkpoint_saved == self.last_model_path
        )
        if not skip and not is_saved:
            self._save_last_checkpoint(trainer, self._monitor_candidates(trainer))

    def check_monitor_top_k(self, trainer: pl.Trainer, current: Tensor | None = None) -> bool:
        """Return whether this epoch is the best so far; never with a loss of NaN."""
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
        """Add the loss of the best epoch."""
        return {**super().state_dict(), "best_loss": self._best_loss}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Point the paths to this folder: a run may have been moved or copied."""
        here = Path(str(self.dirpath))

        def moved(path: str) -> str:
            return str(here / Path(path).name) if path else path

        state = {
            **state_dict,
            "dirpath": self.dirpath,
            "best_k_models": {
                moved(path): score for path, score in state_dict["best_k_models"].items()
            },
            **{
                key: moved(state_dict[key])
                for key in ("best_model_path", "kth_best_model_path", "last_model_path")
            },
        }
        super().load_state_dict(state)
        self._best_loss = float(state_dict.get("best_loss", float("inf")))


def _loss_of(trainer: pl.Trainer) -> float:
    loss = trainer.callback_metrics.get("val_loss")
    return float("inf") if loss is None else float(loss)


class ResumeCallback(pl.Callback):
    """Resume a run with its random state and its curve; save on an interrupt.

    A run that saves every few steps, as language models do, also writes ``last.ckpt`` after the
    batch in which it gets SIGINT or SIGTERM, and ends. A second signal ends it at once. Runs with
    several processes draw new numbers after a resume, because a checkpoint holds the state of the
    first process only, and do not save on a signal, which each may get in a different batch.
    """

    def __init__(self) -> None:
        self._state: dict[str, Any] | None = None
        self._signal: int | None = None
        self._made_of: dict[str, str] | None = None

    def state_dict(self) -> dict[str, Any]:
        """Return the random state as numbers and tensors, which a resume file may hold."""
        version, numbers, following = random.getstate()
        name, keys, position, has_gauss, cached = np.random.get_state(legacy=True)  # type: ignore[misc]
        return {
            "python": [version, list(numbers), following],
            "numpy": [
                str(name),
                torch.from_numpy(np.asarray(keys).astype(np.int64)),
                position,
                has_gauss,
                cached,
            ],
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Keep the state until the first batch, since earlier steps also draw random numbers."""
        self._state = state_dict

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Save what the run is made of: its rows, its encoder, its seed."""
        if self._made_of is None:
            self._made_of = _made_of(trainer, pl_module)
        checkpoint[_MADE_OF] = self._made_of

    def on_load_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Refuse to resume a run on other rows, with another encoder or another seed.

        Raises:
            ConfigError: one of them is not that of the checkpoint.
        """
        if trainer.state.fn != "fit":
            return
        current = self._made_of = _made_of(trainer, pl_module)
        for name, saved in checkpoint.get(_MADE_OF, {}).items():
            if current.get(name, saved) != saved:
                raise ConfigError(
                    f"--ckpt_path: a run is resumed with its own data and models, but {name} of the"
                    f" checkpoint is {saved}, here {current[name]}. Use that again, or start a new"
                    " run without --ckpt_path or --run"
                )
        _reopen_epoch(checkpoint)

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Replace earlier scores by those that are measured again."""
        if stage != "fit":
            _resume_curve(trainer, 0)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Resume the curve and listen for signals; Lightning restores the handlers."""
        _resume_curve(trainer, trainer.global_step)
        in_main_thread = threading.current_thread() is threading.main_thread()
        if in_main_thread and trainer.world_size == 1 and _saves_by_steps(trainer) is not None:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._signal is not None:
            raise SystemExit(128 + number)
        self._signal = number
        print("\nInterrupted: saving after this batch.", flush=True)

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Restore the random state of a resumed run."""
        state, self._state = self._state, None
        if state is None or trainer.world_size > 1:
            return
        version, numbers, following = state["python"]
        random.setstate((version, tuple(numbers), following))
        name, keys, position, has_gauss, cached = state["numpy"]
        np.random.set_state((name, keys.numpy().astype(np.uint32), position, has_gauss, cached))
        torch.set_rng_state(state["torch"].cpu())
        if len(state["cuda"]) == torch.cuda.device_count() and state["cuda"]:
            torch.cuda.set_rng_state_all([device_state.cpu() for device_state in state["cuda"]])

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Save and end after a signal."""
        checkpoint = _saves_by_steps(trainer)
        if self._signal is None or checkpoint is None:
            return
        checkpoint._save_last_checkpoint(trainer, checkpoint._monitor_candidates(trainer))
        path = checkpoint.last_model_path
        print(
            f"Saved step {trainer.global_step:,}. The same command with --ckpt_path {path}"
            " resumes it.",
            flush=True,
        )
        raise SystemExit(128 + self._signal)


def _reopen_epoch(checkpoint: dict[str, Any]) -> None:
    """Reopen an epoch that was cut short, which Lightning counts as finished."""
    fit_loop = checkpoint.get("loops", {}).get("fit_loop", {})
    batches = fit_loop.get("epoch_loop.batch_progress")
    epochs = fit_loop.get("epoch_progress")
    if (
        batches is None
        or epochs is None
        or batches["is_last_batch"]
        or not batches["current"]["ready"]
    ):
        return
    for part in ("total", "current"):
        numbers = epochs[part]
        numbers["processed"] = min(numbers["processed"], numbers["ready"] - 1)
        numbers["completed"] = min(numbers["completed"], numbers["ready"] - 1)


def _made_of(trainer: pl.Trainer, module: pl.LightningModule) -> dict[str, str]:
    """Return the digests and settings that a resumed run shares with its checkpoint."""
    found: dict[str, str] = {}
    for part in (trainer.datamodule, module):  # type: ignore[attr-defined]
        if callable(made_of := getattr(part, "made_of", None)):
            found |= made_of()
    seed = os.environ.get("PL_GLOBAL_SEED")
    return found if seed is None else {**found, "seed_everything": seed}


def _saves_by_steps(trainer: pl.Trainer) -> ModelCheckpoint | None:
    """Return the checkpoint callback if it saves every few steps."""
    checkpoint = trainer.checkpoint_callback
    if not isinstance(checkpoint, ModelCheckpoint) or trainer.fast_dev_run:  # type: ignore[attr-defined]
        return None
    return checkpoint if checkpoint.save_last and not checkpoint.every_n_epochs else None


def _resume_curve(trainer: pl.Trainer, step: int) -> None:
    for logger in trainer.loggers:
        if isinstance(logger, CurveLogger) and trainer.is_global_zero:
            logger.resume(step)


class _Rows(ExperimentWriter):
    """Keep existing rows, which Lightning's writer removes also when a run is resumed."""

    def _check_log_dir_exists(self) -> None:
        pass


class CurveLogger(CSVLogger):
    """Write ``metrics.csv``, the learning curve; a resumed run keeps its earlier rows.

    Args:
        save_dir: the folder of the run.
        version: the folder in it.
    """

    def __init__(self, save_dir: str, version: str = "csv") -> None:
        super().__init__(save_dir, name="", version=version)

    @property
    @rank_zero_experiment
    def experiment(self) -> ExperimentWriter:
        """The writer of the rows."""
        if self._experiment is None:
            self._experiment = _Rows(log_dir=self.log_dir)
        return self._experiment  # type: ignore[return-value]

    def resume(self, step: int) -> None:
        """Keep the rows of the steps before this one; later ones are written again."""
        path = Path(self.log_dir) / "metrics.csv"
        rows = pd.DataFrame()
        # A kill may cut the first line.
        with contextlib.suppress(FileNotFoundError, pd.errors.EmptyDataError, KeyError):
            table = pd.read_csv(path, dtype=str, on_bad_lines="skip")
            rows = table[pd.to_numeric(table["step"], errors="coerce") < step].dropna(
                axis="columns", how="all"
            )
        rows = rows[sorted(rows.columns)]
        self.experiment.metrics_keys = list(rows.columns)
        if rows.empty:
            path.unlink(missing_ok=True)
        else:
            atomic_write(path, rows.to_csv(index=False, lineterminator="\r\n"))

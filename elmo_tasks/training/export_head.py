"""Export of a trained head, with its scores and the history of its mix."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch

from elmo_tasks.data.split_data import Split, SplitData
from elmo_tasks.encoders import Encoder, load
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.heads.head_files import HEAD_FOLDER, Source, find_head, write_head
from elmo_tasks.prediction import Predictor, evaluate_head
from elmo_tasks.training.job_callbacks import mix_of
from elmo_tasks.training.task_module import TaskModule, is_validated_epoch
from elmo_tasks.weights.folders import MODEL_FOLDER

#: Least margin of macro-F1 over always predicting the most frequent class.
_MIN_MARGIN = 0.02


class ExportHead(pl.Callback):
    """Write the best head at the end of a run, load it again and score it.

    Args:
        folder: where to write it.
        about: entries of the card: title, data with its licence, and the like.
    """

    def __init__(self, folder: str, about: dict[str, str] | None = None) -> None:
        self.folder = Path(folder)
        self.about = about or {}
        self.epochs: list[dict[str, Any]] = []

    @property
    def encoder_folder(self) -> Path:
        """Folder of an encoder that was trained along with the head."""
        return self.folder.with_name(f"{self.folder.name}-encoder")

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Detect errors of the export before the training, not after it."""
        if stage != "fit":
            return
        HEAD_FOLDER.check(self.folder)
        if isinstance(pl_module, TaskModule) and pl_module.encoder_learning_rate is not None:
            MODEL_FOLDER.check(self.encoder_folder)
        data = trainer.datamodule  # type: ignore[attr-defined]
        if isinstance(data, SplitData) and data.hub is None:
            test = data.sources["test"]
            if test is not None and not Path(test).is_file():
                raise DataError(
                    f"{test}: no such file, and data.test says that the head is scored on it"
                )
            data.check_split("test")

    def state_dict(self) -> dict[str, Any]:
        """State for resuming a run."""
        return {"epochs": self.epochs}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the state of a resumed run."""
        self.epochs = list(state_dict["epochs"])

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Record the mix before the first step."""
        if not self.epochs:
            self._record(pl_module, 0, None)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Record the mix and the score of an epoch, before its checkpoint is written."""
        if not is_validated_epoch(pl_module, trainer):
            return
        score = trainer.callback_metrics.get(f"val_{pl_module.scores.main}")
        self._record(
            pl_module, trainer.current_epoch + 1, None if score is None else round(float(score), 5)
        )

    def _record(self, module: pl.LightningModule, epoch: int, score: float | None) -> None:
        if mix := mix_of(module):
            earlier = [row for row in self.epochs if row["epoch"] < epoch]
            self.epochs = [*earlier, {"epoch": epoch, **mix, "score": score}]

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write and score the head on one process; a trial run of a few batches writes none."""
        is_trial = trainer.fast_dev_run  # type: ignore[attr-defined]
        if is_trial or not trainer.is_global_zero or not isinstance(pl_module, TaskModule):
            return
        seconds = pl_module.training_seconds()
        best = _take_best(trainer, pl_module)
        if not all(
            bool(torch.isfinite(value).all()) for value in pl_module.head.state_dict().values()
        ):
            raise ConfigError(
                "the training diverged: the loss is not a number, so there is no head to keep; try"
                " a smaller model.learning_rate"
            )
        if best is None and getattr(trainer.checkpoint_callback, "monitor", None):
            print(
                "The training ended before its first validation: the last state is kept.",
                flush=True,
            )
        encoder = self._write_encoder(pl_module)
        name = pl_module.encoder_name if pl_module.tuned is None else str(self.encoder_folder)
        source = Source(name, encoder.checksum)
        static = None
        if pl_module.static is not None and pl_module.static_name is not None:
            static = Source(pl_module.static_name, pl_module.static.checksum)
        reading = pl_module.data.reading()
        card = self._card(trainer, pl_module, best, seconds)
        write_head(self.folder, pl_module.head, source, static, reading, card)
        predictor = Predictor.load(find_head(self.folder.absolute()), encoder, encoder.device)
        card["scores"] = self._measure(predictor, pl_module.data)
        write_head(self.folder, pl_module.head, source, static, reading, card)
        self._report(card["scores"], seconds, predictor.task.baselines)

    def _card(
        self, trainer: pl.Trainer, module: TaskModule, best: int | None, seconds: float
    ) -> dict[str, Any]:
        """Return the card of the head without its scores."""
        seed = os.environ.get("PL_GLOBAL_SEED")
        training: dict[str, Any] = {
            "seed": None if seed is None else int(seed),
            "epochs": trainer.current_epoch,
            "best_epoch": best,
            "seconds": round(seconds),
            "device": str(module.device),
            "precision": str(trainer.precision),
        }
        if module.tuned_from is not None:
            training["encoder_learning_rate"] = module.encoder_learning_rate
        if module.class_weights is not None:
            training["class_weights"] = module.class_weights
        card: dict[str, Any] = {
            **self.about,
            "kind": "head",
            "trained_on": module.data.summary(),
            "training": training,
        }
        if module.tuned_from is not None:
            card["encoder_tuned_from"] = vars(module.tuned_from)
        card["layer_weights"] = {
            "learned": module.head.mix.scalars is not None,
            "epochs": self.epochs,
        }
        card["versions"] = {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "lightning": pl.__version__,
        }
        return card

    def _write_encoder(self, module: TaskModule) -> Encoder:
        """Return the head's encoder; one that was trained is written and loaded again."""
        if module.tuned is None or module.tuned_from is None:
            return module.encoder
        from elmo_tasks.training.export_bilm import write_model

        title = self.about.get("title") or self.folder.resolve().parent.name
        name = Path(module.tuned_from.name).name
        about = {
            "title": f"{name}, trained further with the head “{title}”",
            "kind": "biLM",
            "tuned_from": vars(module.tuned_from),
            "learning_rate": module.encoder_learning_rate,
        }
        write_model(self.encoder_folder, module.tuned, card=about)
        return load(str(self.encoder_folder), module.encoder.device)

    def _measure(self, predictor: Predictor, data: SplitData[Any, Any]) -> dict[str, Any]:
        """Scores of the exported head on the held-out splits."""
        data.setup("fit")
        if data.has("test"):
            n_notes = len(data.notes)
            data.setup("test")
            print(*data.notes[n_notes:], sep="\n", flush=True)
        measured: dict[str, Any] = {}
        splits: tuple[Split, ...] = ("validation", "test")
        for split in splits:
            if split in data.rows:
                rows = data.labelled(split)
                scores = evaluate_head(predictor, rows)
                baselines = predictor.task.baseline_scores(
                    data.labelled("train"), rows, predictor.head.task.scheme
                )
                measured[split] = {
                    "main": scores.main,
                    **{name: round(value, 5) for name, value in scores.compute().items()},
                    "rows": len(rows),
                    "guess": {name: round(value, 5) for name, value in baselines.items()},
                }
        return measured

    def _report(self, measured: dict[str, Any], seconds: float, rules: Mapping[str, str]) -> None:
        print(f"\nTrained in {seconds / 60:.1f} min. The head is in {self.folder}", flush=True)
        for split, scores in measured.items():
            name = scores["main"]
            guess = ", ".join(
                f"{name} {value:.3f} with {rules[rule]}" for rule, value in scores["guess"].items()
            )
            rows = f"{scores['rows']:,} rows (without a model: {guess})"
            macro = f", macro-F1 {scores['macro_f1']:.3f}" if "macro_f1" in scores else ""
            print(f"  {split}: {name} {scores[name]:.3f}{macro} on {rows}", flush=True)
            if scores["guess"] and (warning := no_better(scores, max(scores["guess"].values()))):
                print(f"  {warning}", flush=True)
        print(
            f"Try it: elmo-tasks predict --head {self.folder} - -, or open the app (elmo-tasks"
            " app)",
            flush=True,
        )


def no_better(scores: Mapping[str, Any], guess: float) -> str:
    """Return a warning if a head scores no better than a rule without a model."""
    main = scores["main"]
    if scores[main] > guess:
        return ""
    remedy = "more rows, more epochs or other labels may help"
    if "macro_f1" in scores:
        remedy = "more rows, more epochs, other labels or class_weights: balanced may help"
    classes = [name for name in scores if name.startswith("recall/")]
    # Always the most frequent class, a share p of the rows: F1 of 2p / (1 + p) there, and 0
    # elsewhere.
    if (
        "macro_f1" in scores
        and scores["macro_f1"] > 2 * guess / (1 + guess) / len(classes) + _MIN_MARGIN
    ):
        return (
            f"NOTE: by {main} this head is no better than without a model; it does know rare"
            " classes (macro-F1)."
        )
    return (
        f"WARNING: THIS HEAD IS NO BETTER THAN WITHOUT A MODEL ({main} {scores[main]:.3f} and"
        f" {guess:.3f}): {remedy}."
    )


def _take_best(trainer: pl.Trainer, module: TaskModule) -> int | None:
    """Load the weights of the best epoch; return its number if there was a choice."""
    checkpoint = trainer.checkpoint_callback
    path = getattr(checkpoint, "best_model_path", "")
    if not path:
        return None
    saved = torch.load(path, map_location=module.device, weights_only=True)
    for prefix, part in (("head.", module.head), ("tuned.", module.tuned)):
        if part is not None:
            weights = {
                name.removeprefix(prefix): value
                for name, value in saved["state_dict"].items()
                if name.startswith(prefix)
            }
            part.load_state_dict(weights)
    return int(saved["epoch"]) + 1

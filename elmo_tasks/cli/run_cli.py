"""Lightning's command line with this program's options, folders and messages."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from pytorch_lightning import LightningModule, Trainer
from pytorch_lightning.cli import LightningArgumentParser, LightningCLI, SaveConfigCallback
from pytorch_lightning.utilities import rank_zero_only

from elmo_tasks import bundled
from elmo_tasks.cli.resume import CONFIG, free_root, holds_run, remove_run
from elmo_tasks.cli.settings import (
    adapt_to_data,
    available_precision,
    describe_own_data,
    isolate_run,
    move_path,
    replace_texts,
)
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_write, file_lock, lock_of

_SETTINGS = ("--model", "--data", "--trainer", "--optimizer", "--lr_scheduler")


@dataclass
class Plan:
    """Arguments of a command, and the place of its run."""

    arguments: Sequence[str]
    locks: contextlib.ExitStack  #: those of the run's folder
    overwrite: bool = False  #: an earlier run in the folder is replaced
    began: float = field(default_factory=time.time)
    root: Path | None = field(default=None, init=False)  #: the folder of the run, once it is known


class SaveConfig(SaveConfigCallback):
    """Keep the settings of a run in its folder, where `test --run` reads them.

    They are written when the training begins: by then the data and the checkpoint have been read,
    and a run that is refused leaves the folder as it was.
    """

    def __init__(self, *args: Any, plan: Plan, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.plan = plan

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        """Write nothing yet."""

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Write the settings; those of a resumed run only if some were changed."""
        if not trainer.is_global_zero:
            return
        target = Path(trainer.default_root_dir) / CONFIG
        arguments = self.plan.arguments
        is_read = target.is_file() and any(
            option in ("--config", "-c") and target.samefile(path)
            for option, path in pairwise(arguments)
        )
        if is_read and not any(word.startswith(_SETTINGS) for word in arguments):
            return
        if self.plan.overwrite and trainer.ckpt_path is None:
            remove_run(target.parent, self.plan.began)
        target.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(target, self.parser.dump(self.config, skip_none=False))


class RunCLI(LightningCLI):
    """Lightning's command line for one plan."""

    def __init__(self, plan: Plan, **options: Any) -> None:
        self.plan = plan
        super().__init__(save_config_kwargs={"plan": plan}, **options)

    @staticmethod
    def subcommands() -> dict[str, set[str]]:
        """Leave out Lightning's predict: `predict` is a command of its own here."""
        return {
            name: skipped
            for name, skipped in LightningCLI.subcommands().items()
            if name != "predict"
        }

    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        """Add this program's own options."""
        add = parser.add_argument
        add(
            "--encoder", type=str | None, help="another encoder than the file's: a name or a folder"
        )
        add(
            "--init_from",
            type=str | None,
            help="a biLM to train further; its sizes replace the file's",
        )
        add("--run_dir", type=str | None, help="another folder than trainer.default_root_dir")

    def before_instantiate_classes(self) -> None:
        """Apply this program's options, and choose the folder of the run."""
        config = self.config[self.subcommand]
        self._replace_model(config)
        if self.subcommand == "fit":
            describe_own_data(self.plan.arguments, config)
        config.data = replace_texts(config.data, bundled.find)
        trainer = config.trainer
        trainer.precision = available_precision(trainer.precision, str(trainer.accelerator))
        if config.run_dir is not None:
            _move_root(config, config.run_dir)
        # They are applied: the saved settings must not apply them again.
        config.encoder = config.init_from = config.run_dir = None
        trainer = config.trainer
        if trainer.enable_progress_bar is False:
            # Lightning refuses this beside a bar that the file names.
            trainer.callbacks = [
                callback
                for callback in trainer.callbacks
                if not callback.class_path.endswith("ProgressBar")
            ]
        for line in adapt_to_data(trainer, config.data):
            print(line, flush=True)
        if self.subcommand != "fit":
            isolate_run(trainer, str(self.subcommand))
            has_weights = (
                config.ckpt_path is not None or config.model.init_args.get("start_from") is not None
            )
            if not has_weights and not trainer.fast_dev_run:
                raise ConfigError(
                    "no weights: give --run FOLDER, or --ckpt_path FOLDER/best.ckpt with --config"
                )
        elif not trainer.fast_dev_run:
            self._take_root(config)

    def _replace_model(self, config: Any) -> None:
        if config.encoder is not None:
            if "encoder" not in config.model.init_args:
                raise ConfigError(f"--encoder: {config.model.class_path} reads no encoder")
            config.model.init_args.encoder = config.encoder
        if config.init_from is None:
            return
        if "start_from" not in config.model.init_args:
            raise ConfigError(
                f"--init_from: {config.model.class_path} is not a biLM, which alone can be trained"
                " further; for the encoder of a head use --encoder"
            )
        for key, value in {**_shape_of(config.init_from), "start_from": config.init_from}.items():
            config.model.init_args[key] = value

    def _take_root(self, config: Any) -> None:
        """Choose and lock the folder of the run: a new one beside a folder that holds a run."""
        given = config.trainer.default_root_dir
        root = Path(given or ".")
        is_resumed = (
            config.ckpt_path is not None
            and Path(config.ckpt_path).resolve().parent == root.resolve()
        )
        if given is not None and not is_resumed and not self.plan.overwrite and holds_run(root):
            free = free_root(Path(os.path.normpath(root)) if root.name else root)
            _move_root(config, str(free))
            if _is_first_process():
                print(
                    f"{root} holds an earlier run, so this one is written to {free}; --overwrite"
                    " replaces it.",
                    flush=True,
                )
            root = free
        self.plan.root = root
        if _is_first_process():
            self.plan.locks.enter_context(file_lock(lock_of(root), f"the folder {root}"))


def _is_first_process() -> bool:
    return getattr(rank_zero_only, "rank", 0) == 0


def _move_root(config: Any, new: str) -> None:
    """Move everything that a run writes below its folder to another folder."""
    old = config.trainer.default_root_dir
    if old is None:
        raise ConfigError(
            "--run_dir: the file names no trainer.default_root_dir that it could replace"
        )
    config.trainer = replace_texts(config.trainer, partial(move_path, old=str(old), new=new))


def _shape_of(model: str) -> dict[str, Any]:
    """Return the settings of a biLM's configuration that its weights decide."""
    from elmo_tasks.bilm.model_files import find_model
    from elmo_tasks.bilm.options import BiLMOptions

    options = BiLMOptions.load(find_model(model).options)
    cnn = options.char_cnn
    return {
        "filters": [list(pair) for pair in cnn.filters],
        "n_highway": cnn.n_highway,
        "embedding_dim": cnn.embedding_dim,
        **asdict(options.lstm),
    }

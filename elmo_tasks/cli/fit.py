"""``fit``, ``validate`` and ``test``: Lightning runs from a YAML file."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from elmo_tasks import bundled
from elmo_tasks.cli.run_settings import (
    CONFIG,
    adapt_to_data,
    apply_device,
    check_checkpoint,
    check_config,
    describe_own_data,
    expand_run,
    format_error,
    isolate_run,
    own_error,
)
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_write, describe_os_error, file_lock, lock_of

# --model, --data.init_args.phrases, ...: what may be read from a file. Names of files and models are none of these.
_SETTINGS = re.compile(r"--(model|data|trainer|optimizer|lr_scheduler)(\.(?!init_args\.)\w+)*")
HELP = "train, validate or test from a YAML file in lightning_configs/"
#: As Lightning spells them; all keep the weights in float32.
_PRECISIONS = {"None", "32", "32-true", "bf16", "bf16-mixed", "16", "16-mixed"}


def run(arguments: Sequence[str]) -> int:
    """Hand the arguments, the subcommand first, to Lightning's command line."""
    # jsonargparse warns of how Lightning calls it, which is nothing a user can change; likewise Lightning of its own internals.
    os.environ.setdefault("JSONARGPARSE_DEPRECATION_WARNINGS", "off")
    warnings.filterwarnings("ignore", message=".*isinstance.treespec, LeafSpec.*")
    warnings.filterwarnings("ignore", message="LightningCLI's args parameter is intended")
    warnings.filterwarnings("ignore", message=".*is not supported by the model summary.*")
    # The loggers wrote there first, so the folder exists, and a restarted run replaces its own files.
    warnings.filterwarnings("ignore", message="Checkpoint directory .* exists and is not empty")
    # A small data set: ProgressLines and the epochs' scores are there all the same.
    warnings.filterwarnings("ignore", message=".*is smaller than the logging interval.*")
    # Scores are the same on every process already: torchmetrics adds the counts up.
    warnings.filterwarnings("ignore", message=r"It is recommended to use `self.log\(.*sync_dist=True.*")
    logging.getLogger("pytorch_lightning.utilities.rank_zero").addFilter(_is_no_advertisement)
    arguments, inside = expand_run(apply_device(arguments))
    arguments = _with_found_configs(arguments)
    with contextlib.chdir(inside or Path()), contextlib.ExitStack() as locks:
        _check_files(arguments)
        return _run(arguments, locks)


def _check_files(arguments: Sequence[str]) -> None:
    """Reject unreadable files before anything is imported; also as --ckpt_path=FILE."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    for before, value in pairwise(words):
        if before in ("--config", "-c"):
            check_config(Path(value), before)
        elif _SETTINGS.fullmatch(before) and Path(value).is_file():
            check_config(Path(value), before)  # the settings of a group may be in a file of their own
        elif before == "--ckpt_path" and value in ("best", "last"):
            raise ConfigError(f"--ckpt_path {value}: expected a file, such as runs/NAME/{value}.ckpt")
        elif before == "--ckpt_path" and value not in ("null", ""):
            check_checkpoint(Path(value))


def _run(arguments: Sequence[str], locks: contextlib.ExitStack) -> int:
    # Imported here: Lightning takes seconds, and the other commands do without it.
    from jsonargparse import ArgumentError
    from pytorch_lightning import LightningDataModule, LightningModule, Trainer
    from pytorch_lightning.cli import LightningArgumentParser, LightningCLI, SaveConfigCallback
    from pytorch_lightning.utilities import rank_zero_only
    from pytorch_lightning.utilities.exceptions import MisconfigurationException

    from elmo_tasks.training.run_files import ResumeCallback

    class SaveConfig(SaveConfigCallback):
        """The settings of a run in its folder, as `test --run` reads them."""

        def save_config(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
            target = Path(trainer.default_root_dir) / CONFIG
            is_read = any(_same_file(target, Path(word)) for word in arguments)
            # A run that is resumed with other settings, such as more epochs, keeps them for the next time.
            if stage == "fit" and (not is_read or any(_SETTINGS.match(word) for word in arguments)):
                target.parent.mkdir(parents=True, exist_ok=True)
                atomic_write(target, self.parser.dump(self.config, skip_none=False))

    class CLI(LightningCLI):
        @staticmethod
        def subcommands() -> dict[str, set[str]]:
            # Lightning's own predict is off: `predict` is a command of its own here.
            return {k: v for k, v in LightningCLI.subcommands().items() if k != "predict"}

        def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
            add = parser.add_argument
            add("--encoder", type=str | None, help="another encoder than the file's: a name or a folder")
            add("--init_from", type=str | None, help="a biLM to go on training; its sizes replace the file's")
            add("--run_dir", type=str | None, help="another folder than trainer.default_root_dir")

        def before_instantiate_classes(self) -> None:
            config = self.config[self.subcommand]
            if config.encoder is not None:
                if "encoder" not in config.model.init_args:
                    raise ConfigError(f"--encoder: {config.model.class_path} reads no encoder")
                config.model.init_args.encoder = config.encoder
            if config.init_from is not None:
                if "start_from" not in config.model.init_args:
                    raise ConfigError(
                        f"--init_from: {config.model.class_path} is no biLM that could go on from another; for the encoder of a "
                        "head use --encoder"
                    )
                for key, value in {**_shape_of(config.init_from), "start_from": config.init_from}.items():
                    config.model.init_args[key] = value
            if self.subcommand == "fit":
                describe_own_data(arguments, config)
            config.data = _replaced(config.data, bundled.find)
            config.trainer.precision = _precision_here(config.trainer.precision, str(config.trainer.accelerator))
            old = config.trainer.default_root_dir
            if config.run_dir is not None:
                if old is None:
                    raise ConfigError("--run_dir: the file names no trainer.default_root_dir that it could replace")
                config.trainer = _replaced(config.trainer, partial(_moved, old=str(old), new=config.run_dir))
            # They have been put in: who reads these settings again is to read each of them once.
            config.encoder = config.init_from = config.run_dir = None
            if config.trainer.enable_progress_bar is False:  # Lightning refuses this beside a bar of the file's own
                config.trainer.callbacks = [
                    c for c in config.trainer.callbacks if not c.class_path.endswith("ProgressBar")
                ]
            for line in adapt_to_data(config.trainer, config.data):
                print(line, flush=True)
            if self.subcommand != "fit":
                isolate_run(config.trainer, str(self.subcommand))
                self._check_weights(config)
            elif not config.trainer.fast_dev_run and getattr(rank_zero_only, "rank", 0) == 0:
                root = Path(config.trainer.default_root_dir or ".")
                locks.enter_context(file_lock(lock_of(root), f"the folder {root}"))

        def _check_weights(self, config: Any) -> None:
            """Reject `validate` and `test` without trained weights."""
            has_weights = config.ckpt_path is not None or config.model.init_args.get("start_from") is not None
            if not has_weights and not config.trainer.fast_dev_run:
                raise ConfigError(
                    "no trained weights: give --run FOLDER, or --ckpt_path FOLDER/best.ckpt with --config"
                )

    try:
        CLI(
            LightningModule,
            LightningDataModule,
            subclass_mode_model=True,
            subclass_mode_data=True,
            save_config_callback=SaveConfig,
            save_config_kwargs={"save_to_log_dir": False},
            trainer_defaults={"callbacks": [ResumeCallback()]},
            parser_kwargs={"parser_mode": "yaml", "exit_on_error": False},
            args=list(arguments),
        )
    except ArgumentError as error:
        raise own_error(error) or ConfigError(format_error(str(error))) from error
    except MisconfigurationException as error:
        raise ConfigError(" ".join(str(error).split())) from error
    except OSError as error:
        raise ConfigError(describe_os_error(error)) from error
    except ValueError as error:  # the parser wraps the cause
        if (own := own_error(error)) is None:
            raise
        raise own from error
    except RuntimeError as error:
        text = " ".join(str(error).split())
        if not text.startswith(("Error(s) in loading state_dict", "Early stopping conditioned on metric")):
            raise
        if text.startswith("Error"):
            text = f"the checkpoint is of another model than these settings describe ({text[:300]})"
        raise ConfigError(text) from error
    return 0


def _same_file(one: Path, other: Path) -> bool:
    with contextlib.suppress(OSError):
        return one.is_file() and other.is_file() and one.samefile(other)
    return False


def train(config: str | Path, run_dir: str | Path | None = None, **settings: Any) -> Path:
    """Train a head or a biLM as ``elmo-tasks fit`` does.

    Args:
        config: a YAML file, or the name of a bundled one (``"ner_sample"``).
        run_dir: where to write; the configuration's own folder below ``runs/`` if ``None``.
        settings: anything that the command line takes, with ``__`` for a dot: ``trainer__max_epochs=10``,
            ``encoder="my_model"``, ``data__init_args__train="my_tags.conll"``. ``None`` switches a setting off.

    Returns:
        the folder of the run, absolute; a head is in ``head/`` there, a biLM in the folder that the configuration names.

    Raises:
        ConfigError: there is no such configuration, or a setting is unknown or does not fit.
        DataError: the data cannot be read.
    """
    import yaml  # installed with Lightning, not with the core

    path = bundled.find_config(str(config))
    if run_dir is None:
        try:
            run_dir = yaml.safe_load(Path(path).read_text(encoding="utf-8"))["trainer"]["default_root_dir"]
        except (OSError, KeyError, TypeError, yaml.YAMLError) as error:
            raise ConfigError(f"{config}: expected a YAML file with trainer.default_root_dir ({error!r})") from None
    values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in settings.items()}
    run(
        ["fit", f"--config={path}", f"--run_dir={run_dir}"]
        + [f"--{k.replace('__', '.')}={v}" for k, v in values.items()]
    )
    return Path(run_dir).resolve()


def _is_no_advertisement(record: logging.LogRecord) -> bool:
    return "Tip: For seamless cloud logging" not in record.getMessage()


def _shape_of(model: str) -> dict[str, Any]:
    """The settings of a biLM's configuration that its weights decide."""
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


def _with_found_configs(arguments: Sequence[str]) -> list[str]:
    """Replace names of bundled configurations by their paths."""
    found = list(arguments)
    for k, argument in enumerate(found):
        if argument.startswith("--config="):
            found[k] = "--config=" + bundled.find_config(argument.removeprefix("--config="))
        elif k and found[k - 1] == "--config":
            found[k] = bundled.find_config(argument)
    return found


def _precision_here(precision: Any, accelerator: str) -> Any:
    """Return the precision to train in: float32 where a CPU would have to do without products of bfloat16.

    Raises:
        ConfigError: weights would not be kept in float32, or a CPU would have to train in float16.
    """
    import torch

    from elmo_tasks.layers.device import cpu_multiplies_bfloat16

    on_cpu = accelerator == "cpu" or (accelerator == "auto" and not torch.accelerator.is_available())
    name = str(precision)
    on_this = "32-true or bf16-mixed" if on_cpu else "32-true, bf16-mixed or 16-mixed"
    if name not in _PRECISIONS or (on_cpu and name in ("16", "16-mixed")):
        reason = "a CPU has no training in float16" if name in _PRECISIONS else "weights are trained in float32"
        raise ConfigError(f"trainer.precision {name}: expected {on_this} here; {reason}")
    if not (on_cpu and name.startswith("bf16")) or cpu_multiplies_bfloat16():
        return precision
    print(f"This CPU has no products of bfloat16: training in float32 instead of {precision}.", flush=True)
    return "32-true"


def _moved(path: str, old: str, new: str) -> str:
    """A path below one folder -> the same below another; any other text as it is."""
    below = path == old or path.startswith(old.rstrip("/") + "/")
    return new.rstrip("/") + path.removeprefix(old.rstrip("/")) if below else path


def _replaced(value: Any, replace: Callable[[str], str]) -> Any:
    """Settings, nested in any way, with each text in them replaced."""
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, list):
        return [_replaced(item, replace) for item in value]
    if hasattr(value, "items"):
        for key, item in list(value.items()):
            value[key] = _replaced(item, replace)
    return value

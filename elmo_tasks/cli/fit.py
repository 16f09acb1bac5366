"""``fit``, ``validate`` and ``test``: Lightning runs from a YAML file."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from elmo_tasks import bundled
from elmo_tasks.data.records import YES_AND_NO
from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError
from elmo_tasks.files import atomic_write, describe_os_error, file_lock, lock_of

CONFIG = "config.yaml"
# Files from which Lightning resumes.
_PARTS = {"state_dict", "global_step", "epoch", "loops", "optimizer_states", "pytorch-lightning_version"}
_PRECISIONS = {"None", "32", "32-true", "bf16", "bf16-mixed", "16", "16-mixed"}
_SETTINGS = ("--model", "--data", "--trainer", "--optimizer", "--lr_scheduler")
_OWN_OPTIONS = ("--run=", "--device=", "--config=", "-c=", "--ckpt_path=")  # which are looked at here
#: Warnings that no user can act on.
_IGNORED_WARNINGS = (
    ".*isinstance.treespec, LeafSpec.*",  # Lightning, about its own internals
    "LightningCLI's args parameter is intended",
    ".*is not supported by the model summary.*",
    "Checkpoint directory .* exists and is not empty",  # the loggers wrote there first
    ".*is smaller than the logging interval.*",  # ProgressLines and the epochs' scores are there all the same
    r"It is recommended to use `self.log\(.*sync_dist=True.*",  # torchmetrics adds the counts of all processes
)


def run(arguments: Sequence[str]) -> int:
    """Hand the arguments, the subcommand first, to Lightning's command line."""
    if {"-h", "--help"} & set(arguments):
        print(Path(__file__).with_name("fit_help.txt").read_text(encoding="utf-8"), end="")
        return 0
    arguments = ["--help" if word == "--help_all" else word for word in arguments]
    # jsonargparse warns about how Lightning calls it.
    os.environ.setdefault("JSONARGPARSE_DEPRECATION_WARNINGS", "off")
    for message in _IGNORED_WARNINGS:
        warnings.filterwarnings("ignore", message=message)
    logging.getLogger("pytorch_lightning.utilities.rank_zero").addFilter(_is_no_advertisement)
    parts = (word.split("=", 1) if word.startswith(_OWN_OPTIONS) else [word] for word in arguments)
    arguments, inside = expand_run(apply_device([part for words in parts for part in words]))
    with _working_in(inside or Path()), contextlib.ExitStack() as locks:
        return _run(_checked_files(arguments), locks)


@contextlib.contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """Work in a folder; ``contextlib.chdir`` exists from Python 3.11 on only."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _checked_files(arguments: list[str]) -> list[str]:
    """Replace names of bundled configurations; reject unreadable files early."""
    for k, (option, value) in enumerate(pairwise(arguments), start=1):
        if option in ("--config", "-c"):
            arguments[k] = bundled.find_config(value)
            read_config(Path(arguments[k]), option)
        elif option == "--ckpt_path" and value in ("best", "last"):
            raise ConfigError(f"--ckpt_path {value}: expected a file, such as runs/NAME/{value}.ckpt")
        elif option == "--ckpt_path" and value not in ("null", ""):
            check_checkpoint(Path(value))
    return arguments


def _run(arguments: Sequence[str], locks: contextlib.ExitStack) -> int:
    from jsonargparse import ArgumentError
    from pytorch_lightning import LightningDataModule, LightningModule, Trainer
    from pytorch_lightning.cli import LightningArgumentParser, LightningCLI, SaveConfigCallback
    from pytorch_lightning.utilities import rank_zero_only
    from pytorch_lightning.utilities.exceptions import MisconfigurationException

    from elmo_tasks.training.run_files import ResumeCallback

    class SaveConfig(SaveConfigCallback):
        """Keep the settings of a run in its folder, where `test --run` reads them."""

        def save_config(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
            target = Path(trainer.default_root_dir) / CONFIG
            is_read = target.is_file() and any(
                option in ("--config", "-c") and target.samefile(path) for option, path in pairwise(arguments)
            )
            # A run that is resumed with other settings, such as more epochs, keeps them for the next time.
            if stage == "fit" and (not is_read or any(word.startswith(_SETTINGS) for word in arguments)):
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
            config.data = _replace_texts(config.data, bundled.find)
            trainer = config.trainer
            trainer.precision = available_precision(trainer.precision, str(trainer.accelerator))
            old = trainer.default_root_dir
            if config.run_dir is not None:
                if old is None:
                    raise ConfigError("--run_dir: the file names no trainer.default_root_dir that it could replace")
                trainer = _replace_texts(trainer, partial(_move_path, old=str(old), new=config.run_dir))
            # They are applied: the saved settings must not apply them again.
            config.encoder = config.init_from = config.run_dir = None
            if trainer.enable_progress_bar is False:  # Lightning refuses this beside a bar of the file's own
                trainer.callbacks = [c for c in trainer.callbacks if not c.class_path.endswith("ProgressBar")]
            for line in adapt_to_data(trainer, config.data):
                print(line, flush=True)
            has_weights = config.ckpt_path is not None or config.model.init_args.get("start_from") is not None
            if self.subcommand != "fit":
                isolate_run(trainer, str(self.subcommand))
                if not has_weights and not trainer.fast_dev_run:
                    raise ConfigError("no weights: give --run FOLDER, or --ckpt_path FOLDER/best.ckpt with --config")
            elif not trainer.fast_dev_run and getattr(rank_zero_only, "rank", 0) == 0:
                root = Path(trainer.default_root_dir or ".")
                locks.enter_context(file_lock(lock_of(root), f"the folder {root}"))
                if config.ckpt_path is None and (root / "last.ckpt").exists():
                    print(f"{root} holds an earlier run, which is replaced; --run_dir FOLDER keeps it.", flush=True)

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
        if text.startswith("Error(s) in loading state_dict"):
            text = f"the checkpoint is of another model than these settings describe ({text[:300]})"
        elif not text.startswith("Early stopping conditioned on metric"):
            raise
        raise ConfigError(text) from error
    return 0


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
    path = bundled.find_config(str(config))
    if run_dir is None:
        try:
            run_dir = Path(read_config(Path(path))["trainer"]["default_root_dir"])
        except (KeyError, TypeError) as error:
            raise ConfigError(f"{config}: expected a YAML file with trainer.default_root_dir ({error!r})") from None
    options = as_arguments({key.replace("__", "."): value for key, value in settings.items()})
    run(["fit", f"--config={path}", f"--run_dir={run_dir}", *options])
    return Path(run_dir).resolve()


def as_arguments(settings: Mapping[str, Any]) -> list[str]:
    """Format settings as arguments of the command line."""
    return [f"--{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in settings.items()]


def _is_no_advertisement(record: logging.LogRecord) -> bool:
    return "Tip: For seamless cloud logging" not in record.getMessage()


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


def _move_path(path: str, old: str, new: str) -> str:
    """Move a path from below one folder to below another; return any other text as it is."""
    is_below = path == old or path.startswith(old.rstrip("/") + "/")
    return new.rstrip("/") + path.removeprefix(old.rstrip("/")) if is_below else path


def _replace_texts(value: Any, replace: Callable[[str], str]) -> Any:
    """Replace each text in nested settings."""
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, list):
        return [_replace_texts(item, replace) for item in value]
    if hasattr(value, "items"):
        for key, item in list(value.items()):
            value[key] = _replace_texts(item, replace)
    return value


def read_config(path: Path, option: str = "--config") -> dict[str, Any]:
    """Read a YAML file of settings."""
    import yaml  # installed with Lightning, not with the core

    if not path.is_file():
        raise ConfigError(f"{option} {path}: no such file")
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{option} {path}: expected YAML ({' '.join(str(error).split())})") from None
    if not isinstance(settings, dict):
        raise ConfigError(f"{option} {path}: expected settings, found {type(settings).__name__}")
    return settings


def check_checkpoint(path: Path) -> None:
    """Reject a resume file that is missing or damaged; no code in it is run."""
    import torch

    if not path.is_file():
        raise ConfigError(f"--ckpt_path {path}: no such file; leave it out to start again")
    try:
        with zipfile.ZipFile(path) as file:
            if file.testzip() is not None:  # PyTorch writes these checksums, but does not verify them
                raise zipfile.BadZipFile
        saved = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, OSError, EOFError, KeyError, ValueError, pickle.UnpicklingError, zipfile.BadZipFile):
        raise ConfigError(
            f"--ckpt_path {path}: the file is damaged, or not one that `fit` wrote; take another, or start again"
        ) from None
    if not isinstance(saved, dict) or not all(saved.get(name) or saved.get(name) == 0 for name in _PARTS):
        raise ConfigError(f"--ckpt_path {path}: expected a checkpoint that `fit` wrote, found something else")


def expand_run(arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Replace ``--run FOLDER`` by its settings and checkpoint; return a folder to run in, too."""
    name, rest = _take_option(arguments, "--run", "the folder of a run")
    if name is None:
        return rest, None
    folder = Path(name)
    if not (folder / CONFIG).is_file():
        raise ConfigError(f"--run {folder}: no {CONFIG} there, which `fit` writes; use --config and --ckpt_path")
    trainer = read_config(folder / CONFIG).get("trainer") or {}
    checkpoints = ("last.ckpt",) if rest[0] == "fit" else ("best.ckpt", "last.ckpt")
    checkpoint = next((path for path in checkpoints if (folder / path).is_file()), None)
    if "--ckpt_path" in rest:
        checkpoint = None
    elif checkpoint is None:
        raise ConfigError(f"--run {folder}: no {' or '.join(checkpoints)} there: the run did not finish an epoch")
    # A run of the app is complete in its folder, and its settings name files there.
    inside = trainer.get("default_root_dir") == "."
    place = Path() if inside else folder
    settings = ["--config", str(place / CONFIG), *([] if inside else ["--run_dir", str(folder)])]
    resume = [] if checkpoint is None else ["--ckpt_path", str(place / checkpoint)]
    return [rest[0], *settings, *rest[1:], *resume], folder if inside else None


def apply_device(arguments: Sequence[str]) -> list[str]:
    """Translate ``--device cuda:1`` to settings of Lightning's trainer."""
    from elmo_tasks.layers import checked_device

    name, rest = _take_option(arguments, "--device", "cpu, cuda, cuda:1, ...")
    if name is None:
        return rest
    device = checked_device(name)
    devices = 1 if device.index is None else f"[{device.index}]"
    accelerator = "gpu" if device.type == "cuda" else device.type
    return [*rest, f"--trainer.accelerator={accelerator}", f"--trainer.devices={devices}"]


def _take_option(arguments: Sequence[str], option: str, expected: str) -> tuple[str | None, list[str]]:
    """Remove an option from the arguments and return its value and the rest."""
    words = list(arguments)
    if option not in words:
        return None, words
    at = words.index(option)
    if at + 1 == len(words):
        raise ConfigError(f"{option}: expected {expected} after it")
    return words[at + 1], words[:at] + words[at + 2 :]


def available_precision(precision: Any, accelerator: str) -> Any:
    """Return the precision to train in: float32 where a CPU lacks products of bfloat16."""
    import torch

    from elmo_tasks.layers import cpu_multiplies_bfloat16

    on_cpu = accelerator == "cpu" or (accelerator == "auto" and not torch.accelerator.is_available())
    name = str(precision)
    if name not in _PRECISIONS or (on_cpu and name in ("16", "16-mixed")):
        choices = "32-true or bf16-mixed" if on_cpu else "32-true, bf16-mixed or 16-mixed"
        reason = "a CPU has no training in float16" if name in _PRECISIONS else "weights are trained in float32"
        raise ConfigError(f"trainer.precision {name}: expected {choices} here; {reason}")
    if not (on_cpu and name.startswith("bf16")) or cpu_multiplies_bfloat16():
        return precision
    print(f"This CPU does not support bfloat16: training in float32 instead of {precision}.", flush=True)
    return "32-true"


def adapt_to_data(trainer: Any, data: Any) -> list[str]:
    """Replace monitored scores that the data cannot give; return the changes."""
    settings = data.get("init_args") or {}
    if "validation_share" not in settings or not trainer.get("callbacks"):
        return []
    validated = settings.get("validation") is not None or bool(settings.get("validation_share"))
    validated = validated and trainer.get("limit_val_batches") != 0
    no_spans = "scheme" in settings and settings.get("scheme") is None
    kept, changes = [], []
    for callback in trainer["callbacks"]:
        arguments = callback.get("init_args") or {}
        monitor = str(arguments.get("monitor") or "")
        if monitor.startswith("val_") and not validated:
            if callback["class_path"].endswith("EarlyStopping"):
                changes.append("Nothing to validate on: the run goes through all its epochs, and the last one is kept.")
                continue
            arguments["monitor"] = None
        elif monitor == "val_f1" and no_spans:
            changes.append("The tags are no spans: val_accuracy is watched in place of val_f1.")
            arguments["monitor"] = "val_accuracy"
        kept.append(callback)
    trainer["callbacks"] = kept
    return list(dict.fromkeys(changes))


def describe_own_data(arguments: Sequence[str], config: Any) -> None:
    """Replace the description of the data on the head's card if other data are trained on."""
    named: dict[str, Any] = {}
    for option, path in pairwise(arguments):
        if option == "--config":
            named |= (read_config(Path(path)).get("data") or {}).get("init_args") or {}
    given = config.data.get("init_args") or {}
    source = given.get("hub") or given.get("train")
    if source is None or str(source) == str(named.get("hub") or named.get("train")):
        return
    name = Path(str(source)).name
    about = {"title": f"Trained on {name}", "data": name, "licence": "see the data"}
    for callback in config.trainer.callbacks or []:
        if callback.class_path.endswith("ExportHead"):
            callback.init_args["about"] = about


def isolate_run(trainer: Any, subcommand: str) -> None:
    """Give ``validate`` and ``test`` log folders of their own."""
    loggers = trainer.get("logger")
    for logger in loggers if isinstance(loggers, list) else []:
        arguments = logger.get("init_args") or {}
        if isinstance(arguments.get("version"), str):
            arguments["version"] = f"{arguments['version']}-{subcommand}"


def own_error(error: BaseException | None) -> Exception | None:
    """Return the error of ours that caused another one, if there is one."""
    while error is not None:
        if isinstance(error, ConfigError | DataError | InputError | WeightsError):
            return error
        error = error.__cause__ or error.__context__
    return None


def format_error(text: str) -> str:
    """Format a parser error in one line: the setting, the expected and given value."""
    lines = [line.strip(" -") for line in text.splitlines() if line.strip(" -")]
    keys = re.findall(r'Parser key "([^"]+)"', text)
    # The innermost error is the cause; the outer ones list alternatives of the whole part.
    expected = [line.removeprefix("Expected a ") for line in lines if line.startswith("Expected a ")]
    other = re.search("(Option '|No module named|No action for|Import of).*", "\n".join(lines))
    given = re.search(r"(?:Given value|Got value): (.*)", "\n".join(lines))
    if not keys or not (other or expected):
        return " ".join(" ".join(lines[:3]).split())[:400]
    if other:
        return f"{'.'.join(keys)}: {other[0][0].lower()}{other[0][1:]}"
    inner = expected[:1] if "value: " in expected[0] else expected[:2]
    wanted = " or ".join(_type_in_words(part.partition(". Got value")[0]) for part in inner)
    found = given[1][:100] if given else "something else"
    advice = f". {YES_AND_NO}" if found in ("True", "False") else ""
    return f"{'.'.join(keys)}: expected {wanted}, found {found}{advice}"


def _type_in_words(text: str) -> str:
    """Format ``<class 'int'>`` as ``int``, ``typing.Literal['balanced']`` as ``'balanced'``."""
    text = re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", text)
    return re.sub(r"(?:typing\.)?Literal\[(.*)\]", r"\1", text).replace("NoneType", "null")

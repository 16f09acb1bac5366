"""``fit``, ``validate`` and ``test``: Lightning runs from a YAML file."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from elmo_tasks import bundled
from elmo_tasks.cli.resume import check_checkpoint, expand_resume, expand_run
from elmo_tasks.cli.row_settings import with_files
from elmo_tasks.cli.settings import (
    apply_device,
    as_arguments,
    format_error,
    missing_package,
    own_error,
    read_config,
)
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import describe_os_error

if TYPE_CHECKING:
    from elmo_tasks.cli.run_cli import Plan

# Options that are read here; the others are for Lightning.
_OWN_OPTIONS = ("--run=", "--run_dir=", "--device=", "--config=", "-c=", "--ckpt_path=")
#: Warnings that no user can act on.
_IGNORED_WARNINGS = (
    ".*isinstance.treespec, LeafSpec.*",  # Lightning, about its own internals
    "LightningCLI's args parameter is intended",
    ".*is not supported by the model summary.*",
    "Checkpoint directory .* exists and is not empty",  # the loggers wrote there first
    # ProgressLines and the epochs' scores are there all the same
    ".*is smaller than the logging interval.*",
    "Total length of `FixedBatches` across ranks is zero",  # a run without held-out text
    # torchmetrics adds the counts of all processes
    r"It is recommended to use `self.log\(.*sync_dist=True.*",
)


def run(arguments: Sequence[str]) -> int:
    """Hand the arguments, the subcommand first, to Lightning's command line."""
    if {"-h", "--help"} & set(arguments):
        print(Path(__file__).with_name("fit_help.txt").read_text(encoding="utf-8"), end="")
        return 0
    _fit(arguments)
    return 0


def _fit(arguments: Sequence[str]) -> Path | None:
    """Do what :func:`run` does; return the folder of the run."""
    from elmo_tasks.cli.run_cli import Plan

    arguments = ["--help" if word == "--help_all" else word for word in arguments]
    # jsonargparse warns about how Lightning calls it.
    os.environ.setdefault("JSONARGPARSE_DEPRECATION_WARNINGS", "off")
    for message in _IGNORED_WARNINGS:
        warnings.filterwarnings("ignore", message=message)
    logging.getLogger("pytorch_lightning.utilities.rank_zero").addFilter(_is_no_advertisement)
    parts = (word.split("=", 1) if word.startswith(_OWN_OPTIONS) else [word] for word in arguments)
    arguments, inside = expand_run(apply_device([part for words in parts for part in words]))
    overwrite = "--overwrite" in arguments
    arguments = [word for word in arguments if word != "--overwrite"]
    arguments = expand_resume(arguments)
    with _working_in(inside or Path()), contextlib.ExitStack() as locks:
        plan = Plan(_checked_files(arguments), locks, overwrite)
        _run(plan)
        return None if plan.root is None else plan.root.absolute()


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
            raise ConfigError(
                f"--ckpt_path {value}: expected a file, such as runs/NAME/{value}.ckpt"
            )
        elif option == "--ckpt_path" and value not in ("null", ""):
            check_checkpoint(Path(value))
    return arguments


def _run(plan: Plan) -> None:
    from jsonargparse import ArgumentError
    from pytorch_lightning import LightningDataModule, LightningModule
    from pytorch_lightning.utilities.exceptions import MisconfigurationException, SIGTERMException

    from elmo_tasks.cli.run_cli import RunCLI, SaveConfig
    from elmo_tasks.training.run_files import ResumeCallback

    try:
        with _signals(at_sigterm=SIGTERMException):
            RunCLI(
                plan,
                model_class=LightningModule,
                datamodule_class=LightningDataModule,
                subclass_mode_model=True,
                subclass_mode_data=True,
                save_config_callback=SaveConfig,
                trainer_defaults={"callbacks": [ResumeCallback()]},
                parser_kwargs={
                    "parser_mode": "yaml",
                    "exit_on_error": False,
                    "allow_abbrev": False,
                },
                args=list(plan.arguments),
            )
    except SIGTERMException:
        _log_how_to_resume(plan)
        raise SystemExit(128 + signal.SIGTERM) from None
    except SystemExit as stop:
        if stop.code != 1:
            raise
        # Lightning turns an interrupt into exit code 1.
        _log_how_to_resume(plan)
        raise SystemExit(128 + signal.SIGINT) from None
    except ArgumentError as error:
        raise own_error(error) or ConfigError(format_error(str(error))) from error
    except MisconfigurationException as error:
        raise ConfigError(" ".join(str(error).split())) from error
    except OSError as error:
        raise ConfigError(describe_os_error(error)) from error
    except ValueError as error:  # the parser wraps the cause
        if (own := own_error(error) or missing_package(error)) is None:
            raise
        raise own from error
    except RuntimeError as error:
        text = " ".join(str(error).split())
        if text.startswith("Error(s) in loading state_dict"):
            text = (
                f"the checkpoint does not fit the model that these settings describe ({text[:300]})"
            )
        elif not text.startswith("Early stopping conditioned on metric"):
            raise
        raise ConfigError(text) from error


@contextlib.contextmanager
def _signals(at_sigterm: type[BaseException]) -> Iterator[None]:
    """Raise an error at SIGTERM before the training; restore all handlers in the end.

    During the training Lightning takes the signal, and waits for the end of the batch. After an
    interrupt it ignores all further ones.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        if signal.getsignal(signal.SIGTERM) is stop:
            raise at_sigterm

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _log_how_to_resume(plan: Plan) -> None:
    """Print, in the first process, the command that resumes an interrupted run."""
    from pytorch_lightning.utilities import rank_zero_only

    root = plan.root
    if root is None or getattr(rank_zero_only, "rank", 0) != 0:
        return
    if (root / "last.ckpt").is_file():
        text = f"Interrupted. Resume with: elmo-tasks fit --run {root}"
    else:
        text = (
            f"Interrupted before the first checkpoint: {root} holds nothing to resume from. Start"
            " again with the same command."
        )
    print(f"\n{text}", file=sys.stderr, flush=True)


def train(
    config: str | Path,
    run_dir: str | Path | None = None,
    *,
    overwrite: bool = False,
    **settings: Any,
) -> Path:
    """Train a head or a biLM as ``elmo-tasks fit`` does.

    Args:
        config: a YAML file, or the name of a bundled one (``"ner_sample"``).
        run_dir: where to write; the configuration's own folder below ``runs/`` if ``None``. If it
            holds a run, the new one is written beside it (``NAME-2``).
        overwrite: replace that run instead.
        settings: anything that the command line takes, with ``__`` for a dot:
            ``trainer__max_epochs=10``, ``encoder="my_model"``,
            ``data__init_args__train="my_tags.conll"``. ``None`` switches a setting off. ``train``,
            ``validation`` and ``test`` are files, or rows: a pandas ``DataFrame``, a
            ``datasets.Dataset`` or a list of dictionaries.

    Returns:
        the folder of the run, absolute; a head is in ``head/`` there, a biLM in the folder that the
        configuration names.

    Raises:
        ConfigError: there is no such configuration, or a setting is unknown or does not fit.
        DataError: the data cannot be read.
    """
    path = bundled.find_config(str(config))
    if run_dir is None:
        try:
            run_dir = Path(read_config(Path(path))["trainer"]["default_root_dir"])
        except (KeyError, TypeError) as error:
            raise ConfigError(
                f"{config}: expected a YAML file with trainer.default_root_dir ({error!r})"
            ) from None
    dotted = {key.replace("__", "."): value for key, value in settings.items()}
    options = as_arguments(with_files(dotted, Path(run_dir).parent / "data", _own_data(Path(path))))
    chosen = _fit(
        [
            "fit",
            f"--config={path}",
            f"--run_dir={run_dir}",
            *(["--overwrite"] if overwrite else []),
            *options,
        ]
    )
    return (chosen or Path(run_dir)).resolve()


def _own_data(config: Path) -> dict[str, Any]:
    """Return the settings of a configuration's data."""
    return dict((read_config(config).get("data") or {}).get("init_args") or {})


def _is_no_advertisement(record: logging.LogRecord) -> bool:
    return "Tip: For seamless cloud logging" not in record.getMessage()

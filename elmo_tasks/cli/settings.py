"""Settings of a run: the YAML file, the options that change it, messages about it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from elmo_tasks.data.records import YES_AND_NO
from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError

_SCORES = ("val_f1", "val_macro_f1", "val_accuracy", "val_loss")
_PRECISIONS = {"None", "32", "32-true", "bf16", "bf16-mixed", "16", "16-mixed"}


def as_arguments(settings: Mapping[str, Any]) -> list[str]:
    """Format settings as arguments of the command line."""
    return [
        f"--{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in settings.items()
    ]


def move_path(path: str, old: str, new: str) -> str:
    """Move a path from below one folder to below another; return any other text as it is."""
    is_below = path == old or path.startswith(old.rstrip("/") + "/")
    return new.rstrip("/") + path.removeprefix(old.rstrip("/")) if is_below else path


def replace_texts(value: Any, replace: Callable[[str], str]) -> Any:
    """Replace each text in nested settings."""
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, list):
        return [replace_texts(item, replace) for item in value]
    if hasattr(value, "items"):
        for key, item in list(value.items()):
            value[key] = replace_texts(item, replace)
    return value


def read_config(path: Path, option: str = "--config") -> dict[str, Any]:
    """Read a YAML file of settings."""
    import yaml  # installed with Lightning, not with the core

    if not path.is_file():
        raise ConfigError(f"{option} {path}: no such file")
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(
            f"{option} {path}: expected YAML ({' '.join(str(error).split())})"
        ) from None
    if not isinstance(settings, dict):
        raise ConfigError(f"{option} {path}: expected settings, found {type(settings).__name__}")
    return settings


def apply_device(arguments: Sequence[str]) -> list[str]:
    """Translate ``--device cuda:1`` to settings of Lightning's trainer."""
    from elmo_tasks.devices import checked_device

    name, rest = take_option(arguments, "--device", "cpu, cuda, cuda:1, ...")
    if name is None:
        return rest
    device = checked_device(name)
    devices = 1 if device.index is None else f"[{device.index}]"
    accelerator = "gpu" if device.type == "cuda" else device.type
    return [*rest, f"--trainer.accelerator={accelerator}", f"--trainer.devices={devices}"]


def take_option(
    arguments: Sequence[str], option: str, expected: str
) -> tuple[str | None, list[str]]:
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

    from elmo_tasks.devices import cpu_multiplies_bfloat16

    on_cpu = accelerator == "cpu" or (
        accelerator == "auto" and not torch.accelerator.is_available()
    )
    name = str(precision)
    if name not in _PRECISIONS or (on_cpu and name in ("16", "16-mixed")):
        choices = "32-true or bf16-mixed" if on_cpu else "32-true, bf16-mixed or 16-mixed"
        reason = (
            "a CPU has no training in float16"
            if name in _PRECISIONS
            else "weights are trained in float32"
        )
        raise ConfigError(f"trainer.precision {name}: expected {choices} here; {reason}")
    if not (on_cpu and name.startswith("bf16")) or cpu_multiplies_bfloat16():
        return precision
    print(
        f"This CPU does not support bfloat16: training in float32 instead of {precision}.",
        flush=True,
    )
    return "32-true"


def adapt_to_data(trainer: Any, data: Any) -> list[str]:
    """Replace monitored scores that the data cannot give; return the changes."""
    settings = data.get("init_args") or {}
    if "validation_share" not in settings or not trainer.get("callbacks"):
        return []
    validated = settings.get("validation") is not None or bool(settings.get("validation_share"))
    validated = validated and trainer.get("limit_val_batches") != 0
    no_spans = "scheme" in settings and settings.get("scheme") is None
    kept = []
    changes = []
    for callback in trainer["callbacks"]:
        arguments = callback.get("init_args") or {}
        monitor = str(arguments.get("monitor") or "")
        if monitor.startswith("val_") and not validated:
            if callback["class_path"].endswith("EarlyStopping"):
                changes.append(
                    "Nothing to validate on: the run goes through all its epochs, and the last one"
                    " is kept."
                )
                continue
            arguments["monitor"] = None
        elif monitor == "val_f1" and no_spans:
            changes.append("The tags do not mark spans: val_accuracy is watched instead of val_f1.")
            arguments["monitor"] = "val_accuracy"
        if (
            callback["class_path"].endswith("EarlyStopping")
            and (trainer.get("max_steps") or -1) > 0
            and monitor in _SCORES
        ):
            # A number of steps may end inside an epoch, before its validation.
            arguments["strict"] = False
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
    """Return the error of this program that caused another one, if any."""
    while error is not None:
        if isinstance(error, ConfigError | DataError | InputError | WeightsError):
            return error
        error = error.__cause__ or error.__context__
    return None


def missing_package(error: BaseException | None) -> ConfigError | None:
    """Return an error that names a missing package which the settings need."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError):
            found = re.search(r"Requirement '([\w.-]+)|No module named '(\w+)", str(error))
            name = (found[1] or found[2]) if found else ""
            if name:
                return ConfigError(
                    f"the settings need the package {name}, which is not installed: run pip"
                    f" install {name}, or take it out of the settings, such as --trainer.logger"
                )
        error = error.__cause__ or error.__context__
    return None


def format_error(text: str) -> str:
    """Format a parser error in one line: the setting, the expected and given value."""
    lines = [line.strip(" -") for line in text.splitlines() if line.strip(" -")]
    keys = re.findall(r'Parser key "([^"]+)"', text)
    # The innermost error is the cause; the outer ones list alternatives of the whole part.
    expected = [
        line.removeprefix("Expected a ") for line in lines if line.startswith("Expected a ")
    ]
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

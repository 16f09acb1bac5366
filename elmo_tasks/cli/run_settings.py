"""Validate and normalize a run's settings before Lightning builds anything."""

from __future__ import annotations

import pickle
import re
import zipfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError

if TYPE_CHECKING:
    import yaml

CONFIG = "config.yaml"
# Files from which Lightning resumes.
_PARTS = {"state_dict", "global_step", "epoch", "loops", "optimizer_states", "pytorch-lightning_version"}
_MAX_CONFIG_BYTES, _MAX_VALUES = 1_000_000, 100_000


def check_config(path: Path, option: str = "--config") -> None:
    """Reject YAML that is too large once its aliases are expanded.

    Raises:
        ConfigError: there is none, it is too large, is no YAML, or holds too many values once its aliases are written out.
    """
    import yaml  # installed with Lightning, not with the core

    if not path.is_file():
        raise ConfigError(f"{option} {path}: no such file")
    if path.stat().st_size > _MAX_CONFIG_BYTES:
        raise ConfigError(
            f"{option} {path}: expected settings, at most {_MAX_CONFIG_BYTES:,} bytes, found {path.stat().st_size:,}"
        )
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        size = _size(root, {}) if root is not None else 0
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        reason = " ".join(str(error).split()) if not isinstance(error, RecursionError) else "it is nested too deeply"
        raise ConfigError(f"{option} {path}: expected YAML ({reason})") from None
    if size > _MAX_VALUES:
        raise ConfigError(
            f"{option} {path}: expected at most {_MAX_VALUES:,} values, found more once its aliases are written out"
        )


def _size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Count the values of a node with aliases expanded; a cycle exceeds every limit."""
    import yaml

    if id(node) in sizes:
        return sizes[id(node)]
    sizes[id(node)] = _MAX_VALUES + 1
    parts: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        parts = [part for pair in node.value for part in pair]
    elif isinstance(node, yaml.SequenceNode):
        parts = node.value
    sizes[id(node)] = 1 + sum(_size(part, sizes) for part in parts)
    return sizes[id(node)]


def check_checkpoint(path: Path) -> None:
    """Refuse a resume file that is missing or damaged; nothing in it is run.

    Raises:
        ConfigError: a check failed; the message names it.
    """
    import torch

    if not path.is_file():
        raise ConfigError(f"--ckpt_path {path}: no such file; leave it out to begin anew")
    try:
        with zipfile.ZipFile(path) as file:
            if file.testzip() is not None:  # PyTorch writes these checksums, but does not verify them
                raise zipfile.BadZipFile
        saved = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, OSError, EOFError, KeyError, ValueError, pickle.UnpicklingError, zipfile.BadZipFile):
        raise ConfigError(
            f"--ckpt_path {path}: the file is damaged, or not one that `fit` wrote; take another, or begin anew"
        ) from None
    if not isinstance(saved, dict) or not all(saved.get(name) or saved.get(name) == 0 for name in _PARTS):
        raise ConfigError(f"--ckpt_path {path}: expected a checkpoint that `fit` wrote, found something else")


def expand_run(arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Replace ``--run FOLDER`` by the settings, folder and checkpoint of that run.

    Returns:
        the arguments, and the folder to run in where the settings name files of the run's own folder.

    Raises:
        ConfigError: the folder has no settings or no checkpoint.
    """
    import yaml

    given_folder, rest = _taken_out(arguments, "--run", "the folder of a run")
    if given_folder is None:
        return rest, None
    folder = Path(given_folder)
    config = folder / CONFIG
    if not config.is_file():
        raise ConfigError(
            f"--run {folder}: no {CONFIG} there, so it is no folder that `fit` wrote; use --config and --ckpt_path"
        )
    check_config(config)
    trainer = (yaml.safe_load(config.read_text(encoding="utf-8")) or {}).get("trainer") or {}
    wanted = ("last.ckpt",) if rest[0] == "fit" else ("best.ckpt", "last.ckpt")
    found = next((folder / name for name in wanted if (folder / name).is_file()), None)
    if found is None and "--ckpt_path" not in rest:
        raise ConfigError(f"--run {folder}: no {' or '.join(wanted)} there: the run has not finished its first epoch")
    # A run of the app is complete in its folder, and its settings name files there.
    inside = trainer.get("default_root_dir") == "."
    place = Path() if inside else folder
    given = ["--config", str(place / CONFIG), *([] if inside else ["--run_dir", str(folder)])]
    checkpoint = [] if found is None or "--ckpt_path" in rest else ["--ckpt_path", str(place / found.name)]
    return [rest[0], *given, *rest[1:], *checkpoint], folder if inside else None


def apply_device(arguments: Sequence[str]) -> list[str]:
    """Translate ``--device cuda:1`` to settings of Lightning's trainer.

    Raises:
        ConfigError: there is no such device here.
    """
    from elmo_tasks.layers.device import checked_device

    name, rest = _taken_out(arguments, "--device", "cpu, cuda, cuda:1, ...")
    if name is None:
        return rest
    device = checked_device(name)
    place = 1 if device.index is None else f"[{device.index}]"
    accelerator = "gpu" if device.type == "cuda" else device.type
    given = [f"--trainer.accelerator={accelerator}", f"--trainer.devices={place}"]
    return [*rest, *given]


def _taken_out(arguments: Sequence[str], option: str, expected: str) -> tuple[str | None, list[str]]:
    """Remove an option from the arguments and return its value and the rest."""
    words = [part for word in arguments for part in (word.split("=", 1) if word.startswith(f"{option}=") else [word])]
    if option not in words:
        return None, list(arguments)
    at = words.index(option)
    if at + 1 == len(words):
        raise ConfigError(f"{option}: expected {expected} after it")
    return words[at + 1], words[:at] + words[at + 2 :]


def adapt_to_data(trainer: Any, data: Any) -> list[str]:
    """Replace monitored scores that the data cannot give; return the changes.

    This covers runs without validation rows and tags without spans.
    """
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
    """Replace what a configuration says of its data, on the head's card, where other data are trained on."""
    import yaml

    named: dict[str, Any] = {}
    words = [word for argument in arguments for word in argument.split("=", 1)]
    for before, path in pairwise(words):
        if before == "--config" and Path(path).is_file():
            raw = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
            named |= ((raw if isinstance(raw, dict) else {}).get("data") or {}).get("init_args") or {}
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
    """The error of ours that another one was raised for, if there is one."""
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
    other = [
        found[0] for line in lines if (found := re.search("(Option '|No module named|No action for|Import of).*", line))
    ]
    given = [found for line in lines for found in re.findall(r"(?:Given value|Got value): (.*)", line)]
    if not keys or not (other or expected):
        return " ".join(" ".join(lines[:3]).split())[:400]
    if other:
        return f"{'.'.join(keys)}: {other[0][0].lower()}{other[0][1:]}"
    inner = expected[:1] if "value: " in expected[0] else expected[: 1 + (len(expected) > 1)]
    wanted = " or ".join(_type_in_words(part.partition(". Got value")[0]) for part in inner)
    return f"{'.'.join(keys)}: expected {wanted}, found {given[0][:100] if given else 'something else'}"


def _type_in_words(text: str) -> str:
    """``<class 'int'>`` -> ``int``, ``typing.Literal['balanced']`` -> ``'balanced'``."""
    text = re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", text)
    return re.sub(r"(?:typing\.)?Literal\[(.*)\]", r"\1", text).replace("NoneType", "null")

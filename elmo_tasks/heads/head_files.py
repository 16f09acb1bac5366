"""A trained head as a folder: ``head.json``, ``head.safetensors``, ``card.json``."""

from __future__ import annotations

import json
import os
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from typing import Any

import torch

from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.files import read_json, write_json
from elmo_tasks.heads.head import HeadTask, TaskHead
from elmo_tasks.weights import hub
from elmo_tasks.weights.folders import CARD_NAME, FolderKind, write_card
from elmo_tasks.weights.safetensors_files import read_safetensors, write_safetensors

#: Environment variable with the modules of a user's own heads, separated by commas, for programs
#: that do not import them: `predict`, the app.
HEADS_VARIABLE = "ELMO_TASKS_HEADS"
_OWN_MODULES = "elmo_tasks.heads."
CONFIG_NAME = "head.json"
WEIGHTS_NAME = "head"
# About ten times the sizes of the largest head.
_MAX_LAYERS = 200
_MAX_SIZE = 100_000
_MAX_LABELS = 100_000
HEAD_FOLDER = FolderKind(
    "a head", re.compile(r"(head|card|confidence)\.json|head[-\w]*\.safetensors(\.index\.json)?")
)


@dataclass(frozen=True)
class Source:
    """Name and weight checksum of an encoder or static vectors used in training."""

    name: str
    checksum: str


@dataclass(frozen=True)
class HeadFiles:
    """A head's folder without its weights."""

    name: str  # display name
    folder: Path  # its folder
    head: str  # name of its class; see :func:`head_classes`
    kind: str  # name of its task, "tagging" or "classification"
    task: HeadTask  # labels and input sizes
    settings: dict[str, Any]  # arguments of its class
    encoder: Source  # the encoder of its layers
    static: Source | None = None  # the static vectors beside them, if any
    #: how its data were read (columns, label names, ...), to read other files the same way
    reading: dict[str, Any] = field(default_factory=dict)
    # title, data and licence, scores, layer weights by epoch
    card: dict[str, Any] = field(default_factory=dict)


def write_head(
    folder: Path,
    head: TaskHead,
    encoder: Source,
    static: Source | None = None,
    reading: dict[str, Any] | None = None,
    card: dict[str, Any] | None = None,
) -> None:
    """Write a head with float16 weights; the complete folder replaces an older one."""
    config = {
        "head": _class_name(type(head)),
        "task": vars(head.task) | {"labels": list(head.task.labels)},
        "settings": head.settings,
        "encoder": vars(encoder),
        "static": None if static is None else vars(static),
        "reading": reading or {},
    }
    with HEAD_FOLDER.written(folder) as partial:
        write_safetensors(partial, WEIGHTS_NAME, head.state_dict(), torch.float16)
        write_json(partial / CONFIG_NAME, config)
        write_card(partial, card)


def bundled_heads() -> list[str]:
    """Names of the heads in ``checkpoints/``."""
    return sorted(path.parent.name for path in CHECKPOINTS.glob(f"*/{CONFIG_NAME}"))


def heads_below(folders: Iterable[Path]) -> list[Path]:
    """List the folders of heads below some folders, such as ``runs/``."""
    heads = {
        path.parent for folder in folders if folder.is_dir() for path in folder.rglob(CONFIG_NAME)
    }
    # Unfinished heads are in folders whose names begin with a dot.
    return sorted(folder for folder in heads if not folder.name.startswith("."))


def default_head(kind: str) -> str:
    """Name of the default head of a task, from ``checkpoints/default.json``."""
    path = CHECKPOINTS / "default.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["heads"][kind])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path}: expected the name of a {kind} head under 'heads', found none ({error!r});"
            " name one with --head"
        ) from None


def find_head(head: str | Path) -> HeadFiles:
    """Find a head by name, folder or ``hub:OWNER/NAME``, and read its config.

    Raises:
        ConfigError: there is no such head, or its settings cannot be read.
    """
    name, folder = _located(str(head))
    path = folder / CONFIG_NAME
    try:
        config = read_json(path)
        task = config["task"]
        _check_sizes(path, {"task": task, "settings": config["settings"]})
        card = folder / CARD_NAME
        return HeadFiles(
            name=name,
            folder=folder,
            head=config["head"],
            kind=_class_named(config["head"], path).kind,
            task=HeadTask(**task | {"labels": tuple(task["labels"])}),
            settings=config["settings"],
            encoder=Source(**config["encoder"]),
            static=None if config["static"] is None else Source(**config["static"]),
            reading=dict(config.get("reading", {})),
            card=dict(read_json(card)) if card.is_file() else {},
        )
    except ConfigError:
        raise
    # The file may be written by hand: every error in it becomes a readable message.
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{path}: not the settings of a head ({type(error).__name__}: {error})"
        ) from None


def _located(head: str) -> tuple[str, Path]:
    """Return the display name and the folder of a head."""
    if hub.is_address(head):
        folder = hub.fetched(head)
        if not (folder / CONFIG_NAME).is_file():
            raise ConfigError(f"{head}: expected a head, found no {CONFIG_NAME} in this repository")
        return hub.parse_address(head)[0].rpartition("/")[2], folder
    places = [Path(head), Path(head) / "head"]  # the second is the head of a run's folder
    if Path(head).name == head:
        places.insert(0, CHECKPOINTS / head)
    for folder in places:
        if (folder / CONFIG_NAME).is_file():
            place = folder.resolve()
            return (place.parent if place.name == "head" else place).name, folder
    raise ConfigError(
        f"there is no head '{head}': expected a name in checkpoints/"
        f" ({', '.join(bundled_heads()) or 'none there yet'}), or a folder with {CONFIG_NAME},"
        " as a training run leaves in runs/"
    )


def _class_named(name: Any, path: Path) -> type[TaskHead]:
    """Return the head class that a config names; ``path`` is the config, for messages."""
    classes = head_classes()
    if name in classes:
        return classes[name]
    message = f"{path}: there is no head of class '{name!s:.80}', only {', '.join(classes)}"
    if module := str(name).rpartition(".")[0][:80]:
        message += (
            f". If {module} is a module of yours, import it first, or start the program with"
            f" {HEADS_VARIABLE}={module}"
        )
    raise ConfigError(message)


def _check_sizes(path: Path, value: Any) -> None:
    """Refuse sizes that no head has, before anything is made of them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            limit = _MAX_LAYERS if key == "n_layers" else _MAX_SIZE
            if isinstance(inner, (int, float)) and not -limit <= inner <= limit:
                raise ConfigError(f"{path}: '{key}' is {inner:.3g}; the maximum is {limit:,}")
            if isinstance(inner, list) and len(inner) > _MAX_LABELS:
                raise ConfigError(
                    f"{path}: '{key}' has {len(inner):,} entries; the maximum is {_MAX_LABELS:,}"
                )
            _check_sizes(path, inner)


def build_head(files: HeadFiles) -> TaskHead:
    """Build a head and read its weights.

    Raises:
        ConfigError: the settings do not make a head.
        WeightsError: the weights are missing, broken, or not those of these settings.
    """
    try:
        head = head_classes()[files.head](files.task, **files.settings)
    except (TypeError, ValueError, RuntimeError) as error:
        path = files.folder / CONFIG_NAME
        raise ConfigError(f"{path}: these settings do not make a head ({error!s:.300})") from None
    try:
        head.load_state_dict(read_safetensors(files.folder, WEIGHTS_NAME))
    except RuntimeError as error:
        raise WeightsError(
            f"{files.folder}: the weights do not fit {CONFIG_NAME} ({error})"
        ) from None
    return head.eval()


def _class_name(head: type[TaskHead]) -> str:
    """Return the name of a head class in files; the module is part of it outside this package."""
    return (
        head.__qualname__
        if head.__module__.startswith(_OWN_MODULES)
        else f"{head.__module__}.{head.__qualname__}"
    )


def head_classes() -> Mapping[str, type[TaskHead]]:
    """Return the head classes of this folder, the program and ``ELMO_TASKS_HEADS``, by name.

    Names in files never cause an import.
    """
    _import_ours()
    for module in filter(
        None, (part.strip() for part in os.environ.get(HEADS_VARIABLE, "").split(","))
    ):
        try:
            import_module(module)
        except ImportError as error:
            raise ConfigError(
                f"{HEADS_VARIABLE}={module}: expected the name of a module with heads, found none"
                f" that can be imported ({error}); start the program in its folder, or name that"
                " folder in PYTHONPATH"
            ) from error
    return dict(
        sorted((_class_name(head), head) for head in _subclasses(TaskHead) if not isabstract(head))
    )


@cache
def _import_ours() -> None:
    for module in pkgutil.iter_modules([str(Path(__file__).parent)], _OWN_MODULES):
        import_module(module.name)


def _subclasses(base: Any) -> list[type[TaskHead]]:
    """List all subclasses in the order of definition, so that a redefinition wins."""
    return [head for child in base.__subclasses__() for head in (child, *_subclasses(child))]

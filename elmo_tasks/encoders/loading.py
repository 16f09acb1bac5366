"""A name or a folder -> the encoder that is meant. The only place that knows which kinds of encoders there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from elmo_tasks.bilm.model_files import find_model, load_bilm
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import (
    StaticVectors,
    are_static_vectors,
    bundled_vectors,
    static_folder,
    vectors_name,
)
from elmo_tasks.encoders.transformer import Transformer
from elmo_tasks.encoders.transformer_files import HUB, is_transformer
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import given_name


@dataclass(frozen=True)
class FoundEncoder:
    """An encoder that is there and was not read yet."""

    name: str  # what it will be called
    load: Callable[[torch.device | str], Encoder]  # reads it, and puts it on a device
    folder: Path | None = None  # where its files lie; None for a file of word vectors, and for a model on the hub


def find(name_or_folder: str | Path | None = None) -> FoundEncoder:
    """Find an encoder: a biLM (see :func:`find_model`; the default one for ``None``), static vectors, or a transformer.

    Raises:
        ConfigError: there is no such encoder, or the folder does not say which files are meant.
        WeightsError: a published model that was not downloaded.
    """
    name = None if name_or_folder is None else str(name_or_folder)
    if name is not None and are_static_vectors(name):
        place = None if Path(name).is_file() else static_folder(name)
        return FoundEncoder(vectors_name(name), lambda device: StaticVectors.load(name, device), place)
    if name is not None and is_transformer(name):
        on_hub = name.startswith(HUB)
        return FoundEncoder(
            name if on_hub else given_name(name),
            lambda device: Transformer.load(name, device),
            None if on_hub else Path(name),
        )
    try:
        files = find_model(name)
    except ConfigError as error:
        if name is None or Path(name).exists():
            raise
        raise ConfigError(
            f"{error}; static vectors are a name in checkpoints/ ({', '.join(bundled_vectors())}) or their folder; a transformer "
            f"is a folder with config.json and model.safetensors, or {HUB}NAME"
        ) from None
    return FoundEncoder(files.name, lambda device: Elmo(load_bilm(files).to(device), files.name, files), files.folder)


def load(name_or_folder: str | Path | None = None, device: torch.device | str = "cpu") -> Encoder:
    """Load an encoder, see :func:`find`, onto a device.

    Raises:
        ConfigError: see :func:`find`; or its settings cannot be read.
        WeightsError: its weights are missing, broken or do not fit.
    """
    return find(name_or_folder).load(device)

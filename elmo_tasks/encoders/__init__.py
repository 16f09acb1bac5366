"""Encoders, one file per backend; :func:`load` resolves a name or a folder."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from elmo_tasks.bilm.int8 import checked_precision
from elmo_tasks.bilm.model_files import find_model
from elmo_tasks.devices import checked_device
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
from elmo_tasks.weights.hub import has_file, is_address

__all__ = ["Encoder", "FoundEncoder", "find", "load"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FoundEncoder:
    """Encoder that exists but is not loaded."""

    name: str  # its name in messages and results
    kind: Any  # its class
    source: str | None  # its name or folder, as given
    # folder of its files; None for a file of word vectors, and for a model on the hub
    folder: Path | None = None

    def load(self, device: torch.device | str | None = None, precision: str = "float32") -> Encoder:
        """Load the encoder; see :func:`load`."""
        precision = checked_precision(precision)
        device = checked_device("cpu" if device is None and precision == "int8" else device)
        if self.kind is Elmo:
            return Elmo.load(self.source, None, device, precision)
        if precision != "float32":
            _log.warning("%s is not a biLM: computing in float32.", self.source)
        encoder: Encoder = self.kind.load(self.source, device)
        return encoder


def find(name_or_folder: str | Path | None = None) -> FoundEncoder:
    """Find an encoder: a biLM, static vectors, or a transformer.

    See :func:`find_model` for a biLM; ``None`` is the default one.

    Raises:
        ConfigError: there is no such encoder, or the folder does not say which files are meant.
        WeightsError: a published model that was not downloaded.
    """
    name = None if name_or_folder is None else str(name_or_folder)
    if name is not None and are_static_vectors(name):
        place = None if Path(name).is_file() else static_folder(name)
        return FoundEncoder(name=vectors_name(name), kind=StaticVectors, source=name, folder=place)
    if name is not None and is_address(name) and has_file(name, "options.json"):
        files = find_model(name)
        return FoundEncoder(name=files.name, kind=Elmo, source=name, folder=files.folder)
    if name is not None and is_transformer(name):
        on_hub = name.startswith(HUB)
        title, folder = (name, None) if on_hub else (given_name(name), Path(name))
        return FoundEncoder(name=title, kind=Transformer, source=name, folder=folder)
    try:
        files = find_model(name)
    except ConfigError as error:
        if name is None or Path(name).exists():
            raise
        raise ConfigError(
            f"{error}; static vectors are a name in checkpoints/ ({', '.join(bundled_vectors())})"
            " or their folder; a transformer is a folder with config.json and model.safetensors,"
            f" or {HUB}NAME"
        ) from None
    return FoundEncoder(name=files.name, kind=Elmo, source=name, folder=files.folder)


def load(
    name_or_folder: str | Path | None = None,
    device: torch.device | str | None = None,
    precision: str = "float32",
) -> Encoder:
    """Load an encoder, see :func:`find`, onto a device, by default a GPU if there is one.

    ``precision`` is that of a biLM's products, see :meth:`Elmo.load`.

    Raises:
        ConfigError: see :func:`find`; or its settings cannot be read, or there is no such device or
            precision.
        WeightsError: its weights are missing, broken or do not fit.
    """
    return find(name_or_folder).load(device, precision)

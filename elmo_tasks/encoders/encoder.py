"""Encoder interface: sentences to layers, with properties and capabilities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import torch

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.layers import Layers


class Encoder(Protocol):
    """Frozen encoder: a sentence has the same vectors in any batch."""

    @property
    def name(self) -> str:
        """Name of the encoder."""

    @property
    def checksum(self) -> str:
        """Checksum of the weights."""

    @property
    def folder(self) -> Path | None:
        """Folder of its files, which also holds measurements; None without files."""

    @property
    def n_layers(self) -> int:
        """Number of layers ``L``."""

    @property
    def width(self) -> int:
        """Size ``D`` of the vectors."""

    @property
    def layer_names(self) -> tuple[str, ...]:
        """Descriptions of the ``L`` layers for display."""

    @property
    def reads_sentence(self) -> bool:
        """True if the vector of a word depends on the words around it, at any layer."""

    @property
    def language_model(self) -> Elmo | None:
        """Language model in both directions, if the encoder was made from one."""

    @property
    def device(self) -> torch.device:
        """Device of the encoder."""

    def to(self, device: torch.device | str, /) -> Any:
        """Move the encoder to a device, and return it."""

    def encode(self, sentences: Sequence[Sequence[str]], /) -> Layers:
        """Encode one or more lists of tokens to ``[L, B, T, D]`` vectors, with a mask."""

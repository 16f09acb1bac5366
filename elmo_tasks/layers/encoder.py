"""What an encoder is to everything behind it: sentences -> Layers, and what says which numbers it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from elmo_tasks.layers.layers import Layers


class Encoder(Protocol):
    """A frozen encoder: the same sentence gives the same vectors, whatever stands beside it."""

    @property
    def name(self) -> str:
        """What to call it."""
        ...

    @property
    def checksum(self) -> str:
        """What changes when its weights do."""
        ...

    @property
    def n_layers(self) -> int:
        """Number of layers ``L``."""
        ...

    @property
    def width(self) -> int:
        """Size ``D`` of the vectors."""
        ...

    def encode(self, sentences: Sequence[Sequence[str]], /) -> Layers:
        """Encode one batch.

        Args:
            sentences: one list of tokens or more.

        Returns:
            ``[L, B, T, D]`` vectors of all tokens at all layers, with their mask.
        """
        ...

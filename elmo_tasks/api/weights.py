"""What trained heads learned about the layers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class MixWeights:
    """A scalar mix at one moment of its training, or at the end of one run.

    Attributes:
        weights: share of each layer; they sum to 1.
        gamma: the factor in front of the mix.
        epoch: after which epoch (from 1); 0 for a run as a whole.
        seed: of the run.
        score: what the head scored with it on validation data, if it is known.
    """

    weights: tuple[float, ...]
    gamma: float
    epoch: int = 0
    seed: int = 0
    score: float | None = None


@dataclass(frozen=True)
class LayerWeights:
    """What a head learned about its encoder's layers.

    Attributes:
        head: its name.
        title: one short line for people.
        layers: names of the layers, from the context-free one up.
        final: the weights of the head that is loaded.
        epochs: how they came about, one entry an epoch; the first is the start (epoch 0) if it is known.
        runs: the final weights of runs that differ in the seed only, this one among them; one entry if there was one run.
        learned: whether they were learned, not set.
    """

    head: str
    title: str
    layers: tuple[str, ...]
    final: MixWeights
    epochs: tuple[MixWeights, ...]
    runs: tuple[MixWeights, ...]
    learned: bool = True

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

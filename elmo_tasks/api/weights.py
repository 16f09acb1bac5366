"""What trained heads learned about the layers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class MixWeights:
    """A scalar mix at one moment of its training, or at the end of one run."""

    weights: tuple[float, ...]  #: share of each layer; they sum to 1
    gamma: float  #: the factor in front of the mix
    epoch: int = 0  #: after which epoch (from 1); 0 for a run as a whole
    seed: int = 0  #: of the run
    score: float | None = None  #: what the head scored with it on validation data, if it is known


@dataclass(frozen=True)
class LayerWeights:
    """What a head learned about its encoder's layers."""

    head: str  #: its name
    title: str  #: one short line for people
    layers: tuple[str, ...]  #: names of the layers, from the context-free one up
    final: MixWeights  #: the weights of the head that is loaded
    #: how they came about, one entry an epoch; the first is the start (epoch 0) if it is known
    epochs: tuple[MixWeights, ...]
    #: the final weights of runs that differ in the seed only, this one among them; one entry if there was one run
    runs: tuple[MixWeights, ...]
    learned: bool = True  #: whether they were learned, not set

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

"""What was measured of the layers of models, test by test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.said import Result


@dataclass(frozen=True)
class LayerScore:
    """What a test found in one layer."""

    layer: str  #: its name, ``"0"``, ``"1"``, … or ``"mean"``
    score: float  #: a share of 1, or a correlation


@dataclass(frozen=True)
class PaperScores:
    """What the paper measured with this test in its own, larger model."""

    data: str  #: what on
    source: str  #: where it is printed
    scores: tuple[LayerScore, ...]  #: layer by layer
    same_data: bool  #: whether it is the data measured here, so that the numbers compare


@dataclass(frozen=True)
class ProbeResult:
    """One test of one model."""

    task: str  #: its name in commands
    title: str  #: what was measured, in the words of the field
    unit: str  #: ``"percent"`` for shares, ``"index"`` for correlations
    scores: tuple[LayerScore, ...]  #: of every layer, and of their mean if there are several
    without: float | None  #: what one scores without any model; ``None`` if that says nothing
    without_name: str  #: how
    note: str  #: how it was measured
    paper: PaperScores | None = None  #: what the paper has of it, if it has


@dataclass(frozen=True)
class ModelProbes(Result):
    """What was measured of one model."""

    model: str  #: its name
    layers: tuple[str, ...]  #: what each of its layers is, in words
    command: str  #: what measured it, or would
    results: tuple[ProbeResult, ...]  #: one for each test; empty if nothing was measured of the weights that are here
    remark: str = ""  #: why there are none


class ProbeService(Protocol):
    """What the layers know."""

    def measured(self) -> tuple[ModelProbes, ...]:
        """The default model, and every other one on offer that was measured."""

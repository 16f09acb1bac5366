"""Measurements of each layer of the models, test by test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.said import Result


@dataclass(frozen=True)
class LayerScore:
    """Score of one layer in a test."""

    layer: str  #: its name, ``"0"``, ``"1"``, … or ``"mean"``
    score: float  #: a share of 1, or a correlation


@dataclass(frozen=True)
class PaperScores:
    """Scores of this test in the paper, whose model is larger."""

    data: str  #: name of the data
    source: str  #: table or figure of the paper
    scores: tuple[LayerScore, ...]  #: one per layer
    same_data: bool  #: whether the data are the same as here, so that the scores are comparable


@dataclass(frozen=True)
class ProbeResult:
    """One test of one model."""

    task: str  #: its name in commands
    title: str  #: title of the measurement
    unit: str  #: ``"percent"`` for shares, ``"index"`` for correlations
    scores: tuple[LayerScore, ...]  #: of every layer and, if there are several, of their mean
    without: float | None  #: score without a model; ``None`` if that is not meaningful
    without_name: str  #: description of that baseline
    note: str  #: method of the measurement
    paper: PaperScores | None = None  #: scores in the paper, if there are any


@dataclass(frozen=True)
class ModelProbes(Result):
    """All measurements of one model."""

    model: str  #: its name
    layers: tuple[str, ...]  #: description of each layer
    command: str  #: command that measures it
    results: tuple[ProbeResult, ...]  #: one for each test; empty without measurements of these weights
    remark: str = ""  #: reason for an empty ``tests``


class ProbeService(Protocol):
    """Service that lists the measurements of the layers."""

    def measured(self) -> tuple[ModelProbes, ...]:
        """Return the measurements of the default model and of each other measured model."""

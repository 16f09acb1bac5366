"""What was measured of the layers of models, test by test."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class LayerScore:
    """What a test found in one layer.

    Attributes:
        layer: its name, ``"0"``, ``"1"``, … or ``"mean"``.
        score: a share of 1, or a correlation.
    """

    layer: str
    score: float


@dataclass(frozen=True)
class PaperScores:
    """What the paper measured with this test in its own, larger model.

    Attributes:
        data: what on.
        source: where it is printed.
        scores: layer by layer.
        same_data: whether it is the data measured here, so that the numbers compare.
    """

    data: str
    source: str
    scores: tuple[LayerScore, ...]
    same_data: bool


@dataclass(frozen=True)
class ProbeResult:
    """One test of one model.

    Attributes:
        task: its name in commands.
        title: what was measured, in the words of the field.
        unit: ``"percent"`` for shares, ``"index"`` for correlations.
        scores: of every layer, and of their mean if there are several.
        without: what one scores without any model; ``None`` if that says nothing.
        without_name: how.
        note: how it was measured.
        paper: what the paper has of it, if it has.
    """

    task: str
    title: str
    unit: str
    scores: tuple[LayerScore, ...]
    without: float | None
    without_name: str
    note: str
    paper: PaperScores | None = None


@dataclass(frozen=True)
class ModelProbes:
    """What was measured of one model.

    Attributes:
        model: its name.
        layers: what each of its layers is, in words.
        command: what measured it, or would.
        results: one for each test; empty if nothing was measured of the weights that are here.
        remark: why there are none.
    """

    model: str
    layers: tuple[str, ...]
    command: str
    results: tuple[ProbeResult, ...]
    remark: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


class ProbeService(Protocol):
    """What the layers know."""

    def measured(self) -> tuple[ModelProbes, ...]:
        """The default model, and every other one on offer that was measured."""
        ...

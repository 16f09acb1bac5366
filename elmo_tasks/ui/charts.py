"""Line charts over training rounds, as SVG that stretches with the page.

All text is HTML beside the SVG and keeps its size on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elmo_tasks.api import TrainingJob
from elmo_tasks.ui.rendering import render
from elmo_tasks.wording import number, percent

Points = Sequence[tuple[float, float]]
Ticks = Sequence[tuple[float, str]]


@dataclass(frozen=True)
class Line:
    """Line of a chart."""

    colour: int  # which of the six colours of groups and layers
    points: Points  # ``(round, value)``
    is_faint: bool = False  # in the background
    layer: str = ""  # name of the layer whose mark stands at its end; none if it is empty


def line_chart(
    title: str, lines: Sequence[Line], ticks: Ticks, rounds: tuple[int, int], axis: str = ""
) -> str:
    """Draw a chart: ``ticks`` from the bottom to the top, ``axis`` below the rounds."""
    (low, _), (high, _) = ticks[0], ticks[-1]
    first, last = rounds

    def x(at: float) -> float:
        return 100 * (at - first) / max(1, last - first)

    def y(value: float) -> float:
        return 100 - 100 * min(1.0, max(0.0, (value - low) / (high - low)))

    drawn = [line for line in lines if line.points]
    marked = [line for line in drawn if line.layer]
    # Their marks are moved apart so that they do not cover each other.
    places = spread_out([1 - y(line.points[-1][1]) / 100 for line in marked], 0.16)
    return render(
        "line_chart.html",
        title=title,
        lines=drawn,
        x=x,
        y=y,
        ticks=ticks,
        stops=sorted({first, (first + last) // 2, last}),
        ends=[(line, 100 - 100 * place) for line, place in zip(marked, places, strict=True)],
        axis=axis,
    )


def full_tenth(value: float) -> float:
    """Round up to a tenth, so that the scale does not depend on the last digit."""
    return min(1.0, math.ceil(value * 10 + 1e-9) / 10) or 1.0


def spread_out(values: Sequence[float], gap: float) -> list[float]:
    """Spread values in 0..1 so that their labels do not overlap; keep their order."""
    order = np.argsort(values, kind="stable")
    steps = np.arange(len(values)) * min(gap, 1 / max(1, len(values) - 1))
    placed = np.maximum.accumulate(np.clip(values, 0, 1)[order] - steps) + steps
    moved = np.empty(len(values))
    moved[order] = np.minimum(placed, 1 - steps[::-1])
    return moved.tolist()


def rounds(job: TrainingJob) -> int:
    """Return the last round of the scale: of a running run, the last planned one."""
    return max(1, job.epochs if job.status == "running" or not job.course else job.course[-1].epoch)


def losses(job: TrainingJob) -> str:
    """Draw the losses; empty while there are none."""
    steps = _finite(list(job.losses))
    means = _finite([(e.epoch, e.train_loss) for e in job.course if e.train_loss is not None])
    held = _finite(
        [(e.epoch, e.validation_loss) for e in job.course if e.validation_loss is not None]
    )
    values = [value for _, value in (*steps, *means, *held)]
    if not values:
        return ""
    top = _round_up(max(values))
    # Single steps jump about: they stay in the background of the mean of each round.
    lines = [Line(0, steps, is_faint=True), Line(0, means), Line(1, held)]
    ticks = [(0.0, "0"), (top / 2, f"{top / 2:g}"), (top, f"{top:g}")]
    return line_chart("Mistakes (loss): lower is better", lines, ticks, (0, rounds(job)))


def scores(job: TrainingJob) -> str:
    """Draw the score on the held-back examples; empty while there is none."""
    points = [(e.epoch, e.score) for e in job.course if e.score is not None]
    if not points:
        return ""
    accuracy = job.metric == "accuracy"
    ticks = [(value, percent(value) if accuracy else number(value)) for value in (0.0, 0.5, 1.0)]
    title = "Share right, held back" if accuracy else "F1, held back"
    return line_chart(f"{title}: higher is better", [Line(0, points)], ticks, (0, rounds(job)))


def weights(job: TrainingJob) -> str:
    """Draw the share of each layer in a learned mix; else empty."""
    rows = [e for e in job.course if len(e.weights) == len(job.layers)]
    if not job.learned or len(job.layers) < 2 or len(job.course) < 2 or not rows:
        return ""
    return shares(job.layers, [(e.epoch, e.weights) for e in rows], (0, rounds(job)))


def shares(
    layers: Sequence[str],
    mixes: Sequence[tuple[int, Sequence[float]]],
    rounds: tuple[int, int],
    axis: str = "",
) -> str:
    """Draw the share of each layer in the mix of each round."""
    top = full_tenth(max(weight for _, weights in mixes for weight in weights))
    lines = [
        Line(at, [(epoch, weights[at]) for epoch, weights in mixes], layer=name)
        for at, name in enumerate(layers)
    ]
    ticks = [(share, percent(share)) for share in (0.0, top / 2, top)]
    return line_chart("Share of each layer", lines, ticks, rounds, axis)


def _finite(points: Points) -> Points:
    return [(x, value) for x, value in points if math.isfinite(value)]


def _round_up(value: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten: the scale stays while the curve falls."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value * (1 - 1e-9))

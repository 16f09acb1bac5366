"""Lines over rounds of training, in an SVG that stretches; all text is HTML beside it and keeps its size on a phone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from elmo_tasks.ui.page import render
from elmo_tasks.wording.text import percent

Points = Sequence[tuple[float, float]]
Ticks = Sequence[tuple[float, str]]


@dataclass(frozen=True)
class Line:
    """One line."""

    colour: int  # which of the six colours of groups and layers
    points: Points  # ``(round, value)``
    is_faint: bool = False  # in the background
    layer: str = ""  # name of the layer whose mark stands at its end; none if it is empty


def line_chart(title: str, lines: Sequence[Line], ticks: Ticks, rounds: tuple[int, int], axis: str = "") -> str:
    """A chart of the rounds from the first to the last.

    Marks at the ends of lines are moved apart so that they do not cover each other. The ``ticks`` go from the bottom to the top;
    the ``axis`` says what the rounds are called, where that is not said once for several charts.
    """
    (low, _), (high, _) = ticks[0], ticks[-1]
    first, last = rounds

    def x(at: float) -> float:
        return 100 * (at - first) / max(1, last - first)

    def y(value: float) -> float:
        return 100 - 100 * min(1.0, max(0.0, (value - low) / (high - low)))

    drawn = [line for line in lines if line.points]
    marked = [line for line in drawn if line.layer]
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


def share_ticks(top: float) -> Ticks:
    """A scale of shares from nothing to ``top``."""
    return [(share, percent(share)) for share in (0.0, top / 2, top)]


def full_tenth(value: float) -> float:
    """The next full tenth, so that the scale does not depend on the last digit."""
    return min(1.0, math.ceil(value * 10 + 1e-9) / 10) or 1.0


def spread_out(values: Sequence[float], gap: float) -> list[float]:
    """The values in 0..1, moved apart so that labels there do not cover each other; their order stays."""
    gap = min(gap, 1 / max(1, len(values) - 1)) if len(values) > 1 else gap
    ranked = sorted(range(len(values)), key=lambda at: values[at])
    placed = [min(1.0, max(0.0, values[at])) for at in ranked]
    for at in range(1, len(placed)):
        placed[at] = max(placed[at], placed[at - 1] + gap)
    limit = 1.0
    for at in range(len(placed) - 1, -1, -1):
        placed[at] = min(placed[at], limit)
        limit = placed[at] - gap
    moved = [0.0] * len(values)
    for place, at in enumerate(ranked):
        moved[at] = placed[place]
    return moved

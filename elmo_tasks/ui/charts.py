"""Colours of the heat maps, and line charts over training rounds.

A chart is SVG that stretches with the page; its text is HTML beside it and keeps its size on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from elmo_tasks.api import TrainingJob
from elmo_tasks.messages.text import number, percent
from elmo_tasks.ui.page import render


class Scale(NamedTuple):
    """Colours from zero to one, in the light and the dark theme."""

    light: tuple[str, ...]
    dark: tuple[str, ...]

    def style(self) -> str:
        """CSS variables of a legend."""
        return f"--l:{','.join(self.light)};--d:{','.join(self.dark)}"


#: How likely two uses mean the same.
CHANCES = Scale(
    ("#f1f5f2", "#bfdfd7", "#6fbdb5", "#1d7480", "#0b3f52"), ("#1f272e", "#1f4752", "#257a80", "#5fbdb2", "#c9f2e2")
)
#: Cosines, in other colours to avoid confusion.
COSINES = Scale(
    ("#f4f3f7", "#d5d3ea", "#a19fd3", "#5a57a6", "#2c2a66"), ("#23232f", "#363663", "#57559c", "#9794d6", "#dddbfa")
)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Compute the WCAG contrast ratio of two colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _mix(stops: tuple[str, ...], share: float) -> str:
    position = share * (len(stops) - 1)
    index = min(int(position), len(stops) - 2)
    weight = position - index
    pairs = zip(_channels(stops[index]), _channels(stops[index + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * weight):02x}" for a, b in pairs)


def _text_on(background: str) -> str:
    # White reads better on a saturated middle tone; where it lacks contrast, black has more than enough.
    return "#ffffff" if contrast(background, "#ffffff") >= 4.5 else "#000000"


def share_of(cosine: float, floor: float) -> float:
    """Scale a cosine to 0..1 between ``floor`` and 1, clipped."""
    return min(1.0, max(0.0, (cosine - floor) / max(1.0 - floor, 1e-6)))


def cell_colours(share: float, scale: Scale = CHANCES) -> list[tuple[str, str]]:
    """Return the background and text colours of a cell, in both themes."""
    return [(background, _text_on(background)) for background in (_mix(stops, share) for stops in scale)]


def cell_style(share: float, scale: Scale = CHANCES) -> str:
    """Return the colours of a cell as CSS variables."""
    (background, text), (background_dark, text_dark) = cell_colours(share, scale)
    return f"--b:{background};--t:{text};--bd:{background_dark};--td:{text_dark}"


def cosine_style(cosine: float, floor: float) -> str:
    """Return the colours of a cosine as CSS variables; unrelated items have the ``floor``."""
    return cell_style(share_of(cosine, floor), COSINES)


def tint(push: float, steps: Sequence[float]) -> str:
    """Return the CSS class of a word's tint by the steps that its effect reaches; else empty."""
    reached = sum(abs(push) >= least for least in steps)
    return f"{'for' if push > 0 else 'against'}{reached}" if reached else ""


# --- Lines ---

Points = Sequence[tuple[float, float]]
Ticks = Sequence[tuple[float, str]]


@dataclass(frozen=True)
class Line:
    """Line of a chart."""

    colour: int  # which of the six colours of groups and layers
    points: Points  # ``(round, value)``
    is_faint: bool = False  # in the background
    layer: str = ""  # name of the layer whose mark stands at its end; none if it is empty


def line_chart(title: str, lines: Sequence[Line], ticks: Ticks, rounds: tuple[int, int], axis: str = "") -> str:
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


def share_ticks(top: float) -> Ticks:
    """Return a scale of shares from zero to ``top``."""
    return [(share, percent(share)) for share in (0.0, top / 2, top)]


def full_tenth(value: float) -> float:
    """Round up to a tenth, so that the scale does not depend on the last digit."""
    return min(1.0, math.ceil(value * 10 + 1e-9) / 10) or 1.0


def spread_out(values: Sequence[float], gap: float) -> list[float]:
    """Spread values in 0..1 so that their labels do not overlap; keep their order."""
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


def rounds(job: TrainingJob) -> int:
    """Return the last round of the scale: of a running run, the last planned one."""
    return max(1, job.epochs if job.status == "running" or not job.course else job.course[-1].epoch)


def losses(job: TrainingJob) -> str:
    """Draw the losses; empty while there are none."""
    steps = _finite(list(job.losses))
    means = _finite([(e.epoch, e.train_loss) for e in job.course if e.train_loss is not None])
    held = _finite([(e.epoch, e.validation_loss) for e in job.course if e.validation_loss is not None])
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
    top = full_tenth(max(weight for e in rows for weight in e.weights))
    lines = [Line(at, [(e.epoch, e.weights[at]) for e in rows], layer=name) for at, name in enumerate(job.layers)]
    return line_chart("Share of each layer", lines, share_ticks(top), (0, rounds(job)))


def _finite(points: Points) -> Points:
    return [(x, value) for x, value in points if math.isfinite(value)]


def _round_up(value: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten: the scale stays while the curve falls."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value * (1 - 1e-9))

"""Charts over training rounds, drawn by :mod:`elmo_tasks.charts`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from elmo_tasks.api import TrainingJob
from elmo_tasks.charts import Axes, Line, Points, Ticks, line_chart
from elmo_tasks.ui.rendering import render
from elmo_tasks.wording import number, percent

#: In units of the drawing, which are pixels where the chart has this width.
_WIDTH = 360
_HEIGHT = 180


def round_chart(
    title: str, lines: Sequence[Line], ticks: Ticks, rounds: tuple[int, int], axis: str = ""
) -> str:
    """Draw a chart: ``ticks`` from the bottom to the top, ``axis`` below the rounds."""
    first, last = rounds
    stops = sorted({first, (first + last) // 2, last})
    axes = Axes(
        across=[(stop, str(stop)) for stop in stops],
        up=ticks,
        across_name=axis,
        width=_WIDTH,
        height=_HEIGHT,
    )
    drawn = [line for line in lines if line.points]
    label = f"{title}; the numbers are in the table below"
    picture = line_chart(label, drawn, axes, in_page=True)
    return render("line_chart.html", title=title, picture=picture)


def full_tenth(value: float) -> float:
    """Round up to a tenth, so that the scale does not depend on the last digit."""
    return min(1.0, math.ceil(value * 10 + 1e-9) / 10) or 1.0


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
    lines = [Line(steps, is_faint=True), Line(means), Line(held, 1)]
    ticks = [(0.0, "0"), (top / 2, f"{top / 2:g}"), (top, f"{top:g}")]
    return round_chart("Mistakes (loss): lower is better", lines, ticks, (0, rounds(job)))


def scores(job: TrainingJob) -> str:
    """Draw the score on the held-back examples; empty while there is none."""
    points = [(e.epoch, e.score) for e in job.course if e.score is not None]
    if not points:
        return ""
    accuracy = job.metric == "accuracy"
    ticks = [(value, percent(value) if accuracy else number(value)) for value in (0.0, 0.5, 1.0)]
    title = "Share right, held back" if accuracy else "F1, held back"
    return round_chart(f"{title}: higher is better", [Line(points)], ticks, (0, rounds(job)))


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
        Line([(epoch, weights[at]) for epoch, weights in mixes], at, f"layer {name}")
        for at, name in enumerate(layers)
    ]
    ticks = [(share, percent(share)) for share in (0.0, top / 2, top)]
    return round_chart("Share of each layer", lines, ticks, rounds, axis)


def _finite(points: Points) -> Points:
    return [(x, value) for x, value in points if math.isfinite(value)]


def _round_up(value: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten: the scale stays while the curve falls."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value * (1 - 1e-9))

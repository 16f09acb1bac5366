"""The curves of a training run as markup, in the look of :mod:`elmo_tasks.ui.weights_charts`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from elmo_tasks.api import TrainingJob
from elmo_tasks.ui.format import number_text
from elmo_tasks.ui.plain_words import percent
from elmo_tasks.ui.weights_charts import key, layer_words, spread_out

Line = Sequence[tuple[float, float]]


def chart(
    title: str, lines: Sequence[tuple[str, Line]], ticks: Sequence[tuple[float, str]], width: int, ends: str
) -> str:
    """Lines over rounds, from 0 to ``width``.

    Args:
        title: what is shown.
        lines: the class and the ``(round, value)`` points of each line.
        ticks: values of the scale with their words, from the bottom to the top.
        width: last round of the scale.
        ends: markup beside the ends of the lines.
    """
    low, high = ticks[0][0], ticks[-1][0]

    def y(value: float) -> float:
        return 100 - 100 * min(1.0, max(0.0, (value - low) / (high - low)))

    grid = "".join(f'<line class="grid" x1="0" x2="100" y1="{y(v):.1f}" y2="{y(v):.1f}"/>' for v, _ in ticks)
    drawn = "".join(
        f'<polyline class="{name}" points="'
        + " ".join(f"{100 * x / max(1, width):.1f},{y(value):.1f}" for x, value in points)
        + '"/>'
        for name, points in lines
        if points
    )
    scale = "".join(f'<span style="top:{y(value):.1f}%">{text}</span>' for value, text in ticks)
    stops = sorted({0, width // 2, width})
    axis = "".join(f'<span style="left:{100 * stop / max(1, width):.1f}%">{stop}</span>' for stop in stops)
    return (
        f'<figure class="lines"><figcaption>{escape(title)}</figcaption><div class="plot" role="img" '
        f'aria-label="{escape(title)}; the numbers are in the table below"><div class="scale">{scale}</div>'
        f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">{grid}{drawn}</svg>'
        f'<div class="ends">{ends}</div><div class="axis">{axis}</div></div></figure>'
    )


def curves(job: TrainingJob) -> str:
    """Loss, score and layer shares; what there is nothing of yet is left out."""
    live = job.status in ("queued", "running")
    width = max(1, job.epochs if live or not job.course else job.course[-1].epoch)
    parts = [_losses(job, width), _scores(job, width), _weights(job, width)]
    shown = "".join(part for part in parts if part)
    return (
        f'<div class="charts three" data-picture="">{shown}</div><p class="hint">Left to right: rounds (passes over the data).</p>'
        if shown
        else ""
    )


def _losses(job: TrainingJob, width: int) -> str:
    train = list(job.losses)
    held = [(float(e.epoch), e.validation_loss) for e in job.course if e.validation_loss is not None]
    means = [(float(e.epoch), e.train_loss) for e in job.course if e.train_loss is not None]
    values = [value for _, value in [*train, *means, *held] if math.isfinite(value)]
    if not values:
        return ""
    top = _round_up(max(values))
    ticks = [(0.0, "0"), (top / 2, f"{top / 2:g}"), (top, f"{top:g}")]
    # Single steps jump about: they stay in the background of the mean of each round.
    lines = [("g0 faint", _finite(train)), ("g0", _finite(means)), ("g1", _finite(held))]
    keys = (
        '<p class="key"><span><svg class="swatch" viewBox="0 0 30 6" aria-hidden="true"><polyline class="g0" points="0,3 30,3"/>'
        '</svg>trained on</span><span><svg class="swatch" viewBox="0 0 30 6" aria-hidden="true"><polyline class="g1" '
        'points="0,3 30,3"/></svg>held back</span></p>'
    )
    return f"<div>{chart('Mistakes (loss): lower is better', lines, ticks, width, '')}{keys}</div>"


def _scores(job: TrainingJob, width: int) -> str:
    points = [(float(e.epoch), e.score) for e in job.course if e.score is not None]
    if not points:
        return ""
    accuracy = job.metric == "accuracy"
    ticks = [(v, percent(v) if accuracy else number_text(v)) for v in (0.0, 0.5, 1.0)]
    title = "Share right, held back" if accuracy else "F1, held back"
    return f"<div>{chart(f'{title}: higher is better', [('g0', points)], ticks, width, '')}</div>"


def _weights(job: TrainingJob, width: int) -> str:
    if not job.learned or len(job.layers) < 2 or len(job.course) < 2:
        return ""
    rows = [e for e in job.course if len(e.weights) == len(job.layers)]
    if not rows:
        return ""
    top = min(1.0, math.ceil(max(max(e.weights) for e in rows) * 10 + 1e-9) / 10) or 1.0
    lines = [(f"g{at % 6}", [(float(e.epoch), e.weights[at]) for e in rows]) for at in range(len(job.layers))]
    ticks = [(0.0, "0\u00a0%"), (top / 2, percent(top / 2)), (top, percent(top))]
    places = spread_out([line[-1][1] / top for _, line in lines], 0.16)
    ends = "".join(
        f'<span style="top:{100 - 100 * places[at]:.1f}%;left:calc({100 * rows[-1].epoch / width:.1f}% + .45rem)">'
        f"{key(at, name)}</span>"
        for at, name in enumerate(job.layers)
    )
    said = "".join(
        f"<span>{key(at, name)} {escape(layer_words(at, name))}</span>" for at, name in enumerate(job.layers)
    )
    return f'<div>{chart("Share of each layer", lines, ticks, width, ends)}<p class="key">{said}</p></div>'


def _finite(points: Line) -> list[tuple[float, float]]:
    return [(x, value) for x, value in points if math.isfinite(value)]


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, ... times a power of ten, so that the scale stays while the curve falls."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value * (1 - 1e-9))

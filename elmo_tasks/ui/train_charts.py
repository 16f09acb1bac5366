"""The curves of a training run."""

from __future__ import annotations

import math

from elmo_tasks.api import TrainingJob
from elmo_tasks.ui.charts import Line, Points, full_tenth, line_chart, share_ticks
from elmo_tasks.wording.text import number, percent


def rounds(job: TrainingJob) -> int:
    """The last round of the scale: while a run goes on, the last one it may have."""
    live = job.status in ("queued", "running")
    return max(1, job.epochs if live or not job.course else job.course[-1].epoch)


def losses(job: TrainingJob) -> str:
    """How far the head is from the right labels; empty as long as that is not known."""
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
    """The score on the examples held back; empty as long as there is none."""
    points = [(e.epoch, e.score) for e in job.course if e.score is not None]
    if not points:
        return ""
    accuracy = job.metric == "accuracy"
    ticks = [(value, percent(value) if accuracy else number(value)) for value in (0.0, 0.5, 1.0)]
    title = "Share right, held back" if accuracy else "F1, held back"
    return line_chart(f"{title}: higher is better", [Line(0, points)], ticks, (0, rounds(job)))


def weights(job: TrainingJob) -> str:
    """The share of each layer in the mix; empty where that is not learned."""
    rows = [e for e in job.course if len(e.weights) == len(job.layers)]
    if not job.learned or len(job.layers) < 2 or len(job.course) < 2 or not rows:
        return ""
    top = full_tenth(max(weight for e in rows for weight in e.weights))
    lines = [Line(at, [(e.epoch, e.weights[at]) for e in rows], layer=name) for at, name in enumerate(job.layers)]
    return line_chart("Share of each layer", lines, share_ticks(top), (0, rounds(job)))


def _finite(points: Points) -> Points:
    return [(x, value) for x, value in points if math.isfinite(value)]


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, ... times a power of ten, so that the scale stays while the curve falls."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= value * (1 - 1e-9))

"""The runs in the Train tab: the one that is shown, and the list of all."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from elmo_tasks.api import DataLook, TrainingJob
from elmo_tasks.ui.charts import Line, Points, full_tenth, line_chart, share_ticks
from elmo_tasks.ui.layers_tab import layer_words
from elmo_tasks.ui.page import csv_file, render
from elmo_tasks.wording import training_runs
from elmo_tasks.wording.labels import class_words, type_note
from elmo_tasks.wording.task_kinds import TASK_WORDS
from elmo_tasks.wording.text import number, percent, score_text

_MOST_LABELS = 12
_UNEVEN = 4
_LABELS = {"texts": ("label", "labels"), "names": ("kind of name", "kinds of names"), "words": ("tag", "tags")}


def no_runs(*, is_off: bool = False) -> str:
    """What is shown until the runs were looked up, or where training is off."""
    return render("train_none.html", is_off=is_off, kinds=TASK_WORDS.values())


def page(jobs: Sequence[TrainingJob], shown: str = "") -> tuple[str, dict[str, Any]]:
    """The run in front (the one ``shown``, else the one that runs, else the newest), the list of all, the explanation.

    Beside it, what the page keeps: a digest, so that the same page need not be sent again, and whether any run waits or goes on.
    """
    focus = next((job for job in jobs if job.name == shown), None) or next(
        (job for job in jobs if job.status == "running"), jobs[0] if jobs else None
    )
    is_live = any(job.status in ("queued", "running") for job in jobs)
    markup = render(
        "train.html",
        run=card(focus) if focus is not None else "",
        focus=focus,
        jobs=jobs,
        is_live=is_live,
        states=training_runs.STATES,
        score_text=score_text,
        when=when,
    )
    digest = hashlib.blake2b(markup.encode(), digest_size=8).hexdigest()
    return markup, {"digest": digest, "shown": focus.name if focus else "", "live": is_live}


def card(job: TrainingJob) -> str:
    """Where a run is, or what came out of it."""
    return render(
        "train_run.html",
        job=job,
        state=training_runs.STATES[job.status],
        headline=training_runs.headline(job),
        details=training_runs.details(job),
        share=round(100 * min(1.0, job.step / job.steps)) if job.steps else 0,
        is_live=job.status in ("queued", "running"),
        losses=losses(job),
        scores=scores(job),
        weights=weights(job),
        layers=job.layers if job.learned and len(job.layers) > 1 else (),
        layer_words=layer_words,
        score_text=score_text,
        metric="Share right" if job.metric == "accuracy" else "F1",
        csv=csv_text(job),
        data=job.to_dict(),
        query=urlencode({"tab": "train", "run": job.name}),
    )


def when(created: float) -> str:
    """``3 Nov, 14:05``."""
    moment = time.localtime(created)
    return f"{moment.tm_mday}\u00a0{time.strftime('%b', moment)}, {time.strftime('%H:%M', moment)}"


def csv_text(job: TrainingJob) -> str:
    """The rounds as a spreadsheet, then the scores at the end."""
    weights = [f"weight of layer {name}" for name in job.layers]
    losses = ("training loss", "validation loss")
    header = ("what", "round", *losses, "metric", "score", "without a model", *weights, "gamma")
    empty = ("",) * len(weights)
    rows: list[Sequence[object]] = []
    for e in job.course:
        numbers = (e.train_loss, e.validation_loss, job.metric, e.score)
        rows.append(("round", e.epoch, *numbers, "", *(e.weights or empty), e.gamma))
    for s in job.scores:
        rows.append((s.split, "", "", "", s.metric, s.value, s.guess, *empty, ""))
    return csv_file(header, rows)


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


def data_card(look: DataLook, kind: str) -> str:
    """Rows, labels and the first rows."""
    number = len(look.labels)
    return render(
        "train_data.html",
        look=look,
        title=look.title[:1].upper() + look.title[1:] if look.title.startswith("the ") else look.title,
        unit=TASK_WORDS[kind].unit,
        labels=f"{number} {_LABELS[look.counted][number != 1]}" if look.rows else "",
        warning=_warning(look),
        counts=[(_note(name, look.counted), count) for name, count in look.labels[:_MOST_LABELS]],
        rest=len(look.labels) - _MOST_LABELS,
    )


def no_data(message: str = "") -> str:
    """What is shown when the data cannot be used (the message as it is, with its lines), or as long as no file was chosen."""
    return render("train_data_none.html", message=message)


def _warning(look: DataLook) -> str:
    if look.counted != "texts" or not look.labels:
        return ""
    (top, most), (rarest, least) = look.labels[0], look.labels[-1]
    total = sum(number for _, number in look.labels)
    remedy = "“Rare labels weigh as much” under More settings makes up for some of it."
    if most / total > 0.8:
        return (
            f"{percent(most / total)} of the texts are “{top}”: always saying that is right as often, so a high score means "
            f"little here. {remedy}"
        )
    if most >= _UNEVEN * least:
        return f"“{top}” comes {most // least} times as often as “{rarest}”, which the head may seldom say. {remedy}"
    return ""


def _note(name: str, counted: str) -> str:
    note = type_note(name) if counted != "texts" else class_words(name)
    return f"{name} ({note})" if note and note != name.lower() and note != name else name

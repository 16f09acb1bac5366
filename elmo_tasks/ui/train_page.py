"""The runs in the Train tab: the one that is shown, and the list of all."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from elmo_tasks.api import TrainingJob
from elmo_tasks.ui import train_charts
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.page import render
from elmo_tasks.ui.weights_page import layer_words
from elmo_tasks.wording import training_runs
from elmo_tasks.wording.task_kinds import TASK_WORDS
from elmo_tasks.wording.text import score_text


@dataclass(frozen=True)
class Shown:
    """What is shown of the runs.

    Attributes:
        markup: the page.
        digest: changes with the page, so that the same one need not be sent again.
        run: name of the run in front; empty if there is none.
        is_live: whether any run waits or goes on.
    """

    markup: str
    digest: str
    run: str
    is_live: bool


def waiting() -> str:
    """What is shown until the runs were looked up."""
    return render("train_none.html", is_off=False, kinds=TASK_WORDS.values())


def off() -> str:
    """What is shown where training is off."""
    return render("train_none.html", is_off=True, kinds=TASK_WORDS.values())


def page(jobs: Sequence[TrainingJob], shown: str | None = None) -> Shown:
    """The run that is shown (the one asked for, else the one that runs, else the newest), the list of all, the explanation.

    Args:
        jobs: the newest first.
        shown: name of the run that the person chose.
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
    return Shown(markup, digest, focus.name if focus else "", is_live)


def card(job: TrainingJob) -> str:
    """Where a run is, or what came out of it."""
    return render(
        "train_run.html",
        job=job,
        state=training_runs.STATES[job.status],
        headline=training_runs.headline(job),
        details=training_runs.details(job),
        share=round(100 * share_done(job)),
        is_live=job.status in ("queued", "running"),
        losses=train_charts.losses(job),
        scores=train_charts.scores(job),
        weights=train_charts.weights(job),
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


def share_done(job: TrainingJob) -> float:
    """How much of the training steps is done, from 0 to 1."""
    return min(1.0, job.step / job.steps) if job.steps else 0.0


def csv_text(job: TrainingJob) -> str:
    """The rounds as a spreadsheet, then the scores at the end."""
    weights = [f"weight of layer {name}" for name in job.layers]
    header = [
        "what",
        "round",
        "training loss",
        "validation loss",
        "metric",
        "score",
        "without a model",
        *weights,
        "gamma",
    ]

    def cell(value: float | None) -> str | float:
        return "" if value is None else value

    rows: list[list[str | float]] = []
    for e in job.course:
        shares: list[str | float] = [*e.weights] or [""] * len(weights)
        numbers: list[str | float] = [cell(e.train_loss), cell(e.validation_loss), job.metric, cell(e.score), ""]
        rows.append(["round", str(e.epoch), *numbers, *shares, cell(e.gamma)])
    for s in job.scores:
        rows.append([s.split, "", "", "", s.metric, s.value, cell(s.guess), *[""] * len(weights), ""])
    return csv_file(header, rows)

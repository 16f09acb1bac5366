"""The runs in the Train tab: the one that is shown, and the list of all."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from elmo_tasks.api import TrainingJob
from elmo_tasks.ui import train, train_charts
from elmo_tasks.ui.page import render
from elmo_tasks.ui.weights_page import layer_words
from elmo_tasks.wording.heads import score_text
from elmo_tasks.wording.task_kinds import TASK_WORDS


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
        states=train.STATES,
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
        state=train.STATES[job.status],
        headline=train.headline(job),
        details=train.details(job),
        share=round(100 * train.share_done(job)),
        is_live=job.status in ("queued", "running"),
        losses=train_charts.losses(job),
        scores=train_charts.scores(job),
        weights=train_charts.weights(job),
        layers=job.layers if job.learned and len(job.layers) > 1 else (),
        layer_words=layer_words,
        score_text=score_text,
        metric="Share right" if job.metric == "accuracy" else "F1",
        csv=train.csv_text(job),
        data=job.to_dict(),
        query=urlencode({"tab": "train", "run": job.name}),
    )


def when(created: float) -> str:
    """``3 Nov, 14:05``."""
    moment = time.localtime(created)
    return f"{moment.tm_mday}\u00a0{time.strftime('%b', moment)}, {time.strftime('%H:%M', moment)}"

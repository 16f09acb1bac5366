"""What a training run says about itself, in sentences that claim no more than its numbers carry."""

from __future__ import annotations

import math
from collections.abc import Sequence

from elmo_tasks.api import SplitScore, TrainingEpoch, TrainingJob
from elmo_tasks.wording.task_kinds import TASK_WORDS
from elmo_tasks.wording.text import duration, number, percent, score_text

STATES = {"queued": "waiting", "running": "running", "done": "done", "stopped": "stopped", "failed": "failed"}
_PHASES = {
    "starting": "Starting: the program loads what it needs.",
    "layers": "The language model reads every text once.",
    "training": "Training has begun; the first round is not done yet.",
    "scoring": "Almost done: the best state is saved and scored.",
}


def best_epoch(course: Sequence[TrainingEpoch]) -> TrainingEpoch | None:
    """The epoch with the highest score, the first of equals, as the run itself chooses."""
    scored = [epoch for epoch in course if epoch.score is not None]
    return max(scored, key=lambda epoch: (epoch.score or 0.0, -epoch.epoch)) if scored else None


def headline(job: TrainingJob) -> str:
    """The one sentence that says where a run is, or what came out."""
    if job.status == "queued":
        return "It waits for the run before it."
    if job.status == "failed":
        return "It failed."
    if job.status == "running":
        return _running(job)
    if job.scores:
        return _outcome(job, job.scores[0])
    return job.message or "It is over."


def _running(job: TrainingJob) -> str:
    if job.stopping:
        return "Stopping: what was learned so far is scored and saved."
    last = next((epoch for epoch in reversed(job.course) if epoch.score is not None), None)
    if last is None or job.phase == "scoring":
        return _PHASES.get(job.phase, _PHASES["starting"])
    now = f"Round {min(last.epoch + 1, job.epochs)} of {job.epochs}"
    assert last.score is not None
    if job.metric == "accuracy":
        return f"{now}: {percent(last.score)} of the {TASK_WORDS[job.kind].counts} held back are right."
    return f"{now}: F1 {number(last.score)} on the sentences held back."


def _outcome(job: TrainingJob, score: SplitScore) -> str:
    words = TASK_WORDS[job.kind]
    which = f"{score.rows:,} {'test' if score.split == 'test' else 'held-back'} {words.unit}"
    if score.metric == "accuracy":
        of = which if words.counts == words.unit else f"{words.counts} of {which}"
        return f"“{job.title}” gets {percent(score.value)} of the {of} right."
    return f"“{job.title}” finds the names in {which} with an F1 of {number(score.value)}."


def comparison(job: TrainingJob) -> str:
    """The score beside what one scores without a model, and whether the difference can be trusted; empty without one."""
    if not job.scores or job.scores[0].guess is None:
        return ""
    score = job.scores[0]
    assert score.guess is not None
    rule = (
        "Always giving the most frequent label"
        if score.guess_rule == "majority"
        else "Giving each word the label it had most often in training"
    )
    guess = f"{rule} scores {score_text(score.metric, score.guess)}"
    if score.value <= score.guess:
        return f"{guess}, without any model: this head does no better."
    words = TASK_WORDS[job.kind]
    if score.metric == "accuracy" and words.counts == words.unit:
        low, high = wilson(score.value, score.rows)
        sure = f"On other texts of this kind it may be anything from {percent(low)} to {percent(high)}"
        if low <= score.guess:
            return f"{guess}. {sure}, so this head may be no better than that."
        return f"{guess}. {sure}."
    return f"{guess}."


def wilson(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share of ``count`` independent cases (Wilson, 1927)."""
    if count <= 0:
        return 0.0, 1.0
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def details(job: TrainingJob) -> str:
    """What else there is to say, in one or two sentences."""
    if job.status == "failed":
        return job.message
    parts = []
    if job.status == "queued":
        return "Runs are trained one after the other. It starts by itself."
    if job.status == "running":
        best = best_epoch(job.course)
        if best is not None and best.score is not None and len(job.course) > 2:
            parts.append(f"The best so far is round {best.epoch} ({score_text(job.metric, best.score)}).")
        if job.seconds_left is not None:
            parts.append(f"Time left: {duration(job.seconds_left)}.")
        return " ".join(parts)
    if job.message and job.scores:
        parts.append(job.message)
    parts.append(comparison(job))
    if job.status == "done" and job.best_epoch:
        parts.append(f"Round {job.best_epoch} of {job.epochs} did best on the texts held back, and was kept.")
    return " ".join(part for part in parts if part)

"""Cautious sentences about training data and runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from elmo_tasks.api import DatasetPreview, SplitScore, TrainingEpoch, TrainingJob
from elmo_tasks.messages.heads import class_words, type_note
from elmo_tasks.wording import duration, number, percent, score_text

#: Titles of scores, by their name in files.
METRIC_WORDS: Mapping[str, str] = {"f1": "F1", "accuracy": "accuracy"}
#: A score on fewer test rows is unreliable.
MIN_TEST_ROWS = 30
_UNEVEN_RATIO = 4
_PHASES = {
    "starting": "Starting: the program loads what it needs.",
    "layers": "The language model reads every text once.",
    "training": "Training has begun; the first round is not done yet.",
    "scoring": "Almost done: the best state is saved and scored.",
}


def best_epoch(course: Sequence[TrainingEpoch]) -> TrainingEpoch | None:
    """Return the epoch with the highest score and, of equal ones, the lowest loss."""
    scored = [epoch for epoch in course if epoch.score is not None]

    def rank(epoch: TrainingEpoch) -> tuple[float, float, int]:
        loss = epoch.validation_loss
        watched = epoch.score if epoch.watched is None else epoch.watched
        return (
            watched or 0.0,
            -math.inf if loss is None or math.isnan(loss) else -loss,
            -epoch.epoch,
        )

    return max(scored, key=rank) if scored else None


def is_rough(job: TrainingJob) -> bool:
    """Return True if the test has too few rows for a reliable score."""
    return bool(job.scores) and job.scores[0].rows < MIN_TEST_ROWS


def headline(job: TrainingJob) -> str:
    """Describe the state or the result of a run in one sentence."""
    if job.status == "failed":
        return "It failed."
    if job.status == "running":
        return _running(job)
    if job.scores:
        return _outcome(job, job.scores[0])
    return str(job.message or "It is over.")


def _running(job: TrainingJob) -> str:
    if job.stopping:
        return "Stopping: what was learned so far is scored and saved."
    last = next((epoch for epoch in reversed(job.course) if epoch.score is not None), None)
    if last is None or job.phase == "scoring":
        return _PHASES.get(job.phase, _PHASES["starting"])
    now = f"Round {min(last.epoch + 1, job.epochs)} of {job.epochs}"
    assert last.score is not None
    if job.metric == "accuracy":
        return f"{now}: {percent(last.score)} of the {job.task.counts} held back are right."
    return f"{now}: F1 {number(last.score)} on the sentences held back."


def _outcome(job: TrainingJob, score: SplitScore) -> str:
    words = job.task
    rows = f"{score.rows:,} {'test' if score.split == 'test' else 'held-back'} {words.unit}"
    if is_rough(job):
        return f"“{job.title}” is trained. {rows} are too few to say how good it is."
    if score.metric == "accuracy":
        of = rows if words.one_label else f"{words.counts} of {rows}"
        return f"“{job.title}” gets {percent(score.value)} of the {of} right."
    return f"“{job.title}” finds the entities in {rows} with an F1 of {number(score.value)}."


def comparison(job: TrainingJob) -> str:
    """Compare the score with the one without a model; empty without one."""
    if not job.scores or job.scores[0].guess is None:
        return ""
    score = job.scores[0]
    assert score.guess is not None
    rule = "Giving each word the label it had most often in training"
    if score.guess_rule == "majority":
        rule = "Always giving the most frequent label"
    guess = f"{rule} scores {score_text(score.metric, score.guess)}"
    if score.value <= score.guess:
        return f"{guess}, without any model: this head does no better."
    if score.metric != "accuracy" or not job.task.one_label:
        return f"{guess}."
    low, high = wilson(score.value, score.rows)
    doubt = ", so this head may be no better than that" if low <= score.guess else ""
    return (
        f"{guess}. On other texts of this kind it may be anything from {percent(low)} to"
        f" {percent(high)}{doubt}."
    )


def wilson(share: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of ``count`` independent cases (Wilson, 1927)."""
    if count <= 0:
        return 0.0, 1.0
    z = 1.96
    scale = 1 + z * z / count
    middle = (share + z * z / (2 * count)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def details(job: TrainingJob) -> str:
    """Describe further details in one or two sentences."""
    if job.status == "failed":
        return str(job.message)
    parts: list[str] = []
    if job.status == "running":
        best = best_epoch(job.course)
        if best is not None and best.score is not None and len(job.course) > 2:
            parts.append(
                f"The best so far is round {best.epoch} ({score_text(job.metric, best.score)})."
            )
        if job.seconds_left is not None:
            parts.append(f"Time left: {duration(job.seconds_left)}.")
        return " ".join(parts)
    if job.message and job.scores:
        parts.append(str(job.message))
    if is_rough(job):
        parts.append(f"Score on them: {score_text(job.scores[0].metric, job.scores[0].value)}.")
    parts.append(comparison(job))
    if job.status == "done" and job.best_epoch:
        held_back = f"the {job.task.unit} held back"
        parts.append(
            f"Round {job.best_epoch} of {job.epochs} did best on {held_back}, and was kept."
        )
    return " ".join(filter(None, parts))


def balance_warning(preview: DatasetPreview) -> str:
    """Warn where one label outweighs the others."""
    if preview.counted != "texts" or not preview.labels:
        return ""
    (top, most), (rarest, least) = preview.labels[0], preview.labels[-1]
    total = sum(number for _, number in preview.labels)
    remedy = "“Rare labels weigh as much” under More settings makes up for some of it."
    if most / total > 0.8:
        return (
            f"{percent(most / total)} of the texts are “{top}”: always saying that is right as"
            f" often, so a high score means little here. {remedy}"
        )
    if most >= _UNEVEN_RATIO * least:
        return (
            f"“{top}” comes {most // least} times as often as “{rarest}”, which the head may seldom"
            f" predict. {remedy}"
        )
    return ""


def label_name(name: str, counted: str) -> str:
    """Return a label with its explanation."""
    note = type_note(name) if counted != "texts" else class_words(name)
    return f"{name} ({note})" if note and note != name.lower() and note != name else name


def count_line(text: str) -> str:
    """Say how many examples are typed."""
    count = sum(bool(line.strip()) for line in text.splitlines())
    return f"{count} example{'' if count == 1 else 's'} so far." if count else ""

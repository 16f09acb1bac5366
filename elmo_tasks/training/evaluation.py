"""Scores of an exported head on labelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tqdm import tqdm

from elmo_tasks.tasks import find_task
from elmo_tasks.tasks.task import LabelledRow
from elmo_tasks.training.predictor import Predictor


@dataclass(frozen=True)
class Evaluation:
    """Scores of a head on one file."""

    main: str  # name of the score that counts, f1 (of spans) or accuracy
    scores: dict[str, float]  # all scores, from 0 to 1; see :meth:`elmo_tasks.tasks.task_scores.TaskScores.compute`
    confusion: list[list[int]]  # [gold][predicted] counts of a classifier; empty for a tagger
    n_rows: int  # how many rows were scored


def evaluate_head(predictor: Predictor, rows: Sequence[LabelledRow]) -> Evaluation:
    """Predict labelled rows and compare with their tags or classes."""
    head = predictor.head
    scores = find_task(head.kind).scores(head.task, alone=True)
    # By length: little padding. The order changes nothing, as every sentence is read alone.
    rows = sorted(rows, key=lambda row: len(row[0]))
    tokens = [row[0] for row in rows]
    predicted = predictor.labels_of(tokens)
    for (_, gold), prediction in tqdm(zip(rows, predicted, strict=True), total=len(rows), unit="row", disable=None):
        scores.update([prediction], [gold])
    return Evaluation(scores.main, scores.compute(), scores.confusion_matrix(), len(rows))

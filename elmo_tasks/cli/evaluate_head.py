"""Scores of a head on a labelled file, for ``evaluate --head``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from elmo_tasks.errors import ConfigError, DataError

#: Probability from which an answer counts as confident.
CONFIDENT_FROM = 0.9

if TYPE_CHECKING:
    from pathlib import Path

    from elmo_tasks.data.records import LabelledText
    from elmo_tasks.data.split_data import SplitData
    from elmo_tasks.heads.head_files import HeadFiles
    from elmo_tasks.prediction import Predictor
    from elmo_tasks.tasks.task import LabelledRow, Task
    from elmo_tasks.tasks.task_scores import TaskScores


def add_arguments(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--head", help="name or folder of a head, as a training run leaves in runs/")
    add("--encoder", help="name or folder of its encoder (default: found by its checksum)")
    add(
        "--file-format",
        help="format of that file, if its name does not show it: tsv, csv, columns, jsonl, ...",
    )
    add("--text-column", help="name or position of the text column (classes)")
    add("--label-column", help="name or position of the label column (classes)")
    add(
        "--labels",
        metavar="0=negative,1=positive",
        help=("map from labels or entity types of that file to the head's; DATE= leaves one out"),
    )
    add("--token-column", help="name or position of the token column (tags)")
    add("--tag-column", help="name or position of the tag column (tags)")


def scores_of_head(args: argparse.Namespace) -> dict[str, Any]:
    """Read the labelled file, predict its rows, and compare."""
    from elmo_tasks.devices import checked_device
    from elmo_tasks.heads.head_files import find_head
    from elmo_tasks.prediction import Predictor, evaluate_head
    from elmo_tasks.tasks import find_task
    from elmo_tasks.text.tag_schemes import OUTSIDE

    if args.data is None:
        raise ConfigError("--head needs --data: a labelled file to score it on")
    files = find_head(args.head)
    task = find_task(files.kind)
    data = _read(args, files, task)
    print(*data.notes, sep="\n", file=sys.stderr)
    predictor = Predictor.load(
        files, args.encoder, checked_device(args.device), precision=args.precision
    )
    rows = data.labelled("test")
    if task.one_label:
        scores, confident = _scored_texts(predictor, rows)
    else:
        scores, confident = evaluate_head(predictor, rows), None
    values: dict[str, float | None] = {**scores.compute()}
    has_entities = any(tag != OUTSIDE for _, tags in rows for tag in tags)
    if scores.main == "f1" and not has_entities:
        # Precision, recall and F1 are quotients by the number of entities.
        values = {name: value if name == "accuracy" else None for name, value in values.items()}
    return {
        "head": files.name,
        "encoder": files.encoder.name,
        "data": args.data.name,
        "rows": len(rows),
        "main": scores.main,
        "scores": values,
        "labels": list(files.task.labels),
        "confusion": scores.confusion_matrix(),
        "confident": confident,
    }


def _scored_texts(
    predictor: Predictor, rows: Sequence[LabelledRow]
) -> tuple[TaskScores, dict[str, int]]:
    """Score a classifier, and count its high-probability answers and those that are right.

    A text without words has no class, and counts as the first class.
    """
    from tqdm import tqdm

    from elmo_tasks.prediction import batched

    scores = predictor.task.scores(predictor.head.task, alone=True)
    confident = {"rows": 0, "right": 0}
    in_order = sorted(rows, key=lambda row: len(row[0]))  # little padding
    gold = iter(label for _, label in in_order)
    with tqdm(total=len(rows), unit="row", disable=None) as progress:
        for batch in batched(words for words, _ in in_order):
            for prediction in predictor.predict_batch(batch):
                label = next(gold)
                scores.update([prediction.label or predictor.head.task.labels[0]], [label])
                if prediction.confidence >= CONFIDENT_FROM:
                    confident["rows"] += 1
                    confident["right"] += prediction.label == label
            progress.update(len(batch))
    return scores, confident


def _read(args: argparse.Namespace, files: HeadFiles, task: Task) -> SplitData[Any, Any]:
    """Read the file as its test rows, with the labels of the head."""
    if args.file_format is not None and args.file_format not in task.file_formats:
        raise ConfigError(
            f"--file-format {args.file_format}: expected one of {', '.join(task.file_formats)}"
        )
    given: dict[str, Any] = {}
    for name in (*task.columns, "file_format"):
        if value := getattr(args, name, None):
            given[name] = int(value) if value.removeprefix("-").isdecimal() else value
    # The format is that of this file, not that of the head's training file.
    stored = {
        key: value
        for key, value in files.reading.items()
        if key not in ("file_format", "encoding", "delimiter", "header")
    }
    columns = _fitting_columns(task, args.data, stored, given)
    reading = {key: value for key, value in stored.items() if key not in task.columns}
    reading |= columns | given
    if task.one_label:
        reading["label_names"] = _label_names(args, files, reading, task)
    elif args.labels is not None:
        reading["type_names"] = _type_names(args.labels, files)
    try:
        # The training split is not read; its name only appears in messages.
        data = task.data(train=f"of the head {files.name}", test=str(args.data), **reading)
    except TypeError as error:
        raise ConfigError(
            f"{files.folder}: how its data were read is not understood ({error})"
        ) from None
    data.take_labels(files.task.labels)
    try:
        data.setup("test")
    except DataError as error:
        if task.one_label or "no such entity type" not in str(error):
            raise
        raise DataError(
            f"{error}. Say which is which, such as --labels PERSON=PER,DATE= (DATE is left out"
            " then)"
        ) from None
    return data


def _fitting_columns(
    task: Task, path: Path, stored: dict[str, Any], given: dict[str, Any]
) -> dict[str, Any]:
    """Keep the columns of the head's training file if this file has them; else, find them."""
    columns = {name: stored[name] for name in task.columns if stored.get(name) is not None}
    if not columns or any(name in given for name in task.columns):
        return {}
    if task.one_label and any(isinstance(column, int) for column in columns.values()):
        return {}
    try:
        task.read(path, given.get("file_format"), *(columns.get(name) for name in task.columns))
    except DataError:
        return {}
    return columns


def _label_names(
    args: argparse.Namespace, files: HeadFiles, reading: dict[str, Any], task: Task
) -> dict[str, str | None]:
    """Map the labels of the file to those of the head, and reject unknown ones."""
    from elmo_tasks.data.labelled_texts import format_of
    from elmo_tasks.data.records import mapped_labels

    text_column, label_column = (reading.get(name) for name in task.columns)
    rows = task.read(args.data, reading.get("file_format"), text_column, label_column)
    labels = [row.label for row in cast("Sequence[LabelledText]", rows)]
    same_format = files.reading.get("file_format") in (
        None,
        reading.get("file_format") or format_of(args.data),
    )
    stored = files.reading.get("label_names") if same_format else None
    return mapped_labels(labels, files.task.labels, args.labels, stored, str(args.data))


def _type_names(given: str, files: HeadFiles) -> dict[str, str | None]:
    """Map entity types of the file to those of the head; a type without a name is left out."""
    from elmo_tasks.data.records import given_names
    from elmo_tasks.text.tag_schemes import types_of

    if files.task.scheme is None:
        raise ConfigError(
            "--labels: for classes of texts and types of entities; this head gives tags of words"
        )
    return given_names(given, types_of(files.task.labels, files.task.scheme))


def as_table(result: dict[str, Any]) -> str:
    """Format the scores, and the confusion matrix of a classifier."""
    scores: dict[str, Any] = result["scores"]
    main = result["main"]
    about = f"{result['head']} (on {result['encoder']}), {result['data']}, {result['rows']:,} rows"
    if scores[main] is None:
        accuracy = f"accuracy of tags {scores['accuracy']:.4f}"
        return f"{about}: no row has an entity, so {main} is undefined; {accuracy}"
    lines = [f"{about}: {main} {scores[main]:.4f}"]
    measures = [
        name
        for name in ("precision", "recall", "f1")
        if any(key.startswith(name) for key in scores)
    ]
    if measures:
        lines.append(f"{'':20}" + "".join(f"{name:>11}" for name in measures))
        kinds = dict.fromkeys(key.partition("/")[2] for key in scores if "/" in key)
        for kind in (*(("",) if measures[0] in scores else ()), *kinds):
            values = (scores[f"{name}/{kind}" if kind else name] for name in measures)
            lines.append(f"{kind or 'all':20}" + "".join(f"{value:11.4f}" for value in values))
    if main != "accuracy":
        lines.append(f"{'accuracy of tags':20}{scores['accuracy']:11.4f}")
    if "macro_f1" in scores:
        lines.append(f"{'mean F1 of classes':20}{scores['macro_f1']:11.4f}")
    if confident := result["confident"]:
        right, certain = confident["right"], confident["rows"]
        share = f", of which {right / certain:.1%} are right" if certain else ""
        lines.append(
            f"stated at {CONFIDENT_FROM} or more: {certain:,} of {result['rows']:,} rows{share}"
        )
    if result["confusion"]:
        labels = result["labels"]
        width = max(11, *(len(label) + 2 for label in labels))
        lines.append(f"{'actual / predicted':20}" + "".join(f"{name:>{width}}" for name in labels))
        for label, row in zip(labels, result["confusion"], strict=True):
            lines.append(f"{label:20}" + "".join(f"{count:{width},}" for count in row))
    return "\n".join(lines)

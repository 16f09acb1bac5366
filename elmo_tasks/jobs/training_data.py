"""The data of a training run: an upload, the sample that comes with the program, or a public data set; looked at and written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from elmo_tasks.api import DataLook, TrainingPlan
from elmo_tasks.data.records import LabelledText
from elmo_tasks.errors import InputError
from elmo_tasks.jobs.training_rows import Record, Records, count_labels, examples, split_rows
from elmo_tasks.jobs.upload_reading import read_upload
from elmo_tasks.tasks.kinds import kind_of

VALIDATION_SHARE = 0.15
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"


def look_at_upload(path: Path, title: str, plan: TrainingPlan) -> DataLook:
    """Read and check an upload as training would.

    Raises:
        InputError: it cannot be trained on; the text says why, with the line.
    """
    columns, records = read_upload(path, title, plan)
    train, test = split_rows(records)
    labels, counted = count_labels(records)
    return DataLook(
        title=title,
        rows=len(train),
        test_rows=len(test),
        labels=labels,
        counted=counted,
        columns=columns.names,
        text_column=columns.text,
        label_column=columns.label,
        header=columns.header,
        examples=examples(records),
    )


def look_at_sample(kind: str) -> DataLook:
    """What the sample of a kind holds."""
    train, test = _read_sample(kind, "train"), _read_sample(kind, "test")
    labels, counted = count_labels([*train, *test])
    return DataLook(
        title="the sample that comes with the program",
        rows=len(train),
        test_rows=len(test),
        labels=labels,
        counted=counted,
        examples=examples(train),
    )


def _read_sample(kind: str, split: str) -> Records:
    task = kind_of(kind)
    return task.read(_sample_file(kind, split), None, *task.sample_columns)


def _sample_file(kind: str, split: str) -> Path:
    (path,) = SAMPLES.glob(f"{kind_of(kind).sample}_{split}.*")
    return path


def look_at_hub(name: str, kind: str) -> DataLook:
    """What is known of a public data set before it is downloaded.

    Raises:
        InputError: it is none of those that are known here, or of the other kind.
    """
    check_hub(name, kind)
    return DataLook(title=name, rows=0, test_rows=0)


def check_hub(name: str, kind: str) -> None:
    """Refuse what is not on offer: a request from the network may not name any data set."""
    known = kind_of(kind).hub
    if name not in known:
        raise InputError(
            f"There is no public data set “{name[:40]}” for this here; there is {', '.join(known)}.", field="data"
        )


def write_upload(path: Path, title: str, plan: TrainingPlan, folder: Path) -> int:
    """Write an upload as ``train.jsonl`` and ``test.jsonl``.

    Returns:
        how many rows there are in all.
    """
    _, records = read_upload(path, title, plan)
    for name, rows in zip(("train", "test"), split_rows(records), strict=True):
        lines = (json.dumps(_as_json(row), ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return len(records)


def write_sample(kind: str, folder: Path) -> None:
    """Copy the sample of a kind, so that the run's folder has all it was trained on."""
    for split in ("train", "test"):
        source = _sample_file(kind, split)
        shutil.copyfile(source, folder / f"{split}{source.suffix}")


def _as_json(row: Record) -> dict[str, object]:
    if isinstance(row, LabelledText):
        return {"text": row.text, "label": row.label}
    return {"tokens": list(row.tokens), "tags": list(row.tags)}

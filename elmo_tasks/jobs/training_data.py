"""The data of a training run: an upload, the sample that comes with the program, or a public data set; looked at and written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from elmo_tasks.api import DataLook, TrainingPlan
from elmo_tasks.data.records import LabelledText, content_of
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.jobs.training_rows import Record, Records, count_labels, examples, split_rows
from elmo_tasks.jobs.upload_reading import read_upload
from elmo_tasks.tasks.kind import UploadColumns
from elmo_tasks.tasks.kinds import kind_of

VALIDATION_SHARE = 0.15
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"


def look_at_upload(path: Path, title: str, plan: TrainingPlan, base: Path | None = None) -> DataLook:
    """Read and check an upload as training would.

    Args:
        path: the file.
        title: what it is called.
        plan: how it is read.
        base: folder of the run whose rows it is added to.

    Raises:
        InputError: it cannot be trained on; the text says why, with the line.
    """
    columns, records, train, test = _rows_of(path, title, plan, base)
    labels, counted = count_labels([*train, *test])
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


def _rows_of(
    path: Path, title: str, plan: TrainingPlan, base: Path | None
) -> tuple[UploadColumns, Records, list[Record], list[Record]]:
    """Columns and rows of an upload; rows to train on and to test on, those of the base before it.

    The test rows of the base stay test rows, so that both runs are scored on them.
    """
    old_train, old_test = rows_of_base(plan, base)
    columns, records = read_upload(path, title, plan, [*old_train, *old_test])
    train, test = split_rows(records)
    train = [*old_train, *train]
    learned = {content_of(row) for row in train}
    return columns, records, train, [row for row in (*old_test, *test) if content_of(row) not in learned]


def rows_of_base(plan: TrainingPlan, base: Path | None) -> tuple[list[Record], list[Record]]:
    """What an upload is added to: rows to train on, rows to test on.

    Args:
        plan: of the run.
        base: folder of the run that it names.

    Raises:
        InputError: they cannot be read, or are of another kind.
    """
    if plan.base == "sample":
        return list(_read_sample(plan.kind, "train")), list(_read_sample(plan.kind, "test"))
    if base is None:
        return [], []
    try:
        found = [
            list(kind_of(plan.kind).read(path)) if path.is_file() else []
            for path in (base / "train.jsonl", base / "test.jsonl")
        ]
    except (OSError, DataError):
        raise InputError(
            f"The rows of the run “{base.name}” cannot be read as {kind_of(plan.kind).words.reads}.", field="base"
        ) from None
    return found[0], found[1]


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


def write_upload(path: Path, title: str, plan: TrainingPlan, folder: Path, base: Path | None = None) -> None:
    """Write an upload, and the rows it is added to, as ``train.jsonl`` and ``test.jsonl``; see :func:`look_at_upload`."""
    _, _, train, test = _rows_of(path, title, plan, base)
    for name, rows in (("train", train), ("test", test)):
        lines = (json.dumps(_as_json(row), ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def write_sample(kind: str, folder: Path) -> None:
    """Copy the sample of a kind, so that the run's folder has all it was trained on."""
    for split in ("train", "test"):
        source = _sample_file(kind, split)
        shutil.copyfile(source, folder / f"{split}{source.suffix}")


def _as_json(row: Record) -> dict[str, object]:
    if isinstance(row, LabelledText):
        return {"text": row.text, "label": row.label}
    return {"tokens": list(row.tokens), "tags": list(row.tags)}

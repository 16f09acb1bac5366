"""Reading files that people sent: which format, which columns, and whether they can be trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elmo_tasks.api import TrainingPlan
from elmo_tasks.data.records import LabelledText
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.jobs.training_rows import Record, Records, count_labels
from elmo_tasks.tasks.kind import UploadColumns
from elmo_tasks.tasks.kinds import kind_of

MAX_ROWS, MIN_ROWS, MAX_LABELS = 50_000, 20, 100


def read_upload(
    path: Path, title: str, plan: TrainingPlan, base: Sequence[Record] = ()
) -> tuple[UploadColumns, Records]:
    """Read and check an upload; tags of spans come as BIO.

    Args:
        path: the file.
        title: what the person calls it, for messages.
        plan: which columns to read; what it leaves open is guessed.
        base: rows that the file is added to: together they must be enough.

    Returns:
        which columns were read, and the rows of the file.

    Raises:
        InputError: it cannot be trained on; the text says why, with the line.
    """
    kind = kind_of(plan.kind)
    file_format = kind.uploads.get(path.suffix)
    if file_format is None:
        known = ", ".join(kind.uploads)
        raise InputError(f"“{title}”: {kind.words.reads} are read from files whose names end in {known}.", field="file")
    try:
        columns, records = kind.read_upload(path, file_format, plan.text_column, plan.label_column, plan.header)
        _check_rows([*base, *records], title)
    except DataError as error:
        raise InputError(str(error).replace(str(path), title), field="file") from None
    return columns, records


def _check_rows(records: Sequence[Record], title: str) -> None:
    what = "texts" if records and isinstance(records[0], LabelledText) else "sentences"
    if len(records) > MAX_ROWS:
        raise DataError(f"{title}: {len(records):,} {what}; the most is {MAX_ROWS:,}. Send a part of them")
    if len(records) < MIN_ROWS:
        raise DataError(
            f"{title}: {len(records)} {what}; training needs {MIN_ROWS} or more, and a few hundred for a useful result"
        )
    labels, counted = count_labels(records)
    if len(labels) < (1 if counted == "names" else 2):
        found = f"only “{labels[0][0][:40]}”" if labels else "none"
        raise DataError(f"{title}: expected two labels or more, found {found}. Is it the right column?")
    if len(labels) > MAX_LABELS:
        raise DataError(
            f"{title}: {len(labels):,} different labels; the most is {MAX_LABELS}. Is the column of the labels the right one?"
        )

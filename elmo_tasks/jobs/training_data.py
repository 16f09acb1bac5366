"""The data of a training run, an upload, the sample or a public data set: read, checked, looked at, split and written."""

from __future__ import annotations

import json
import random
import shutil
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elmo_tasks.api import DataLook, TrainingPlan
from elmo_tasks.data.records import LabelledText, TaggedSentence, content_of
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.tasks.kind import UploadColumns
from elmo_tasks.tasks.kinds import kind_of
from elmo_tasks.tasks.tagging import SPAN_TAG, is_spans
from elmo_tasks.text.tag_schemes import spans_of

TEST_SHARE, VALIDATION_SHARE = 0.15, 0.15
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
_EXAMPLES, _EXAMPLE_LETTERS, _EXAMPLE_WORDS = 4, 220, 24
MAX_ROWS, MIN_ROWS, MAX_LABELS = 50_000, 20, 100
#: Seconds to begin and to score; measured as :class:`elmo_tasks.tasks.kind.Cost` was.
START = 14.0
_HUB_ROWS, _RECENT = 6_000, 5

Record = LabelledText | TaggedSentence
Records = Sequence[Record]


def count_labels(records: Sequence[Record]) -> tuple[tuple[tuple[str, int], ...], str]:
    """Each class, type of name or tag with how often it comes, the most frequent first; and what was counted."""
    counts: Counter[str] = Counter()
    texts = [row for row in records if isinstance(row, LabelledText)]
    tagged = [row for row in records if isinstance(row, TaggedSentence)]
    counts.update(row.label for row in texts)
    spans = bool(tagged) and is_spans(tagged)
    for row in tagged:
        counts.update([span.type for span in spans_of(row.tags, "BIO")] if spans else row.tags)
    counted = "texts" if texts else "names" if spans else "words"
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))), counted


def split_rows(records: Sequence[Record], seed: int = 1) -> tuple[list[Record], list[Record]]:
    """Rows to train on and rows to test on; no label is in the test rows only, and no text or sentence in both."""
    order = list(range(len(records)))
    random.Random(seed).shuffle(order)
    groups: dict[str, list[int]] = defaultdict(list)
    for k in order:
        row = records[k]
        groups[row.label if isinstance(row, LabelledText) else ""].append(k)
    test = {k for rows in groups.values() for k in rows[: round(len(rows) * TEST_SHARE)]}
    known = {label for k, row in enumerate(records) if k not in test for label in _labels_of(row)}
    test = {k for k in test if _labels_of(records[k]) <= known}
    learned = {content_of(row) for k, row in enumerate(records) if k not in test}
    test = {k for k in test if content_of(records[k]) not in learned}
    return [row for k, row in enumerate(records) if k not in test], [records[k] for k in sorted(test)]


def _labels_of(row: Record) -> set[str]:
    if isinstance(row, LabelledText):
        return {row.label}
    # The type is what counts: a head has all tags of a type, whichever of them came.
    return {tag.partition("-")[2] if SPAN_TAG.fullmatch(tag) else tag for tag in row.tags}


def examples(records: Sequence[Record]) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The first rows, cut to what fits on a screen: ``(texts or words, labels or tags)``."""
    shown: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for row in records[:_EXAMPLES]:
        if isinstance(row, LabelledText):
            text = row.text if len(row.text) <= _EXAMPLE_LETTERS else f"{row.text[:_EXAMPLE_LETTERS]}…"
            shown.append(((text,), (row.label,)))
        else:
            shown.append((row.tokens[:_EXAMPLE_WORDS], row.tags[:_EXAMPLE_WORDS]))
    return tuple(shown)


def read_upload(
    path: Path, title: str, plan: TrainingPlan, base: Sequence[Record] = ()
) -> tuple[UploadColumns, Records]:
    """Read and check an upload: which columns were read, and its rows; tags of spans come as BIO.

    Args:
        path: the file.
        title: what the person calls it, for messages.
        plan: which columns to read; what it leaves open is guessed.
        base: rows that the file is added to: together they must be enough.

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


def look_at_upload(path: Path, title: str, plan: TrainingPlan, base: Path | None = None) -> DataLook:
    """Read and check an upload as training would, with the rows of the run in the folder ``base`` if it is added to one.

    Raises:
        InputError: it cannot be trained on; the text says why, with the line.
    """
    columns, records, train, test = _rows_of(path, title, plan, base)
    found = _look(title, train, test, records)
    return replace(
        found,
        columns=columns.names,
        text_column=columns.text,
        label_column=columns.label,
        header=columns.header,
        read_as=columns.said,
    )


def _look(title: str, train: Records, test: Records, shown: Records) -> DataLook:
    labels, counted = count_labels([*train, *test])
    return DataLook(title, len(train), len(test), labels, counted, examples=examples(shown))


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
    """What an upload is added to, in a run's folder or the sample: rows to train on, rows to test on.

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
    return _look("the sample that comes with the program", train, test, train)


def _read_sample(kind: str, split: str) -> Records:
    task = kind_of(kind)
    return task.read(_sample_file(kind, split), None, *task.sample_columns)


def _sample_file(kind: str, split: str) -> Path:
    (path,) = SAMPLES.glob(f"{kind_of(kind).sample}_{split}.*")
    return path


def look_at_hub(name: str, kind: str) -> DataLook:
    """What is known of a public data set before it is downloaded: a request from the network may not name any.

    Raises:
        InputError: it is none of those that are known here, or of the other kind.
    """
    known = kind_of(kind).hub
    if name not in known:
        raise InputError(
            f"There is no public data set “{name[:40]}” for this here; there is {', '.join(known)}.", field="data"
        )
    return DataLook(title=name, rows=0, test_rows=0)


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


def estimate(look: DataLook, kind: str, factor: float = 1.0) -> DataLook:
    """The look with its times, which :func:`pace` corrects by a factor."""
    rows, cost = look.rows or _HUB_ROWS, kind_of(kind).cost
    return replace(
        look,
        seconds=round(factor * (START + cost.read * (rows + look.test_rows)), 1),
        seconds_per_epoch=round(factor * cost.epoch * rows, 3),
    )


def pace(earlier: Sequence[dict[str, Any]]) -> float:
    """How much longer the last finished of earlier runs took than their size alone says, within reason."""
    done = sorted((s for s in earlier if s.get("status") == "done"), key=lambda s: -float(s["created"]))[:_RECENT]
    ratios = [
        (s["ended"] - s["started"]) / (s["estimate"] / s.get("pace", 1.0))
        for s in done
        if s.get("estimate") and s.get("ended") and s.get("started")
    ]
    return min(8.0, max(0.2, statistics.median(ratios))) if ratios else 1.0

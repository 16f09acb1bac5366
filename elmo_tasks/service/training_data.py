"""Uploads and examples to train on: stored, read, checked, previewed and split."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.api import DatasetPreview, TrainingPlan
from elmo_tasks.data.records import LabelledText, TaggedSentence, content_of
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.files import atomic_write
from elmo_tasks.tasks import TASKS, find_task
from elmo_tasks.tasks.tagging import SPAN_TAG, is_spans
from elmo_tasks.tasks.task import Record, UploadColumns
from elmo_tasks.text.tag_schemes import spans_of

TEST_SHARE = 0.15
VALIDATION_SHARE = 0.15
MAX_UPLOAD = 20_000_000
MAX_ROWS = 50_000
MIN_ROWS = 20
MAX_LABELS = 100
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
_SHOWN_ROWS = 4
_SHOWN_CHARACTERS = 220
_SHOWN_WORDS = 24
_MAX_UPLOADS = 10
_MAX_AGE = 24 * 3600
_ENDINGS = sorted({ending for kind in TASKS.values() for ending in kind.uploads})
_ID = re.compile(r"[0-9a-f]{20}")

Records = Sequence[Record]


def store_upload(folder: Path, name: str, content: bytes) -> str:
    """Store an uploaded file for a day, remove old ones, and return its id.

    The checksum names its folder: a file name from the network is never a path.
    """
    last = re.split(r"[\\/]", name)[-1]
    title = "".join(c for c in last if c.isprintable()).strip()[-80:] or "unnamed"
    ending = Path(title).suffix.lower()
    problem = ""
    if ending not in _ENDINGS:
        problem = f"cannot be read: send a file whose name ends in {', '.join(_ENDINGS)}"
    elif len(content) > MAX_UPLOAD:
        problem = f"has {len(content) / 1e6:.1f} MB; the most is {MAX_UPLOAD / 1e6:.0f} MB"
    elif not content:
        problem = "is empty: choose a file with rows"
    if problem:
        raise InputError(f"“{title}” {problem}.", field="file")
    key = hashlib.sha256(content + b"\0" + title.encode()).hexdigest()[:20]
    (folder / key).mkdir(parents=True, exist_ok=True)
    atomic_write(folder / key / "title.txt", title)
    atomic_write(folder / key / f"data{ending}", content)
    newest_first = sorted(folder.iterdir(), key=lambda path: -path.stat().st_mtime)
    for place, path in enumerate(newest_first):
        if path.name != key and (
            place >= _MAX_UPLOADS or time.time() - path.stat().st_mtime > _MAX_AGE
        ):
            shutil.rmtree(path, ignore_errors=True)
    return key


def find_upload(folder: Path, key: str) -> tuple[Path, str]:
    """Return the path and the title of an upload."""
    paths = list((folder / key).glob("data.*")) if _ID.fullmatch(key) else []
    if not paths:
        raise InputError("The file was removed. Choose it again.", field="file")
    return paths[0], (folder / key / "title.txt").read_text(encoding="utf-8")


def read_examples(path: Path, kind: str) -> Records:
    """Read a file of examples: ``label: text`` lines, or sentences with marked spans."""
    task = find_task(kind)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    if task.one_label:
        rows = []
        for number, line in enumerate(lines, 1):
            label, _, text = (part.strip() for part in line.partition(":"))
            if label and text:
                rows.append(LabelledText(text, label, number))
            elif line.strip():
                expected = (
                    "expected a label, a colon and a text, such as “praise: They mended it at"
                    " once.”"
                )
                raise InputError(f"Your examples, line {number}: {expected}", field="examples")
        return rows
    try:
        return task.read_upload(path, "marked", None, None, None)[1] if any(lines) else []
    except DataError as error:
        raise InputError(str(error).replace(str(path), "Your examples"), field="examples") from None


def count_labels(records: Records) -> tuple[tuple[tuple[str, int], ...], str]:
    """Count classes, entity types or tags, most frequent first; return the unit as well."""
    texts = [row.label for row in records if isinstance(row, LabelledText)]
    tagged = [row for row in records if isinstance(row, TaggedSentence)]
    counts = Counter(texts)
    unit = "texts" if texts else "words"
    if tagged and is_spans(tagged):
        unit = "names"
    for row in tagged:
        counts.update(
            [span.type for span in spans_of(row.tags, "BIO")] if unit == "names" else row.tags
        )
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))), unit


def split_rows(records: Records, seed: int = 1) -> tuple[list[Record], list[Record]]:
    """Split rows so that no label occurs only in the test rows, and no text in both."""
    order = random.Random(seed).sample(range(len(records)), len(records))
    strata: dict[str, list[int]] = {}
    for k in order:
        row = records[k]
        strata.setdefault(row.label if isinstance(row, LabelledText) else "", []).append(k)
    test = {k for rows in strata.values() for k in rows[: round(len(rows) * TEST_SHARE)]}
    learned_labels = {
        label for k, row in enumerate(records) if k not in test for label in _labels_of(row)
    }
    test = {k for k in test if _labels_of(records[k]) <= learned_labels}
    learned = {content_of(row) for k, row in enumerate(records) if k not in test}
    test = {k for k in test if content_of(records[k]) not in learned}
    return [row for k, row in enumerate(records) if k not in test], [
        records[k] for k in sorted(test)
    ]


def _labels_of(row: Record) -> set[str]:
    if isinstance(row, LabelledText):
        return {row.label}
    # Compare types: a head has all tags of a type, whichever of them occur.
    return {tag.partition("-")[2] if SPAN_TAG.fullmatch(tag) else tag for tag in row.tags}


def _shown(row: Record) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Shorten a row: ``(texts or words, labels or tags)``."""
    if isinstance(row, LabelledText):
        text = (
            row.text if len(row.text) <= _SHOWN_CHARACTERS else f"{row.text[:_SHOWN_CHARACTERS]}…"
        )
        return (text,), (row.label,)
    return row.tokens[:_SHOWN_WORDS], row.tags[:_SHOWN_WORDS]


@dataclass(frozen=True)
class Dataset:
    """The rows of a plan, with their title."""

    title: str
    train: Records
    test: Records
    columns: UploadColumns | None = None
    origin: str = ""  #: origin of the rows, for the head's card

    def preview(self) -> DatasetPreview:
        """Describe the rows for the screen."""
        columns = self.columns or UploadColumns(names=(), text="", label="", header=None)
        labels, counted = count_labels([*self.train, *self.test])
        return DatasetPreview(
            title=self.title,
            rows=len(self.train),
            test_rows=len(self.test),
            labels=labels,
            counted=counted,
            columns=columns.names,
            text_column=columns.text or None,
            label_column=columns.label or None,
            header=columns.header,
            examples=tuple(map(_shown, self.train[:_SHOWN_ROWS])),
            read_as=columns.description,
        )

    def write(self, folder: Path) -> None:
        """Write ``train.jsonl`` and ``test.jsonl``."""
        for name, rows in (("train", self.train), ("test", self.test)):
            names = (
                ("text", "label")
                if rows and isinstance(rows[0], LabelledText)
                else ("tokens", "tags")
            )
            with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
                for row in rows:
                    content = {field: getattr(row, field) for field in names}
                    file.write(json.dumps(content, ensure_ascii=False) + "\n")


def load_dataset(plan: TrainingPlan, uploads: Path, examples: Path) -> Dataset:
    """Read, check and split the local data of a plan; tags of spans become BIO."""
    added = (
        read_examples(examples, plan.kind)
        if plan.with_examples or plan.source == "examples"
        else []
    )
    suffix = " and your examples" if added else ""
    if plan.source == "sample":
        task = find_task(plan.kind)
        paths = [next(SAMPLES.glob(f"{task.sample}_{split}.*")) for split in ("train", "test")]
        train, test = (task.read(path, None, *task.sample_columns) for path in paths)
        tested = {content_of(row) for row in test}
        train = [*train, *(row for row in added if content_of(row) not in tested)]
        title = f"the sample that comes with the program{suffix}"
        return Dataset(title, train, test, origin=f"the sample{suffix}")
    if plan.source == "examples":
        _check_rows(added, "Your examples", "examples")
        train, test = split_rows(added)
        return Dataset("your examples", train, test, origin="typed here")
    path, title = find_upload(uploads, plan.data)
    columns, rows = _read_upload(path, title, plan)
    _check_rows([*rows, *added], title, "file")
    train, test = split_rows([*rows, *added])
    return Dataset(
        title=title, train=train, test=test, columns=columns, origin=f"your file{suffix}"
    )


def _read_upload(path: Path, title: str, plan: TrainingPlan) -> tuple[UploadColumns, Records]:
    kind = find_task(plan.kind)
    if path.suffix not in kind.uploads:
        endings = (
            f"{kind.words.training_rows} are read from files whose names end in"
            f" {', '.join(kind.uploads)}"
        )
        raise InputError(f"“{title}”: {endings}.", field="file")
    try:
        form = kind.uploads[path.suffix]
        return kind.read_upload(path, form, plan.text_column, plan.label_column, plan.header)
    except DataError as error:
        raise InputError(str(error).replace(str(path), title), field="file") from None


def _check_rows(records: Records, title: str, field: str) -> None:
    n = len(records)
    unit = "texts" if records and isinstance(records[0], LabelledText) else "sentences"
    labels, counted = count_labels(records)
    problem = ""
    if n > MAX_ROWS:
        problem = f"{n:,} {unit}; the most is {MAX_ROWS:,}. Send a part of them"
    elif n < MIN_ROWS:
        problem = (
            f"{n} {unit}; training needs {MIN_ROWS} or more, and a few hundred for a useful result"
        )
    elif len(labels) < (1 if counted == "names" else 2):
        only = f"only “{labels[0][0][:40]}”" if labels else "none"
        problem = f"expected two labels or more, found {only}. Is it the right column?"
    elif len(labels) > MAX_LABELS:
        problem = (
            f"{len(labels):,} different labels; the most is {MAX_LABELS}. Is it the right column?"
        )
    if problem:
        raise InputError(f"{title}: {problem}", field=field)

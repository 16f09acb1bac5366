"""Training data: store uploads and examples; read, check, preview and split rows."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elmo_tasks.api import DatasetPreview, TrainingPlan
from elmo_tasks.data.records import LabelledText, TaggedSentence, content_of
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.files import atomic_write, is_unfinished, unfinished_folder
from elmo_tasks.tasks import TASKS, find_task
from elmo_tasks.tasks.tagging import SPAN_TAG, is_spans
from elmo_tasks.tasks.task import UploadColumns
from elmo_tasks.text.tag_schemes import spans_of

TEST_SHARE, VALIDATION_SHARE = 0.15, 0.15
MAX_UPLOAD = 20_000_000
MAX_ROWS, MIN_ROWS, MAX_LABELS = 50_000, 20, 100
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
#: Seconds to start and to score, measured like :class:`elmo_tasks.tasks.task.Cost`.
START = 14.0
_HUB_ROWS, _RECENT = 6_000, 5
_SHOWN_ROWS, _SHOWN_CHARACTERS, _SHOWN_WORDS = 4, 220, 24
_KEPT_UPLOADS, _KEPT_SECONDS = 10, 24 * 3600
_ENDINGS = sorted({ending for kind in TASKS.values() for ending in kind.uploads})
_ID = re.compile(r"[0-9a-f]{20}")

Record = LabelledText | TaggedSentence
Records = Sequence[Record]


class Uploads:
    """Uploaded files, kept for a day in a folder each.

    The checksum names the folder: a file name from the network is never a path.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def store(self, name: str, content: bytes) -> str:
        """Store a file, remove old ones, and return its id.

        Raises:
            InputError: the file is too large, empty, or of an unknown type.
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
            problem = "is empty"
        if problem:
            raise InputError(f"“{title}” {problem}.", field="file")
        key = hashlib.sha256(content + b"\0" + title.encode()).hexdigest()[:20]
        target = self.folder / key
        if not target.is_dir():
            with unfinished_folder(target) as partial:
                (partial / f"data{ending}").write_bytes(content)
                (partial / "title.txt").write_text(title, encoding="utf-8")
                try:
                    partial.rename(target)
                except OSError:
                    if not target.is_dir():  # another request stored the same file meanwhile
                        raise
        target.touch()
        self._remove_old(target)
        return key

    def find(self, key: str) -> tuple[Path, str]:
        """Return the path and the title of an upload.

        Raises:
            InputError: there is none (any more).
        """
        folder = self.folder / key if _ID.fullmatch(key) else None
        if folder is None or not folder.is_dir():
            raise InputError("The file is not here any more. Choose it again.", field="file")
        (path,) = folder.glob("data.*")
        return path, (folder / "title.txt").read_text(encoding="utf-8")

    def _remove_old(self, newest: Path) -> None:
        def age(path: Path) -> float:
            try:
                return time.time() - path.stat().st_mtime
            except OSError:
                return 0.0

        kept = sorted((p for p in self.folder.iterdir() if p.is_dir() and not is_unfinished(p)), key=age)
        for place, path in enumerate(kept):
            if path != newest and (place >= _KEPT_UPLOADS or age(path) > _KEPT_SECONDS):
                shutil.rmtree(path, ignore_errors=True)


class Examples:
    """Examples from Train or Try: one file for each kind of task, an example a line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, kind: str) -> Path:
        """Return the file of a kind: ``label: text`` lines, or sentences with marked spans."""
        return self.folder / f"{find_task(kind).name}.marked"

    def text(self, kind: str) -> str:
        """Return the examples of a kind as text, empty if there are none."""
        try:
            return self.path(kind).read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def store(self, kind: str, text: str) -> None:
        """Replace the examples of a kind.

        Raises:
            InputError: they are too long.
        """
        content = text.encode("utf-8", errors="replace")
        if len(content) > MAX_UPLOAD:
            raise InputError(f"At most {MAX_UPLOAD / 1e6:.0f} MB can be typed here; send a file.", field="examples")
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic_write(self.path(kind), content)

    def add(self, kind: str, line: str) -> int:
        """Add one line unless it exists; return the number of lines."""
        lines = [old for old in self.text(kind).splitlines() if old.strip()]
        line = " ".join(line.split())
        if line and line not in lines:
            lines.append(line)
            self.store(kind, "\n".join(lines) + "\n")
        return len(lines)

    def read(self, kind: str) -> list[Record]:
        """Return the examples as rows.

        Raises:
            InputError: a line is not an example; the message names it.
        """
        task = find_task(kind)
        if not self.text(kind).strip():
            return []
        if task.one_label:
            return [_labelled_line(n, line) for n, line in enumerate(self.text(kind).splitlines(), 1) if line.strip()]
        try:
            return list(task.read_upload(self.path(kind), "marked", None, None, None)[1])
        except DataError as error:
            text = str(error).replace(str(self.path(kind)), "Your examples")
            raise InputError(text, field="examples") from None


def _labelled_line(number: int, line: str) -> LabelledText:
    label, colon, text = (part.strip() for part in line.partition(":"))
    if not (label and colon and text):
        raise InputError(
            f"Your examples, line {number}: expected a label, a colon and a text, such as “praise: They mended it at once.”",
            field="examples",
        )
    return LabelledText(text, label, number)


def count_labels(records: Sequence[Record]) -> tuple[tuple[tuple[str, int], ...], str]:
    """Count classes, entity types or tags, most frequent first; return the unit as well."""
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
    """Split rows into training and test rows.

    No label occurs only in the test rows, and no text in both.
    """
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
    # Compare types: a head has all tags of a type, whichever of them occur.
    return {tag.partition("-")[2] if SPAN_TAG.fullmatch(tag) else tag for tag in row.tags}


def _first_rows(records: Sequence[Record]) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Return the first rows, shortened: ``(texts or words, labels or tags)``."""
    shown: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for row in records[:_SHOWN_ROWS]:
        if isinstance(row, LabelledText):
            text = row.text if len(row.text) <= _SHOWN_CHARACTERS else f"{row.text[:_SHOWN_CHARACTERS]}…"
            shown.append(((text,), (row.label,)))
        else:
            shown.append((row.tokens[:_SHOWN_WORDS], row.tags[:_SHOWN_WORDS]))
    return tuple(shown)


@dataclass(frozen=True)
class Dataset:
    """The rows of a plan, with their title."""

    title: str
    train: Sequence[Record]
    test: Sequence[Record]
    columns: UploadColumns | None = None
    origin: str = ""  #: origin of the rows, for the head's card

    def preview(self) -> DatasetPreview:
        """Describe the rows for the screen."""
        labels, counted = count_labels([*self.train, *self.test])
        rows = _first_rows(self.train)
        found = DatasetPreview(self.title, len(self.train), len(self.test), labels, counted, examples=rows)
        if (columns := self.columns) is None:
            return found
        return replace(
            found,
            columns=columns.names,
            text_column=columns.text,
            label_column=columns.label,
            header=columns.header,
            read_as=columns.description,
        )

    def write(self, folder: Path) -> None:
        """Write ``train.jsonl`` and ``test.jsonl``."""
        for name, rows in (("train", self.train), ("test", self.test)):
            lines = (json.dumps(_as_json(row), ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def load_dataset(plan: TrainingPlan, uploads: Uploads, examples: Examples) -> Dataset:
    """Read, check and split the data of a plan; tags of spans come as BIO.

    Raises:
        InputError: nothing can be trained on them; the message says why, with the line.
    """
    added = examples.read(plan.kind) if plan.with_examples or plan.source == "examples" else []
    if plan.source == "sample":
        train, test = (_read_sample(plan.kind, split) for split in ("train", "test"))
        title, origin = "the sample that comes with the program", "the sample"
        known = {content_of(row) for row in test}
        train = [*train, *(row for row in added if content_of(row) not in known)]
        return Dataset(_with(title, added), train, test, origin=_with(origin, added))
    try:
        if plan.source == "examples":
            _check_rows(added, "Your examples")
            return Dataset("your examples", *split_rows(added), origin="typed here")
        path, title = uploads.find(plan.data)
        columns, rows = _read_upload(path, title, plan)
        _check_rows([*rows, *added], title)
    except DataError as error:
        field = "examples" if plan.source == "examples" else "file"
        raise InputError(str(error), field=field) from None
    train, test = split_rows([*rows, *added])
    return Dataset(title, train, test, columns, _with("your file", added))


def _with(name: str, added: Sequence[Record]) -> str:
    return f"{name} and your examples" if added else name


def _read_upload(path: Path, title: str, plan: TrainingPlan) -> tuple[UploadColumns, Records]:
    kind = find_task(plan.kind)
    file_format = kind.uploads.get(path.suffix)
    if file_format is None:
        known = ", ".join(kind.uploads)
        raise DataError(f"“{title}”: {kind.words.training_rows} are read from files whose names end in {known}.")
    try:
        return kind.read_upload(path, file_format, plan.text_column, plan.label_column, plan.header)
    except DataError as error:
        raise DataError(str(error).replace(str(path), title)) from None


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


def _read_sample(kind: str, split: str) -> Records:
    task = find_task(kind)
    (path,) = SAMPLES.glob(f"{task.sample}_{split}.*")
    return task.read(path, None, *task.sample_columns)


def preview_hub(name: str, kind: str) -> DatasetPreview:
    """Describe a public data set before its download.

    The name must be one of those listed here.

    Raises:
        InputError: it is not listed, or of the other kind.
    """
    known = find_task(kind).hub
    if name not in known:
        raise InputError(
            f"There is no public data set “{name[:40]}” for this here; there is {', '.join(known)}.", field="data"
        )
    return DatasetPreview(title=name, rows=0, test_rows=0)


def _as_json(row: Record) -> dict[str, object]:
    if isinstance(row, LabelledText):
        return {"text": row.text, "label": row.label}
    return {"tokens": list(row.tokens), "tags": list(row.tags)}


def estimate(preview: DatasetPreview, kind: str, factor: float = 1.0) -> DatasetPreview:
    """Add the estimated times, corrected by the factor of :func:`pace`."""
    rows, cost = preview.rows or _HUB_ROWS, find_task(kind).cost
    return replace(
        preview,
        seconds=round(factor * (START + cost.read * (rows + preview.test_rows)), 1),
        seconds_per_epoch=round(factor * cost.epoch * rows, 3),
    )


def pace(earlier: Sequence[dict[str, Any]]) -> float:
    """Return the median ratio of measured to estimated time over recent runs, clipped."""
    done = sorted((s for s in earlier if s.get("status") == "done"), key=lambda s: -float(s["created"]))[:_RECENT]
    ratios = [
        (s["ended"] - s["started"]) / (s["estimate"] / s.get("pace", 1.0))
        for s in done
        if s.get("estimate") and s.get("ended") and s.get("started")
    ]
    return min(8.0, max(0.2, statistics.median(ratios))) if ratios else 1.0

"""The data of a training run: uploads that are kept and checked, the samples that come with the program, public data sets."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from elmo_tasks.api import DataLook, TrainingPlan
from elmo_tasks.data.classification_readers import TextColumns, read_labelled, table_rows
from elmo_tasks.data.column_guess import TEXT_NAMES, column_names, guess_shape
from elmo_tasks.data.records import LabelledText, TaggedSentence
from elmo_tasks.data.tables import HUB_DATA_SETS, json_rows
from elmo_tasks.data.tagging_readers import read_tagged
from elmo_tasks.data.text_lines import RowErrors, numbered_lines
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.text.tag_schemes import Scheme, check_tags, convert, detect_scheme, spans_of
from elmo_tasks.text.tokens import tokenize

MAX_UPLOAD, MAX_ROWS, MIN_ROWS, MAX_LABELS = 20_000_000, 50_000, 20, 100
VALIDATION_SHARE, TEST_SHARE = 0.15, 0.15
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
SAMPLE_OF = {"classification": "sentiment_sample", "tagging": "ner_sample"}
#: Endings of files that may be uploaded, and how each kind of task reads them.
FORMATS = {
    "classification": {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".json": "jsonl"},
    "tagging": {
        ".conll": "columns",
        ".txt": "columns",
        ".tsv": "columns",
        ".iob": "columns",
        ".bio": "columns",
        ".conllu": "conllu",
        ".jsonl": "jsonl",
        ".json": "jsonl",
    },
}
_ENDINGS = sorted({ending for formats in FORMATS.values() for ending in formats})
_CONLLU_TAGS = ("upos", "xpos", "deprel")
_ID = re.compile(r"[0-9a-f]{20}")
_SPAN_TAG = re.compile(r"O|[BIESLU]-.+")
_KEPT_UPLOADS, _KEPT_SECONDS = 10, 24 * 3600
_EXAMPLES, _EXAMPLE_LETTERS, _EXAMPLE_WORDS = 4, 220, 24

Record = LabelledText | TaggedSentence
Records = Sequence[Record]


@dataclass(frozen=True)
class Columns:
    """Which columns of an upload are read, by the names that a person sees."""

    names: tuple[str, ...]
    text: str
    label: str
    header: bool | None


class Uploads:
    """Files that people sent, each in a folder named by its checksum; a name they sent is never a path.

    Args:
        folder: where to keep them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, name: str, content: bytes) -> str:
        """Keep a file, and forget old ones.

        Returns:
            its id.

        Raises:
            InputError: it is too large, empty, or not of a kind that is read.
        """
        title = _safe_title(name)
        ending = Path(title).suffix.lower()
        if ending not in _ENDINGS:
            raise InputError(
                f"“{title}” cannot be read: send a file whose name ends in {', '.join(_ENDINGS)}.", field="file"
            )
        if len(content) > MAX_UPLOAD:
            raise InputError(
                f"“{title}” has {len(content) / 1e6:.1f} MB; the most is {MAX_UPLOAD / 1e6:.0f} MB.", field="file"
            )
        if not content:
            raise InputError(f"“{title}” is empty.", field="file")
        key = hashlib.sha256(content + b"\0" + title.encode()).hexdigest()[:20]
        target = self.folder / key
        if not target.is_dir():
            self.folder.mkdir(parents=True, exist_ok=True)
            partial = Path(tempfile.mkdtemp(prefix=".", dir=self.folder))
            try:
                (partial / f"data{ending}").write_bytes(content)
                (partial / "title.txt").write_text(title, encoding="utf-8")
                partial.rename(target)
            except OSError:
                if not target.is_dir():  # another request kept the same file meanwhile
                    raise
            finally:
                shutil.rmtree(partial, ignore_errors=True)
        target.touch()
        self._forget_old(target)
        return key

    def find(self, key: str) -> tuple[Path, str]:
        """The file of an id, and what it is called.

        Raises:
            InputError: there is none (any more).
        """
        folder = self.folder / key if _ID.fullmatch(key) else None
        if folder is None or not folder.is_dir():
            raise InputError("The file is not here any more. Choose it again.", field="file")
        (path,) = folder.glob("data.*")
        return path, (folder / "title.txt").read_text(encoding="utf-8")

    def _forget_old(self, newest: Path) -> None:
        def age(path: Path) -> float:
            try:
                return time.time() - path.stat().st_mtime
            except OSError:
                return 0.0

        kept = sorted((p for p in self.folder.iterdir() if p.is_dir()), key=age)
        for place, path in enumerate(kept):
            if path != newest and (place >= _KEPT_UPLOADS or age(path) > _KEPT_SECONDS):
                shutil.rmtree(path, ignore_errors=True)


def _safe_title(name: str) -> str:
    """The last part of what was sent as a name, in printable characters: for reading only."""
    last = re.split(r"[\\/]", name)[-1]
    return "".join(c for c in last if c.isprintable()).strip()[-80:] or "unnamed"


def look_at_upload(path: Path, title: str, plan: TrainingPlan) -> DataLook:
    """Read and check an upload as training would.

    Raises:
        InputError: it cannot be trained on; the text says why, with the line.
    """
    columns, records = _read(path, title, plan)
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
        examples=_examples(records),
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
        examples=_examples(train),
    )


def _read_sample(kind: str, split: str) -> Records:
    if kind == "tagging":
        return read_tagged(SAMPLES / f"ner_sample_{split}.conll")
    return read_labelled(SAMPLES / f"sentiment_sample_{split}.tsv", columns=TextColumns(text=1, label=0))


def look_at_hub(name: str, kind: str) -> DataLook:
    """What is known of a public data set before it is downloaded.

    Raises:
        InputError: it is none of those that are known here, or of the other kind.
    """
    check_hub(name, kind)
    return DataLook(title=name, rows=0, test_rows=0)


def check_hub(name: str, kind: str) -> None:
    """Refuse what is not on offer: a request from the network may not name any data set."""
    known = [key for key, other in hub_kinds().items() if other == kind]
    if name not in known:
        raise InputError(
            f"There is no public data set “{name[:40]}” for this here; there is {', '.join(known)}.", field="data"
        )


def hub_kinds() -> dict[str, str]:
    """The public data sets with the kind of task that each is for."""
    return {
        name: "tagging" if columns[0] == "tokens" else "classification" for name, (_, *columns) in HUB_DATA_SETS.items()
    }


def write_upload(path: Path, title: str, plan: TrainingPlan, folder: Path) -> int:
    """Write an upload as ``train.jsonl`` and ``test.jsonl``.

    Returns:
        how many rows there are in all.
    """
    _, records = _read(path, title, plan)
    for name, rows in zip(("train", "test"), split_rows(records), strict=True):
        lines = (json.dumps(_as_json(row), ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return len(records)


def write_sample(kind: str, folder: Path) -> None:
    """Copy the sample of a kind, so that the run's folder has all it was trained on."""
    for split in ("train", "test"):
        (source,) = SAMPLES.glob(f"{SAMPLE_OF[kind]}_{split}.*")
        shutil.copyfile(source, folder / f"{split}{source.suffix}")


def _as_json(row: Record) -> dict[str, object]:
    if isinstance(row, LabelledText):
        return {"text": row.text, "label": row.label}
    return {"tokens": list(row.tokens), "tags": list(row.tags)}


def _read(path: Path, title: str, plan: TrainingPlan) -> tuple[Columns, Records]:
    """An upload's rows, tags of spans as BIO; messages name the file as the person knows it."""
    file_format = FORMATS[plan.kind].get(path.suffix)
    if file_format is None:
        known = ", ".join(FORMATS[plan.kind])
        what = "labelled texts" if plan.kind == "classification" else "tagged words"
        raise InputError(f"“{title}”: {what} are read from files whose names end in {known}.", field="file")
    try:
        columns, records = (
            _read_texts(path, file_format, plan)
            if plan.kind == "classification"
            else _read_tags(path, file_format, plan)
        )
        _check_rows(records, title)
    except DataError as error:
        raise InputError(str(error).replace(str(path), title), field="file") from None
    return columns, records


def _read_texts(path: Path, file_format: str, plan: TrainingPlan) -> tuple[Columns, Records]:
    if file_format == "jsonl":
        columns = _json_columns(path, plan)
        return columns, list(read_labelled(path, "jsonl", TextColumns(columns.text, columns.label)))
    table = "csv" if file_format == "csv" else "tsv"
    first = [row for _, row in islice(table_rows(path, table), 200)]  # type: ignore[arg-type]
    if not first:
        raise DataError(f"{path}: the file is empty")
    if len(first[0]) < 2:
        separator = "a comma" if table == "csv" else "a tab"
        raise DataError(
            f"{path}, line 1: expected a text and a label with {separator} between them, found one column only"
        )
    shape = guess_shape(first, plan.header)
    places = {
        "text": _chosen(plan.text_column, shape.columns, shape.text),
        "label": _chosen(plan.label_column, shape.columns, shape.label),
    }
    if places["text"] == places["label"]:
        raise DataError(f"{path}: the texts and the labels cannot be in one and the same column; choose another one")
    records = read_labelled(path, table, TextColumns(**places, header=shape.header))  # type: ignore[arg-type]
    names = shape.columns
    return Columns(names, names[places["text"]], names[places["label"]], shape.header), list(records)


def _read_tags(path: Path, file_format: str, plan: TrainingPlan) -> tuple[Columns, Records]:
    if file_format == "jsonl":
        columns = _json_columns(path, plan)
        return columns, _as_bio(read_tagged(path, "jsonl", columns.text, columns.label), path)
    if file_format == "conllu":
        tag = plan.label_column if plan.label_column in _CONLLU_TAGS else _CONLLU_TAGS[0]
        found = read_tagged(path, "conllu", "form", tag)
        return Columns(_CONLLU_TAGS, "form", tag, None), _as_bio(found, path)
    line = next((text for _, text in numbered_lines(path) if text.strip() and "-DOCSTART-" not in text), "")
    fields = line.split("\t" if "\t" in line else None)
    names = column_names(fields, header=False)
    text_at, label_at = _chosen(plan.text_column, names, 0), _chosen(plan.label_column, names, len(names) - 1)
    found = read_tagged(path, "columns", text_at, label_at)
    return Columns(names, names[text_at], names[label_at], None), _as_bio(found, path)


def _json_columns(path: Path, plan: TrainingPlan) -> Columns:
    """Keys of the first object: words are lists there, texts long strings."""
    # What is wrong with a line is said when the file is read.
    _, first = next(json_rows(path, RowErrors(path)), (0, {}))
    names = tuple(map(str, first))
    wanted = ("tokens", "words") if plan.kind == "tagging" else TEXT_NAMES
    default = wanted[0]
    lists = [name for name in names if isinstance(first[name], list)]
    strings = [name for name in names if isinstance(first[name], str)]
    fitting = lists if plan.kind == "tagging" else sorted(strings, key=lambda name: -len(first[name]))
    text = next((name for name in wanted if name in names), fitting[0] if fitting else default)
    tags = ("tags", "ner_tags", "labels") if plan.kind == "tagging" else ("label", "sentiment", "class", "category")
    rest = [name for name in (fitting if plan.kind == "tagging" else names) if name != text]
    label = next((name for name in tags if name in names), rest[0] if rest else tags[0])
    return Columns(
        names,
        plan.text_column if plan.text_column in names else text,
        plan.label_column if plan.label_column in names else label,
        None,
    )


def _chosen(wanted: str | None, names: Sequence[str], guess: int) -> int:
    return names.index(wanted) if wanted is not None and wanted in names else guess


def _as_bio(found: Sequence[TaggedSentence], path: Path) -> Records:
    """Spans spelled as BIO; tags that are no spans as they are."""
    if not is_spans(found):
        return list(found)
    try:
        scheme: Scheme = detect_scheme(sentence.tags for sentence in found)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    rows = []
    for sentence in found:
        try:
            check_tags(sentence.tags, scheme)
        except DataError as error:
            raise DataError(f"{path}, sentence of line {sentence.line}: {error}") from None
        rows.append(TaggedSentence(sentence.tokens, tuple(convert(sentence.tags, scheme, "BIO")), sentence.line))
    return rows


def is_spans(found: Iterable[TaggedSentence]) -> bool:
    """Whether the tags spell names of several words (``B-PER``), as most of them look like it."""
    tags = Counter(tag for sentence in found for tag in sentence.tags)
    like = sum(number for tag, number in tags.items() if _SPAN_TAG.fullmatch(tag))
    return set(tags) != {"O"} and like > 0.9 * sum(tags.values())


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
    """Rows to train on and rows to test on; no label is in the test rows only.

    Args:
        records: all of them.
        seed: of what is drawn.
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
    return [row for k, row in enumerate(records) if k not in test], [records[k] for k in sorted(test)]


def _labels_of(row: Record) -> set[str]:
    if isinstance(row, LabelledText):
        return {row.label}
    # The type is what counts: a head has all tags of a type, whichever of them came.
    return {tag.partition("-")[2] if _SPAN_TAG.fullmatch(tag) else tag for tag in row.tags}


def _examples(records: Sequence[Record]) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    shown: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for row in records[:_EXAMPLES]:
        if isinstance(row, LabelledText):
            text = row.text if len(row.text) <= _EXAMPLE_LETTERS else f"{row.text[:_EXAMPLE_LETTERS]}…"
            shown.append(((text,), (row.label,)))
        else:
            shown.append((row.tokens[:_EXAMPLE_WORDS], row.tags[:_EXAMPLE_WORDS]))
    return tuple(shown)


def count_tokens(records: Sequence[Record]) -> int:
    """How many words there are to read."""
    return sum(len(row.tokens) if isinstance(row, TaggedSentence) else len(tokenize(row.text)) for row in records)

"""Reading files that people sent: which format, which columns, and whether they can be trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from elmo_tasks.api import TrainingPlan
from elmo_tasks.data.classification_readers import TextColumns, read_labelled, table_rows
from elmo_tasks.data.column_guess import TEXT_NAMES, column_names, guess_shape
from elmo_tasks.data.records import LabelledText, TaggedSentence
from elmo_tasks.data.tables import json_rows
from elmo_tasks.data.tagging_readers import read_tagged
from elmo_tasks.data.text_lines import RowErrors, numbered_lines
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.serving.training_rows import Record, Records, count_labels, is_spans
from elmo_tasks.tasks.kinds import kind_of
from elmo_tasks.text.tag_schemes import Scheme, check_tags, convert, detect_scheme

MAX_ROWS, MIN_ROWS, MAX_LABELS = 50_000, 20, 100
_CONLLU_TAGS = ("upos", "xpos", "deprel")


@dataclass(frozen=True)
class Columns:
    """Which columns of an upload are read, by the names that a person sees."""

    names: tuple[str, ...]
    text: str
    label: str
    header: bool | None


def read_upload(path: Path, title: str, plan: TrainingPlan) -> tuple[Columns, Records]:
    """Read and check an upload; tags of spans come as BIO.

    Args:
        path: the file.
        title: what the person calls it, for messages.
        plan: which columns to read; what it leaves open is guessed.

    Returns:
        which columns were read, and the rows.

    Raises:
        InputError: it cannot be trained on; the text says why, with the line.
    """
    kind = kind_of(plan.kind)
    file_format = kind.uploads.get(path.suffix)
    if file_format is None:
        known = ", ".join(kind.uploads)
        raise InputError(f"“{title}”: {kind.words.reads} are read from files whose names end in {known}.", field="file")
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

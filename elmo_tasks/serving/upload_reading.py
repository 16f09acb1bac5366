"""Reading files that people sent: which format, which columns, and whether they can be trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from elmo_tasks.api import TrainingPlan
from elmo_tasks.data.classification_readers import read_labelled
from elmo_tasks.data.column_guess import column_names, guess_tag_keys
from elmo_tasks.data.records import LabelledText, TaggedSentence
from elmo_tasks.data.table_columns import TextColumns, find_columns
from elmo_tasks.data.tables import Column, json_rows
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
    found = find_columns(path, file_format, TextColumns(header=plan.header))  # type: ignore[arg-type]
    text = _chosen(plan.text_column, found.names, found.name(found.layout.text))
    label = _chosen(plan.label_column, found.names, found.name(found.layout.label))
    if text == label:
        raise DataError(f"{path}: the texts and the labels cannot be in one and the same column; choose another one")
    at = (lambda name: name) if file_format == "jsonl" else found.names.index
    layout = replace(found.layout, text=at(text), label=at(label))
    return Columns(found.names, text, label, layout.header), read_labelled(path, file_format, layout)  # type: ignore[arg-type]


def _read_tags(path: Path, file_format: str, plan: TrainingPlan) -> tuple[Columns, Records]:
    token: Column
    tag: Column
    if file_format == "jsonl":
        # What is wrong with a line is said when the file is read.
        _, first = next(json_rows(path, RowErrors(path)), (0, {}))
        names, (words, tags) = tuple(map(str, first)), guess_tag_keys(first)
        token, tag = words, tags = _chosen(plan.text_column, names, words), _chosen(plan.label_column, names, tags)
    elif file_format == "conllu":
        names, words = _CONLLU_TAGS, "form"
        token, tag = words, tags = words, _chosen(plan.label_column, names, names[0])
    else:
        line = next((text for _, text in numbered_lines(path) if text.strip() and "-DOCSTART-" not in text), "")
        names = column_names(line.split("\t" if "\t" in line else None), header=False)
        words = _chosen(plan.text_column, names, names[0] if names else "")
        tags = _chosen(plan.label_column, names, names[-1] if names else "")
        token, tag = (names.index(words), names.index(tags)) if names else (0, -1)
    return Columns(names, words, tags, None), _as_bio(read_tagged(path, file_format, token, tag), path)  # type: ignore[arg-type]


def _chosen(wanted: str | None, names: Sequence[str], guess: str) -> str:
    return wanted if wanted is not None and wanted in names else guess


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

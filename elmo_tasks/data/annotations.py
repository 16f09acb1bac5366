"""Exports of annotation tools: Label Studio, doccano, Prodigy and spaCy, as plain rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from elmo_tasks.data.column_guess import TEXT_NAMES
from elmo_tasks.data.text_lines import shown
from elmo_tasks.errors import DataError

NumberedRow = tuple[int, dict[str, Any]]
_LEFT_OUT = {
    "reject": "rejected by the annotator",
    "ignore": "ignored by the annotator",
    "cancelled": "cancelled by the annotator",
    "unlabelled": "not annotated",
}


@dataclass
class PlainRows:
    """Rows with the keys ``text`` and ``spans`` or ``label``, or ``tokens`` and ``tags``."""

    rows: list[NumberedRow]
    form: str = ""  #: name of the tool's format; empty for rows of no tool
    left_out: Counter[str] = field(default_factory=Counter)  #: number of rows by reason

    @property
    def remarks(self) -> tuple[str, ...]:
        """Describe the form and what was left out."""
        counts = (
            f"{n:,} rows left out: {_LEFT_OUT[reason]}"
            for reason, n in sorted(self.left_out.items())
        )
        return (*([f"read as {self.form}"] if self.form else ()), *counts)


def plain_rows(rows: Iterable[NumberedRow]) -> PlainRows:
    """Convert rows of annotation tools; other rows stay as they are.

    Raises:
        DataError: a row gives several labels to one text or span.
    """
    numbered = list(rows)
    first = next((row for _, row in numbered if row), {})
    if isinstance(first.get("paragraphs"), list):
        return PlainRows(list(_of_spacy_json(numbered)), "spaCy's training JSON")
    if isinstance(first.get("annotations"), list) and isinstance(first.get("classes"), list):
        pairs = [pair for pair in first["annotations"] if pair is not None]
        return PlainRows(
            list(_of_spacy_pairs(enumerate(pairs, start=1))), "the export of NER Annotator"
        )
    if set(first) == {"column 1", "column 2"} and isinstance(first["column 2"], dict):
        pairs = [(number, list(row.values())) for number, row in numbered]
        return PlainRows(list(_of_spacy_pairs(pairs)), "spaCy's training data")
    if isinstance(first.get("data"), dict) and any(
        key in first for key in ("annotations", "completions")
    ):
        found = PlainRows([], "Label Studio's JSON")
        for number, row in numbered:
            if (plain := _of_label_studio(number, row, found.left_out)) is not None:
                found.rows.append((number, plain))
        return found
    if any(
        "answer" in row and ("spans" in row or "label" in row or "accept" in row)
        for _, row in numbered
    ):
        found = PlainRows([], "Prodigy's JSONL")
        for number, row in numbered:
            answer = str(row.get("answer", "accept"))
            if answer == "accept":
                found.rows.append((number, _of_prodigy(row)))
            else:
                found.left_out[answer if answer in _LEFT_OUT else "ignore"] += 1
        return found
    return PlainRows(numbered)


def one_label(value: Any) -> Any:
    """Return the label of a list that holds one; any other value as it is."""
    if isinstance(value, (list, tuple)):
        if len(value) > 1:
            raise DataError(
                f"expected one label for each text, found several: {shown(list(value))}"
            )
        return one_label(value[0]) if value else None
    return value


def text_in(row: Mapping[str, Any]) -> str | None:
    """Return the key of the text of a row: a usual one, or that of its only string."""
    strings = [key for key, value in row.items() if isinstance(value, str)]
    return next(
        (key for key in TEXT_NAMES if key in strings), strings[0] if len(strings) == 1 else None
    )


def _of_label_studio(
    number: int, row: Mapping[str, Any], left_out: Counter[str]
) -> dict[str, Any] | None:
    """Return the text of a task with its spans or its choice; ``None`` if nobody labelled it."""
    data = row["data"]
    key = text_in(data)
    if key is None:
        raise DataError(
            f"task {number} of Label Studio: expected a text in 'data', found {shown(data)}"
        )
    annotations = row.get("annotations") or row.get("completions") or []
    done = [one for one in annotations if not one.get("was_cancelled")]
    if not done:
        left_out["cancelled" if annotations else "unlabelled"] += 1
        return None
    spans, choices = [], []
    for result in done[0].get("result", ()):
        value = result.get("value", {})
        if "choices" in value:
            choices += value["choices"]
        elif "labels" in value:
            spans.append(value)
    plain: dict[str, Any] = {"text": data[key]}
    return {**plain, "label": one_label(choices)} if choices else {**plain, "spans": spans}


def _of_prodigy(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an accepted row: the label of a choice, or the spans of its text."""
    plain = {
        key: value
        for key, value in row.items()
        if key not in ("tokens", "options", "meta", "answer")
    }
    if isinstance(row.get("accept"), list):
        plain["label"] = one_label(row["accept"])
    elif "label" not in row:
        plain["spans"] = row.get("spans") or []
    return {
        key: value for key, value in plain.items() if not key.startswith("_") and key != "accept"
    }


def _of_spacy_pairs(pairs: Iterable[tuple[int, Any]]) -> Iterator[NumberedRow]:
    """Yield rows of ``[text, {"entities": …}]`` or ``[text, {"cats": …}]``."""
    for number, pair in pairs:
        text, about = pair if isinstance(pair, Sequence) and len(pair) == 2 else (None, None)
        if not isinstance(text, str) or not isinstance(about, Mapping):
            raise DataError(f"row {number}: expected a text and its entities, found {shown(pair)}")
        if "cats" in about:
            yield number, {"text": text, "label": _category(number, about["cats"])}
        else:
            yield number, {"text": text, "spans": about.get("entities") or []}


def _category(number: int, cats: Mapping[str, float]) -> str:
    chosen = [name for name, value in cats.items() if value >= 0.5]
    if len(chosen) != 1:
        raise DataError(f"row {number}: expected one category of 1, found {shown(dict(cats))}")
    return chosen[0]


def _of_spacy_json(rows: Iterable[NumberedRow]) -> Iterator[NumberedRow]:
    """Yield the sentences of ``paragraphs``, as spaCy 2 trained on them."""
    number = 0
    for _, row in rows:
        for paragraph in row.get("paragraphs", ()):
            for sentence in paragraph.get("sentences", ()):
                number += 1
                tokens = sentence.get("tokens", ())
                yield (
                    number,
                    {
                        "tokens": [str(token.get("orth", "")).strip() or "_" for token in tokens],
                        "tags": [
                            str(token.get("ner") or token.get("tag") or "O") for token in tokens
                        ],
                    },
                )

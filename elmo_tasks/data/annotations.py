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
    notes: Counter[str] = field(default_factory=Counter)  #: number of rows by what to remark
    left_out: Counter[str] = field(default_factory=Counter)  #: number of rows by reason

    @property
    def remarks(self) -> tuple[str, ...]:
        """Describe the form and what was left out."""
        counts = (
            f"{n:,} rows left out: {_LEFT_OUT[reason]}"
            for reason, n in sorted(self.left_out.items())
        )
        notes = (f"{what}: {n:,}" for what, n in sorted(self.notes.items()))
        return (*([f"read as {self.form}"] if self.form else ()), *counts, *notes)


def plain_rows(rows: Iterable[NumberedRow], where: str) -> PlainRows:
    """Convert rows of annotation tools; of other rows, objects become fields (``doc.text``).

    Raises:
        DataError: a row gives several labels to one text or span, or none is annotated.
    """
    try:
        return _plain_rows(list(rows))
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def _plain_rows(numbered: list[NumberedRow]) -> PlainRows:
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
            if (plain := _of_label_studio(number, row, found)) is not None:
                found.rows.append((number, plain))
        if not found.rows:
            raise DataError(
                f"no task of Label Studio in this file is annotated ({len(numbered):,} are not)"
            )
        return found
    if isinstance(first.get("data"), dict) and "predictions" in first:
        raise DataError("tasks of Label Studio have predictions only: export the annotations")
    if isinstance(first.get("cats"), dict):
        return PlainRows(
            [
                (number, {"text": row.get("text"), "label": _category(number, row.get("cats"))})
                for number, row in numbered
            ],
            "spaCy's categories",
        )
    if any(
        "answer" in row and ("spans" in row or "label" in row or "accept" in row)
        for _, row in numbered
    ):
        found = PlainRows([], "Prodigy's JSONL")
        if (binary := _of_one_label(numbered, found)) is not None:
            return binary
        for number, row in numbered:
            answer = str(row.get("answer", "accept"))
            if answer == "accept":
                found.rows.append((number, _of_prodigy(row)))
            else:
                found.left_out[answer if answer in _LEFT_OUT else "ignore"] += 1
        return found
    return PlainRows([(number, _flat(row)) for number, row in numbered])


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Write the fields of objects in a row as fields of the row: ``review.text``."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping) and not key.startswith("column "):
            flat |= {f"{key}.{name}": inner for name, inner in _flat(value).items()}
        else:
            flat[key] = value
    return flat


def one_label(value: Any) -> Any:
    """Return the label of a list that holds one; any other value as it is."""
    if isinstance(value, (list, tuple)):
        if len(value) > 1:
            raise DataError(
                f"expected one label for each text, found several: {shown(list(value))}"
            )
        return one_label(value[0]) if value else None
    if isinstance(value, Mapping) and "label" in value:  # of doccano, with the annotator
        return value["label"]
    return value


def text_in(row: Mapping[str, Any]) -> str | None:
    """Return the key of the text of a row: a usual one, or that of its only string."""
    strings = [key for key, value in row.items() if isinstance(value, str)]
    return next(
        (key for key in TEXT_NAMES if key in strings), strings[0] if len(strings) == 1 else None
    )


def _of_label_studio(
    number: int, row: Mapping[str, Any], found: PlainRows
) -> dict[str, Any] | None:
    """Return the text of a task with its spans or its choice; ``None`` if nobody labelled it."""
    data = row["data"]
    annotations = row.get("annotations") or row.get("completions") or []
    done = [one for one in annotations if not one.get("was_cancelled")]
    if not done:
        found.left_out["cancelled" if annotations else "unlabelled"] += 1
        return None
    done.sort(key=lambda one: not one.get("ground_truth"))
    if len(done) > 1 and len({str(one.get("result")) for one in done}) > 1:
        found.notes["TASKS WITH SEVERAL ANNOTATIONS THAT DIFFER, OF WHICH THE FIRST IS READ"] += 1
    spans, labels = [], {}
    for result in done[0].get("result", ()):
        value = result.get("value", {})
        kind = next((key for key in value if key.endswith("labels")), None)
        if kind is not None:
            spans.append(_with_offsets(number, {**value, "labels": value[kind]}))
            continue
        name = str(result.get("from_name", "label"))
        answer = value.get("choices", value.get("rating", value.get("number")))
        if answer is not None:
            labels[name] = one_label(answer)
    key = _text_of_spans(data, spans) or text_in(data)
    if key is None:
        raise DataError(
            f"task {number} of Label Studio: expected a text in 'data', found {shown(data)}: name"
            " it 'text'"
        )
    plain: dict[str, Any] = {"text": data[key]}
    if len(labels) == 1:
        return {**plain, "label": next(iter(labels.values()))}
    return {**plain, **labels} if labels else {**plain, "spans": spans}


def _with_offsets(number: int, span: dict[str, Any]) -> dict[str, Any]:
    """Return a span with places in the whole text, also of a page of HTML."""
    places = span.get("globalOffsets", span)
    if not isinstance(places.get("start"), int):
        raise DataError(
            f"task {number} of Label Studio: expected spans of characters, found {shown(span)}"
        )
    return {**span, "start": places["start"], "end": places["end"]}


def _text_of_spans(data: Mapping[str, Any], spans: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the key of the only text in which the spans stand, else of the only long text."""
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    fitting = [
        key
        for key, text in texts.items()
        if all(text[span["start"] : span["end"]] == span.get("text") for span in spans)
    ]
    return fitting[0] if spans and len(fitting) == 1 else None


def _of_one_label(numbered: Sequence[NumberedRow], found: PlainRows) -> PlainRows | None:
    """Read answers on one label, accepted or rejected, as two classes."""
    labels = {str(row.get("label")) for _, row in numbered}
    answers = [str(row.get("answer")) for _, row in numbered]
    is_binary = all(isinstance(row.get("label"), str) and "spans" not in row for _, row in numbered)
    if len(labels) > 1 or not is_binary or not {"accept", "reject"} <= set(answers):
        return None
    (label,) = labels
    classes = {"accept": label, "reject": f"not {label}"}
    found.left_out["ignore"] = sum(answer not in classes for answer in answers)
    found.left_out = +found.left_out
    found.rows = [
        (number, {"text": row.get("text"), "label": classes[answer]})
        for (number, row), answer in zip(numbered, answers, strict=True)
        if answer in classes
    ]
    return found


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


def _category(number: int, cats: Mapping[str, float] | None) -> str | None:
    if not cats:
        return None
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

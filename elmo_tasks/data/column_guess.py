"""Which column of a table holds the texts and which the labels: a guess that a person may correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elmo_tasks.data.records import is_number

TEXT_NAMES = ("text", "sentence", "review", "content", "comment", "message", "body", "tweet", "title")
LABEL_NAMES = ("label", "sentiment", "class", "category", "rating", "polarity", "emotion", "target", "stars", "topic")
WORD_NAMES, TAG_NAMES, SPAN_NAMES = ("tokens", "words"), ("tags", "ner_tags", "labels"), ("spans", "entities")


@dataclass(frozen=True)
class TableShape:
    """How a table is laid out: names of the columns, whether the first line names them, places of texts and labels, from 0."""

    columns: tuple[str, ...]
    header: bool
    text: int
    label: int


def guess_shape(
    rows: Sequence[Sequence[str]], header: bool | None = None, text: int | None = None, label: int | None = None
) -> TableShape:
    """Guess from the first rows of a table, with two columns or more, what is not known of it."""
    first = [field.strip() for field in rows[0]]
    if header is None:
        header = _looks_like_header(first, rows[1:])
    columns = column_names(first, header)
    body = [row for row in rows[1 if header else 0 :] if len(row) == len(first)] or [first]
    lengths = [sum(len(row[at]) for row in body) for at in range(len(first))]
    if text is None and header:
        text = _named(columns, TEXT_NAMES, label)
    if label is None and header:
        label = _named(columns, LABEL_NAMES, text)
    if text is None:
        text = max((at for at in range(len(first)) if at != label), key=lambda at: lengths[at])
    if label is None:
        others = [at for at in range(len(first)) if at != text] or [text]
        # Labels come again and again; numbers of rows and names do not, and a column that never changes labels nothing.
        distinct = {at: len({row[at].strip() for row in body}) for at in others}
        label = min(others, key=lambda at: (distinct[at] < 2, distinct[at], -at))
    return TableShape(columns, header, text, label)


def column_names(first: Sequence[str], header: bool) -> tuple[str, ...]:
    """Names of the columns, each once and none empty: ``"column 2"`` where the first line names none."""
    names: list[str] = []
    for place, field in enumerate(first, start=1):
        name = field.strip() if header else ""
        names.append(name if name and name not in names else f"column {place}")
    return tuple(names)


def guess_keys(first: Mapping[str, Any]) -> tuple[str, str]:
    """Guess from the first of rows with named columns which holds the texts, and which their labels."""
    names = list(first)
    strings = sorted((name for name in names if isinstance(first[name], str)), key=lambda name: -len(first[name]))
    at = _named(names, TEXT_NAMES)
    text = names[at] if at is not None else strings[0] if strings else TEXT_NAMES[0]
    at = _named(names, LABEL_NAMES, names.index(text) if text in names else None)
    rest = [name for name in names if name != text]
    return text, names[at] if at is not None else rest[0] if rest else LABEL_NAMES[0]


def guess_tag_keys(first: Mapping[str, Any]) -> tuple[str, str]:
    """Guess which holds the words and which their tags, or which a text and which its spans of characters: all but it are lists."""
    lists = [name for name in first if isinstance(first[name], (list, tuple))]
    texts = [name for name in TEXT_NAMES if isinstance(first.get(name), str)]
    words = [name for name in WORD_NAMES if name in first]
    spans = [name for name in SPAN_NAMES if name in lists] or ([] if words or len(lists) != 1 else lists)
    if texts and spans:
        return texts[0], spans[0]
    word = words[0] if words else lists[0] if lists else WORD_NAMES[0]
    rest = [name for name in lists if name != word]
    return word, next((name for name in TAG_NAMES if name in first), rest[0] if rest else TAG_NAMES[0])


def _named(columns: Sequence[str], known: Sequence[str], taken: int | None = None) -> int | None:
    places = {name.lower(): at for at, name in reversed(list(enumerate(columns))) if at != taken}
    return next((places[name] for name in known if name in places), None)


def _looks_like_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    lower = [field.lower() for field in first]
    if any(name in lower for name in (*TEXT_NAMES, *LABEL_NAMES)):
        return True
    if any(is_number(field) for field in first):
        return False
    # Short and unlike anything below it in its column, everywhere.
    body = [row for row in rest if len(row) == len(first)]
    if len(body) < 4:
        return False
    below = [{row[at].strip() for row in body} for at in range(len(first))]
    repeats = any(len(values) < len(body) / 2 for values in below)
    return repeats and all(field not in values and len(field) < 40 for field, values in zip(first, below, strict=True))

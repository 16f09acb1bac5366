"""Which column of a table holds the texts and which the labels: a guess that a person may correct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TEXT_NAMES = ("text", "sentence", "review", "content", "comment", "message", "body", "tweet", "title")
LABEL_NAMES = ("label", "sentiment", "class", "category", "rating", "polarity", "emotion", "target", "stars", "topic")


@dataclass(frozen=True)
class TableShape:
    """How a table is laid out.

    Attributes:
        columns: names of the columns; ``"column 2"`` where the first line names none.
        header: whether the first line names them.
        text: place of the texts, from 0.
        label: place of the labels, from 0.
    """

    columns: tuple[str, ...]
    header: bool
    text: int
    label: int


def guess_shape(rows: Sequence[Sequence[str]], header: bool | None = None) -> TableShape:
    """Guess from the first rows of a table.

    Args:
        rows: the first rows, with two columns or more.
        header: whether the first line names the columns, if that is known.
    """
    first = [field.strip() for field in rows[0]]
    if header is None:
        header = _looks_like_header(first, rows[1:])
    columns = column_names(first, header)
    body = [row for row in rows[1 if header else 0 :] if len(row) == len(first)] or [first]
    lengths = [sum(len(row[at]) for row in body) for at in range(len(first))]
    text = _named(columns, TEXT_NAMES) if header else None
    label = _named(columns, LABEL_NAMES) if header else None
    if text is None:
        text = max((at for at in range(len(first)) if at != label), key=lambda at: lengths[at])
    if label is None:
        others = [at for at in range(len(first)) if at != text] or [text]
        # Labels come again and again; numbers of rows and names do not, and a column that never changes labels nothing.
        distinct = {at: len({row[at].strip() for row in body}) for at in others}
        label = min(others, key=lambda at: (distinct[at] < 2, distinct[at], -at))
    return TableShape(columns, header, text, label)


def column_names(first: Sequence[str], header: bool) -> tuple[str, ...]:
    """Names of the columns, each once and none empty."""
    names: list[str] = []
    for place, field in enumerate(first, start=1):
        name = field.strip() if header else ""
        names.append(name if name and name not in names else f"column {place}")
    return tuple(names)


def _named(columns: Sequence[str], known: Sequence[str]) -> int | None:
    lower = [name.lower() for name in columns]
    return next((lower.index(name) for name in known if name in lower), None)


def _looks_like_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    lower = [field.lower() for field in first]
    if any(name in lower for name in (*TEXT_NAMES, *LABEL_NAMES)):
        return True
    # Short and unlike anything below it in its column, everywhere.
    body = [row for row in rest if len(row) == len(first)]
    if len(body) < 4:
        return False
    below = [{row[at].strip() for row in body} for at in range(len(first))]
    repeats = any(len(values) < len(body) / 2 for values in below)
    return repeats and all(field not in values and len(field) < 40 for field, values in zip(first, below, strict=True))

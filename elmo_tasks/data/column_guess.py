"""Heuristics for the text and label columns and the header of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from elmo_tasks.data.records import is_number

TEXT_NAMES = ("text", "sentence", "review", "content", "comment", "message", "body", "tweet", "quote", "title")
LABEL_NAMES = ("label", "sentiment", "class", "category", "rating", "polarity", "emotion", "target", "stars", "topic")
MISSING: Any = object()  #: the value of a row that lacks a key which other rows have


def guess_text(names: Sequence[str], body: Sequence[Sequence[Any]], label: int | None) -> int:
    """Find the text column: by name, else the longest texts of several words."""
    columns = {at: _column(body, at) for at in range(len(names)) if at != label}
    texty = [at for at, cells in columns.items() if not body or _is_text(cells)]
    named = _named(names, TEXT_NAMES, texty)
    if named is not None:
        return named
    unnamed = [at for at in texty if names[at].lower() not in LABEL_NAMES]
    named = None if unnamed else _named(names, TEXT_NAMES, columns)
    if named is not None:
        return named
    others = [at for at in columns if names[at].lower() not in LABEL_NAMES]
    return max(unnamed or others or columns, key=lambda at: sum(_weight(cell) for cell in columns[at]), default=0)


def guess_label(names: Sequence[str], body: Sequence[Sequence[Any]], text: int | None) -> int:
    """Find the label column: by name, else the fewest distinct values."""
    columns = {at: _column(body, at) for at in range(len(names)) if at != text}
    filled = {at: sum(cell not in (None, "", MISSING) for cell in cells) for at, cells in columns.items()}
    usable = [at for at in columns if not body or 2 * filled[at] >= len(body)]
    named = _named(names, LABEL_NAMES, usable)
    if named is not None:
        return named
    # Labels come again and again; numbers of rows and names do not, and a column that never changes labels nothing.
    distinct = {at: len({str(cell).strip() for cell in columns[at]}) for at in usable or columns}
    return min(distinct, key=lambda at: (distinct[at] < 2, distinct[at], -at))


def column_names(first: Sequence[str], header: bool) -> tuple[str, ...]:
    """Return unique, non-empty column names; ``"column 2"`` where there is none."""
    names: list[str] = []
    for place, field in enumerate(first, start=1):
        name = field.strip() if header else ""
        names.append(name if name and name not in names else f"column {place}")
    return tuple(names)


def looks_like_header(first: Sequence[str], rest: Sequence[Sequence[Any]]) -> bool:
    """Check if the first row names the columns."""
    if _named(first, (*TEXT_NAMES, *LABEL_NAMES), range(len(first)), loose=False) is not None:
        return True
    if any(is_number(field) for field in first) or any(len(field) >= 40 for field in first):
        return False
    body = [row for row in rest if len(row) == len(first)]
    below = [{str(row[at]).strip() for row in body} for at in range(len(first))]
    if len(body) > 1 and any(values - {""} and all(is_number(v) for v in values - {""}) for values in below):
        return True
    # Unlike anything below it in its column, everywhere, where labels come again and again.
    repeats = len(body) >= 4 and any(len(values) < len(body) / 2 for values in below)
    return repeats and all(field not in values for field, values in zip(first, below, strict=True))


def is_prose(rows: Sequence[Sequence[str]]) -> bool:
    """Check if commas are punctuation: followed by a space, no column of short values."""
    inside = [field for row in rows for field in row[1:]]
    return len(inside) > 0 and all(field[:1] == " " for field in inside)


def _named(names: Sequence[str], known: Sequence[str], among: Iterable[int], loose: bool = True) -> int | None:
    """Find the column of a known name or ending: ``airline_sentiment``."""
    lower = {at: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", names[at].strip()).lower() for at in among}
    split = r"[_\-. ]" if loose else r"[_\-.]"
    for part in (lambda name: name, lambda name: re.split(split, name)[-1]):
        for wanted in known:
            found = [at for at, name in lower.items() if part(name) == wanted]
            if found:
                return found[0]
    return None


def _column(body: Sequence[Sequence[Any]], at: int) -> list[Any]:
    return [row[at] for row in body if at < len(row)]


def _is_text(cells: Sequence[Any]) -> bool:
    texts = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
    return bool(texts) and sum(map(is_number, texts)) < 0.9 * len(texts)


def _weight(cell: Any) -> float:
    if not isinstance(cell, str):
        return 0.0
    return len(cell) * (1.0 if " " in cell.strip() else 0.2)

"""Guesses: which columns of a table hold the texts and the labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elmo_tasks.data.records import is_number
from elmo_tasks.data.row_files import TEXT_NAMES

MISSING: Any = object()  #: the value of a row that lacks a key which other rows have
LABEL_NAMES = (
    *(
        "label",
        "labels",
        "sentiment",
        "class",
        "category",
        "rating",
        "polarity",
        "emotion",
        "target",
        "stars",
        "topic",
    ),
    *("intent", "score", "grade"),
)
#: A text that is so many times longer than another one is the text.
_MUCH_LONGER = 2.0
_FEWEST_ROWS = 4


def guess_text(names: Sequence[str], columns: Mapping[int, list[Any]]) -> int:
    """Find the text column: by name, else the longest texts of several words."""
    texty = []
    for at, cells in columns.items():
        texts = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
        if texts and sum(map(is_number, texts)) < 0.9 * len(texts):
            texty.append(at)
    others = [at for at in columns if names[at].lower() not in LABEL_NAMES]
    unnamed = [at for at in texty if at in others]

    def weight(cell: Any) -> float:
        return len(cell) * (1.0 if " " in cell.strip() else 0.2) if isinstance(cell, str) else 0.0

    weights = {at: sum(map(weight, cells)) for at, cells in columns.items()}
    for among in (texty, () if unnamed else columns):
        named = named_column(names, TEXT_NAMES, among)
        # A title or a summary is no text where one stands beside it.
        longer = [
            at
            for at in unnamed
            if named is not None and weights[at] > _MUCH_LONGER * weights[named]
        ]
        if longer and (by_name := named_column(names, TEXT_NAMES, longer)) is not None:
            return by_name
        if named is not None:
            return named
    return max(unnamed or others or columns, key=lambda at: weights[at])


def guess_label(names: Sequence[str], columns: Mapping[int, list[Any]]) -> tuple[int, list[int]]:
    """Find the label column: by name, else the fewest distinct values.

    The second value lists the columns that fit as well as it, with itself; it is empty if no other
    one does.
    """
    empty = {
        at: sum(cell in (None, "", MISSING) for cell in cells) for at, cells in columns.items()
    }
    usable = [at for at, cells in columns.items() if 2 * empty[at] <= len(cells)]
    if (by_name := named_column(names, LABEL_NAMES, usable)) is not None:
        return by_name, []
    # Labels come again and again; numbers of rows and names do not, and a column that never changes
    # labels nothing.
    distinct = {at: len({str(cell).strip() for cell in columns[at]}) for at in usable or columns}
    best = min(distinct, key=lambda at: (distinct[at] < 2, distinct[at], -at))
    n_rows = len(columns[best])
    fitting = [at for at in distinct if distinct[at] == distinct[best]]
    is_unclear = len(fitting) > 1 and 1 < distinct[best] <= n_rows / 2 and n_rows >= _FEWEST_ROWS
    return best, fitting if is_unclear else []


def named_column(
    names: Sequence[str], usual: Sequence[str], among: Iterable[int], loose: bool = True
) -> int | None:
    """Find the column of a usual name or ending: ``airline_sentiment``."""
    lower = {at: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", names[at].strip()).lower() for at in among}
    split = r"[_\-. ]" if loose else r"[_\-.]"
    for part in (lambda name: name, lambda name: re.split(split, name)[-1]):
        for wanted in usual:
            for at, name in lower.items():
                if part(name) == wanted:
                    return at
    return None

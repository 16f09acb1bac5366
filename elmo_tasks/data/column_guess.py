"""Guesses: whether a first row names columns, and which hold the texts and the labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elmo_tasks.data.records import is_number

MISSING: Any = object()  #: the value of a row that lacks a key which other rows have
#: Usual names of columns of texts, the likeliest first.
TEXT_NAMES = (
    "text",
    "sentence",
    "review",
    "content",
    "comment",
    "message",
    "body",
    "raw",
    "tweet",
    "quote",
    "title",
    # in other languages
    "texto",
    "texte",
    "testo",
    "kommentar",
    "rezension",
    "nachricht",
    "inhalt",
    "satz",
    "comentario",
    "commentaire",
    "reseña",
    "phrase",
    "отзыв",
    "текст",
    "评论",
    "文本",
)
#: Usual names of columns of labels, the likeliest first.
LABEL_NAMES = (
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
    "intent",
    "score",
    "grade",
    "gold",
    "truth",
    "true",
    "annotation",
    # in other languages
    "urteil",
    "stimmung",
    "klasse",
    "kategorie",
    "étiquette",
    "etiqueta",
    "classe",
    "clase",
    "sentimiento",
    "sentimento",
    "метка",
    "оценка",
    "标签",
    "ラベル",
    "تصنيف",
)
#: Words in names of columns of predictions, which are not labels to learn from.
PREDICTED = {
    "hyp",
    "hypothesis",
    "pred",
    "predicted",
    "prediction",
    "predictions",
    "preds",
    "vorhersage",
}
#: Words in names of columns about the row, which hold the labels only if no other one can.
_ABOUT_THE_ROW = {
    "annotator",
    "author",
    "confidence",
    "country",
    "date",
    "domain",
    "fold",
    "gender",
    "geschlecht",
    "gewicht",
    "id",
    "index",
    "lang",
    "language",
    "partition",
    "set",
    "sex",
    "source",
    "split",
    "sprache",
    "subset",
    "timestamp",
    "user",
    "weight",
    "weights",
}
_MOST_CLASSES = 20  #: a column of more different values is a label only if its name says so
#: A column this many times longer than the one with the usual name holds the texts.
_MUCH_LONGER = 2.0
_FEWEST_ROWS = 4
#: Names of columns are shorter than this.
_SHORTEST_TEXT = 40


def column_names(first: Sequence[str], header: bool) -> tuple[str, ...]:
    """Return unique, non-empty column names; ``"column 2"`` where there is none."""
    names: list[str] = []
    taken = {""}
    for place, field in enumerate(first, start=1):
        name = field.strip() if header else ""
        names.append(f"column {place}" if name in taken else name)
        taken.add(names[-1])
    return tuple(names)


def is_header(first: Sequence[str], rest: Sequence[Sequence[Any]]) -> bool:
    """Check if the first row names the columns."""
    # Files that were joined have the names of the columns several times.
    body = [row for row in rest if len(row) == len(first) and list(row) != list(first)]
    below = [{str(row[at]).strip() for row in body} for at in range(len(first))]
    if named_column(first, (*TEXT_NAMES, *LABEL_NAMES), range(len(first)), loose=False) is not None:
        # Unless it is a value like those below: the label "comment", for example.
        return not any(
            field and field in values for field, values in zip(first, below, strict=True)
        )
    if any(is_number(field) or len(field) >= _SHORTEST_TEXT for field in first):
        return False
    filled = [values - {""} for values in below]
    if len(body) > 1 and any(values and all(map(is_number, values)) for values in filled):
        return True
    # Different from every value below it, in every column, in a table whose labels repeat.
    repeats = len(body) >= 4 and any(len(values) < len(body) / 2 for values in below)
    return repeats and all(field not in values for field, values in zip(first, below, strict=True))


def guess_text(names: Sequence[str], columns: Mapping[int, list[Any]]) -> int:
    """Find the text column: by name, else the longest texts of several words."""
    texty = []
    for at, cells in columns.items():
        texts = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
        if texts and sum(map(is_number, texts)) < 0.9 * len(texts):
            texty.append(at)
    others = [at for at in columns if names[at].lower() not in LABEL_NAMES]
    unnamed = [at for at in texty if names[at].lower() not in LABEL_NAMES]

    def weight(cell: Any) -> float:
        return len(cell) * (1.0 if " " in cell.strip() else 0.2) if isinstance(cell, str) else 0.0

    weights = {at: sum(map(weight, cells)) for at, cells in columns.items()}
    for among in (texty, () if unnamed else columns):
        named = named_column(names, TEXT_NAMES, among)
        # A title or a summary is not the text if there is a longer column.
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

    Columns of predictions come last, those about the row (its split, its language) before them. The
    second value lists all columns that may hold the labels, this one included; it is empty if no
    other one does.
    """
    empty = {
        at: sum(cell in (None, "", MISSING) for cell in cells) for at, cells in columns.items()
    }
    usable = [at for at, cells in columns.items() if 2 * empty[at] <= len(cells)]
    given = [at for at in usable if not words_of(names[at]) & PREDICTED]
    if (by_name := named_column(names, LABEL_NAMES, given)) is not None:
        return by_name, []
    given = [at for at in given if not words_of(names[at]) & _ABOUT_THE_ROW]
    by_word = [at for at in given if words_of(names[at]) & set(LABEL_NAMES)]
    # Labels repeat; row numbers and names do not, and a column with one value labels nothing.
    distinct = {at: len({str(cell).strip() for cell in cells}) for at, cells in columns.items()}
    classes = [at for at in given if not _tells_apart(columns[at])]
    for among in (by_word, classes, given, usable, list(columns)):
        if among and (any(distinct[at] > 1 for at in among) or among == list(columns)):
            break
    best = min(among, key=lambda at: (distinct[at] < 2, distinct[at], -at))
    n_rows = len(columns[best])
    most = min(_MOST_CLASSES, n_rows / 2)
    repeating = set(classes)
    fitting = [
        at
        for at in among
        if distinct[at] == distinct[best] or (at in repeating and 1 < distinct[at] <= most)
    ]
    is_unclear = len(fitting) > 1 and 1 < distinct[best] <= n_rows / 2 and n_rows >= _FEWEST_ROWS
    return best, fitting if is_unclear else []


def _tells_apart(cells: Sequence[Any]) -> bool:
    """Check if values are dates, ids or measures, rather than classes."""
    values = [str(cell).strip() for cell in cells]
    numbers = [value for value in values if is_number(value)]
    if len(numbers) == len(values):
        return any(not float(value).is_integer() for value in values)
    return all(any(map(str.isdigit, value)) for value in values)


def words_of(name: str) -> set[str]:
    """Return the words in a column name, in lower case: of ``trueLabel``, true and label."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return {word for word in re.split(r"[\W_]+", parted.lower()) if word}


def named_column(
    names: Sequence[str], usual: Sequence[str], among: Iterable[int], loose: bool = True
) -> int | None:
    """Find the column of a usual name or ending: ``airline_sentiment``."""
    lower = {at: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", names[at].strip()).lower() for at in among}
    split = re.compile(r"[_\-. ]" if loose else r"[_\-.]")
    endings = {at: split.split(name)[-1] for at, name in lower.items()}
    for parts in (lower, endings):
        columns = {part: at for at, part in reversed(parts.items())}  # of equal names the first
        for wanted in usual:
            if wanted in columns:
                return columns[wanted]
    return None

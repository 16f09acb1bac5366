"""Choice of the columns of words and tags, by their names or their values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from elmo_tasks.data.records import in_quotes, is_number
from elmo_tasks.data.tables import Column
from elmo_tasks.data.tag_spelling import are_span_tags
from elmo_tasks.data.text_lines import shown
from elmo_tasks.errors import DataError

_TOKEN_NAMES = (
    "token",
    "tokens",
    "word",
    "words",
    "form",
    "text",
    # in other languages
    "wort",
    "wörter",
    "mot",
    "mots",
    "palabra",
    "palavra",
    "parola",
    "woord",
    "слово",
    "词",
)
_NER_NAMES = (
    "ner_tag",
    "ner_tags",
    "ner",
    "iob",
    "bio",
    "gold",
    "true",
    "true_label",
    "gold_label",
)
_TAG_NAMES = (
    *_NER_NAMES,
    "tag",
    "tags",
    "label",
    "labels",
    "entity",
    "upos",
    "pos",
    "pos_tag",
    "xpos",
)
_BRACKET_TAG = re.compile(r"\(?[\w.:-]*\*\)*|\([\w.:-]+\)")
MIN_LINES = 8  # in fewer lines, a pattern may be chance


class TagColumns(NamedTuple):
    """Columns of the words and of their tags, as a user gives them; ``None`` is found."""

    token: Column | None = None
    tag: Column | None = None


NOTHING_GIVEN = TagColumns()


class ChosenColumns(NamedTuple):
    """Places of the words and of their tags, with remarks on the choice."""

    token: int
    tag: int
    remarks: list[str]


def names_tag_columns(fields: Sequence[str], given: TagColumns = NOTHING_GIVEN) -> bool:
    """Check if fields name columns: those that are given, or the usual ones."""
    lower = {field.strip().lower() for field in fields}
    usual = not lower.isdisjoint(_TOKEN_NAMES) and not lower.isdisjoint(_TAG_NAMES)
    by_name = {column for column in given if isinstance(column, str)}
    return usual or bool(by_name and by_name <= set(fields))


def choose_columns(
    kinds: ColumnKinds, names: Sequence[str], header: bool, given: TagColumns, where: str
) -> ChosenColumns:
    """Find the columns of the words and of their tags.

    Args:
        kinds: kinds of the columns, by their values.
        names: of the columns.
        header: whether the file gives the names.
        given: columns that are given by the user.
        where: the file and its line, for messages.
    """
    remarks: list[str] = []
    width = kinds.width
    lower = [name.lower() for name in names]
    token_at, tag_at = places_of(given, names, where)
    if header:
        free = [name for at, name in enumerate(lower) if at not in (token_at, tag_at)]
        if tag_at is None:
            tag_at = next((lower.index(name) for name in _TAG_NAMES if name in free), None)
        if token_at is None:
            token_at = next((lower.index(name) for name in _TOKEN_NAMES if name in free), None)
    if token_at is None:
        no_words = [
            at
            for at in range(width)
            if kinds.counts(at) or kinds.identifies(at) or kinds.is_numeric(at)
        ]
        words = [
            at for at in range(width) if at not in no_words and at != tag_at and not kinds.spans(at)
        ]
        token_at = words[0] if words else next(at for at in range(width) if at != tag_at)
        if tag_at is None and len(words) == width == 2 and kinds.n_rows >= 20:
            n_values = [len(set(column)) for column in kinds.columns]
            token_at = 1 if n_values[1] > 2 * n_values[0] else 0  # there are fewer tags than words
        if any(at < token_at for at in no_words):
            remarks.append("columns of numbers and ids are left out")
    if tag_at is None:
        tag_at, remark = _tag_column(kinds, token_at)
        remarks += [remark] if remark else []
    return ChosenColumns(token_at, tag_at, remarks)


def places_of(given: TagColumns, names: Sequence[str], where: str) -> list[int | None]:
    """Find the columns that are given by place or name."""
    places: list[int | None] = []
    for column, parameter in zip(given, ("token_column", "tag_column"), strict=True):
        if column is None:
            places.append(None)
        elif column in names:
            places.append(names.index(str(column)))
        elif isinstance(column, int) and -len(names) <= column < len(names):
            places.append(column % len(names))
        else:
            raise DataError(
                f"{where}: {parameter}: expected the place of a column, counted from 0 (-1 is the"
                f" last), or one of the names {in_quotes(shown(name)[1:-1] for name in names)},"
                f" found '{column}'"
            )
    if places[0] is not None and places[0] == places[1]:
        raise DataError(
            f"{where}: token_column {given[0]} and tag_column {given[1]} are one and the same"
            " column"
        )
    return places


def _tag_column(kinds: ColumnKinds, token: int) -> tuple[int, str]:
    """Choose the last column, or that of spans; of nested names, the outer ones.

    The second value is a remark on the choice; empty if there is nothing to remark.
    """
    others = [at for at in range(kinds.width) if at != token]
    usable = [
        at
        for at in others
        if not kinds.counts(at)
        and not kinds.is_numeric(at)
        and (not kinds.identifies(at) or set(kinds.columns[at]) <= {"O", "o"})
    ] or others
    spans = [at for at in usable if kinds.spans(at)]
    last = usable[-1]
    if not spans:
        brackets = [at for at in usable if kinds.brackets(at)]
        return (brackets[-1] if brackets else last), ""
    if len(spans) == 1:
        return spans[0], ""
    first, second = spans[-2:]
    n_outer, n_inner = (
        sum(cell not in ("O", "o") for cell in kinds.columns[at]) for at in (first, second)
    )
    are_neighbours = second == first + 1 == last
    if are_neighbours and kinds.types(second) <= kinds.types(first) and n_inner < n_outer:
        return first, f"column {second + 1} has names inside names and is left out"
    if kinds.types(first) & kinds.types(second):
        return first, (
            f"COLUMNS {first + 1} AND {second + 1} BOTH HOLD TAGS of the same types, as files with"
            f" predictions do: column {first + 1} is read; tag_column chooses another"
        )
    return second, f"columns {first + 1} and {second + 1} hold tags: column {second + 1} is read"


class ColumnKinds:
    """Kinds of the columns of a file, inferred from their values."""

    def __init__(self, blocks: Sequence[Sequence[Sequence[str]]], width: int) -> None:
        self.blocks, self.width = blocks, width
        self.columns = [
            [fields[at].strip() for block in blocks for fields in block] for at in range(width)
        ]
        self.n_rows = len(self.columns[0])

    def counts(self, at: int) -> bool:
        """Check if a column counts the words of each sentence from 0 or 1."""
        right = 0
        for block in self.blocks:
            cells = [fields[at].strip() for fields in block]
            start = int(cells[0]) if cells and cells[0] in ("0", "1") else 1
            right += sum(cell == str(start + k) for k, cell in enumerate(cells))
        return right >= 0.9 * self.n_rows and any(len(block) > 1 for block in self.blocks)

    def identifies(self, at: int) -> bool:
        """Check if a column holds ids or a single value, and so no words."""
        cells = self.columns[at]
        if self.n_rows < MIN_LINES:
            return False
        with_digit = all(any(map(str.isdigit, cell)) for cell in cells)
        in_blocks = all(len({fields[at] for fields in block}) == 1 for block in self.blocks)
        longer = sum(len(block) > 1 for block in self.blocks) > 1
        return (
            len(set(cells)) == 1
            or (with_digit and len(set(cells)) == len(cells))
            or (in_blocks and longer)
        )

    def is_numeric(self, at: int) -> bool:
        """Check if a column holds numbers."""
        return self.n_rows > 1 and sum(map(is_number, self.columns[at])) >= 0.9 * self.n_rows

    def spans(self, at: int) -> bool:
        """Check if a column spells spans, and has some."""
        return are_span_tags(self.columns[at])

    def brackets(self, at: int) -> bool:
        """Check if a column spells spans by brackets, as CoNLL-2012: ``(PER*``, ``*``, ``*)``."""
        cells = set(self.columns[at])
        opened = any(cell.startswith("(") for cell in cells)
        return "*" in cells and opened and all(_BRACKET_TAG.fullmatch(cell) for cell in cells)

    def types(self, at: int) -> set[str]:
        """Return the span types of a column."""
        return {cell[2:] for cell in self.columns[at] if cell not in ("O", "o")}

"""Reader of labelled texts from files and hub data sets."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from elmo_tasks.data.annotations import one_label
from elmo_tasks.data.column_guess import MISSING
from elmo_tasks.data.records import (
    LabelledText,
    in_quotes,
    is_number,
    plain_labels,
    plain_value,
    remarks_on_rows,
)
from elmo_tasks.data.row_files import FROM_CACHE, HUB_DATA_SETS, hub_errors, hub_rows
from elmo_tasks.data.tables import (
    FORMATS,
    NOTHING_GIVEN,
    Table,
    TableLayout,
    TextColumns,
    check_not_digits,
    find_columns,
    read_table,
    texts_of,
)
from elmo_tasks.data.tag_spelling import SPAN_TAG
from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown, suffix_of
from elmo_tasks.errors import DataError

TextFormat = Literal["tsv", "csv", "json", "jsonl", "parquet", "xlsx", "txt", "trees"]
_FASTTEXT = re.compile(r"((?:__label__\S+\s+)+)(.*)")
_ROWS_A_BLOCK = 1_000
#: If more than this share of the texts are single words, they are probably not texts.
_MAX_SINGLE_WORDS = 0.9
_MIN_TEXTS = 20
_SKIP_ADVICE = "; set skip_incomplete to true to leave such rows out"
_TREE = re.compile(r"\s*\([^\s()]+ .*\)\s*")


def read_labelled(
    path: str | Path,
    file_format: TextFormat | None = None,
    columns: TextColumns = NOTHING_GIVEN,
    **options: Any,
) -> list[LabelledText]:
    """Read labelled texts; see :func:`read_labelled_table`."""
    return read_labelled_table(path, file_format, columns, **options)[0]


def read_labelled_table(
    path: str | Path,
    file_format: TextFormat | None = None,
    columns: TextColumns = NOTHING_GIVEN,
    phrases: bool = False,
    like: TableLayout | None = None,
) -> tuple[list[LabelledText], TableLayout | None]:
    """Read labelled texts and the columns that were used; trees have none.

    The format is one that :func:`elmo_tasks.data.tables.read_table` reads, or ``trees``, see
    :func:`read_trees`; by default it is detected. What ``columns`` leave open is as in
    the training file, ``like``, or detected.
    """
    path = Path(path)
    chosen = file_format or format_of(path, columns.encoding)
    if chosen == "trees":
        return read_trees(path, phrases), None
    if phrases:
        raise DataError(
            f"{path}: phrases are labelled in trees only, and this file is read as {chosen}"
        )
    table = _of_fasttext(path, columns) if chosen == "txt" else None
    table = table or read_table(path, chosen, columns)
    layout = find_columns(table, columns, like)
    rows = _labelled(table, layout, columns)
    remarks = [*layout.remarks, *remarks_on_rows(rows)]
    if len(rows) >= _MIN_TEXTS and sum(
        len(row.text.split()) == 1 for row in rows
    ) > _MAX_SINGLE_WORDS * len(rows):
        remarks.append("NEARLY ALL TEXTS ARE SINGLE WORDS: is this the right column?")
    if columns.skip_incomplete and (n := n_incomplete(table, layout)):
        remarks.append(f"{n:,} rows without a text or a label are left out")
    return rows, replace(layout, remarks=tuple(remarks))


def _of_fasttext(path: Path, columns: TextColumns) -> Table | None:
    """Read lines such as ``__label__good I liked it``; ``None`` if there are no such lines."""
    lines = [
        (number, line.strip())
        for number, line in numbered_lines(path, columns.encoding)
        if line.strip()
    ]
    matches = [(number, _FASTTEXT.fullmatch(line)) for number, line in lines]
    if not matches or not all(match for _, match in matches):
        return None
    rows = [
        (
            number,
            {
                "label": [label.removeprefix("__label__") for label in match[1].split()],
                "text": match[2],
            },
        )
        for number, match in matches
        if match
    ]
    return replace(
        Table.of_records(str(path), rows, "line"), remarks=("read as lines of fastText",)
    )


def format_of(path: Path, encoding: str | None = None) -> str:
    """Detect the format of a file by its name, else by its first line."""
    by_name = FORMATS.get(suffix_of(path), "txt")
    if by_name != "txt":
        return by_name
    first = next((line for _, line in numbered_lines(path, encoding) if line.strip()), "")
    return "trees" if _TREE.fullmatch(first) else "txt"


def read_labelled_hub(
    name: str, split: str, columns: TextColumns = NOTHING_GIVEN
) -> list[LabelledText]:
    """Read labelled texts of ``sst2``, ``sst5``, ``imdb``, or of a hub id."""
    _, text, label = HUB_DATA_SETS.get(name, (name, "text", "label"))
    text = text if columns.text is None else str(columns.text)
    label = label if columns.label is None else str(columns.label)
    table = Table.of_records(f"{name}, split '{split}'", hub_rows(name, split, (text, label)))
    return _labelled(table, find_columns(table, TextColumns(text, label)), columns)


def hub_texts(
    name: str,
    column: str | None = None,
    split: str = "train",
    config: str | None = None,
    most: int | None = None,
) -> Iterator[str]:
    """Yield the texts of a split (``train[:10%]``) of a hub data set or a local folder.

    ``column`` holds the texts, or lists of words; by default it is found. ``config`` is for a data
    set that has several. Only ``most`` rows are read; the rest is not downloaded then.
    """
    import datasets

    where, layout = f"the data set '{name}' (split '{split}')", None
    # A stream may break at any row.
    with hub_errors(
        where,
        f"This needs a network. Without one, {FROM_CACHE}, without --rows; or give text files",
    ):
        data = datasets.load_dataset(name, config, split=split, streaming=most is not None)
        rows = enumerate(data if most is None else data.take(most), start=1)
        while block := list(islice(rows, _ROWS_A_BLOCK)):
            table = Table.of_records(where, block)
            layout = layout or find_columns(table, TextColumns(column), labelled=False)
            yield from (text for _, text in texts_of(table, layout))


def _labelled(table: Table, layout: TableLayout, columns: TextColumns) -> list[LabelledText]:
    errors = RowErrors(table.where, table.unit)
    body = layout.body(table, errors)
    if columns.skip_incomplete:
        body = (numbered for numbered in body if not _is_incomplete(numbered[1], layout))
    rows = errors.collect(body, partial(_labelled_text, table, layout))
    errors.check(len(rows), "text")
    if all(SPAN_TAG.fullmatch(row.text) for row in rows):
        raise DataError(
            f"{table.where}: expected texts, found tags such as '{rows[0].text}': this is a file"
            " for a head of tags"
        )
    rows = plain_labels(rows, with_commas=table.delimiter != ",")
    _check_cells(rows, table.where)
    if table.names is None and columns.header is None and not layout.header:
        # A first row unlike all others may be a header.
        labels, first = Counter(row.label for row in rows), rows[0]
        if labels[first.label] == 1 and len(rows) > 2 * len(labels):
            raise DataError(
                f"{table.where}, {table.unit} {first.line}: is this line a header? Its label"
                f" '{first.label}' comes nowhere else: set header to true or false"
            )
    check_not_digits(
        (row.text for row in rows), f"{table.where}: the texts ('{layout.names[layout.text]}')"
    )
    if columns.escaped_newlines:
        return [replace(row, text=row.text.replace("\\n", "\n")) for row in rows]
    return rows


def _is_incomplete(row: Sequence[Any], layout: TableLayout) -> bool:
    """Check if the text or the label of a row is empty."""
    assert layout.label is not None
    cells = (row[layout.text], row[layout.label])
    return any(
        cell in (None, MISSING) or (isinstance(cell, str) and not cell.strip()) for cell in cells
    )


def n_incomplete(table: Table, layout: TableLayout) -> int:
    """Count the rows that lack a text or a label."""
    rows = layout.body(table, RowErrors(table.where, table.unit))
    return sum(_is_incomplete(row, layout) for _, row in rows)


def _check_cells(rows: Sequence[LabelledText], where: str) -> None:
    """Refuse labels that are whole lists, or several labels in a cell.

    Raises:
        DataError: most labels are lists or JSON, or joined labels that also stand alone.
    """
    labels = Counter(row.label for row in rows)
    lists = [label for label in labels if label[0] in "[{" and label[-1] in "]}"]
    if 2 * sum(labels[label] for label in lists) > len(rows):
        raise DataError(
            f"{where}: expected one label for each text, found JSON or lists, such as"
            f" {shown(lists[0])}: export one class per text, or spans of characters as JSON lines"
            " for a head of entities"
        )
    for mark in ",;|+&/ ":
        joined = {
            label: [part.strip() for part in label.split(mark)]
            for label in labels
            if mark in label.strip(mark)
        }
        parts = Counter(part for pieces in joined.values() for part in set(pieces))
        known = [part in labels or (number > 1 and mark != " ") for part, number in parts.items()]
        if mark == "/" and all(map(is_number, parts)):
            continue  # 4/5
        # A class may have a comma or a blank in its name, but hardly a semicolon or a bar.
        if len(parts) > 1 and (any(known) if mark in ";|" else all(known)) and joined:
            example = next(iter(joined))
            raise DataError(
                f"{where}: expected one label for each text, found several in a cell, such as"
                f" {shown(example)}: keep one of them, or train a head for each label (its own"
                " column of yes and no)"
            )


def _labelled_text(
    table: Table, layout: TableLayout, number: int, row: Sequence[Any]
) -> LabelledText:
    assert layout.label is not None
    text_key, label_key = layout.names[layout.text], layout.names[layout.label]
    text, label = row[layout.text], one_label(row[layout.label])
    if isinstance(label, (bool, int)) or (isinstance(label, float) and math.isfinite(label)):
        label = json.dumps(label)
    if text is MISSING or label is MISSING:
        keys = in_quotes(
            name for name, value in zip(layout.names, row, strict=True) if value is not MISSING
        )
        expected = f"expected the keys '{text_key}' and '{label_key}', as in other rows"
        raise DataError(f"{expected}, found {keys}: write them alike{_SKIP_ADVICE}")
    if _are_words(text):
        text = " ".join(text)
    if not isinstance(text, str) or not text.strip():
        raise DataError(
            f"{text_key}: expected a text, found {shown(text)}{_SKIP_ADVICE if not text else ''}"
        )
    if label is None:
        raise DataError(
            f"{label_key}: expected a label, found none (the labels of a test split may be"
            f" hidden){_SKIP_ADVICE}"
        )
    if not isinstance(label, str) or not label.strip():
        advice = "" if label else _SKIP_ADVICE
        raise DataError(
            f"{label_key}: expected a string, a number, true or false, found {shown(label)}{advice}"
        )
    return LabelledText(text.strip(), plain_value(label), number)


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def read_trees(path: Path, phrases: bool = False) -> list[LabelledText]:
    r"""Read a sentiment treebank: ``(3 (2 It) (4 works))``, one tree per line.

    ``phrases`` takes every node's phrase, in the order of the closing brackets, not only the whole
    sentence. Tokens, with single spaces between them, are as in the file, except for ``\/`` and
    ``\*``.
    """
    errors = RowErrors(path)
    lines = [(number, line) for number, line in numbered_lines(path) if line.strip()]
    trees = errors.collect(lines, _nodes)
    errors.check(len(trees), "tree")
    return [node for nodes in trees for node in (nodes if phrases else nodes[-1:])]


def _nodes(number: int, line: str) -> list[LabelledText]:
    """Return the labelled phrases of a tree, the whole sentence last."""
    error = DataError(f"expected one tree, such as (3 (2 It) (4 works)), found {shown(line)}")
    nodes: list[LabelledText] = []
    words: list[str] = []
    open_nodes: list[tuple[str, int]] = []  # label, and number of words before
    # Spaces only: a token may hold another kind of white space (2 1/2 with a no-break space).
    pieces = filter(None, line.replace("(", " ( ").replace(")", " ) ").split(" "))
    for piece in pieces:
        if piece == "(" and (open_nodes or not nodes) and (label := next(pieces, "(")) not in "()":
            open_nodes.append((label, len(words)))
        elif piece == ")" and open_nodes and open_nodes[-1][1] < len(words):
            label, start = open_nodes.pop()
            nodes.append(LabelledText(" ".join(words[start:]), label, number))
        elif piece not in "()" and open_nodes:
            words.append(piece.replace("\\/", "/").replace("\\*", "*"))
        else:
            raise error
    if open_nodes:
        raise error
    return nodes

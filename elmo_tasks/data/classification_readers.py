"""Files and hub data sets -> labelled texts."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Literal

from elmo_tasks.data.records import LabelledText, listed
from elmo_tasks.data.table_columns import NOTHING_GIVEN, FoundColumns, TextColumns, find_columns, table_rows
from elmo_tasks.data.tables import Rows, column_name, hub_columns, hub_rows, json_rows, parquet_rows
from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown, suffix_of
from elmo_tasks.errors import DataError

TextFormat = Literal["tsv", "csv", "jsonl", "parquet", "trees"]

_FORMATS: dict[str, TextFormat] = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}


def read_labelled(
    path: str | Path,
    file_format: TextFormat | None = None,
    columns: TextColumns = NOTHING_GIVEN,
    phrases: bool = False,
    like: FoundColumns | None = None,
) -> list[LabelledText]:
    """Read labelled texts.

    Args:
        path: the file; text files may be ``.xz``.
        file_format: ``tsv``: tabs between columns, no quoting. ``csv``: commas (or what ``columns`` says), fields may be
            quoted. ``jsonl``, ``parquet``: a text a row. ``trees``: one bracketed tree a line, each node with a label
            (Stanford Sentiment Treebank). By default from the file's name: ``.tsv``, ``.csv``, ``.jsonl``, ``.json``,
            ``.parquet``.
        columns: which columns to read.
        phrases: of trees, read every node's phrase, not only the whole sentence.
        like: the columns of the training file, for what ``columns`` leaves open.

    Raises:
        DataError: the file, a line of it, or a column is not as expected, or it is not clear which column is which; the
            text names lines, what was expected and what came, or the parameter to set.
    """
    path = Path(path)
    chosen = format_of(path, file_format)
    if phrases and chosen != "trees":
        raise DataError(f"{path}: phrases are labelled in trees only, and this file is read as {chosen}")
    if chosen == "trees":
        return read_trees(path, phrases)
    found = find_columns(path, chosen, columns, like)
    errors = RowErrors(path, "row" if chosen == "parquet" else "line")
    if chosen in ("tsv", "csv"):
        texts = list(_from_table(path, chosen, errors, found, guessed=columns.header is None))
    else:
        text_key = column_name(found.layout.text, "text", "text_column", path)
        label_key = column_name(found.layout.label, "label", "label_column", path)
        named = (
            json_rows(path, errors, columns.encoding)
            if chosen == "jsonl"
            else parquet_rows(path, (text_key, label_key))
        )
        texts = list(_from_rows(named, errors, text_key, label_key))
    return _checked(texts, errors, columns)


def _checked(texts: list[LabelledText], errors: RowErrors, columns: TextColumns) -> list[LabelledText]:
    errors.check(len(texts), "text")
    if not columns.escaped_newlines:
        return texts
    return [replace(row, text=row.text.replace("\\n", "\n")) for row in texts]


def format_of(path: Path, file_format: TextFormat | None = None) -> TextFormat:
    """How a file is read: as told, or by its name.

    Raises:
        DataError: the name does not tell.
    """
    chosen = file_format or _FORMATS.get(suffix_of(path))
    if chosen is None:
        raise DataError(
            f"{path}: the name does not tell the format: set file_format to one of tsv, csv, jsonl, parquet, trees"
        )
    return chosen


def read_labelled_hub(name: str, split: str, columns: TextColumns = NOTHING_GIVEN) -> list[LabelledText]:
    """Read labelled texts of ``sst2``, ``sst5``, ``imdb``, or of a hub id, of which the columns ``text`` and ``label`` by default.

    Raises:
        DataError: it cannot be loaded, or a row or column is not as expected.
    """
    text, label = hub_columns(name)
    text_key = column_name(columns.text, text or "text", "text_column", name)
    label_key = column_name(columns.label, label or "label", "label_column", name)
    errors = RowErrors(f"{name}, split '{split}'", "row")
    rows = hub_rows(name, split, (text_key, label_key))
    return _checked(list(_from_rows(rows, errors, text_key, label_key)), errors, columns)


def _from_table(
    path: Path, file_format: Literal["tsv", "csv"], errors: RowErrors, found: FoundColumns, guessed: bool
) -> Iterator[LabelledText]:
    """Texts of a file whose columns have places."""
    text_at, label_at = found.layout.text, found.layout.label
    assert isinstance(text_at, int)
    assert isinstance(label_at, int)
    rows = table_rows(path, file_format, found.layout)
    first_number, first = next(rows)
    labels: Counter[str] = Counter()

    for number, fields in rows if found.layout.header else chain([(first_number, first)], rows):
        if len(fields) != len(first):
            errors.add(
                number, f"expected {len(first)} columns as in the first line, found {len(fields)}: {shown(fields)}"
            )
            continue
        text, label = fields[text_at].strip(), fields[label_at].strip()
        if text and label:
            labels[label] += 1
            yield LabelledText(text, label, number)
        else:
            errors.add(
                number, f"expected a text and a label, found an empty {'label' if text else 'text'}: {shown(fields)}"
            )

    first_label = first[label_at].strip()
    if guessed and not found.layout.header and labels[first_label] == 1 and sum(labels.values()) > 2 * len(labels):
        # No other row is like the first: it may be names of columns, which must not become a label.
        raise DataError(
            f"{path}, line {first_number}: is this line a header? Its label '{first_label}' comes nowhere else: "
            "set header to true or false"
        )


def _from_rows(rows: Rows, errors: RowErrors, text_key: str, label_key: str) -> Iterator[LabelledText]:
    for number, row in rows:
        if text_key not in row or label_key not in row:
            errors.add(
                number,
                f"expected the keys '{text_key}' and '{label_key}', found {listed(row)}: "
                "set text_column and label_column",
            )
            continue
        text, label = row[text_key], row[label_key]
        if isinstance(label, (bool, int)) or (isinstance(label, float) and math.isfinite(label)):
            label = json.dumps(label)
        if not isinstance(text, str) or not text.strip():
            errors.add(number, f"{text_key}: expected a text, found {shown(text)}")
        elif label is None:
            errors.add(number, f"{label_key}: expected a label, found none (the labels of a test split may be hidden)")
        elif not isinstance(label, str) or not label.strip():
            errors.add(number, f"{label_key}: expected a string, a number, true or false, found {shown(label)}")
        else:
            yield LabelledText(text.strip(), label.strip(), number)


def read_trees(path: Path, phrases: bool = False) -> list[LabelledText]:
    r"""Read a sentiment treebank: ``(3 (2 It) (4 works))``, one tree a line, a label on every node.

    ``phrases`` takes every node's phrase, in the order of the closing brackets, not only the whole sentence. Tokens, with single
    spaces between them, are as in the file, but for ``\/`` and ``\*``.

    Raises:
        DataError: the file cannot be read, or a line is not a tree; the text names the lines.
    """
    errors = RowErrors(path)
    found: list[LabelledText] = []
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            nodes = _nodes(line, number)
        except DataError as error:
            errors.add(number, f"{error}: {shown(line)}")
            continue
        found += nodes if phrases else nodes[-1:]
    errors.check(len(found), "tree")
    return found


def _nodes(line: str, number: int) -> list[LabelledText]:
    """The phrases of one tree with their labels, children before parents: the sentence comes last."""
    nodes: list[LabelledText] = []
    words: list[str] = []
    open_nodes: list[tuple[str, int]] = []  # label, and number of words before
    before = ""
    # Spaces only: a token may hold another kind of white space (2 1/2 with a no-break space).
    for piece in line.replace("(", " ( ").replace(")", " ) ").split(" "):
        if not piece:
            continue
        if nodes and not open_nodes:
            raise DataError("expected one tree on the line, found something after it")
        if piece == ")":
            if not open_nodes or before == "(":
                raise DataError("expected a tree such as (3 (2 It) (4 works)), found a ')' without its '(' and label")
            label, start = open_nodes.pop()
            if start == len(words):
                raise DataError(f"expected words in every node, found none in one labelled '{label}'")
            nodes.append(LabelledText(" ".join(words[start:]), label, number))
        elif before == "(":
            if piece == "(":
                raise DataError("expected a label after each '(', found '(('")
            open_nodes.append((piece, len(words)))
        elif piece != "(":
            if not open_nodes:
                raise DataError("expected a tree such as (3 (2 It) (4 works)), found a word outside of it")
            words.append(piece.replace("\\/", "/").replace("\\*", "*"))
        before = piece
    if open_nodes or before == "(":
        raise DataError(f"expected a tree, found {len(open_nodes) + (before == '(')} '(' too many")
    return nodes

"""Files and hub data sets -> tagged sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from elmo_tasks.data.column_guess import guess_tag_keys
from elmo_tasks.data.records import TaggedSentence, listed
from elmo_tasks.data.span_rows import read_marked, sentence_of
from elmo_tasks.data.tables import (
    Column,
    Rows,
    column_name,
    hub_columns,
    hub_rows,
    json_rows,
    parquet_first,
    parquet_rows,
)
from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown, suffix_of
from elmo_tasks.errors import DataError

TaggingFormat = Literal["columns", "conllu", "jsonl", "marked", "parquet"]

_FORMATS: dict[str, TaggingFormat] = {
    ".conllu": "conllu",
    ".jsonl": "jsonl",
    ".json": "jsonl",
    ".marked": "marked",
    ".parquet": "parquet",
}
_CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_DOCUMENT_START = "-DOCSTART-"
#: The number of a line, its token and its tag; ``None`` between sentences.
TokenLines = Iterator[tuple[int, str, str] | None]


def read_tagged(
    path: str | Path,
    file_format: TaggingFormat | None = None,
    token_column: Column | None = None,
    tag_column: Column | None = None,
    encoding: str = "utf-8",
) -> list[TaggedSentence]:
    """Read tagged sentences.

    Args:
        path: the file; text files may be ``.xz``.
        file_format: ``columns``: a token and its tag a line, at least two columns with tabs (if the first line has one)
            or white space between them, an empty line after each sentence; ``-DOCSTART-`` lines are dropped.
            ``conllu``: CoNLL-U. ``jsonl``, ``parquet``: a sentence a row, as a list of tokens and one of tags, or as a text
            and a list of spans of characters (see :func:`elmo_tasks.data.span_rows.sentence_of`). ``marked``: a sentence a
            line with its tags written into it (see :func:`elmo_tasks.data.span_rows.read_marked`). By default from the
            file's name: ``.conllu``, ``.jsonl``, ``.json``, ``.marked``, ``.parquet``; everything else is ``columns``.
        token_column: which column holds the tokens; by default the first (``form`` in CoNLL-U; in rows ``tokens``,
            ``words``, or ``text`` where spans go with it).
        tag_column: which column holds the tags; by default the last (in rows ``tags``, ``spans`` or ``entities``). In
            CoNLL-U it must be given: ``upos``, ``xpos`` or another name or place.
        encoding: how a text file spells characters.

    Raises:
        DataError: the file, a line of it, or a column is not as expected; the text names lines, what was expected and
            what came.
    """
    path = Path(path)
    chosen = file_format or _FORMATS.get(suffix_of(path), "columns")
    errors = RowErrors(path, "row" if chosen == "parquet" else "line")
    if chosen in ("columns", "conllu"):
        read = _read_columns if chosen == "columns" else _read_conllu
        return _checked(_sentences(read(path, errors, token_column, tag_column, encoding)), errors)
    if chosen == "marked":
        return _checked(read_marked(path, errors, encoding), errors)
    # What is wrong with a line is said when the file is read.
    first = next(json_rows(path, RowErrors(path), encoding), (0, {}))[1] if chosen == "jsonl" else parquet_first(path)
    tokens, tags = guess_tag_keys(first)
    token_key = column_name(token_column, tokens, "token_column", path)
    tag_key = column_name(tag_column, tags, "tag_column", path)
    rows = json_rows(path, errors, encoding) if chosen == "jsonl" else parquet_rows(path, (token_key, tag_key))
    return _checked(_from_rows(rows, errors, token_key, tag_key), errors)


def read_tagged_hub(
    name: str, split: str, token_column: Column | None = None, tag_column: Column | None = None
) -> list[TaggedSentence]:
    """Read tagged sentences of ``conll2003``, or of a hub id; the columns are by default ``tokens`` and ``tags`` of the latter.

    Raises:
        DataError: it cannot be loaded, or a row or column is not as expected.
    """
    tokens, tags = hub_columns(name)
    token_key = column_name(token_column, tokens or "tokens", "token_column", name)
    tag_key = column_name(tag_column, tags or "tags", "tag_column", name)
    errors = RowErrors(f"{name}, split '{split}'", "row")
    return _checked(_from_rows(hub_rows(name, split, (token_key, tag_key)), errors, token_key, tag_key), errors)


def _checked(sentences: Iterator[TaggedSentence], errors: RowErrors) -> list[TaggedSentence]:
    found = list(sentences)
    errors.check(len(found), "sentence")
    return found


def _sentences(lines: TokenLines) -> Iterator[TaggedSentence]:
    """Token lines up to an empty one make a sentence."""
    for is_sentence, words in groupby(lines, key=lambda line: line is not None):
        if is_sentence:
            numbers, tokens, tags = zip(*filter(None, words), strict=True)
            yield TaggedSentence(tokens, tags, numbers[0])


def _read_columns(
    path: Path, errors: RowErrors, token_column: Column | None, tag_column: Column | None, encoding: str
) -> TokenLines:
    token_at = _place(0 if token_column is None else token_column, "token_column", path)
    tag_at = _place(-1 if tag_column is None else tag_column, "tag_column", path)
    separator: str | None = None
    width = 0
    for number, line in numbered_lines(path, encoding):
        if not line.strip():
            yield None
            continue
        if not width:
            separator = "\t" if "\t" in line else None
        fields = line.split(separator)
        if fields[0].strip() == _DOCUMENT_START:
            yield None
            continue
        if not width:
            width = _width(fields, path, number, token_at, tag_at)
        if len(fields) != width:
            errors.add(number, f"expected {width} columns as above, found {len(fields)}: {shown(line)}")
            continue
        token, tag = fields[token_at].strip(), fields[tag_at].strip()
        if token and tag:
            yield number, token, tag
        else:
            errors.add(
                number, f"expected a token and a tag, found an empty {'tag' if token else 'token'}: {shown(line)}"
            )


def _width(fields: Sequence[str], path: Path, number: int, token_at: int, tag_at: int) -> int:
    """Columns of a file, by its first line; what is wrong here is wrong in every line."""
    if len(fields) < 2:
        raise DataError(
            f"{path}, line {number}: expected a token and a tag with a tab or space between them, "
            f"found {len(fields)} column: {shown(fields[0])}"
        )
    for name, place in (("token_column", token_at), ("tag_column", tag_at)):
        if not -len(fields) <= place < len(fields):
            raise DataError(
                f"{path}, line {number}: {name} is {place}, but there are {len(fields)} columns, counted from 0"
            )
    if token_at % len(fields) == tag_at % len(fields):
        raise DataError(f"{path}: token_column {token_at} and tag_column {tag_at} are one and the same column")
    return len(fields)


def _place(column: Column, parameter: str, path: Path) -> int:
    if isinstance(column, int):
        return column
    raise DataError(
        f"{path}: {parameter}: expected the place of a column, counted from 0 (-1 is the last), found '{column}'"
    )


def _read_conllu(
    path: Path, errors: RowErrors, token_column: Column | None, tag_column: Column | None, encoding: str
) -> TokenLines:
    if tag_column is None:
        raise DataError(
            f"{path}: set tag_column to the column of the tags: upos, xpos, or another of {listed(_CONLLU)}"
        )
    token_at = _conllu_place("form" if token_column is None else token_column, "token_column", path)
    tag_at = _conllu_place(tag_column, "tag_column", path)
    for number, line in numbered_lines(path, encoding):
        if not line.strip():
            yield None
            continue
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != len(_CONLLU):
            errors.add(
                number,
                f"expected the {len(_CONLLU)} tab-separated columns of CoNLL-U, found {len(fields)}: {shown(line)}",
            )
            continue
        # 3-4 is the written form of two words (don't); 5.1 is a word that is not there.
        if "-" in fields[0] or "." in fields[0]:
            continue
        if not fields[0].isdigit() or not fields[token_at] or not fields[tag_at]:
            errors.add(number, f"expected a word number, a word and a tag, found {shown(line)}")
            continue
        yield number, fields[token_at], fields[tag_at]


def _conllu_place(column: Column, parameter: str, path: Path) -> int:
    if isinstance(column, str) and column.lower() in _CONLLU:
        return _CONLLU.index(column.lower())
    if isinstance(column, int) and 0 <= column < len(_CONLLU):
        return column
    raise DataError(
        f"{path}: {parameter}: expected one of {listed(_CONLLU)}, or 0 to {len(_CONLLU) - 1}, found '{column}'"
    )


def _from_rows(rows: Rows, errors: RowErrors, token_key: str, tag_key: str) -> Iterator[TaggedSentence]:
    for number, row in rows:
        if token_key not in row or tag_key not in row:
            errors.add(
                number,
                f"expected the keys '{token_key}' and '{tag_key}', found {listed(row)}: "
                "set token_column and tag_column",
            )
            continue
        tokens, tags = row[token_key], row[tag_key]
        if isinstance(tokens, str):
            try:
                yield sentence_of(tokens, tags, number)
            except DataError as error:
                errors.add(number, str(error))
            continue
        if not _are_strings(tokens):
            errors.add(number, f"{token_key}: expected a list of words, found {shown(tokens)}")
        elif not _are_strings(tags):
            errors.add(number, f"{tag_key}: expected a list of tags as strings, found {shown(tags)}")
        elif len(tokens) != len(tags):
            errors.add(number, f"expected one tag per token, found {len(tokens)} tokens and {len(tags)} tags")
        elif not tokens:
            errors.add(number, "expected at least one token, found none")
        else:
            yield TaggedSentence(tuple(tokens), tuple(tags), number)


def _are_strings(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) and item for item in value)

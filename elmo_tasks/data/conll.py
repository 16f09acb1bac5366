"""Reader of tagged sentences: columns, CoNLL-U, JSON and parquet, marked text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from elmo_tasks.data.records import TaggedSentence, listed
from elmo_tasks.data.row_files import HUB_DATA_SETS, hub_rows, is_json, json_rows, parquet_rows
from elmo_tasks.data.tables import Column, check_not_digits
from elmo_tasks.data.tag_columns import (
    CONLLU,
    Given,
    TagFile,
    places_of,
    read_columns,
    sentences_of,
)
from elmo_tasks.data.tag_rows import keys_of, named_tags, read_tag_rows, sentence_of
from elmo_tasks.data.tag_spelling import MIN_OUTSIDE, respelled
from elmo_tasks.data.text_lines import RowErrors, read_text, shown, suffix_of
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import OUTSIDE

TaggingFormat = Literal["columns", "conllu", "json", "jsonl", "marked", "parquet"]

_FORMATS: dict[str, TaggingFormat] = {
    **{".conllu": "conllu", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"},
    **{".marked": "marked", ".parquet": "parquet"},
}
#: Endings of files that hold tagged sentences, whatever is in them.
_TAG_ENDINGS = (".conll", ".conllu", ".iob", ".iob2", ".bio", ".bioes", ".bmes", ".marked")
_FEWEST_TAGGED = 4
_SPAN_TAG = re.compile(r"[Oo]|[BIESLUMbieslum][-_].+")
# [Ada Marsh](PER); the hints in the app have a word joiner there, which keeps gradio from making a
# link of it.
_MARKED = re.compile(r"\[([^\[\]]+)\]\u2060?\(([^()\s]+)\)")
_WORD = re.compile(r"(.+)/([^/]+)")


def is_tag_file(path: Path, start: str) -> bool:
    """Check if a file holds tagged words, by its name or by its first lines.

    In lines of text the last words are not, again and again, a few tags.
    """
    suffix = suffix_of(path)
    if suffix in _TAG_ENDINGS:
        return True
    marks = re.compile("[,;\t]" if suffix in (".csv", ".tsv", ".tab") else r"\t|[ ]+")
    content = [line.rstrip(" \t") for line in start.split("\n")[:-1]]
    content = [line for line in content if line and line[0] != "#" and "-DOCSTART-" not in line]
    rows = [marks.split(line) for line in content][1:]  # the first may name the columns
    widths = Counter(map(len, rows))
    if len(rows) < _FEWEST_TAGGED or 1 in widths or widths.most_common(1)[0][1] < 0.95 * len(rows):
        return False
    tags = Counter(row[-1].strip('"') for row in rows)
    if all(_SPAN_TAG.fullmatch(tag) for tag in tags):
        return len(tags) > 1
    outside = tags[OUTSIDE] >= MIN_OUTSIDE * len(rows)
    return outside and len(tags) <= max(3, len(rows) / 4) and not any(map(str.islower, tags))


def read_tagged(
    path: str | Path,
    file_format: TaggingFormat | None = None,
    token_column: Column | None = None,
    tag_column: Column | None = None,
) -> list[TaggedSentence]:
    """Read tagged sentences; see :func:`read_tag_file`."""
    return read_tag_file(path, file_format, token_column, tag_column).sentences


def read_tag_file(
    path: str | Path,
    file_format: TaggingFormat | None = None,
    token_column: Column | None = None,
    tag_column: Column | None = None,
    encoding: str | None = None,
    tag_names: Sequence[str] | None = None,
) -> TagFile:
    """Read a file of tagged sentences.

    Args:
        path: the file; text files may be compressed.
        file_format: ``columns``: a token and its tag a line, in columns with tabs, spaces or commas
            between them, and an empty line after each sentence; a header, comments, ``-DOCSTART-``
            lines, numbers of words and ids are recognized. ``conllu``: CoNLL-U. ``jsonl``,
            ``parquet``: a sentence a row, as a list of tokens and one of tags, or as a text and a
            list of spans of characters (see :func:`sentence_of`). ``marked``: a sentence a line
            with its tags written into it (see :func:`read_marked`). By default found from the file.
        token_column: which column holds the tokens, by place or name; by default it is recognized.
        tag_column: which column holds the tags; likewise. In CoNLL-U it must be given: ``upos``,
            ``xpos``, another, or a key of the column ``misc`` such as ``NER``.
        encoding: of a text file; by default it is found.
        tag_names: names of tags that are numbers, from 0 on.
    """
    path, given = Path(path), (token_column, tag_column)
    chosen = file_format or _FORMATS.get(suffix_of(path), "columns")
    errors = RowErrors(path, "row" if chosen == "parquet" else "line")
    if chosen == "parquet":
        file = read_tag_rows(parquet_rows(path), errors, given, tag_names)
    else:
        text, name = read_text(path, encoding)
        if chosen in ("json", "jsonl") or (
            file_format is None and chosen == "columns" and is_json(text)
        ):
            file = read_tag_rows(json_rows(text, errors, columns=False), errors, given, tag_names)
        elif chosen == "marked":
            file = TagFile(read_marked(text, errors))
        else:
            columns = read_columns(path, text, errors, given) if chosen == "columns" else None
            file = columns or _of_conllu(path, text, errors, given)
        if name not in ("utf-8", "ascii") and encoding is None:
            file = replace(file, remarks=(*file.remarks, f"encoding {name}"))
    errors.check(len(file.sentences), "sentence")
    words = (token for sentence in file.sentences for token in sentence.tokens)
    check_not_digits(words, f"{path}: the words ('{file.token}')")
    sentences = file.sentences
    if tag_names and all(tag.isdecimal() for sentence in sentences for tag in sentence.tags):
        sentences = [
            replace(s, tags=tuple(named_tags(file.tag, s.tags, tag_names))) for s in sentences
        ]
    try:
        sentences, remarks = respelled(sentences)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    return replace(file, sentences=sentences, remarks=(*file.remarks, *remarks))


def read_tagged_hub(
    name: str, split: str, token_column: Column | None = None, tag_column: Column | None = None
) -> list[TaggedSentence]:
    """Read tagged sentences of ``conll2003``, or of a hub id."""
    _, *defaults = HUB_DATA_SETS.get(name, (name, "tokens", "tags"))
    keys = keys_of((token_column, tag_column), defaults)
    errors = RowErrors(f"{name}, split '{split}'", "row")
    file = read_tag_rows(hub_rows(name, split, keys), errors, keys)
    errors.check(len(file.sentences), "sentence")
    return file.sentences


def _of_conllu(path: Path, text: str, errors: RowErrors, given: Given) -> TagFile:
    blocks: list[list[tuple[int, list[str]]]] = [[]]
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split("\t")
        if not line.strip():
            blocks.append([])
        elif line.startswith("#"):
            continue
        elif len(fields) != len(CONLLU):
            expected = f"expected the {len(CONLLU)} tab-separated columns of CoNLL-U"
            errors.add(number, f"{expected}, found {len(fields)}: {shown(line)}")
        # 3-4 is the written form of two words (don't); 5.1 is a word that is not there.
        elif "-" not in fields[0] and "." not in fields[0]:
            if not fields[0].isdigit():
                errors.add(number, f"expected a word number, a word and a tag, found {shown(line)}")
            blocks[-1].append((number, fields))
    keys = _misc_keys(blocks)
    if given[1] is None:
        others = f", or the key {listed(keys)} of the column misc" if keys else ""
        raise DataError(
            f"{path}: set tag_column to the column of the tags: upos, xpos, or another of"
            f" {listed(CONLLU)}{others}"
        )
    token, tag = (name.lower() if isinstance(name, str) else name for name in given)
    key = (
        str(given[1]) if given[1] in keys else keys[0] if tag == "misc" and len(keys) == 1 else None
    )
    if key is not None:
        blocks = [
            [(n, [*fields[:-1], _misc(fields[-1]).get(key, OUTSIDE)]) for n, fields in b]
            for b in blocks
        ]
        tag = "misc"
    token_at, tag_at = places_of(("form" if token is None else token, tag), CONLLU, str(path))
    assert token_at is not None
    assert tag_at is not None
    sentences = sentences_of(blocks, len(CONLLU), token_at, tag_at, errors)
    return TagFile(
        sentences=sentences,
        names=CONLLU,
        token=CONLLU[token_at],
        tag=CONLLU[tag_at] if key is None else f"misc, {key}",
    )


def _misc(cell: str) -> dict[str, str]:
    """Return the keys and values of the last column of CoNLL-U: ``NER=B-PER|SpaceAfter=No``."""
    return dict(pair.split("=", 1) for pair in cell.split("|") if "=" in pair)


def _misc_keys(blocks: Sequence[Sequence[tuple[int, list[str]]]]) -> list[str]:
    """Return the keys of the column ``misc`` whose values all are tags of spans."""
    values: dict[str, set[str]] = {}
    for block in blocks:
        for _, fields in block:
            for key, value in _misc(fields[-1]).items() if len(fields) == len(CONLLU) else ():
                values.setdefault(key, set()).add(value)
    return [
        key
        for key, found in values.items()
        if found - {"O"} and all(map(_SPAN_TAG.fullmatch, found))
    ]


def read_marked(text: str, errors: RowErrors) -> list[TaggedSentence]:
    """Read sentences with spans in brackets, or with a tag behind every word (``Ada/NOUN``).

    That is where no line has a span in brackets and at least half of the pieces have a tag.
    """
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    pieces = [piece for _, line in lines for piece in line.split()]
    tagged = sum(bool(_WORD.fullmatch(piece)) for piece in pieces)
    of_words = 2 * tagged >= len(pieces) and not any(_MARKED.search(line) for _, line in lines)
    return errors.collect(lines, _of_words if of_words else _of_spans)


def _of_words(number: int, line: str) -> TaggedSentence:
    if untagged := [piece for piece in line.split() if not _WORD.fullmatch(piece)]:
        raise DataError(
            f"expected a tag behind every word, such as flew/VERB, found {shown(untagged[0])}"
        )
    tokens, _, tags = zip(*(piece.rpartition("/") for piece in line.split()), strict=True)
    return TaggedSentence(tokens, tags, number)


def _of_spans(number: int, line: str) -> TaggedSentence:
    text, *rest = _MARKED.split(line)
    spans = []
    for name, type_, between in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        spans.append([len(text), len(text) + len(name), type_])
        text += name + between
    # A remaining bracket belongs to a malformed name.
    if "](" in text:
        raise DataError(f"expected names such as [Ada Marsh](PER), found {shown(line)}")
    return sentence_of(text, spans, number)

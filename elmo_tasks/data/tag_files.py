"""Reader of files of tagged sentences, whatever their format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from elmo_tasks.data.records import TagFile, TaggedSentence
from elmo_tasks.data.row_files import HUB_DATA_SETS, hub_rows, is_json, json_rows, parquet_rows
from elmo_tasks.data.spans import is_marked, read_marked
from elmo_tasks.data.tables import Column, check_not_digits
from elmo_tasks.data.tag_column_choice import TagColumns
from elmo_tasks.data.tag_columns import read_columns, read_conllu
from elmo_tasks.data.tag_rows import keys_of, named_tags, read_tag_rows
from elmo_tasks.data.tag_spelling import MIN_OUTSIDE, SPAN_TAG, respelled
from elmo_tasks.data.text_lines import RowErrors, encoding_remark, read_text, suffix_of
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import OUTSIDE

TaggingFormat = Literal["columns", "conllu", "json", "jsonl", "marked", "parquet"]

_FORMATS: dict[str, TaggingFormat] = {
    ".conllu": "conllu",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".marked": "marked",
    ".parquet": "parquet",
}
#: Endings of files of tagged sentences, whatever their content.
_TAG_ENDINGS = (".conll", ".conllu", ".iob", ".iob2", ".bio", ".bioes", ".bmes", ".marked")
_FEWEST_TAGGED = 4


def is_tag_file(path: Path, start: str) -> bool:
    """Check if a file holds tagged words, by its name or by its first lines.

    The last column of tagged lines repeats a few tags; the last words of plain text vary.
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
    if all(SPAN_TAG.fullmatch(tag) for tag in tags):
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
        file_format: detected from the file by default.

            - ``columns``: a token and its tag per line, in columns with tabs, spaces or commas
              between them, and an empty line after each sentence; a header, comments,
              ``-DOCSTART-`` lines, and columns of word numbers and ids are recognized.
            - ``conllu``: CoNLL-U.
            - ``jsonl``, ``parquet``: a sentence per row, as a list of tokens and one of tags, or as
              a text and a list of spans of characters; see
              :func:`elmo_tasks.data.spans.sentence_of`.
            - ``marked``: a sentence per line with its tags written into it; see
              :func:`elmo_tasks.data.spans.read_marked`.
        token_column: position or name of the column of the tokens; detected by default.
        tag_column: the same for the tags. CoNLL-U requires it: ``upos``,
            ``xpos``, another, or a key of the column ``misc`` such as ``NER``.
        encoding: encoding of a text file; detected by default.
        tag_names: names of numeric tags, starting from 0.
    """
    path, given = Path(path), TagColumns(token_column, tag_column)
    chosen = file_format or _FORMATS.get(suffix_of(path), "columns")
    if chosen == "parquet":
        errors = RowErrors(path, "row")
        file = read_tag_rows(parquet_rows(path), errors, given, tag_names)
    else:
        errors = RowErrors(path)
        text, found_encoding = read_text(path, encoding)
        if file_format is None and chosen == "columns" and is_json(text):
            chosen = "jsonl"
        elif file_format is None and suffix_of(path) in ("", ".txt") and is_marked(text):
            chosen = "marked"
        if chosen in ("json", "jsonl"):
            file = read_tag_rows(json_rows(text, errors, columns=False), errors, given, tag_names)
        elif chosen == "marked":
            file = TagFile(read_marked(text, errors), remarks=("read as text with tags in it",))
        else:
            read = read_columns if chosen == "columns" else read_conllu
            file = read(path, text, errors, given)
        doubts = encoding_remark(text, found_encoding, encoding is not None)
        file = replace(file, remarks=(*file.remarks, *doubts))
    errors.check(len(file.sentences), "sentence")
    return _checked(path, file, tag_names)


def _checked(path: Path, file: TagFile, tag_names: Sequence[str] | None) -> TagFile:
    """Check the words, name tags that are numbers, and bring all tags into one spelling."""
    words = (token for sentence in file.sentences for token in sentence.tokens)
    check_not_digits(words, f"{path}: the words ('{file.token}')")
    sentences = file.sentences
    if tag_names and all(tag.isdecimal() for sentence in sentences for tag in sentence.tags):
        sentences = [
            replace(sentence, tags=tuple(named_tags(file.tag, sentence.tags, tag_names)))
            for sentence in sentences
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
    token_key, tag_key = keys_of(TagColumns(token_column, tag_column), defaults)
    errors = RowErrors(f"{name}, split '{split}'", "row")
    rows = hub_rows(name, split, (token_key, tag_key))
    file = read_tag_rows(rows, errors, TagColumns(token_key, tag_key))
    errors.check(len(file.sentences), "sentence")
    return file.sentences

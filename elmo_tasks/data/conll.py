"""Reader of tagged sentences: columns, CoNLL-U, JSON and parquet, marked text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from elmo_tasks.data.records import TaggedSentence, listed
from elmo_tasks.data.row_files import HUB_DATA_SETS, Rows, hub_rows, is_json, json_rows, parquet_rows
from elmo_tasks.data.tables import Column, check_not_digits
from elmo_tasks.data.tag_columns import CONLLU, Given, TagFile, places_of, read_columns, sentences_of
from elmo_tasks.data.text_lines import RowErrors, read_text, shown, suffix_of
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import OUTSIDE, Span, tags_of
from elmo_tasks.text.tokens import tokenize

TaggingFormat = Literal["columns", "conllu", "json", "jsonl", "marked", "parquet"]

_FORMATS: dict[str, TaggingFormat] = {
    **{".conllu": "conllu", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"},
    **{".marked": "marked", ".parquet": "parquet"},
}
_TEXT_KEYS = ("text", "sentence", "content", "body")
#: Endings of files that hold tagged sentences, whatever is in them.
_TAG_ENDINGS = (".conll", ".conllu", ".iob", ".iob2", ".bio", ".bioes", ".bmes", ".marked")
_FEWEST_TAGGED = 4
_SPAN_TAG = re.compile(r"[Oo]|[BIESLUMbieslum][-_].+")
WORD_KEYS, _SPAN_KEYS = ("tokens", "words"), ("spans", "entities")
_TAG_KEYS = ("tags", "ner_tags", "labels", "ner", "upos", "pos_tags")
# [Ada Marsh](PER); the hints in the app have a word joiner there, which keeps gradio from making a link of it.
_MARKED = re.compile(r"\[([^\[\]]+)\]\u2060?\(([^()\s]+)\)")
_WORD = re.compile(r"(.+)/([^/]+)")
_TYPES = ("label", "type", "entity", "tag", "entity_group")
_PREFIXED = re.compile(r"([BIESLUbieslu])([-_])(.+)")
#: From this share of O on, tags without B- and I- are types of names and no parts of speech.
_MIN_OUTSIDE = 0.3


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
    outside = tags[OUTSIDE] >= _MIN_OUTSIDE * len(rows)
    return outside and len(tags) <= max(3, len(rows) / 4) and not any(map(str.islower, tags))


def read_tagged(
    path: str | Path, file_format: TaggingFormat | None = None,
    token_column: Column | None = None, tag_column: Column | None = None,
) -> list[TaggedSentence]:  # fmt: skip
    """Read tagged sentences; see :func:`read_tag_file`."""
    return read_tag_file(path, file_format, token_column, tag_column).sentences


def read_tag_file(
    path: str | Path, file_format: TaggingFormat | None = None,
    token_column: Column | None = None, tag_column: Column | None = None, encoding: str | None = None,
) -> TagFile:  # fmt: skip
    """Read a file of tagged sentences.

    Args:
        path: the file; text files may be ``.xz``.
        file_format: ``columns``: a token and its tag a line, in columns with tabs, spaces or commas between them, and an empty
            line after each sentence; a header, comments, ``-DOCSTART-`` lines, numbers of words and ids are recognized.
            ``conllu``: CoNLL-U. ``jsonl``, ``parquet``: a sentence a row, as a list of tokens and one of tags, or as a text and
            a list of spans of characters (see :func:`sentence_of`). ``marked``: a sentence a line with its tags written into it
            (see :func:`read_marked`). By default found from the file.
        token_column: which column holds the tokens, by place or name; by default it is recognized.
        tag_column: which column holds the tags; likewise. In CoNLL-U it must be given: ``upos``, ``xpos`` or another.
        encoding: of a text file; by default it is found.
    """
    path, given = Path(path), (token_column, tag_column)
    chosen = file_format or _FORMATS.get(suffix_of(path), "columns")
    errors = RowErrors(path, "row" if chosen == "parquet" else "line")
    if chosen == "parquet":
        file = _of_rows(parquet_rows(path), errors, given)
    else:
        text, name = read_text(path, encoding)
        if chosen in ("json", "jsonl") or (file_format is None and chosen == "columns" and is_json(text)):
            file = _of_rows(json_rows(text, errors, columns=False), errors, given)
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
    return _respelled(file)


def read_tagged_hub(
    name: str, split: str, token_column: Column | None = None, tag_column: Column | None = None
) -> list[TaggedSentence]:
    """Read tagged sentences of ``conll2003``, or of a hub id."""
    _, *defaults = HUB_DATA_SETS.get(name, (name, "tokens", "tags"))
    keys = _keys((token_column, tag_column), defaults)
    errors = RowErrors(f"{name}, split '{split}'", "row")
    file = _of_rows(hub_rows(name, split, keys), errors, keys)
    errors.check(len(file.sentences), "sentence")
    return file.sentences


def with_prefixes(sentences: Sequence[TaggedSentence]) -> list[TaggedSentence] | None:
    """Convert types without prefix (``PER`` for every token) to BIO.

    Adjacent tokens of one type become one name. ``None`` where the tags are no such types: some have a prefix, or too few are
    ``O``.
    """
    tags = Counter(tag for sentence in sentences for tag in sentence.tags)
    types = set(tags) - {OUTSIDE}
    if not types or tags[OUTSIDE] < _MIN_OUTSIDE * sum(tags.values()) or any(map(_PREFIXED.fullmatch, types)):
        return None
    prefixed = []
    for sentence in sentences:
        pairs = pairwise((OUTSIDE, *sentence.tags))
        bio = (tag if tag == OUTSIDE else f"{'I' if tag == before else 'B'}-{tag}" for before, tag in pairs)
        prefixed.append(replace(sentence, tags=tuple(bio)))
    return prefixed


def _respelled(file: TagFile) -> TagFile:
    """Normalize tags such as ``b-per``, ``o`` and ``B_PER``, if all are like that."""
    tags = {tag for sentence in file.sentences for tag in sentence.tags}
    parts = {tag: _PREFIXED.fullmatch(tag) for tag in tags if tag not in ("O", "o")}
    if not parts or not all(parts.values()):
        return file
    names = {tag: f"{match[1].upper()}-{match[3]}" for tag, match in parts.items() if match} | {"o": "O", "O": "O"}
    changed = sorted(tag for tag in tags if names[tag] != tag)
    if not changed:
        return file
    sentences = [replace(s, tags=tuple(names[tag] for tag in s.tags)) for s in file.sentences]
    remark = f"tags such as '{changed[0]}' are read as '{names[changed[0]]}'"
    return replace(file, sentences=sentences, remarks=(*file.remarks, remark))


def _of_conllu(path: Path, text: str, errors: RowErrors, given: Given) -> TagFile:
    if given[1] is None:
        raise DataError(f"{path}: set tag_column to the column of the tags: upos, xpos, or another of {listed(CONLLU)}")
    token, tag = (name.lower() if isinstance(name, str) else name for name in given)
    token_at, tag_at = places_of(("form" if token is None else token, tag), CONLLU, str(path))
    assert token_at is not None
    assert tag_at is not None
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
    sentences = sentences_of(blocks, len(CONLLU), token_at, tag_at, errors)
    return TagFile(sentences, CONLLU, CONLLU[token_at], CONLLU[tag_at])


def _of_rows(rows: Rows, errors: RowErrors, given: Given) -> TagFile:
    numbered = list(rows)
    first = numbered[0][1] if numbered else {}
    pairs = _as_pairs(first)
    keys = _keys(given, _guess_keys(first))
    if numbered and errors.unit == "row" and not pairs:
        for key in keys:
            if not any(key in row for _, row in numbered):
                raise DataError(f"{errors.path}: no column '{key}'; it has {listed(first)}")
    if pairs:
        keys = ("tokens", "tags")
        numbered = [(number, _as_pairs(row) or row) for number, row in numbered]
    sentences = errors.collect(numbered, partial(_sentence_of_row, *keys))
    return TagFile(sentences, tuple(map(str, pairs or first)), *keys)


def _as_pairs(row: Mapping[str, Any]) -> dict[str, list[str]] | None:
    """Read a sentence given as ``[word, tag]`` lists or ``{"word", "tag"}`` objects."""
    words = list(row.values())
    if len(words) == 1 and isinstance(words[0], list) and words[0] and isinstance(words[0][0], (dict, list)):
        words = words[0]
    elif not all(name.startswith("column ") for name in row):
        return None
    pairs = [list(word.values()) if isinstance(word, dict) else word for word in words]
    if not pairs or not all(isinstance(pair, list) and len(pair) == 2 and _are_strings(pair) for pair in pairs):
        return None
    return {"tokens": [pair[0] for pair in pairs], "tags": [pair[1] for pair in pairs]}


def _guess_keys(first: Mapping[str, Any]) -> tuple[str, str]:
    """Infer the keys of words and tags, or of a text and its character spans."""
    lists = [name for name in first if isinstance(first[name], (list, tuple))]
    texts = [name for name in _TEXT_KEYS if isinstance(first.get(name), str)]
    words = [name for name in WORD_KEYS if name in first]
    spans = [name for name in _SPAN_KEYS if name in lists] or ([] if words or len(lists) != 1 else lists)
    if texts and spans:
        return texts[0], spans[0]
    word = words[0] if words else lists[0] if lists else WORD_KEYS[0]
    rest = [name for name in lists if name != word]
    return word, next((name for name in _TAG_KEYS if name in first), rest[0] if rest else _TAG_KEYS[0])


def _keys(given: Given, defaults: Sequence[str]) -> tuple[str, str]:
    token, tag = (default if column is None else str(column) for column, default in zip(given, defaults, strict=True))
    return token, tag


def _sentence_of_row(token_key: str, tag_key: str, number: int, row: Mapping[str, Any]) -> TaggedSentence:
    if token_key not in row or tag_key not in row:
        lacking = f"expected the keys '{token_key}' and '{tag_key}', found {listed(row)}"
        raise DataError(f"{lacking}: set token_column and tag_column")
    tokens, tags = row[token_key], row[tag_key]
    if isinstance(tokens, str) and tags and _are_strings(tags) and len(tokens.split(" ")) == len(tags):
        tokens = tokens.split(" ")
    if isinstance(tokens, str):
        return sentence_of(tokens, tags, number)
    if not _are_strings(tokens):
        raise DataError(f"{token_key}: expected a list of words, found {shown(tokens)}")
    if not _are_strings(tags):
        raise DataError(f"{tag_key}: expected a list of tags as strings, found {shown(tags)}")
    if len(tokens) != len(tags):
        raise DataError(f"expected one tag per token, found {len(tokens)} tokens and {len(tags)} tags")
    if not tokens:
        raise DataError("expected at least one token, found none")
    return TaggedSentence(tuple(tokens), tuple(tags), number)


def _are_strings(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) and item for item in value)


def sentence_of(text: str, spans: Any, number: int = 0) -> TaggedSentence:
    """Tokenize a text and tag its spans, BIO, widened to whole tokens.

    Spans are a list of ``{"start", "end", "label"}`` objects (``type`` for ``label``) or of ``[start, end, label]``: characters of
    the text, counted from 0, the end being one past the last.
    """
    tokens = tokenize(text)
    if not tokens:
        raise DataError(f"expected a text with words, found {shown(text)}")
    if not isinstance(spans, Sequence) or isinstance(spans, str):
        raise DataError(f"expected a list of spans, found {shown(spans)}")
    tagged, widened = [], 0
    for span in spans:
        start, end, name = _parts(span, len(text))
        inside = [k for k, token in enumerate(tokens) if token.start < end and token.end > start]
        if not inside:
            raise DataError(f"the span {start} to {end} ({name}) holds no word of {shown(text)}")
        tagged.append(Span(inside[0], inside[-1] + 1, name))
        widened += tokens[inside[0]].start < start or tokens[inside[-1]].end > end
    for before, after in pairwise(sorted(tagged)):
        if after.start < before.end:
            shared = f"two spans ({before.type} and {after.type}) share the word '{tokens[after.start].text}'"
            raise DataError(f"{shared}; a word has one tag here")
    tags = tags_of(tagged, len(tokens), "BIO")
    return TaggedSentence(tuple(token.text for token in tokens), tuple(tags), number, widened)


def _parts(span: Any, length: int) -> tuple[int, int, str]:
    if isinstance(span, Mapping):
        name = next((span[key] for key in _TYPES if key in span), None)
        parts = [span.get("start", span.get("start_offset")), span.get("end", span.get("end_offset")), name]
    else:
        parts = list(span) if isinstance(span, Sequence) and not isinstance(span, str) else []
    if len(parts) == 3:
        start, end, name = parts
        whole = all(isinstance(place, int) and not isinstance(place, bool) for place in (start, end))
        if whole and isinstance(name, str) and name.strip() and 0 <= start < end <= length:
            return start, end, name.strip()
    raise DataError(
        f"expected spans such as {{'start': 0, 'end': 3, 'label': 'PER'}} or [0, 3, 'PER'] within the {length} characters of "
        f"the text, found {shown(span)}"
    )


def read_marked(text: str, errors: RowErrors) -> list[TaggedSentence]:
    """Read sentences with spans in brackets, or with a tag behind every word (``Ada/NOUN``).

    That is where no line has a span in brackets and at least half of the pieces have a tag.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    pieces = [piece for _, line in lines for piece in line.split()]
    tagged = sum(bool(_WORD.fullmatch(piece)) for piece in pieces)
    of_words = 2 * tagged >= len(pieces) and not any(_MARKED.search(line) for _, line in lines)
    return errors.collect(lines, _of_words if of_words else _of_spans)


def _of_words(number: int, line: str) -> TaggedSentence:
    if untagged := [piece for piece in line.split() if not _WORD.fullmatch(piece)]:
        raise DataError(f"expected a tag behind every word, such as flew/VERB, found {shown(untagged[0])}")
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

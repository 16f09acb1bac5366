"""Tagged sentences as rows: lists of words and tags, or texts with spans of characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from elmo_tasks.data.annotations import plain_rows
from elmo_tasks.data.column_guess import PREDICTED, TEXT_NAMES, words_of
from elmo_tasks.data.records import TagFile, TaggedSentence, in_quotes
from elmo_tasks.data.row_files import ColumnRows
from elmo_tasks.data.spans import sentence_of
from elmo_tasks.data.tag_column_choice import TagColumns
from elmo_tasks.data.tag_spelling import are_span_tags
from elmo_tasks.data.text_lines import RowErrors, shown
from elmo_tasks.errors import DataError

WORD_KEYS = ("tokens", "words")
_SPAN_KEYS = ("spans", "entities")
_TAG_KEYS = ("tags", "ner_tags", "labels", "ner", "upos", "pos_tags")
_NUMBERS_ADVICE = (
    "give the names of the numbers in their order, such as --data.init_args.tag_names '[O, B-PER,"
    " I-PER]' (of a data set of the Hugging Face hub: features['ner_tags'].feature.names)"
)


def read_tag_rows(
    rows: ColumnRows, errors: RowErrors, given: TagColumns, tag_names: Sequence[str] | None = None
) -> TagFile:
    """Read sentences of JSON or Parquet rows; collect malformed ones in ``errors``.

    Args:
        rows: numbered rows.
        errors: of the file.
        given: keys of the words or texts, and of the tags or spans; inferred where ``None``.
        tag_names: the names of tags that are numbers.
    """
    plain = plain_rows(rows, str(errors.path))
    numbered = plain.rows
    sample = _sample([row for _, row in numbered])
    pairs = _as_pairs(numbered[0][1]) if numbered else None
    keys = keys_of(given, _guess_keys(sample))
    if numbered and errors.unit == "row" and not pairs:
        for key in keys:
            if key not in sample:
                raise DataError(f"{errors.path}: no column '{key}'; it has {in_quotes(sample)}")
    if pairs:
        keys = ("tokens", "tags")
        numbered = [(number, _as_pairs(row) or row) for number, row in numbered]
    if (numbers := sample.get(keys[1])) and _are_numbers(numbers) and not tag_names:
        raise DataError(f"{errors.path}: {keys[1]}: {_numbers_need_names(map(str, numbers))}")
    notes: Counter[str] = Counter()
    # A text without spans has no names, if other rows have them under this key.
    optional = isinstance(sample.get(keys[0]), str) and keys[1] in sample
    read = partial(_sentence_of_row, *keys, optional, tuple(tag_names or ()), notes)
    sentences = errors.collect(numbered, read)
    remarks = tuple(f"{n:,} {what}" for what, n in sorted(notes.items()))
    tokens_key, tags_key = keys
    return TagFile(
        sentences=sentences,
        names=tuple(map(str, pairs or sample)),
        token=tokens_key,
        tag=tags_key,
        remarks=(*plain.remarks, *remarks),
    )


def _sample(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return each key of the rows with its first value that is not empty."""
    found: dict[str, Any] = {}
    for row in rows:
        for key, value in row.items():
            if key not in found or (found[key] in (None, [], "") and value not in (None, [], "")):
                found[key] = value
    return found


def _as_pairs(row: Mapping[str, Any]) -> dict[str, list[str]] | None:
    """Read a sentence given as ``[word, tag]`` lists or ``{"word", "tag"}`` objects."""
    words = list(row.values())
    word_key = next((key for key in ("word", "token", "text", "form") if _has(words, key)), None)
    tag_key = next((key for key in ("ner", "tag", "label", "ner_tag") if _has(words, key)), None)
    if word_key and tag_key:
        words = [[word[word_key], word[tag_key]] for word in words]
    if (
        len(words) == 1
        and isinstance(words[0], list)
        and words[0]
        and isinstance(words[0][0], (dict, list))
    ):
        words = words[0]
    elif not all(name.startswith("column ") for name in row):
        return None
    pairs = [list(word.values()) if isinstance(word, dict) else word for word in words]
    if not pairs or not all(
        isinstance(pair, list) and len(pair) == 2 and _are_strings(pair) for pair in pairs
    ):
        return None
    return {"tokens": [pair[0] for pair in pairs], "tags": [pair[1] for pair in pairs]}


def _has(words: Sequence[Any], key: str) -> bool:
    """Check if all values are objects that have a key, and more than one other."""
    return bool(words) and all(
        isinstance(word, dict) and key in word and len(word) > 2 for word in words
    )


def _guess_keys(sample: Mapping[str, Any]) -> tuple[str, str]:
    """Infer the keys of words and tags, or of a text and its character spans."""
    lists = [name for name, value in sample.items() if isinstance(value, (list, tuple))]
    strings = [name for name, value in sample.items() if isinstance(value, str)]
    texts = [name for usual in TEXT_NAMES for name in strings if _last(name) == usual]
    words = [
        name
        for name in sample
        if _last(name) in WORD_KEYS and (name not in lists or _are_strings(sample[name]))
    ]
    spans = [name for name in lists if _are_spans(sample[name])]
    spans = [name for name in lists if _last(name) in _SPAN_KEYS] or spans
    if spans and not texts and not words:
        texts = [name for name in strings if " " in sample[name].strip()]
    if texts and spans:
        return texts[0], spans[0]
    if texts and not words and len(lists) == 1:
        return texts[0], lists[0]
    # Words are no tags; predictions are left out where there are other tags.
    plain = [name for name in lists if not _spell_spans(sample[name])]
    word = (words or plain or lists or texts or WORD_KEYS)[0]
    tags = [name for usual in _TAG_KEYS for name in sample if _last(name) == usual]
    others = [name for name in (*lists, *strings) if name not in (word, *tags)]
    spelled = [name for name in others if _spell_spans(sample[name])]
    gold = [name for name in spelled if not words_of(name) & PREDICTED]
    return word, (tags or gold or spelled or others or _TAG_KEYS)[0]


def _last(name: str) -> str:
    """Return the last part of the name of a field: ``text`` of ``doc.text``."""
    return name.rpartition(".")[2]


def _spell_spans(value: Any) -> bool:
    tags = _split_tags(value) if isinstance(value, str) else value
    return _are_strings(tags) and are_span_tags(tags)


def _split_tags(tags: str) -> list[str]:
    """Split tags that are written as one text."""
    return [tag for tag in re.split(r"[\s,;]+", tags) if tag]


def _are_spans(value: Any) -> bool:
    first = value[0] if value and isinstance(value, Sequence) else None
    if isinstance(first, Mapping):
        return "start" in first or "start_offset" in first
    return isinstance(first, (list, tuple)) and len(first) == 3 and isinstance(first[0], int)


def keys_of(given: TagColumns, defaults: Sequence[str]) -> tuple[str, str]:
    """Return the keys that are given, else the defaults."""
    token_key, tag_key = defaults
    return (
        token_key if given.token is None else str(given.token),
        tag_key if given.tag is None else str(given.tag),
    )


def _sentence_of_row(
    token_key: str,
    tag_key: str,
    optional: bool,
    tag_names: Sequence[str],
    notes: Counter[str],
    number: int,
    row: Mapping[str, Any],
) -> TaggedSentence:
    tokens, tags = row.get(token_key), row.get(tag_key)
    if tags is None and optional and isinstance(tokens, str):
        tags = []
    if tokens is None or tags is None:
        lacking = f"expected the keys '{token_key}' and '{tag_key}', found {in_quotes(row)}"
        raise DataError(f"{lacking}: set token_column and tag_column")
    if isinstance(tags, str) and _are_as_many(tokens, tags):
        tags = _split_tags(tags)
    if (
        isinstance(tokens, str)
        and tags
        and _are_strings(tags)
        and len(tokens.split(" ")) == len(tags)
    ):
        tokens = tokens.split(" ")
    if isinstance(tokens, str):
        return sentence_of(tokens, tags, number, notes)
    if _are_strings(tokens) and _are_spans(tags):
        raise DataError(
            f"{tag_key}: expected a tag for each word, found spans of words, {shown(tags)}: give"
            " tags, or a text and spans of characters"
        )
    if not _are_strings(tokens):
        raise DataError(f"{token_key}: expected a list of words, found {shown(tokens)}")
    if _are_numbers(tags) and tags:
        tags = named_tags(tag_key, [str(tag) for tag in tags], tag_names)
    if not _are_strings(tags):
        raise DataError(f"{tag_key}: expected a list of tags as strings, found {shown(tags)}")
    if len(tokens) != len(tags):
        raise DataError(
            f"expected one tag per token, found {len(tokens)} tokens and {len(tags)} tags"
        )
    if not tokens:
        raise DataError("expected at least one token, found none")
    return TaggedSentence(tuple(tokens), tuple(tags), number)


def _are_as_many(tokens: Any, tags: str) -> bool:
    """Check if a text has as many words as a text of tags has tags."""
    words = tokens.split() if isinstance(tokens, str) else tokens
    return isinstance(words, list) and len(words) == len(_split_tags(tags))


def named_tags(key: str, tags: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names of tags that are numbers.

    Raises:
        DataError: there are no names, or too few.
    """
    if not names:
        raise DataError(f"{key}: {_numbers_need_names(tags)}")
    if wrong := [tag for tag in tags if not tag.isdecimal() or int(tag) >= len(names)]:
        raise DataError(
            f"{key}: the tag {wrong[0]} has no name; tag_names has {len(names)}, counted from 0"
        )
    return [names[int(tag)] for tag in tags]


def _numbers_need_names(tags: Iterable[str]) -> str:
    return f"the tags are numbers ({', '.join(list(tags)[:6])}): {_NUMBERS_ADVICE}"


def _are_numbers(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(type(item) is int for item in value)


def _are_strings(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        isinstance(item, str) and item for item in value
    )

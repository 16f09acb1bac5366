"""Texts with spans in them, as people type and mend them, or beside them, as annotation tools write them -> tokens with tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import Span, tags_of
from elmo_tasks.text.tokens import tokenize

_SPAN = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+)\)")  # [Ada Marsh](PER)
_WORD = re.compile(r"(.+)/([^/]+)")
_TYPES = ("label", "type", "entity", "tag", "entity_group")


def sentence_of(text: str, spans: Any, number: int = 0) -> TaggedSentence:
    """Cut a text into tokens and tag them, BIO. A span that begins or ends inside a token takes all of it.

    Spans are a list of ``{"start", "end", "label"}`` objects (``type`` for ``label``) or of ``[start, end, label]``: characters of
    the text, counted from 0, the end being one past the last.

    Raises:
        DataError: a span is not as expected, holds no word, or two of them share a word.
    """
    tokens = tokenize(text)
    if not tokens:
        raise DataError(f"expected a text with words, found {shown(text)}")
    if not isinstance(spans, Sequence) or isinstance(spans, str):
        raise DataError(f"expected a list of spans, found {shown(spans)}")
    found, widened = [], 0
    for span in spans:
        start, end, name = _parts(span, len(text))
        inside = [k for k, token in enumerate(tokens) if token.start < end and token.end > start]
        if not inside:
            raise DataError(f"the span {start} to {end} ({name}) holds no word of {shown(text)}")
        found.append(Span(inside[0], inside[-1] + 1, name))
        widened += tokens[inside[0]].start < start or tokens[inside[-1]].end > end
    found.sort()
    for before, after in pairwise(found):
        if after.start < before.end:
            word = tokens[after.start].text
            raise DataError(
                f"two spans ({before.type} and {after.type}) share the word '{word}'; a word has one tag here"
            )
    tags = tags_of(found, len(tokens), "BIO")
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


def read_marked(path: Path, errors: RowErrors, encoding: str = "utf-8") -> Iterator[TaggedSentence]:
    """Read sentences, one a line: with spans in brackets, or with a tag behind every word (``Ada/NOUN flew/VERB``).

    A file is of one kind: of words where no line has a span in brackets and at least half of the pieces have a tag.

    Raises:
        DataError: through ``errors``, with the line: a piece without its tag, or a bracket that is not closed as expected.
    """
    lines = [(number, line.strip()) for number, line in numbered_lines(path, encoding) if line.strip()]
    pieces = [piece for _, line in lines for piece in line.split()]
    tagged = sum(bool(_WORD.fullmatch(piece)) for piece in pieces)
    of_words = 2 * tagged >= len(pieces) and not any(_SPAN.search(line) for _, line in lines)
    for number, line in lines:
        try:
            yield _of_words(line, number) if of_words else _of_spans(line, number)
        except DataError as error:
            errors.add(number, str(error))


def _of_words(line: str, number: int) -> TaggedSentence:
    found = [_WORD.fullmatch(piece) for piece in line.split()]
    for piece, match in zip(line.split(), found, strict=True):
        if match is None:
            raise DataError(f"expected a tag behind every word, such as flew/VERB, found {shown(piece)}")
    tokens, tags = zip(*(match.groups() for match in found if match), strict=True)
    return TaggedSentence(tokens, tags, number)


def _of_spans(line: str, number: int) -> TaggedSentence:
    text, spans, at = "", [], 0
    for match in _SPAN.finditer(line):
        text += line[at : match.start()]
        spans.append([len(text), len(text) + len(match[1]), match[2]])
        text, at = text + match[1], match.end()
    text += line[at:]
    # What is left of a bracket belongs to a name that was not written as expected.
    if "](" in text:
        raise DataError(f"expected names such as [Ada Marsh](PER), found {shown(line)}")
    return sentence_of(text, spans, number)

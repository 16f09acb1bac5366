"""A text with spans of characters -> tokens with tags: how annotation tools write entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.text_lines import shown
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import Span, tags_of
from elmo_tasks.text.tokens import Token, tokenize

_TYPES = ("label", "type", "entity", "tag", "entity_group")


def sentence_of(text: str, spans: Any, number: int = 0) -> TaggedSentence:
    """Cut a text into tokens and tag them, BIO. A span that begins or ends inside a token takes all of it.

    Args:
        text: any text.
        spans: a list of ``{"start", "end", "label"}`` objects (``type`` for ``label``) or of ``[start, end, label]``:
            characters of the text, counted from 0, the end being one past the last.
        number: of the line.

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
        widened += _is_wider(tokens, found[-1], start, end)
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


def _is_wider(tokens: Sequence[Token], span: Span, start: int, end: int) -> bool:
    return tokens[span.start].start < start or tokens[span.end - 1].end > end

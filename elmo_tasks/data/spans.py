"""Texts with spans of characters, as tagged words; and texts with tags written into them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from elmo_tasks.data.annotations import one_label
from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.text_lines import RowErrors, shown
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import OUTSIDE, Span, tags_of
from elmo_tasks.text.tokens import tokenize

_TYPE_KEYS = ("label", "labels", "type", "entity", "tag", "entity_group")
_OWN_TEXTS = ("text", "surface", "mention")
# [Ada Marsh](PER); the hints in the app have a word joiner there, which keeps gradio from making a
# link of it.
_MARKED_SPAN = re.compile(r"\[([^\[\]]+)\]\u2060?\(([^()\s]+)\)")
_TAGGED_WORD = re.compile(r"(.+)/([^/]+)")


class _GivenSpan(NamedTuple):
    """A span as given."""

    start: int
    end: int
    type: str
    own_text: str | None  #: its text, where the file has it


def sentence_of(
    text: str, spans: Any, number: int = 0, notes: Counter[str] | None = None
) -> TaggedSentence:
    """Tokenize a text and tag its spans, BIO, widened to whole tokens.

    Spans are a list of ``{"start", "end", "label"}`` objects (``type`` for ``label``) or of
    ``[start, end, label]``: characters of the text, counted from 0, the end being one past the
    last. Where a span has its own ``text``, the two must agree; offsets that count UTF-16 units or
    bytes are converted then.

    Raises:
        DataError: a span is malformed, outside the text, or contradicts its own text.
    """
    notes = Counter() if notes is None else notes
    tokens = tokenize(text)
    if not tokens:
        raise DataError(f"expected a text with words, found {shown(text)}")
    if not isinstance(spans, Sequence) or isinstance(spans, str):
        raise DataError(f"expected a list of spans, found {shown(spans)}")
    marked = [_parts(span, len(text)) for span in spans]
    names = [span for span in _placed(text, marked, notes) if span.type != OUTSIDE]
    if len(names) < len(marked):
        notes["spans of the type O are not names"] += len(marked) - len(names)
    tagged, widened = [], 0
    for start, end, name, _ in names:
        inside = [k for k, token in enumerate(tokens) if token.start < end and token.end > start]
        if not inside:
            raise DataError(f"the span {start} to {end} ({name}) holds no word of {shown(text)}")
        tagged.append(Span(inside[0], inside[-1] + 1, name))
        widened += tokens[inside[0]].start < start or tokens[inside[-1]].end > end
    for before, after in pairwise(sorted(tagged)):
        if after.start < before.end:
            shared = (
                f"two spans ({before.type} and {after.type}) share the word"
                f" '{tokens[after.start].text}'"
            )
            raise DataError(f"{shared}; a word has one tag here")
    tags = tags_of(tagged, len(tokens), "BIO")
    return TaggedSentence(
        tokens=tuple(token.text for token in tokens), tags=tuple(tags), line=number, widened=widened
    )


def _placed(text: str, spans: Sequence[_GivenSpan], notes: Counter[str]) -> list[_GivenSpan]:
    """Check spans against their own texts; convert offsets in other units to characters."""
    counted = {
        "characters": list(range(len(text) + 1)),
        "UTF-16 units": [0, *accumulate(len(sign.encode("utf-16-le")) // 2 for sign in text)],
        "bytes": [0, *accumulate(len(sign.encode("utf-8", "surrogatepass")) for sign in text)],
    }
    for unit, ends in counted.items():
        places = {end: place for place, end in enumerate(ends)}
        moved = [
            span._replace(start=places.get(span.start, -1), end=places.get(span.end, -1))
            for span in spans
        ]
        if unit != "characters" and not any(span.own_text for span in spans):
            break
        if all(0 <= span.start < span.end and _agrees(text, span) for span in moved):
            if unit != "characters":
                notes[f"texts whose spans count {unit}: converted"] += 1
            return moved
    for span in spans:
        if not 0 <= span.start < span.end <= len(text):
            raise _malformed([span.start, span.end, span.type], len(text))
    wrong = next(span for span in spans if not _agrees(text, span))
    raise DataError(
        f"the span {wrong.start} to {wrong.end} ({wrong.type}) is"
        f" {shown(text[wrong.start : wrong.end])} in the text, but its own text is"
        f" {shown(wrong.own_text)}: the text was changed after it was labelled, or the offsets"
        " count something other than characters"
    )


def _agrees(text: str, span: _GivenSpan) -> bool:
    own_text = span.own_text
    return own_text is None or text[span.start : span.end].split() == own_text.split()


def _parts(span: Any, length: int) -> _GivenSpan:
    own_text = None
    if isinstance(span, Mapping):
        name = one_label(next((span[key] for key in _TYPE_KEYS if key in span), None))
        parts = [
            span.get("start", span.get("start_offset")),
            span.get("end", span.get("end_offset")),
            name,
        ]
        own_text = next((span[key] for key in _OWN_TEXTS if isinstance(span.get(key), str)), None)
    else:
        parts = list(span) if isinstance(span, Sequence) and not isinstance(span, str) else []
    if len(parts) == 3:
        start, end, name = parts
        whole = all(
            isinstance(place, int) and not isinstance(place, bool) for place in (start, end)
        )
        if whole and isinstance(name, str) and name.strip():
            return _GivenSpan(start=start, end=end, type=name.strip(), own_text=own_text)
    raise _malformed(span, length)


def _malformed(span: Any, length: int) -> DataError:
    return DataError(
        "expected spans such as {'start': 0, 'end': 3, 'label': 'PER'} or [0, 3, 'PER'] within"
        f" the {length} characters of the text, found {shown(span)}"
    )


def read_marked(text: str, errors: RowErrors) -> list[TaggedSentence]:
    """Read sentences with spans in brackets, or with a tag behind every word (``Ada/NOUN``).

    The latter applies if no line has such a span and at least half of the pieces have a tag.
    """
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    pieces = [piece for _, line in lines for piece in line.split()]
    tagged = sum(bool(_TAGGED_WORD.fullmatch(piece)) for piece in pieces)
    of_words = 2 * tagged >= len(pieces) and not any(_MARKED_SPAN.search(line) for _, line in lines)
    return errors.collect(lines, _of_words if of_words else _of_spans)


def _of_words(number: int, line: str) -> TaggedSentence:
    if untagged := [piece for piece in line.split() if not _TAGGED_WORD.fullmatch(piece)]:
        raise DataError(
            f"expected a tag behind every word, such as flew/VERB, found {shown(untagged[0])}"
        )
    tokens, _, tags = zip(*(piece.rpartition("/") for piece in line.split()), strict=True)
    return TaggedSentence(tokens, tags, number)


def _of_spans(number: int, line: str) -> TaggedSentence:
    text, *rest = _MARKED_SPAN.split(line)
    spans = []
    for name, type_, between in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        spans.append([len(text), len(text) + len(name), type_])
        text += name + between
    # A remaining bracket belongs to a malformed name.
    if "](" in text:
        raise DataError(f"expected names such as [Ada Marsh](PER), found {shown(line)}")
    return sentence_of(text, spans, number)

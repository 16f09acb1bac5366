"""Texts with spans of characters, as tagged words; and texts with tags written into them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from elmo_tasks.data.annotations import one_label
from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.text_lines import RowErrors, shown
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import OUTSIDE, Span, tags_of
from elmo_tasks.text.tokens import tokenize

_TYPE_KEYS = ("label", "labels", "type", "entity", "tag", "entity_group", "category", "class")
_START_KEYS = ("start", "start_offset", "startOffset", "begin", "offset", "from")
_END_KEYS = ("end", "end_offset", "endOffset", "stop", "to")
_OWN_TEXTS = ("text", "surface", "mention")
# [Ada Marsh](PER); the hints in the app have a word joiner there, which keeps gradio from making a
# link of it.
_MARKED_SPAN = re.compile(r"\[([^\[\]]+)\]\u2060?\(([^()\s]+)\)")
_TAGGED_WORDS = {mark: re.compile(rf"(.+)[{mark}]([^{mark}]+)") for mark in "/|_"}
_MOST_KINDS = 0.25  #: of the tags behind words that may differ from each other


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
            raise DataError(f"{shared}; a word has one tag here: keep one of the two")
    tags = tags_of(tagged, len(tokens), "BIO")
    return TaggedSentence(
        tokens=tuple(token.text for token in tokens), tags=tuple(tags), line=number, widened=widened
    )


def _placed(text: str, spans: Sequence[_GivenSpan], notes: Counter[str]) -> list[_GivenSpan]:
    """Check spans against their own texts; convert offsets in other units to characters."""
    counted = {
        "characters": list(range(len(text) + 1)),
        "UTF-16 units": [0, *accumulate(len(sign.encode("utf-16-le")) // 2 for sign in text)],
        "the last character to the span": [],
        "bytes": [0, *accumulate(len(sign.encode("utf-8", "surrogatepass")) for sign in text)],
    }
    for unit, ends in counted.items():
        moved = _moved(spans, unit, ends)
        if unit != "characters" and not any(span.own_text for span in spans):
            break
        if all(0 <= span.start < span.end and _agrees(text, span) for span in moved):
            if unit != "characters":
                notes[f"texts whose spans count {unit}: converted"] += 1
                return moved
            # Without their texts: in the right unit, spans begin and end at words.
            utf16 = _moved(spans, "UTF-16 units", counted["UTF-16 units"])
            if (
                not any(span.own_text for span in spans)
                and not _fit_words(text, spans)
                and _fit_words(text, utf16)
            ):
                notes["texts whose spans count UTF-16 units: converted"] += 1
                return utf16
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


def _moved(spans: Sequence[_GivenSpan], unit: str, ends: Sequence[int]) -> list[_GivenSpan]:
    """Return spans in characters, whose places in a unit are ``ends``; -1 for no place."""
    places = {end: place for place, end in enumerate(ends)}
    if unit.startswith("the last"):
        return [span._replace(end=span.end + 1) for span in spans]
    return [
        span._replace(start=places.get(span.start, -1), end=places.get(span.end, -1))
        for span in spans
    ]


def _fit_words(text: str, spans: Sequence[_GivenSpan]) -> bool:
    """Check if spans begin and end where words do."""
    tokens = tokenize(text)
    starts, ends = {token.start for token in tokens}, {token.end for token in tokens}
    return all(span.start in starts and span.end in ends for span in spans)


def _agrees(text: str, span: _GivenSpan) -> bool:
    own_text = span.own_text
    return own_text is None or text[span.start : span.end].split() == own_text.split()


def _parts(span: Any, length: int) -> _GivenSpan:
    own_text = None
    if isinstance(span, Mapping):
        name = one_label(next((span[key] for key in _TYPE_KEYS if key in span), None))
        start, end = (
            _number(next((span[key] for key in keys if key in span), None))
            for keys in (_START_KEYS, _END_KEYS)
        )
        if end is None and isinstance(start, int) and isinstance(span.get("length"), int):
            end = start + span["length"]
        parts = [start, end, name]
        own_text = next((span[key] for key in _OWN_TEXTS if isinstance(span.get(key), str)), None)
    else:
        parts = list(span) if isinstance(span, Sequence) and not isinstance(span, str) else []
        if parts and isinstance(parts[0], str) and not _is_whole(parts[0]):
            parts = [*parts[1:], parts[0]]  # the type comes first
        parts = [*map(_number, parts[:2]), *parts[2:]]
    if len(parts) == 3:
        start, end, name = parts
        whole = all(
            isinstance(place, int) and not isinstance(place, bool) for place in (start, end)
        )
        if whole and isinstance(name, str) and name.strip():
            return _GivenSpan(start=start, end=end, type=name.strip(), own_text=own_text)
    raise _malformed(span, length)


def _is_whole(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit()


def _number(value: Any) -> Any:
    """Read ``"3"`` and ``3.0`` as 3."""
    if _is_whole(value) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


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
    mark = _mark_behind(pieces)
    of_words = mark and not any(_MARKED_SPAN.search(line) for _, line in lines)
    return errors.collect(lines, partial(_of_words, mark) if of_words else _of_spans)


def is_marked(text: str) -> bool:
    """Check if lines of running text have tags in them, whatever the name of their file."""
    lines = [line.split() for line in text.split("\n") if line.strip()]
    pieces = [piece for line in lines for piece in line]
    if "\t" in text or len({len(line) for line in lines}) < 2:
        return False
    types = {type_ for _, type_ in _MARKED_SPAN.findall(text)}
    if types and not any(re.search(r"[/.]", type_) for type_ in types):
        return True
    mark = _mark_behind(pieces)
    tags = [piece.rpartition(mark)[2] for piece in pieces] if mark else []
    return (
        bool(mark)
        and all(map(_TAGGED_WORDS[mark].fullmatch, pieces))
        and len(set(tags)) <= max(3, _MOST_KINDS * len(tags))
    )


def _mark_behind(pieces: Sequence[str]) -> str:
    """Return the mark between a word and its tag in at least half of the pieces, or none."""
    tagged = {
        mark: sum(bool(pattern.fullmatch(piece)) for piece in pieces)
        for mark, pattern in _TAGGED_WORDS.items()
    }
    best = max(tagged, key=lambda mark: tagged[mark])
    return best if 2 * tagged[best] >= len(pieces) else ""


def _of_words(mark: str, number: int, line: str) -> TaggedSentence:
    pattern = _TAGGED_WORDS[mark]
    if untagged := [piece for piece in line.split() if not pattern.fullmatch(piece)]:
        raise DataError(
            f"expected a tag behind every word, such as flew{mark}VERB, found {shown(untagged[0])}"
        )
    tokens, _, tags = zip(*(piece.rpartition(mark) for piece in line.split()), strict=True)
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

"""Tag schemes <-> spans: one tag per token marks the extent of each span.

- IOB1: ``I-X`` is in a span; ``B-X`` begins one only where the token before is in a span of the
  same type.
- BIO: ``B-X`` begins every span (also called IOB2).
- BIOES: also ``E-X`` on the last token, ``S-X`` on the only one (also called BIOUL: ``L-X`` for E,
  ``U-X`` for S).

(Ramshaw and Marcus, 1995; Tjong Kim Sang and Veenstra, 1999; Ratinov and Roth, 2009.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from elmo_tasks.errors import ConfigError, DataError

Scheme = Literal["IOB1", "BIO", "BIOES"]
OUTSIDE = "O"

_PREFIXES: dict[Scheme, str] = {"IOB1": "BI", "BIO": "BI", "BIOES": "BIES"}
_OTHER_SPELLING = {"L": "E", "U": "S"}
# Data sets made by hand break their own scheme sometimes: CoNLL-2003's training file does so twice
# in 23,000 spans.
_MAX_VIOLATIONS = 0.01


@dataclass(frozen=True, order=True)
class Span:
    """A run of tokens, from ``start`` to before ``end``, with a type such as ``PER``."""

    start: int
    end: int
    type: str


class Transitions(NamedTuple):
    """The label pairs ``(from, to)``, first and last labels of valid sequences."""

    pairs: frozenset[tuple[str, str]]
    starts: frozenset[str]
    ends: frozenset[str]


def spans_of(tags: Sequence[str], scheme: Scheme) -> list[Span]:
    """Return the spans that the tags of one sentence spell, in order.

    An invalid sequence is read as the CoNLL scorer (conlleval) reads it: an "inside" tag where no
    span of its type is open begins one, and a span ends where another tag cannot continue it.
    """
    spans: list[Span] = []
    start, kind = 0, ""  # the open span; no type is empty, so "" is none
    before = OUTSIDE
    for k, tag in enumerate((*tags, OUTSIDE)):
        prefix, type_ = split_tag(tag, scheme, k)
        if kind and not _continues(before, kind, prefix, type_):
            spans.append(Span(start, k, kind))
            kind = ""
        if not kind and prefix != OUTSIDE:
            start, kind = k, type_
        before = prefix
    return spans


def tags_of(spans: Iterable[Span], length: int, scheme: Scheme) -> list[str]:
    """Spell disjoint spans, in any order, as the tags of ``length`` tokens."""
    tags = [OUTSIDE] * length
    before: Span | None = None
    for span in sorted(spans):
        tags[span.start : span.end] = [f"I-{span.type}"] * (span.end - span.start)
        touching = before is not None and before.end == span.start and before.type == span.type
        if scheme != "IOB1" or touching:
            tags[span.start] = f"B-{span.type}"
        if scheme == "BIOES":
            tags[span.end - 1] = f"{'S' if span.end - span.start == 1 else 'E'}-{span.type}"
        before = span
    return tags


def convert(tags: Sequence[str], source: Scheme, target: Scheme) -> list[str]:
    """Spell the same spans in another scheme, always well formed."""
    return tags_of(spans_of(tags, source), len(tags), target)


def split_tag(tag: str, scheme: Scheme, position: int | None = None) -> tuple[str, str]:
    """Split ``"L-PER"`` into ``("E", "PER")``, as in BIOES; DataError for no tag."""
    if tag == OUTSIDE:
        return OUTSIDE, ""
    prefix, dash, type_ = tag.partition("-")
    if scheme == "BIOES":
        prefix = _OTHER_SPELLING.get(prefix, prefix)
    prefixes = _PREFIXES[scheme]
    if len(prefix) == 1 and prefix in prefixes and dash and type_:
        return prefix, type_
    where = "" if position is None else f"token {position + 1}: "
    raise DataError(
        f"{where}{tag!r:.60} is not a tag of the scheme {scheme}, which has O and"
        f" {', '.join(f'{letter}-TYPE' for letter in prefixes)}"
    )


def types_of(labels: Iterable[str], scheme: Scheme) -> tuple[str, ...]:
    """Return the span types that occur among labels, sorted."""
    return tuple(sorted({split_tag(label, scheme)[1] for label in labels} - {""}))


def labels_of(types: Iterable[str], scheme: Scheme) -> tuple[str, ...]:
    """List every label of a scheme for some types, ``O`` first."""
    return (
        OUTSIDE,
        *(f"{prefix}-{type_}" for type_ in sorted(set(types)) for prefix in _PREFIXES[scheme]),
    )


def detect_scheme(tag_sequences: Iterable[Sequence[str]]) -> Scheme:
    """Detect the scheme of a data set from its tags; one slip in a hundred is tolerated.

    E- and S- (L- and U-) exist in BIOES only, and there every B- has its E-. Without them, every
    span that does not touch another of its type is evidence: IOB1 begins it with I-, BIO with B-.
    """
    by_b: list[str] = []
    by_i: list[str] = []
    seen = dict.fromkeys("OBIES", 0)
    for number, tags in enumerate(tag_sequences, start=1):
        before = OUTSIDE, ""
        for k, tag in enumerate(tags):
            try:
                prefix, type_ = split_tag(tag, "BIOES", k)
            except DataError as error:
                raise DataError(f"sentence {number}, {error}") from None
            seen[prefix] += 1
            if type_ and type_ != before[1]:
                (by_b if prefix == "B" else by_i).append(
                    f"{tag!r:.60} as token {k + 1} of sentence {number}"
                )
            before = prefix, type_
    if seen["E"] or seen["S"]:
        if abs(seen["B"] - seen["E"]) > _MAX_VIOLATIONS * (seen["B"] + seen["S"]):
            raise DataError(
                f"the tag scheme is unclear: {seen['E']} tags E- (L-) and {seen['S']} tags S- (U-),"
                f" as only BIOES has, but {seen['B']} tags B-, each of which would need its"
                " E- there"
            )
        return "BIOES"
    if not by_b and not by_i:
        raise DataError("the tag scheme is unclear: no token has a tag other than O")
    if min(len(by_b), len(by_i)) > _MAX_VIOLATIONS * (len(by_b) + len(by_i)):
        raise DataError(
            f"the tag scheme is unclear: {len(by_b)} spans begin as only BIO writes them (first"
            f" {by_b[0]}), and {len(by_i)} as only IOB1 does (first {by_i[0]})"
        )
    return "BIO" if len(by_b) > len(by_i) else "IOB1"


def allowed_transitions(labels: Iterable[str], scheme: Scheme) -> Transitions:
    """Return valid transitions, first and last labels; ConfigError for IOB1."""
    if scheme not in ("BIO", "BIOES"):
        raise ConfigError(
            f"constraints exist for BIO and BIOES, not for {scheme}: convert the tags first"
        )
    parts = {label: split_tag(label, scheme) for label in labels}
    outside = OUTSIDE, ""
    return Transitions(
        pairs=frozenset(
            (first, second)
            for first in parts
            for second in parts
            if _may_follow(parts[first], parts[second], scheme)
        ),
        starts=frozenset(tag for tag in parts if _may_follow(outside, parts[tag], scheme)),
        ends=frozenset(tag for tag in parts if _may_follow(parts[tag], outside, scheme)),
    )


def continuations(labels: Iterable[str], scheme: Scheme) -> frozenset[tuple[str, str]]:
    """Return the label pairs whose second label continues the first one's span."""
    parts = {label: split_tag(label, scheme) for label in labels}
    return frozenset(
        (first, second)
        for first, (before, open_type) in parts.items()
        for second, (prefix, type_) in parts.items()
        if open_type and _continues(before, open_type, prefix, type_)
    )


def _continues(before: str, open_type: str, prefix: str, type_: str) -> bool:
    """Check whether a tag continues the open span, by conlleval's rules."""
    return type_ == open_type and prefix in ("I", "E") and before not in ("E", "S")


def _may_follow(first: tuple[str, str], second: tuple[str, str], scheme: Scheme) -> bool:
    """Check that I- and E- continue an open span and that BIOES closes every span."""
    (before, open_type), (prefix, type_) = first, second
    if prefix in ("I", "E"):
        return before in ("B", "I") and open_type == type_
    return scheme == "BIO" or before not in ("B", "I")

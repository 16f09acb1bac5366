"""Sentences with their tags written into them, for people who mend these: ``[Ada Marsh](PER) flew``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def marked_spans(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """A sentence on one line with its spans ``(start, end, type)``, which do not overlap."""
    out, at = "", 0
    for start, end, name in sorted(spans):
        out += f"{text[at:start]}[{text[start:end]}]({name})"
        at = end
    return " ".join((out + text[at:]).split())


def marked_words(tokens: Sequence[str], tags: Sequence[str]) -> str:
    """A sentence with a tag behind every word: ``Ada/NOUN flew/VERB``."""
    return " ".join(f"{token}/{tag}" for token, tag in zip(tokens, tags, strict=True))

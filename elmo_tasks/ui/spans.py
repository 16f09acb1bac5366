"""A text cut at the places that are marked in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def pieces(text: str, spans: Iterable[tuple[int, int, T]]) -> list[tuple[str, T | None]]:
    """The text in pieces, each with what marks it; together they are the text as typed.

    Args:
        text: the text.
        spans: ``(start, end, mark)``; what is empty or begins inside an earlier one is left out.
    """
    found: list[tuple[str, T | None]] = []
    at = 0
    for start, end, mark in sorted(spans, key=lambda span: span[:2]):
        if start < at or end <= start:
            continue
        if start > at:
            found.append((text[at:start], None))
        found.append((text[start:end], mark))
        at = end
    return [*found, (text[at:], None)] if at < len(text) else found

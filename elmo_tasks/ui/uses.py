"""How one use of a word is shown: its number in the shape of its group, and its sentence with the word marked."""

from __future__ import annotations

from html import escape

from elmo_tasks.api import Comparison, ComparisonItem

LETTERS = "ABCDEFGHIJKL"


def group_of(comparison: Comparison) -> list[int | None]:
    """The group of each use; ``None`` where it is in none."""
    groups: list[int | None] = [None] * len(comparison.items)
    for number, group in enumerate(comparison.groups):
        for use in group:
            groups[use] = number
    return groups


def badge(use: int, group: int | None) -> str:
    """The number of a use in the shape and colour of its group: colour is never the only sign."""
    kind = "none" if group is None else str(group % 6)
    name = f"use {use + 1}" + ("" if group is None else f", group {LETTERS[group]}")
    return f'<span class="badge g{kind}" role="img" aria-label="{name}"><span>{use + 1}</span></span>'


def marked(item: ComparisonItem) -> str:
    """The sentence with the word marked."""
    before, word, after = item.sentence[: item.start], item.sentence[item.start : item.end], item.sentence[item.end :]
    return f"{escape(before)}<mark>{escape(word)}</mark>{escape(after)}"

"""The uses of a comparison by group."""

from __future__ import annotations

from elmo_tasks.api import Comparison


def group_of(comparison: Comparison) -> list[int | None]:
    """The group of each use; ``None`` where it is in none."""
    groups: list[int | None] = [None] * len(comparison.items)
    for number, group in enumerate(comparison.groups):
        for use in group:
            groups[use] = number
    return groups

"""The same uses of a word as several models read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from elmo_tasks.api.compare import Comparison


@dataclass(frozen=True)
class SideBySide:
    """One comparison per model, of the same uses."""

    #: in the order in which the models were asked for; each is told by what was measured of its own model
    comparisons: tuple[Comparison, ...]
    senses: tuple[str, ...]  #: the meaning of each use, where those of all are known; else none
    #: for each model, whether it groups the uses by these meanings; ``None`` where it names no groups, or nothing is known
    right: tuple[bool | None, ...]
    agreement: str  #: one line: who agrees with whom, and who is right

    def to_list(self) -> list[dict[str, Any]]:
        """The JSON of ``/side_by_side`` and of ``compare --json`` with several models: one comparison each, with ``right``."""
        return [
            {**comparison.to_dict(), "right": right}
            for comparison, right in zip(self.comparisons, self.right, strict=True)
        ]


def partition(groups: Sequence[Sequence[int]]) -> frozenset[frozenset[int]]:
    """Groups of uses without an order, so that two ways to group can be compared."""
    return frozenset(frozenset(group) for group in groups)

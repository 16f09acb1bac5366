"""How an answer compares with what the writer of the sentences meant."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from elmo_tasks.api import Comparison


class Outcome(Enum):
    """What became of sentences whose meanings are known, as a sentence about the model."""

    RIGHT = "The model sorts them as they were meant, and is sure of it."
    WRONG = "The model is sure here, and wrong."
    LEANS_RIGHT = "The model leans to what was meant, without being sure."
    LEANS_WRONG = "The model leans to another grouping than was meant, without being sure."
    PAIR = "The model does not dare to sort them all; it leans to something about two of them."
    IF_SEVERAL = "The model does not dare to sort them; it says how they go together if they have several meanings."
    UNASKED = "The spellings differ, so the model was not asked to sort these."
    SILENT = "The model cannot say how these group, and says so."

    @property
    def is_wrong(self) -> bool:
        """Whether all of the groups that it names or leans to are not those that were meant."""
        return self in (Outcome.WRONG, Outcome.LEANS_WRONG)

    @property
    def is_right(self) -> bool:
        """Whether the groups that it names or leans to are those that were meant."""
        return self in (Outcome.RIGHT, Outcome.LEANS_RIGHT)


def groups_of(meant: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The uses of each meaning, in the order in which they come."""
    return {name: tuple(at for at, other in enumerate(meant) if other == name) for name in dict.fromkeys(meant)}


def outcome(comparison: Comparison, meant: Sequence[str]) -> Outcome:
    """What became of uses, from what the writer of each had in mind."""
    if comparison.spellings_differ:
        return Outcome.UNASKED
    if comparison.groups_if_several:
        return Outcome.IF_SEVERAL
    if not comparison.groups:
        return Outcome.PAIR if comparison.voice == "leaning" else Outcome.SILENT
    right = set(comparison.groups) == set(groups_of(meant).values())
    if comparison.voice == "named":
        return Outcome.RIGHT if right else Outcome.WRONG
    return Outcome.LEANS_RIGHT if right else Outcome.LEANS_WRONG


def shows_what_was_meant(comparison: Comparison, meant: Sequence[str]) -> bool:
    """Whether an example may be offered: its uses are sorted rightly and named; of other words the closest two belong together."""
    if len({item.token.lower() for item in comparison.items}) == 1:
        return outcome(comparison, meant) is Outcome.RIGHT
    layer = next(layer for layer in comparison.layers if layer.name == comparison.verdict_layer)
    pairs = [(a, b) for b in range(len(meant)) for a in range(b)]
    a, b = max(pairs, key=lambda pair: layer.cosine[pair[0]][pair[1]])
    return meant[a] == meant[b]

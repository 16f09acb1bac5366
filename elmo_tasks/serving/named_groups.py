"""Groups of uses as people see them: a letter, how many there are, and the words that stand around them."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import SenseGroup
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.characteristic_words import characteristic_words
from elmo_tasks.senses.clustering import Groups
from elmo_tasks.senses.content_words import is_stop_word
from elmo_tasks.senses.uses import FoundUse, base_word
from elmo_tasks.text.word_forms import are_inflections

_LETTERS = "ABCDEF"


def named_groups(static: StaticVectors, uses: Sequence[FoundUse], groups: Groups, word: str) -> tuple[SenseGroup, ...]:
    """Give groups their letters and words.

    Args:
        static: vectors of words alone.
        uses: of the word.
        groups: positions of the uses.
        word: which names no group, nor do its inflections.
    """
    key = base_word(word)

    def leave_out(other: str) -> bool:
        return len(other) < 3 or is_stop_word(other) or are_inflections(key, other)

    around = [[[*uses[k].tokens[: uses[k].start], *uses[k].tokens[uses[k].end :]] for k in group] for group in groups]
    words = characteristic_words(
        around, lambda found: static.vectors_of(found).cpu().numpy(), static.share_of, leave_out
    )
    return tuple(
        SenseGroup(_LETTERS[g], len(group), named) for g, (group, named) in enumerate(zip(groups, words, strict=True))
    )

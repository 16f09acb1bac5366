"""What a map of a word's uses says of its groups and of whose uses they are."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.wording.text import listed

#: An adjusted Rand index from which on groups match known meanings well, and in part.
MATCH_WELL, MATCH_IN_PART = 0.65, 0.3


def match_words(agreement: float) -> str:
    """An adjusted Rand index in words."""
    if agreement > 0.99:
        return "the groups are exactly the meanings that the example sentences were written for"
    if agreement >= MATCH_WELL:
        return "the groups match the meanings that the example sentences were written for well, not fully"
    if agreement >= MATCH_IN_PART:
        return "the groups match the meanings that the example sentences were written for in part"
    return "the groups do not match the meanings that the example sentences were written for"


def not_its_meanings(agreement: float) -> str:
    """The same for groups that do not match well, inside a sentence about the word's uses."""
    return "which match its meanings only in part" if agreement >= MATCH_IN_PART else "which are not its meanings"


def typed_otherwise(word: str) -> str:
    """What is added where the sentences are of another form than was typed."""
    return f" (you typed “{word}”)"


def words_on_map(word: str, examples_of: Sequence[str], has_own: bool) -> tuple[str, ...]:
    """The forms that the uses of a map are called by: the one that was asked for, and that of the example sentences.

    Args:
        word: as asked.
        examples_of: the words of the gallery whose sentences are on the map.
        has_own: whether sentences of a person's own text are on it.
    """
    asked = (word,) if has_own or not examples_of else ()
    return (*asked, *(other for other in examples_of if other.lower() not in {form.lower() for form in asked}))


def in_quotes(words: Sequence[str]) -> str:
    """``“glasses” and “glass”``."""
    return listed([f"“{word}”" for word in words])

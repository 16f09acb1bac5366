"""What a map of a word's uses says: of its groups, of whose uses they are, of what lands on it, and of the words of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elmo_tasks.api import Said, SenseGroup
from elmo_tasks.wording.text import listed, quoted

#: Where nothing is known of a word, its groups are called meanings if their number was right so often in a test.
OFTEN_RIGHT = 0.8
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


def words_on_map(word: str, examples_of: Sequence[str], has_own: bool) -> tuple[str, ...]:
    """The forms that the uses of a map are called by: the one that was asked for, and that of the words of the gallery whose
    sentences are on it.
    """
    asked = (word,) if has_own or not examples_of else ()
    return (*asked, *(other for other in examples_of if other.lower() not in {form.lower() for form in asked}))


def in_quotes(words: Sequence[str]) -> str:
    """``“glasses” and “glass”``."""
    return listed([f"“{word}”" for word in words])


@dataclass(frozen=True)
class Meanings:
    """What is known of the meanings of a map's uses."""

    #: adjusted Rand index of the groups and the known senses; ``None`` where none are known
    agreement: float | None = None
    n_senses: int = 0  #: how many known senses there are
    number_right: float = 0.0  #: share of named groupings with the right number of groups, in a test with other words
    #: whether a person's own sentences spell the word in other forms than the examples beside them
    forms_differ: bool = False


def nothing_to_draw(word: str, has_text: bool, gallery: bool) -> str:
    """There is no use to draw: why, and what to do."""
    if has_text:
        return f"Your text has no use of {quoted(word)}. Type another word, or paste a text that has it."
    if not gallery:
        return f"Paste a text that uses {quoted(word)}, or let the example sentences count."
    return (
        f"There are no example sentences for {quoted(word)}. Paste your own text that uses it, or choose another word."
    )


def _called_groups(groups: Sequence[SenseGroup]) -> str:
    named = [f"{g.letter} ({', '.join(g.words[:3])} …)" if g.words else g.letter for g in groups]
    return ", ".join(named)


def uses_of(word: str, n: int, n_own: int, examples_of: Sequence[str]) -> str:
    """How many uses there are, ``n_own`` of them from the person's own text, and of which form of the word."""
    return f"{n} use{'' if n == 1 else 's'} of {in_quotes(words_on_map(word, examples_of, n_own > 0))}"


def map_verdict(
    uses: str,
    n: int,
    groups: Sequence[SenseGroup],
    fewest: int,
    is_clear: bool,
    asked: int | None,
    measured: bool,
    unread: str,
    mostly_own: bool,
    meanings: Meanings,
) -> Said:
    """What a map says.

    Args:
        uses: how many uses there are, and of what (:func:`uses_of`).
        n: number of uses.
        groups: those that are named; none where the model cannot tell.
        fewest: uses that groups are looked for in.
        is_clear: whether the groups that were found are clear.
        asked: the number of groups that was asked for, if any.
        measured: whether it was measured how well the model's groups match meanings.
        unread: what they were compared by if that is blind to the sentence, in words; else nothing.
        mostly_own: whether more than half of them come from the person's own text.
        meanings: what is known of the meanings.
    """
    if asked is not None:
        if not groups:
            return Said(f"{uses}, all in one group, as you asked.")
        clear = (
            "They are clear groups."
            if is_clear
            else "That they are groups of meaning is not sure: the gaps between them are no clearer than chance may make them."
        )
        return Said(f"{uses} in {len(groups)} groups, as you asked: {_called_groups(groups)}.", clear)
    if groups:
        return _grouped(uses, groups, mostly_own, meanings)
    if unread:
        return Said(f"This view cannot tell the {uses} apart.", f"It looks at {unread} and at nothing around it.")
    if n < fewest:
        more = f"At least {fewest} are needed; paste text of your own for more."
        return Said(f"Too few uses to find groups: {uses}.", more)
    if not measured:
        return Said(
            f"No groups are named for these {uses}.",
            "How well this model’s groups match meanings was not measured yet: elmo-tasks calibrate --map --model NAME does that.",
        )
    return Said(
        f"The model is not sure whether these {uses} have one meaning or several.",
        "There are no gaps between them that are clearer than chance may make them. You can ask for a number of groups, and judge "
        "them by their sentences.",
    )


def _grouped(uses: str, groups: Sequence[SenseGroup], mostly_own: bool, meanings: Meanings) -> Said:
    """What is said of groups: meanings only where nothing speaks against it."""
    fall, told = f"{uses} fall into {len(groups)} groups", _called_groups(groups)
    if meanings.forms_differ:
        return Said(f"{fall}: {told}.")  # the letters alone move forms of a word apart, and the groups may show no more
    if mostly_own:
        topics = "In a running text groups are often its topics, not meanings of the word."
        return Said(f"{fall}; read them to see whether these are meanings.", f"They are {told}. {topics}")
    if meanings.agreement is None:
        if meanings.number_right < OFTEN_RIGHT:
            return Said(f"{fall}; read them to see whether these are meanings.", f"They are {told}.")
    elif meanings.agreement < MATCH_WELL:
        return Said(f"{fall}, {not_its_meanings(meanings.agreement)}: {told}.")
    elif len(groups) != meanings.n_senses:
        return Said(f"{fall}: {told}.", f"The example sentences were written for {meanings.n_senses} meanings.")
    return Said(f"{uses}, probably {len(groups)} meanings: {told}.")


def landed(groups: Sequence[SenseGroup], group: int | None, order: Sequence[int], *, by_meaning: bool = False) -> str:
    """Where a sentence came to lie on a map, whose groups are called by what most of their example sentences were written for, if
    so asked and known: in a group, if that is clear, else beside the nearest, which stand first in the order.
    """

    def called(at: int) -> str:
        found = groups[at]
        return f"{found.letter} ({found.meant})" if by_meaning and found.meant else _called_groups([found])

    if not groups:
        return "It lands beside its nearest uses. No groups are named on this map, so it is in none."
    if group is not None:
        return f"It lands in group {called(group)}."
    if len(groups) < 2:
        return "It lands on a map with a single group."
    first, second = (called(at) for at in order[:2])
    return (
        f"It lands between the groups. {first} is nearest, then {second}; the model does not know which, and it may be "
        "a meaning that is not on this map."
    )

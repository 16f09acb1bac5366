"""What is said of a word in two texts."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import MovedWord, Said

#: A deal at random is as far apart no more often than this, where it is said that a use moved.
LEVEL = 0.05
#: What texts are called that have no name.
FIRST, SECOND = "the first text", "the second text"


def word_verdict(
    word: str, names: tuple[str, str], n: tuple[int, int], distance: float, chance: float, p: float
) -> Said:
    """Whether the use of a word moved, and against what that is held: the average distance of a use in one text from one in the
    other, the same when the uses are dealt to the texts by chance, and the share ``p`` of such deals that are as far apart.
    """
    uses = f"{n[0]} uses in {_called(names[0])}, {n[1]} in {_called(names[1])}"
    numbers = (
        f"Average pair distance {distance:.2f}; {chance:.2f} if the same uses were dealt to the texts at random, "
        f"and as far apart as here in {round(1000 * p):,} of 1,000 such deals, this one among them (p = {p:.3f})."
    )
    if p <= LEVEL:
        judge = "That may be another meaning, or only another topic: judge by the sentences."
        return Said(f"The two texts use “{word}” differently: {uses}.", f"{numbers} {judge}")
    return Said(f"No difference in the use of “{word}” is sure: {uses}.", f"{numbers} Chance alone shows as much.")


def moved_verdict(words: Sequence[MovedWord], names: tuple[str, str], n_found: int, fewest: int) -> Said:
    """Which words moved most, of those that were compared, which stand by that, and of ``n_found`` that could have been, as they
    come often enough in both texts.
    """
    if n_found == 1:
        only = f"Only one content word comes {fewest} times or more in both texts, “{words[0].word}”"
        return Said(f"{only}: there is nothing to rank it against.", "Its own map says whether its use differs.")
    looked = f"the {len(words)} most frequent of {n_found}" if len(words) < n_found else f"all {n_found}"
    by_chance = sum(word.p <= LEVEL for word in words)
    about = (
        f"Looked at {looked} content words that come {fewest} times or more in both. {by_chance} of {len(words)} are used "
        f"more differently than in 95 % of random deals, where chance alone would let about {0.05 * len(words):.0f} through; "
        "texts on different topics move nearly all words. The list says where to look."
    )
    where = f"{_called(names[0])} to {_called(names[1])}"
    out = [f"“{word.word}”" for word in words if word.stands_out]
    if out:
        named = ", ".join(out[:4]) + (f" and {len(out) - 4} more" if len(out) > 4 else "")
        return Said(f"From {where}, {named} moved much more than the other words.", about)
    return Said(f"No word moved much more than the others from {where}.", about)


def _called(name: str) -> str:
    return name if name in (FIRST, SECOND) else f"“{name}”"

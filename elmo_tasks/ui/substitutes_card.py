"""The card and the file of what the model would have written."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import Substitutes, WrittenHere
from elmo_tasks.ui.page import csv_file, render
from elmo_tasks.wording.text import ordinal

TITLE = "What would the model have written here?"
LEAD = "Take the word out, and let the model fill the place from either side and from both."
#: The lists of a place, the one that says most first.
_SIDES = (("before", "Told by the words before"), ("after", "Told by the words after"))
JOINED = (("alike", "Other words: both sides and the word itself"), ("both", "Both sides alone"), *_SIDES)
AT_ONCE = (("both", "Told by both sides"), *_SIDES)


def chance(probability: float) -> str:
    """A probability in percent, with one decimal where it is small; the space does not break."""
    share = 100 * probability
    if 0 < share < 0.1:
        return "<\u00a00.1\u00a0%"
    return f"{share:.0f}\u00a0%" if share >= 9.95 else f"{share:.1f}\u00a0%"


def own_place(found: WrittenHere, token: str, vocabulary: int) -> str:
    """Which guess the word itself is."""
    if found.rank is None or found.probability is None:
        return f"“{token}” is not in the model’s list of {vocabulary:,} words."
    place = f"{ordinal(found.rank)} guess"
    return f"“{token}” itself: {place}, {chance(found.probability)}, told by both sides."


def body(substitutes: Substitutes, groups: Sequence[int | None]) -> str:
    """The whole answer, below the fold's title; ``groups`` holds that of each use."""
    return render(
        "substitutes.html",
        substitutes=substitutes,
        items=substitutes.items,
        groups=groups,
        KINDS=AT_ONCE if substitutes.at_once else JOINED,
        chance=chance,
        own_place=own_place,
        csv=csv_text(substitutes),
        data=substitutes.to_dict(),
    )


def csv_text(substitutes: Substitutes) -> str:
    """One row for each guess."""
    header = ["use", "told by", "guess", "word", "probability", "form of the word", "sentence"]
    rows = []
    for found in substitutes.uses:
        sentence = substitutes.items[found.use].sentence
        for kind, guesses in (
            ("both sides and the word", found.alike),
            ("both sides", found.both),
            ("before", found.before),
            ("after", found.after),
        ):
            for number, guess in enumerate(guesses, 1):
                told = (guess.word, guess.probability, guess.is_form)
                rows.append((found.use + 1, kind, number, *told, sentence))
    return csv_file(header, rows)

"""What is answered beside a comparison: why, what is nearest, and what the model would have written."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ComparisonItem, HiddenWord, NearestUses, NearUse, Said
from elmo_tasks.wording.text import listed

#: Which side of the word tells two uses apart, by the name of the answer.
SIDE_ANSWERS = {
    "before": "The words before it tell the two apart more than the words after it.",
    "after": "The words after it tell the two apart more than the words before it.",
    "both": "The words before it and the words after it tell the two apart about equally.",
    "unclear": "The layers do not agree on which side tells the two apart more.",
}
#: Where no layer has read one side only.
NO_SIDES = "This model reads both sides of a word at once: it has no layers that have read one side only."


def why_answer(
    items: Sequence[ComparisonItem], words: Sequence[HiddenWord], named: HiddenWord | None, several: Sequence[str]
) -> str:
    """Which of the hidden words two uses come out by: the one that decides, or the several that change most, where none does."""
    if not words:
        return "There is no other word in the two sentences."
    if named is not None:
        return f"Mostly because of “{named.token}” in sentence {named.use + 1}."
    if items[0].token != items[1].token:
        return "No single word around them decides it. The spellings differ, which moves vectors apart by itself."
    if len(several) > 1:
        return f"No single word decides it; most of all {listed([f'“{token}”' for token in several])}."
    return "No single word decides it."


def nearest_answer(word: str, uses: Sequence[NearUse], only: str, random: float) -> Said:
    """The nearest use, and how many of the nearest are of the same word; ``only`` says whether ``same``, ``other`` or ``all`` were
    asked for.
    """
    if not uses:
        none = (
            f"There is no other use of “{word}” here." if only == "same" else "There is nothing else to compare with."
        )
        return Said(none)
    first = uses[0]
    nearest = f"The nearest use is “{first.token}” with a cosine of {first.cosine:.2f}, where two random words have {random:.2f}."
    if only != "all":
        return Said(nearest)
    n_same = sum(use.same_word for use in uses)
    which = (
        f"All {len(uses)} nearest uses are of this word too."
        if n_same == len(uses)
        else f"None of the {len(uses)} nearest uses is of this word itself."
        if n_same == 0
        else f"{n_same} of the {len(uses)} nearest uses {'is' if n_same == 1 else 'are'} of this word too."
    )
    return Said(nearest, which)


def _in_sense(answer: NearestUses, sense: str) -> tuple[int, int]:
    """How many of the nearest uses of the word are in a meaning, and of how many the meaning is known."""
    known = [use.sense for use in answer.uses if use.sense]
    return known.count(sense), len(known)


def nearest_by_several(word: str, answers: Sequence[NearestUses], sense: str) -> str:
    """How many of the nearest uses each model that reads sentences finds in the meaning asked about, if that is known."""
    counts = [(answer.model, *_in_sense(answer, sense)) for answer in answers] if sense else []
    parts = [(same, f"{same} of {known} by “{model}”") for model, same, known in counts if known]
    if not parts:
        return f"The nearest to this “{word}”, side by side"
    return f"In this meaning {'is' if parts[0][0] == 1 else 'are'} {listed([text for _, text in parts])}."


def written_answer(
    named: Sequence[tuple[int, str | None]],
    unknown: Sequence[int],
    among: Sequence[int],
    n_guesses: int,
    word: str | None,
) -> Said:
    """What is likely enough to be named, where the model knows nothing of a place, and whether the word itself is likely.

    Sentences are told by their numbers from 1: those with the other word that is likely enough there, if one is; those in which the
    model does not know what would fit; those in which the word that stands there is among its guesses. That word is ``None`` where
    it has several spellings.
    """
    where: dict[str, list[int]] = {}
    for number, other in named:
        if other is not None:
            where.setdefault(other, []).append(number)
    parts = [f"“{other}” in {_sentences(numbers)}" for other, numbers in where.items()]
    n_rest = len(named) - len(unknown) - sum(map(len, where.values()))
    told = [f"Of other words the model would most likely have written {listed(parts)}"] if parts else []
    if unknown:
        places = "these places" if len(unknown) == len(named) else _sentences(unknown)
        told.append(f"{'it' if told else 'The model'} does not know what would fit in {places}")
    if n_rest and told:
        told.append("in the rest no other word stands out")
    first = f"{'; '.join(told) or 'No other word stands out in these places'}."
    name = f"“{word}” itself" if word is not None else "The word that stands there"
    which = "any of them" if not among else "all of them" if len(among) == len(named) else f"{_sentences(among)} only"
    return Said(first, f"{name} is {'' if among else 'not '}among its {n_guesses} likeliest words in {which}.")


def _sentences(numbers: Sequence[int]) -> str:
    return f"sentence {numbers[0]}" if len(numbers) == 1 else f"sentences {listed(numbers)}"

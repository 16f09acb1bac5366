"""Answers about a cosine and about nearest uses."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ComparisonItem, HiddenWord, Message, NearestUses, NearUse
from elmo_tasks.messages.text import listed

#: Sentence for each side of the word that may separate two uses more.
SIDE_ANSWERS = {
    "before": "The words before it tell the two apart more than the words after it.",
    "after": "The words after it tell the two apart more than the words before it.",
    "both": "The words before it and the words after it tell the two apart about equally.",
    "unclear": "The layers do not agree on which side tells the two apart more.",
}
#: Sentence for models whose layers have no halves.
NO_SIDES = "This model reads both sides of a word at once: it has no layers that have read one side only."


def why_answer(
    items: Sequence[ComparisonItem], words: Sequence[HiddenWord], named: HiddenWord | None, several: Sequence[str]
) -> str:
    """Name the decisive hidden word or, without one, the words with the largest effect."""
    if not words:
        return "There is no other word in the two sentences."
    if named is not None:
        return f"Mostly because of “{named.token}” in sentence {named.use + 1}."
    if items[0].token != items[1].token:
        return "No single word around them decides it. The spellings differ, which moves vectors apart by itself."
    if len(several) > 1:
        return f"No single word decides it; most of all {listed([f'“{token}”' for token in several])}."
    return "No single word decides it."


def nearest_answer(word: str, uses: Sequence[NearUse], only: str, random: float, sense: str = "") -> Message:
    """Name the nearest use, and count the uses of the same word among the nearest.

    Args:
        word: as written in the query sentence.
        uses: the nearest first.
        only: ``same`` for uses of this word, ``other`` for other words, or ``all``.
        random: cosine of two random words.
        sense: meaning of the word in the query sentence; empty if unknown.
    """
    if not uses:
        none = (
            f"There is no other use of “{word}” here." if only == "same" else "There is nothing else to compare with."
        )
        return Message(none)
    first = uses[0]
    nearest = f"The nearest use is “{first.token}” with a cosine of {first.cosine:.2f}, where two random words have {random:.2f}."
    same_word = [use for use in uses if use.same_word]
    told = f"{len(same_word)} of the {len(uses)} nearest uses {'is' if len(same_word) == 1 else 'are'} of this word."
    same_sense, known = _in_sense(uses, sense)
    if sense and known:
        told += f" {same_sense} of them {'has' if same_sense == 1 else 'have'} the meaning it has here ({sense})."
    return Message(nearest, "" if only == "other" else told)


def _in_sense(uses: Sequence[NearUse], sense: str) -> tuple[int, int]:
    """Count the uses of the query word with this meaning, and with any meaning."""
    found = [use.sense for use in uses if use.same_word and use.sense]
    return found.count(sense), len(found)


def nearest_by_several(word: str, answers: Sequence[NearestUses], sense: str) -> str:
    """Count, for each model that reads sentences, the nearest uses in a known meaning."""
    counts = [(answer.model, *_in_sense(answer.uses, sense)) for answer in answers] if sense else []
    parts = [(same, f"{same} of {known} by “{model}”") for model, same, known in counts if known]
    if not parts:
        return f"The nearest to this “{word}”, side by side"
    return f"In this meaning {'is' if parts[0][0] == 1 else 'are'} {listed([text for _, text in parts])}."

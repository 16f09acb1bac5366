"""Answers about cosines, whole sentences, nearest uses, and several models side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from elmo_tasks.api import (
    Message,
    NearestUses,
    NearUse,
    SentenceLayer,
    StaticNeighbour,
    WordEffect,
)
from elmo_tasks.messages.views import view_place
from elmo_tasks.text.uses import Use
from elmo_tasks.wording import first_capital, listed, number, number_word, percent

#: Sentence for each side of the word that may separate two uses more.
SIDE_ANSWERS = {
    "before": "The words before it tell the two apart more than the words after it.",
    "after": "The words after it tell the two apart more than the words before it.",
    "both": "The words before it and the words after it tell the two apart about equally.",
    "unclear": "The layers do not agree on which side tells the two apart more.",
}
#: Sentence for models whose layers have no halves.
NO_SIDES = (
    "This model reads both sides of a word at once: it has no layers that have read one side only."
)


def why_answer(
    uses: Sequence[Use],
    words: Sequence[WordEffect],
    named: WordEffect | None,
    several: Sequence[str],
) -> str:
    """Name the decisive hidden word or, without one, the words with the largest effect."""
    if not words:
        return "There is no other word in the two sentences."
    if named is not None:
        return f"Mostly because of “{named.use.token}” in sentence {named.number + 1}."
    if uses[0].token != uses[1].token:
        return (
            "No single word around them decides it. The spellings differ, which moves vectors apart"
            " by itself."
        )
    if len(several) > 1:
        return (
            "No single word decides it; the strongest are"
            f" {listed([f'“{token}”' for token in several])}."
        )
    return "No single word decides it."


def evidence_answer(named: Sequence[tuple[str, float]], has_words: bool) -> str:
    """Name the words that most of the evidence hangs on, each with its share."""
    if not has_words:
        return "There is no other word in the two sentences."
    if not named:
        return "No single word stands out: the evidence is spread over the sentences."
    return f"Above all {listed([f'“{token}” ({percent(share)})' for token, share in named])}."


def on_the_list(word: str, named: WordEffect | None, *, is_in_dictionary: bool) -> str:
    """State that the answer was known before the sentences were read, and what connects these.

    ``named`` is the decisive hidden word, if there is one.
    """
    known = (
        "has one meaning in the dictionary"
        if is_in_dictionary
        else "is on the list of words with one everyday meaning"
    )
    rests = f"“{word}” {known}, and the answer rests on that, not on the words around it."
    if named is None:
        return rests
    return (
        f"{rests} These are alike mostly because of “{named.use.token}” in sentence"
        f" {named.number + 1}."
    )


def one_vector_sentence(word: str, *, is_same: bool) -> str:
    """Describe the uses of a word by one vector for each word."""
    if is_same:
        return (
            f"“{word}” has one vector, whatever the sentence: any two uses have a cosine of 1.00."
        )
    return (
        "Each spelling has one vector, whatever the sentence: only the spellings make a difference."
    )


def letters_sentence(*, is_same: bool) -> str:
    """Describe a layer that reads the letters of the word only."""
    if is_same:
        return (
            "ELMo’s layer 0 reads the letters of the word only: the same spelling scores 1.00"
            " everywhere."
        )
    return (
        "ELMo’s layer 0 reads the letters of the word only: the numbers say how alike the spellings"
        " are."
    )


def mix_sentence(weights: Sequence[float]) -> str:
    """Name the learned share of each layer in the mix of a head."""
    shares = listed([f"{percent(share)} of layer {layer}" for layer, share in enumerate(weights)])
    return f"The weights that the head has learned: {shares}."


def own_mix_sentence() -> str:
    """Describe the mix that a person chooses."""
    return "Drag the weights: the layers are added up with them."


def nearest_answer(
    word: str, uses: Sequence[NearUse], only: str, random: float, sense: str = ""
) -> Message:
    """Count the uses of the same word and, if known, meaning, and name the nearest use."""
    if not uses:
        nothing = "There is nothing else to compare with."
        return Message(f"There is no other use of “{word}” here." if only == "same" else nothing)
    first = uses[0]
    nearest = (
        f"The nearest use is of “{first.use.shown}”, with a cosine of {first.cosine:.2f}."
        f" Two random words have {random:.2f}."
    )
    n_same = sum(use.same_word for use in uses)
    if only == "other":
        return Message(nearest)
    if " " in word and not n_same:
        expression = (
            "Single words are searched, not whole expressions: these are like its sentence."
        )
        return Message(nearest, expression)
    n_meaning, n_labelled = _in_sense(uses, sense)
    knows_meaning = bool(sense and n_labelled)
    if only == "same":  # which all uses are
        has = "has" if n_meaning == 1 else "have"
        found = f"{_part(n_meaning, n_same)} nearest uses {has} the meaning it has here ({sense})."
        return Message(found, nearest) if knows_meaning else Message(nearest)
    found = f"{_part(n_same, len(uses))} nearest uses {'is' if n_same <= 1 else 'are'} of “{word}”"
    if knows_meaning:
        how_many = "all" if n_meaning == n_same > 1 else f"{n_meaning or 'none'} of them"
        how_many = "" if n_same == n_meaning == 1 else f"{how_many} "
        found += f", {how_many}with the meaning it has here ({sense})"
    return Message(f"{found}.", nearest)


def _part(n: int, total: int) -> str:
    """Write ``All 3``, ``2 of the 3`` or ``None of the 3``."""
    return f"All {n}" if n == total > 1 else f"{n or 'None'} of the {total}"


def uses_in_meaning_answer(
    word: str, meaning: str, n_shown: int, n_found: int, n_judged: int, n_uses: int, limit: int
) -> Message:
    """Say how many uses of a word have a meaning, of those whose meaning was computed.

    Args:
        word: the word.
        meaning: short name of the meaning.
        n_shown: number of uses that are shown.
        n_found: number of uses that have the meaning.
        n_judged: number of uses whose meaning was computed, at most one of each sentence.
        n_uses: number of all uses of the word.
        limit: highest number of uses whose meaning is computed.
    """
    if not n_uses:
        return Message(f"There is no other use of “{word}” here.")
    headline = (
        f"{first_capital(_count(n_found))} in the meaning “{meaning}”"
        f" {'was' if n_found == 1 else 'were'} found."
    )
    judged = f"The meaning of all {n_uses:,} uses of “{word}” was computed."
    if n_judged < n_uses:
        judged = (
            f"The meaning of {n_judged:,} of the {n_uses:,} uses of “{word}” was computed, at most"
            " one of each sentence."
        )
    if n_judged == limit < n_uses:
        judged = (
            f"Of {n_uses:,} uses of “{word}”, the {n_judged:,} nearest had their meaning computed,"
            " at most one of each sentence."
        )
    shown = f"The {n_shown} nearest are shown." if n_shown < n_found else ""
    return Message(headline, f"{judged} {shown}".strip())


def _count(n: int) -> str:
    return {0: "no use", 1: "one use"}.get(n, f"{n} uses")


def _in_sense(uses: Sequence[NearUse], sense: str) -> tuple[int, int]:
    """Count the uses of the query word with this meaning, and with any meaning."""
    senses = [use.sense for use in uses if use.same_word and use.sense]
    return senses.count(sense), len(senses)


def nearest_by_several(word: str, answers: Sequence[NearestUses], sense: str) -> str:
    """Count, for each model that reads sentences, the nearest uses in a known meaning."""
    counts = [(answer.model, *_in_sense(answer.uses, sense)) for answer in answers] if sense else []
    parts = [(same, f"{same} of {total} by “{model}”") for model, same, total in counts if total]
    if not parts:
        return f"The nearest to this “{word}”, side by side"
    return f"Nearest uses in the same meaning: {listed([text for _, text in parts])}."


def nearest_of_word_vectors(
    vectors: str, n_words: int, word: str, near: Sequence[StaticNeighbour]
) -> Message:
    """Describe ``near``, the nearest words by static vectors; empty for an unknown word."""
    if not near:
        return Message(f"“{word}” is not among the {n_words:,} words of “{vectors}”.")
    nearest = (
        f"The word nearest to “{word}” is “{near[0].word}” with a cosine of {near[0].cosine:.2f}."
    )
    return Message(
        f"“{vectors}” does not read the sentence: its nearest words are the same in all of them.",
        nearest,
    )


def no_sentence_answer(model: str, *, one_spelling: bool) -> Message:
    """Describe the comparison by a model with one vector per word."""
    every = (
        "so every cosine is 1.00." if one_spelling else "so only the spellings make a difference."
    )
    return Message(
        f"“{model}” does not read the sentence: a word has the same vector in all of them, {every}"
    )


def sentences_answer(shown: SentenceLayer, model: str) -> Message:
    """Name the closest and the most distant sentences, and what such cosines can tell."""
    cosine = shown.cosine
    pairs = sorted((cosine[a][b], a + 1, b + 1) for b in range(len(cosine)) for a in range(b))
    (low, a, b), (high, c, d) = pairs[0], pairs[-1]
    headline = (
        f"Sentences {c} and {d} are most alike (cosine {number(high)}), {a} and {b} least"
        f" ({number(low)})."
    )
    if len(pairs) == 1:
        headline = f"The two sentences have a cosine of {number(high)}."
    place, reworded = first_capital(view_place(shown.name)), shown.reworded or "none"
    return Message(
        headline,
        f"{place}, two unconnected sentences have {number(shown.unconnected)}. A test of"
        f" “{model}” with {shown.tests} sentences: the paraphrase was nearer than all of sixty"
        f" unconnected sentences in {shown.related} cases, and nearer than a sentence with almost"
        f" the same words and another meaning (“was good”, “was not good”) in {reworded}.",
    )


Grouping = frozenset[frozenset[int]]
"""Groups of uses, in no order."""


def agreement_answer(
    groupings: Mapping[str, Grouping | None], right: Collection[str] | None = None
) -> Message:
    """State which models agree, or are ``right`` if that is known, or name no groups."""
    silent = [f"“{model}”" for model, groups in groupings.items() if groups is None]
    naming = {model: groups for model, groups in groupings.items() if groups is not None}
    if not naming:
        n = len(groupings)
        nobody = "Neither of the two" if n == 2 else f"None of the {number_word(n)}"
        known = "" if right is None else "; the right groups are known here"
        return Message(f"{nobody} groups these uses{known}.")
    parts = [_who_agrees(naming) if right is None else _who_is_right(naming, right)]
    if silent:
        parts.append(f"{listed(silent)} {'does' if len(silent) == 1 else 'do'} not say")
    return Message(f"{first_capital('; '.join(parts))}.")


def _who_is_right(naming: Collection[str], right: Collection[str]) -> str:
    yes = [f"“{model}”" for model in naming if model in right]
    no = [f"“{model}”" for model in naming if model not in right]
    are = "is" if len(yes) == 1 else "are"
    are_not = "is not" if len(no) == 1 else "are not"
    if not yes:
        return f"{listed(no)} {are_not} right"
    return f"{listed(yes)} {are} right" + (f", {listed(no)} {are_not}" if no else "")


def _who_agrees(naming: Mapping[str, Grouping]) -> str:
    models: dict[Grouping, list[str]] = {}
    for model, groups in naming.items():
        models.setdefault(groups, []).append(f"“{model}”")
    n = len(naming)
    names = listed([f"“{model}”" for model in naming])
    if n == 1:
        return f"only {names} groups these uses"
    if len(models) == 1:
        return f"{names} {'both' if n == 2 else f'all {number_word(n)}'} group these uses alike"
    if len(models) == n:
        return f"{names} each group these uses in another way"
    majority, minority = sorted(models.values(), key=len, reverse=True)
    return f"{listed(majority)} group these uses alike, {listed(minority)} in another way"

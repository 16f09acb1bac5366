"""What may be said of uses of a word, in plain words that follow from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elmo_tasks.api import Said
from elmo_tasks.wording.text import first_capital, listed, percent

Groups = Sequence[Sequence[int]]
Matrix = Sequence[Sequence[float]]
# Neither says that there are several meanings to be told.
_MORE_SENTENCES = "Longer sentences, or more of them, may tell more."
_OTHER_SENTENCES = "Sentences that say more around the word may help."
_A_LEANING = "That is a leaning, not a firm answer."
_UNSORTED = "Which of them go together, the model cannot tell."
# A use more tells most where there are so few.
_FEW = 3
# From here on more than likely.
_PROBABLY = 0.75


@dataclass(frozen=True)
class Told:
    """What was decided of ``n`` uses, and how sure that is."""

    n: int  #: how many
    voice: str  #: ``named``, ``leaning`` or ``silent``
    groups: Groups  #: the most probable grouping
    probability: float  #: of it
    one_meaning: float  #: the probability that all mean the same
    is_grouped: bool = True  #: whether the grouping is named or leaned to, and not only a pair
    #: whether the grouping is probable enough for a guess, where no more than a pair is leaned to
    is_likely: bool = False
    several: str = "silent"  #: how it may be said that there are several meanings: ``named``, ``leaning`` or ``silent``
    #: how the uses group if there are several meanings, and how probable that is then; ``None`` where unsure
    if_several: tuple[Groups, float] | None = None


@dataclass(frozen=True)
class Cosines:
    """What a layer shows of a grouping."""

    within: float | None  #: mean cosine of uses that go together; ``None`` where no two do
    between: float | None  #: mean cosine of uses that do not; ``None`` where all do
    are_apart: bool  #: whether every pair that goes together has a higher cosine than every pair that does not
    layer: str  #: its name


def grouping_verdict(told: Told, cosines: Cosines, word: str) -> Said:
    """How the uses of a word, in one spelling, group, how probable that is, and the cosines beside it."""
    n = told.n
    uses = f"uses of “{word}”"
    advice = _MORE_SENTENCES if n <= _FEW else _OTHER_SENTENCES
    if told.voice == "silent" and n == 2:
        return Said(_yes_or_no(f"these two {uses} mean the same", told.one_meaning), advice)
    if told.voice == "silent" or not told.is_grouped:
        further = _then(told, uses) or _guess(told, uses)
        return Said(_unsure(told, uses), f"{further} {advice}".strip())
    sure, numbers = _percent(told.probability), _numbers(cosines)
    said = _said_of_two(told.groups, uses) if n == 2 else _said(told.groups, uses)
    if told.voice == "named":
        return Said(f"{first_capital(said)} ({sure} sure).", numbers=numbers)
    return Said(f"{_how_likely(told.probability)}, {said} ({sure}).", f"{_A_LEANING} {advice}", numbers)


def _said_of_two(groups: Groups, uses: str) -> str:
    return f"both {uses} mean the same" if len(groups) == 1 else f"the two {uses} mean different things"


def unmeasured(cosine: Matrix, random_pair: float, layer: str) -> Said:
    """What may be said where nobody measured what a cosine means in the model: the cosine, and nothing of meanings."""
    pairs = [cosine[a][b] for b in range(len(cosine)) for a in range(b)]
    their = "their cosine is" if len(pairs) == 1 else "their cosines average"
    return Said(
        "What a cosine means in this model was not measured, so nothing is said of meanings.",
        f"{first_capital(_where(layer))} {their} {sum(pairs) / len(pairs):.2f} (two random words {random_pair:.2f}).",
    )


def not_english(word: str) -> Said:
    """What may be said of a word in letters of another script."""
    return Said(f"The model cannot tell how these uses of “{word}” group.", "It was measured on English words only.")


def ranked(cosine: Matrix, random_pair: float, layer: str) -> Said:
    """What may be said of different spellings, by their ``[n][n]`` cosines at a layer: who is closest to whom. Their letters alone
    move their vectors apart.
    """
    pairs = sorted((cosine[a][b], a + 1, b + 1) for b in range(len(cosine)) for a in range(b))
    (low, a, b), (high, c, d) = pairs[0], pairs[-1]
    where = _where(layer)
    why = "The spellings differ, which moves vectors apart by itself, so no groups are named"
    if len(pairs) == 1:
        return Said(f"The cosine of the two is {high:.2f}.", f"Two random words have {random_pair:.2f} {where}. {why}.")
    return Said(
        f"{c} and {d} are the closest, {a} and {b} the furthest apart.",
        f"{first_capital(where)} their cosines are {high:.2f} and {low:.2f}, where two random words have {random_pair:.2f}. {why}.",
    )


def _how_likely(share: float) -> str:
    # As it is shown: 75 % has one word, whatever it was before it was rounded.
    return "Probably" if round(share, 2) >= _PROBABLY else "More likely than not"


def _unsure(told: Told, uses: str) -> str:
    """What is likely of the whole set, where no more than a pair is leaned to, or nothing."""
    if told.several != "silent":
        sure = _percent(1 - told.one_meaning)
        unsorted = "" if _then(told, uses) or _guess(told, uses) else f" {_UNSORTED}"
        said = f"these {told.n} {uses} have more than one meaning"
        if told.several == "named":
            return f"{first_capital(said)} ({sure} sure).{unsorted}"
        return f"{_how_likely(1 - told.one_meaning)}, {said} ({sure}).{unsorted}"
    return _yes_or_no(f"all {told.n} {uses} mean the same", told.one_meaning)


def _then(told: Told, uses: str) -> str:
    """How the uses group if they have several meanings, where that is known."""
    if told.if_several is None:
        return ""
    groups, chance = told.if_several
    condition = "If they have more than one meaning" if told.several == "silent" else "If so"
    likely = _how_likely(chance)
    return f"{condition}, {likely[0].lower()}{likely[1:]} {_said(groups, uses)} ({_percent(chance)} in that case)."


def _guess(told: Told, uses: str) -> str:
    """The likeliest grouping where it is probable, and groupings as probable were right too seldom for a leaning."""
    if not told.is_likely or len(told.groups) == 1:
        return ""
    return f"A first guess, too unsure to be an answer: {_said(told.groups, uses)} ({_percent(told.probability)})."


def _yes_or_no(said: str, share: float) -> str:
    no = 1 - int(100 * share + 0.5) / 100  # the two add up to 100 %
    return f"The model cannot tell whether {said} ({_percent(share)} yes, {_percent(no)} no)."


def _numbers(cosines: Cosines) -> str:
    """The cosines at a layer, where a reader sees the groups in them; all of them stand below, for every pair and layer."""
    within, between = cosines.within, cosines.between
    if within is None or between is None or not cosines.are_apart:
        return ""
    where = first_capital(_where(cosines.layer))
    return f"{where} the cosines average {within:.2f} within the groups and {between:.2f} between them."


def _said(groups: Groups, uses: str) -> str:
    n = sum(len(group) for group in groups)
    if len(groups) == 1:
        return f"all {n} {uses} mean the same"
    together = [group for group in groups if len(group) > 1]
    alone = [group[0] + 1 for group in groups if len(group) == 1]
    if not together:
        return f"{listed(alone)} each stand apart: the {n} {uses} all mean different things"
    if len(groups) == 2 and alone:
        return f"{alone[0]} is the odd one out: {listed([k + 1 for k in together[0]])} go together"
    parts = [f"{listed([k + 1 for k in group])} go together" for group in together]
    if alone:
        parts.append(f"{listed(alone)} {'stands' if len(alone) == 1 else 'stand'} apart")
    return (", " if all(len(group) < 3 for group in groups) else "; ").join(parts)


def _where(layer: str) -> str:
    return "in the mean of the layers" if layer == "mean" else f"at layer {layer}"


def _percent(share: float) -> str:
    """Never 0 or 100 %: nothing here is certain. With a plain space, as what is said is printed and copied, too."""
    return percent(min(max(share, 0.001), 0.999)).replace("\u00a0", " ")

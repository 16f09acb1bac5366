"""What may be said of uses of a word, in plain words that follow from the numbers."""

from __future__ import annotations

from elmo_tasks.senses.grouping import LEAST_LEANING, RIGHT_WHEN_NAMED, Decision, Voice
from elmo_tasks.senses.partitions import Groups
from elmo_tasks.senses.senses import FEW, Matrix, mean_cosines
from elmo_tasks.wording.text import first_capital, listed, percent

# Neither says that there are several meanings to be told.
_MORE_SENTENCES = "Longer sentences, or more of them, may tell more."
_OTHER_SENTENCES = "Sentences that say more around the word may help."
# Cosines that differ by less show nothing.
_CLEAR = 0.03


def verdict(decision: Decision, cosine: Matrix, random_pair: float, layer: str, word: str) -> str:
    """How the uses group, how probable that is, and the cosines beside it.

    Args:
        decision: what was found.
        cosine: ``[n][n]`` cosines at a layer.
        random_pair: mean cosine of two random words there.
        layer: its name.
        word: the word, in one spelling.
    """
    n = len(cosine)
    uses = f"uses of “{word}”"
    advice = _MORE_SENTENCES if n <= FEW else _OTHER_SENTENCES
    if decision.voice is Voice.SILENT:
        if n == 2:
            return (
                f"The model cannot say whether these two {uses} mean the same: it gives {_percent(decision.same[0][1])} for it. "
                f"{advice}"
            )
        return f"{_one_or_several(decision, uses)} {advice}"
    if decision.claim is not None:
        return f"{_perhaps(decision, uses)} {_claimed(decision)} {advice}"
    sure, numbers = _percent(decision.probability), _numbers(decision, cosine, random_pair, layer)
    said = _said_of_two(decision.groups, uses) if n == 2 else _said(decision.groups, uses)
    if decision.voice is Voice.NAMED:
        return f"{first_capital(said)} ({sure}).{numbers}"
    how = "More likely than not" if decision.probability >= 0.5 else "Of all ways to group them the likeliest is this"
    return f"{how}, {said} ({sure}). That is a leaning, not a verdict.{numbers} {advice}"


def is_grouped(decision: Decision) -> bool:
    """Whether its groups are named or leaned to, all of them."""
    return decision.voice is not Voice.SILENT and decision.claim is None


def _said_of_two(groups: Groups, uses: str) -> str:
    return f"both {uses} mean the same" if len(groups) == 1 else f"the two {uses} mean different things"


def unmeasured(cosine: Matrix, random_pair: float, layer: str) -> str:
    """What may be said where nobody measured what a cosine means in the model: the cosine, and nothing of meanings."""
    pairs = [cosine[a][b] for b in range(len(cosine)) for a in range(b)]
    their = "their cosine is" if len(pairs) == 1 else "their cosines average"
    return (
        "What a cosine means in this model was not measured, so nothing is said of meanings. "
        f"{first_capital(_where(layer))} {their} {sum(pairs) / len(pairs):.2f} (two random words {random_pair:.2f})."
    )


def ranked(cosine: Matrix, random_pair: float, layer: str) -> str:
    """What may be said of different spellings: who is closest to whom. Their letters alone move their vectors apart.

    Args:
        cosine: ``[n][n]`` cosines at the layer.
        random_pair: mean cosine of two random words there.
        layer: its name.
    """
    pairs = sorted((cosine[a][b], a + 1, b + 1) for b in range(len(cosine)) for a in range(b))
    (low, a, b), (high, c, d) = pairs[0], pairs[-1]
    where = _where(layer)
    why = "The spellings differ, which moves vectors apart by itself, so no groups are named"
    if len(pairs) == 1:
        return f"The cosine of the two is {high:.2f}. Two random words have {random_pair:.2f} {where}. {why}."
    return (
        f"{c} and {d} are the closest, {a} and {b} the furthest apart. {first_capital(where)} their cosines are {high:.2f} "
        f"and {low:.2f}, where two random words have {random_pair:.2f}. {why}."
    )


def _claimed(decision: Decision) -> str:
    assert decision.claim is not None
    a, b, same, sure = decision.claim
    return (
        f"It is surest that {a + 1} and {b + 1} mean {'the same' if same else 'different things'} ({_percent(sure)})."
    )


def _perhaps(decision: Decision, uses: str) -> str:
    """What is likely of the whole set, where no more than a pair is leaned to."""
    n, several = len(decision.same), 1 - decision.one_meaning
    if decision.probability >= LEAST_LEANING:
        sure = _percent(decision.probability)
        return f"Perhaps {_said(decision.groups, uses)} ({sure}), but the model is not sure enough of that."
    if several >= LEAST_LEANING:
        said = f"these {n} {uses} have more than one meaning ({_percent(several)}), but the model cannot say how they group."
        return first_capital(said) if several >= RIGHT_WHEN_NAMED else f"More likely than not, {said}"
    return _one_or_several(decision, uses)


def _one_or_several(decision: Decision, uses: str) -> str:
    n, one = len(decision.same), _percent(decision.one_meaning)
    return f"The model cannot say whether these {n} {uses} have one meaning or several: it gives {one} for one."


def _numbers(decision: Decision, cosine: Matrix, random_pair: float, layer: str) -> str:
    """The cosines at a layer, where there is something to compare: they stand below for every pair and layer."""
    within, between = mean_cosines(cosine, decision.groups)
    if within is None or between is None:
        return ""
    where, random = first_capital(_where(layer)), f"two random words {random_pair:.2f}"
    if within < between + _CLEAR:  # the groups rest on more than this layer
        return (
            f" {where} the cosines alone do not show it: uses that go together average {within:.2f}, uses that do not "
            f"{between:.2f}, {random}."
        )
    return (
        f" {where} uses that go together have a cosine of {within:.2f} on average, uses that do not have {between:.2f}, "
        f"{random}."
    )


def _said(groups: Groups, uses: str) -> str:
    n = sum(len(group) for group in groups)
    if len(groups) == 1:
        return f"all {n} {uses} go together"
    together = [group for group in groups if len(group) > 1]
    alone = [group[0] + 1 for group in groups if len(group) == 1]
    if not together:
        return f"{listed(alone)} each stand apart: the {n} {uses} all mean different things"
    if len(groups) == 2 and alone:
        return f"{alone[0]} is the odd one out: {listed([k + 1 for k in together[0]])} go together"
    parts = [f"{listed([k + 1 for k in group])} go together" for group in together]
    if alone:
        parts.append(f"{listed(alone)} {'stands' if len(alone) == 1 else 'stand'} apart")
    return ", ".join(parts)


def _where(layer: str) -> str:
    return "in the mean of the layers" if layer == "mean" else f"at layer {layer}"


def _percent(share: float) -> str:
    """Never 0 or 100 %: nothing here is certain. With a plain space, as what is said is printed and copied, too."""
    return percent(min(max(share, 0.001), 0.999)).replace("\u00a0", " ")

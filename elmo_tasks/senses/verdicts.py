"""What may be said of uses of a word, in plain words that follow from the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.senses.grouping import Decision, Voice
from elmo_tasks.senses.partitions import Groups
from elmo_tasks.senses.senses import FEW, Matrix, mean_cosines

# Neither says that there are several meanings to be told.
_MORE_SENTENCES = "More sentences, or longer ones, would tell more."
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
    numbers = _numbers(decision, cosine, random_pair, layer)
    sure = _percent(decision.probability)
    advice = _MORE_SENTENCES if n <= FEW else _OTHER_SENTENCES
    if decision.voice is Voice.SILENT:
        if n == 2:
            return (
                f"The model cannot say whether these two {uses} mean the same: it gives {_percent(decision.same[0][1])} for it. "
                f"{numbers} {advice}"
            )
        return f"The model cannot tell these {uses} apart. {numbers} {advice}"
    if decision.claim is not None:
        return f"{_perhaps(decision, uses)} {_claimed(decision)} {numbers} {advice}"
    said = _said_of_two(decision.groups, uses) if n == 2 else _said(decision.groups, uses)
    if decision.voice is Voice.NAMED:
        return f"{_capital(said)} ({sure}). {numbers}"
    how = "More likely than not" if decision.probability >= 0.5 else "Of all ways to group them the likeliest is this"
    return f"{how}, {said} ({sure}). That is a leaning, not a verdict. {numbers} {advice}"


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
        f"{_capital(_where(layer))} {their} {sum(pairs) / len(pairs):.2f} (two random words {random_pair:.2f})."
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
        f"{c} and {d} are the closest, {a} and {b} the furthest apart. {_capital(where)} their cosines are {high:.2f} "
        f"and {low:.2f}, where two random words have {random_pair:.2f}. {why}."
    )


def _claimed(decision: Decision) -> str:
    assert decision.claim is not None
    a, b, same, sure = decision.claim
    return (
        f"It is surest that {a + 1} and {b + 1} mean {'the same' if same else 'different things'} ({_percent(sure)})."
    )


def _perhaps(decision: Decision, uses: str) -> str:
    if decision.probability < 0.5:  # one of many ways, and more likely wrong than right
        return f"The model cannot tell how all {len(decision.same)} {uses} group."
    return f"Perhaps {_said(decision.groups, uses)} ({_percent(decision.probability)}), but the model is not sure enough of that."


def _numbers(decision: Decision, cosine: Matrix, random_pair: float, layer: str) -> str:
    n = len(cosine)
    within, between = mean_cosines(cosine, decision.groups if is_grouped(decision) else (tuple(range(n)),))
    where = _capital(_where(layer))
    random = f"two random words {random_pair:.2f}"
    if n == 2:
        return f"{where} their cosine is {cosine[0][1]:.2f} ({random})."
    if within is None or between is None:
        mean = between if within is None else within
        return f"{where} their cosines average {mean:.2f} ({random})."
    if within < between + _CLEAR:  # the groups rest on more than this layer
        return (
            f"{where} the cosines alone do not show it: uses that go together average {within:.2f}, uses that do not "
            f"{between:.2f}, {random}."
        )
    return f"{where} uses that go together have a cosine of {within:.2f} on average, uses that do not have {between:.2f}, {random}."


def _said(groups: Groups, uses: str) -> str:
    n = sum(len(group) for group in groups)
    if len(groups) == 1:
        return f"all {n} {uses} go together"
    together = [group for group in groups if len(group) > 1]
    alone = [group[0] + 1 for group in groups if len(group) == 1]
    if not together:
        return f"{_listed(alone)} each stand apart: the {n} {uses} all mean different things"
    if len(groups) == 2 and alone:
        return f"{alone[0]} is the odd one out: {_listed([k + 1 for k in together[0]])} go together"
    parts = [f"{_listed([k + 1 for k in group])} go together" for group in together]
    if alone:
        parts.append(f"{_listed(alone)} {'stands' if len(alone) == 1 else 'stand'} apart")
    return ", ".join(parts)


def _where(layer: str) -> str:
    return "in the mean of the layers" if layer == "mean" else f"at layer {layer}"


def _percent(share: float) -> str:
    """Never 0 or 100 %: nothing here is certain."""
    if not 0.005 <= share < 0.995:
        return "over 99 %" if share > 0.5 else "under 1 %"
    return f"{round(100 * share)} %"


def _listed(numbers: Sequence[int]) -> str:
    shown = [str(n) for n in numbers]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

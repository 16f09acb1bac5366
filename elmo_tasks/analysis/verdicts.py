"""What may be said of uses of a word, in plain words that follow from the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.analysis.senses import FEW, RIGHT_WHEN_NAMED, Grouping, Groups, Matrix, mean_cosines, pairs_of

# Of four uses, two in each sense, a verdict is given far more often than of two or three.
_MORE_SENTENCES = "Two sentences for each meaning would tell more."


def verdict(grouping: Grouping, same: Matrix, cosine: Matrix, random_pair: float, layer: str, word: str) -> str:
    """How the uses group, how sure that is, and the cosines beside it.

    Args:
        grouping: what was found.
        same: ``[n][n]`` probabilities that two uses mean the same.
        cosine: ``[n][n]`` cosines at a layer.
        random_pair: mean cosine of two random words there.
        layer: its name.
        word: the word, in one spelling.
    """
    n = len(cosine)
    uses = f"uses of “{word}”"
    numbers = _numbers(grouping, cosine, random_pair, layer)
    if n == 2:
        chance = same[0][1]
        if not grouping.is_clear:
            return (
                f"The model cannot say whether these two {uses} mean the same. It gives {_not_enough(chance)} for it; "
                f"to say yes or no it takes {_percent(RIGHT_WHEN_NAMED)}. {numbers} {_MORE_SENTENCES}"
            )
        if len(grouping.groups) == 1:
            return f"Both {uses} go together. It is {_percent(chance)} sure that they mean the same. {numbers}"
        return (
            f"The two {uses} stand apart. It is {_percent(1 - chance)} sure that they mean different things. {numbers}"
        )
    if not grouping.is_clear:
        advice = (
            _MORE_SENTENCES
            if n <= FEW
            else "Sentences that differ more in topic, or say more around the word, may help."
        )
        return (
            f"The model cannot tell these {uses} apart. No way of grouping them is sure enough to be named. {_still_sure(same)}"
            f"{numbers} {advice}"
        )
    said = f"All {n} {uses} go together" if len(grouping.groups) == 1 else _capital(_said(grouping.groups))
    return f"{said}. {_sure(grouping.groups, same)} {numbers}"


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


def _sure(groups: Groups, same: Matrix) -> str:
    """The surest pair that is put together, and the surest that is put apart."""
    within, between = pairs_of(len(same), groups)
    parts = []
    if between:
        apart, a, b = max((1 - same[a][b], -a, -b) for a, b in between)
        parts.append(f"that {1 - a} and {1 - b} mean different things ({_percent(apart)})")
    if within:
        together, a, b = max((same[a][b], -a, -b) for a, b in within)
        parts.append(f"that {1 - a} and {1 - b} mean the same ({_percent(together)})")
    return f"It is most sure {' and '.join(parts)}."


def _still_sure(same: Matrix) -> str:
    """Of the pairs that are sure each by itself, the surest."""
    pairs = [(same[a][b], a, b) for b in range(len(same)) for a in range(b)]
    chance, a, b = max(pairs, key=lambda pair: (abs(pair[0] - 0.5), -pair[1], -pair[2]))
    if max(chance, 1 - chance) < RIGHT_WHEN_NAMED:
        return ""
    if chance > 0.5:
        return f"It is {_percent(chance)} sure, though, that {a + 1} and {b + 1} mean the same. "
    return f"It is {_percent(1 - chance)} sure, though, that {a + 1} and {b + 1} mean different things. "


def _numbers(grouping: Grouping, cosine: Matrix, random_pair: float, layer: str) -> str:
    n = len(cosine)
    within, between = mean_cosines(cosine, grouping.groups if grouping.is_clear else (tuple(range(n)),))
    where = _capital(_where(layer))
    random = f"two random words {random_pair:.2f}"
    if n == 2:
        return f"{where} their cosine is {cosine[0][1]:.2f} ({random})."
    if within is None or between is None:
        mean = between if within is None else within
        return f"{where} their cosines average {mean:.2f} ({random})."
    if round(within, 2) <= round(between, 2):  # the groups rest on more than this layer
        return (
            f"{where} the cosines alone do not show it: uses that go together average {within:.2f}, uses that do not "
            f"{between:.2f}, {random}."
        )
    return f"{where} uses that go together have a cosine of {within:.2f} on average, uses that do not have {between:.2f}, {random}."


def _said(groups: Groups) -> str:
    together = [group for group in groups if len(group) > 1]
    alone = [group[0] + 1 for group in groups if len(group) == 1]
    parts = [f"{_listed([k + 1 for k in group])} go together" for group in together]
    if alone:
        parts.append(f"{_listed(alone)} {'stands' if len(alone) == 1 else 'stand'} apart")
    if not together:
        return f"{_listed(alone)} each stand apart: the model reads every one of them differently"
    return ", ".join(parts)


def _where(layer: str) -> str:
    return "in the mean of the layers" if layer == "mean" else f"at layer {layer}"


def _percent(share: float) -> str:
    """Never 0 or 100 %: nothing here is certain."""
    if not 0.005 <= share < 0.995:
        return "over 99 %" if share > 0.5 else "under 1 %"
    return f"{round(100 * share)} %"


def _not_enough(chance: float) -> str:
    """A probability that nothing is said by, so that it does not read as one that something is said by."""
    if _percent(max(chance, 1 - chance)) == _percent(RIGHT_WHEN_NAMED):
        return f"{100 * chance:.1f} %"
    return _percent(chance)


def _listed(numbers: Sequence[int]) -> str:
    shown = [str(n) for n in numbers]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

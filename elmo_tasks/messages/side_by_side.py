"""Sentences about several models that read the same uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from elmo_tasks.messages.text import first_capital, listed


@dataclass(frozen=True)
class Told:
    """Result of one model."""

    model: str  #: its name
    #: groups of uses, in no order; ``None`` if it names no groups
    groups: frozenset[frozenset[int]] | None
    #: whether the groups match the known meanings; ``None`` without either
    right: bool | None = None


def agreement(told: Sequence[Told], *, known: bool = False) -> str:
    """Compare the groupings of two models or more in one line.

    The line states which models agree, which are right if the meanings of all uses are known, and which name no
    groups.
    """
    told = [replace(one, model=f"“{one.model}”") for one in told]
    silent = [one.model for one in told if one.groups is None]
    said = [one for one in told if one.groups is not None]
    if not said:
        return f"{_nobody(len(told))} groups these uses{'; how they belong together is known here' if known else ''}."
    parts = [_known(said) if known else _alike(said)]
    if silent:
        parts.append(f"{listed(silent)} {'does' if len(silent) == 1 else 'do'} not say")
    return f"{first_capital('; '.join(parts))}."


def _nobody(n: int) -> str:
    return "Neither of the two" if n == 2 else f"None of the {_COUNTS.get(n, n)}"


_COUNTS = {2: "two", 3: "three"}


def _known(said: Sequence[Told]) -> str:
    right, wrong = ([one.model for one in said if one.right is which] for which in (True, False))
    if not right:
        return f"{listed(wrong)} {_are(wrong)} not right"
    return f"{listed(right)} {_are(right)} right" + (f", {listed(wrong)} {_are(wrong)} not" if wrong else "")


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _alike(said: Sequence[Told]) -> str:
    if len(said) == 1:
        return f"only {said[0].model} groups these uses"
    ways: dict[frozenset[frozenset[int]], list[str]] = {}
    for one in said:
        assert one.groups is not None
        ways.setdefault(one.groups, []).append(one.model)
    if len(ways) == 1:
        every = "both" if len(said) == 2 else f"all {_COUNTS.get(len(said), len(said))}"
        return f"{listed([one.model for one in said])} {every} group these uses alike"
    if len(ways) == len(said):
        return f"{listed([one.model for one in said])} each group these uses in another way"
    together, apart = sorted(ways.values(), key=len, reverse=True)
    return f"{listed(together)} group these uses alike, {listed(apart)} in another way"

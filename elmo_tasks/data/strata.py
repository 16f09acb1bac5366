"""Parts of a data set in which every label has the share that it has in the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from elmo_tasks.data.records import LabelledText, TaggedSentence


def stratum_of(record: TaggedSentence | LabelledText) -> str:
    """What is drawn evenly: the label of a text; sentences are all alike."""
    return record.label if isinstance(record, LabelledText) else ""


def evenly_drawn(order: Sequence[int], strata: Sequence[str], share: float) -> list[int]:
    """The first rows of each stratum in an order that was drawn: a smaller share is a part of a larger one.

    Args:
        order: rows, as they were drawn.
        strata: of all rows.
        share: of each stratum that is wanted, one row at least.
    """
    left = {stratum: max(1, round(number * share)) for stratum, number in Counter(strata[k] for k in order).items()}
    taken = []
    for k in order:
        left[strata[k]] -= 1
        if left[strata[k]] >= 0:
            taken.append(k)
    return taken


def quotas(strata: Sequence[str], size: int) -> dict[str, int]:
    """How many of each stratum make a part of ``size`` rows with the strata in the same shares (largest remainders)."""
    counts = Counter(strata)
    exact = {stratum: number * size / len(strata) for stratum, number in counts.items()}
    found = {stratum: int(number) for stratum, number in exact.items()}
    by_remainder = sorted(exact, key=lambda stratum: (found[stratum] - exact[stratum], stratum))
    for stratum in by_remainder[: size - sum(found.values())]:
        found[stratum] += 1
    return found

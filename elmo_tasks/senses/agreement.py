"""How far people agree who sort the same things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence


def krippendorff_alpha(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Krippendorff's alpha for names (nominal data) of the answers that each thing got: 1 where all agree, 0 where they agree as
    often as by chance, below 0 where they agree less; ``None`` where nothing can be said, as no thing has two answers, or all are
    the same.

    Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), part C: people may miss units.
    """
    counted = [Counter(answers) for answers in units if len(answers) > 1]
    total = sum(counted, Counter())
    n = total.total()
    expected = n * n - sum(count * count for count in total.values())
    if expected == 0:
        return None
    # Within a unit each ordered pair of different answers, weighed so that every answer counts once.
    observed = sum((c.total() ** 2 - sum(count * count for count in c.values())) / (c.total() - 1) for c in counted)
    return 1 - (n - 1) * observed / expected

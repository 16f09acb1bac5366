"""Which uses of a word go together, and how to say so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Groups = tuple[tuple[int, ...], ...]
Matrix = Sequence[Sequence[float]]


@dataclass(frozen=True)
class SameSense:
    """How the cosine of two uses of a word at one layer speaks for or against the same sense.

    ``log-odds = intercept + on_cosine * c + on_contrast * d``, a logistic regression on uses whose senses are known. ``c`` is the
    cosine; ``d`` is what is left of it when the mean of each of the two uses with all others is taken away, so that it sees which
    pairs of *these* uses stand closer than the rest.

    Attributes:
        intercept: log-odds where both are zero.
        on_cosine: weight of ``c``.
        on_contrast: weight of ``d``.
        least_margin: how much more likely the best grouping must be than the next best, in nats per use, to be named.
    """

    intercept: float
    on_cosine: float
    on_contrast: float
    least_margin: float = 0.0

    def log_odds(self, cosine: Matrix) -> NDArray[np.float64]:
        """``[n][n]`` cosines -> ``[n, n]`` log-odds that two uses have the same sense."""
        c = np.asarray(cosine, np.float64)
        return self.intercept + self.on_cosine * c + self.on_contrast * contrast(c)


def contrast(cosine: NDArray[np.float64]) -> NDArray[np.float64]:
    """``[n, n]`` cosines without each use's own mean: what is left is about pairs. All zero for two uses."""
    n = len(cosine)
    off = cosine - np.diag(np.diag(cosine))
    if n < 3:
        return np.zeros_like(off)
    mean = off.sum(axis=1) / (n - 2)
    overall = off.sum() / ((n - 1) * (n - 2))
    left = off - mean[:, None] - mean[None, :] + overall
    np.fill_diagonal(left, 0.0)
    return left


@dataclass(frozen=True)
class Grouping:
    """The uses sorted into groups.

    Attributes:
        groups: positions of the uses; each group in order, groups by their first use.
        margin: how much more likely this grouping is than the next best one, in nats per use.
        is_clear: whether the margin is large enough to name the groups.
    """

    groups: Groups
    margin: float
    is_clear: bool


def group_uses(cosine: Matrix, same: SameSense) -> Grouping:
    """Sort uses into groups: the grouping under which the pairs' log-odds add up highest (correlation clustering).

    Candidates are the cuts of an average-linkage tree, one for each number of groups.

    Args:
        cosine: ``[n][n]`` cosines of the uses at one layer.
        same: how a cosine is read at that layer.
    """
    from sklearn.cluster import AgglomerativeClustering  # takes a second to import

    odds = same.log_odds(cosine)
    n = len(odds)
    np.fill_diagonal(odds, 0.0)
    candidates: list[tuple[float, Groups]] = []
    for k in range(1, n + 1):
        labels = AgglomerativeClustering(n_clusters=k, metric="precomputed", linkage="average").fit_predict(-odds)
        together = labels[:, None] == labels[None, :]
        score = float((odds * np.where(together, 0.5, -0.5))[~np.eye(n, dtype=bool)].sum() / 2)
        candidates.append((score, _in_order(labels)))
    (best, groups), (second, _) = sorted(candidates, reverse=True)[:2]
    margin = (best - second) / n
    return Grouping(groups, margin, margin >= same.least_margin)


def _in_order(labels: NDArray[np.int64]) -> Groups:
    groups: dict[int, list[int]] = {}
    for k, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(k)
    return tuple(tuple(group) for group in sorted(groups.values()))


def mean_cosines(cosine: Matrix, groups: Groups) -> tuple[float | None, float | None]:
    """Mean cosine of pairs within groups, and of pairs from different groups; ``None`` where there is no such pair."""
    label = {k: g for g, group in enumerate(groups) for k in group}
    within: list[float] = []
    between: list[float] = []
    for a in range(len(cosine)):
        for b in range(a):
            (within if label[a] == label[b] else between).append(cosine[a][b])
    return (math.fsum(within) / len(within) if within else None, math.fsum(between) / len(between) if between else None)


def verdict(grouping: Grouping, cosine: Matrix, random_pair: float, layer: str, word: str) -> str:
    """The answer in plain words.

    Args:
        grouping: what was found.
        cosine: ``[n][n]`` cosines at the layer that was asked.
        random_pair: mean cosine of two random words there.
        layer: its name.
        word: the word, in one spelling.
    """
    where = "in the mean of the layers" if layer == "mean" else f"at layer {layer}"
    uses = f"uses of “{word}”"
    n = len(cosine)
    everything = (tuple(range(n)),)
    if n == 2 and not grouping.is_clear:
        return (
            f"The model cannot say whether these two {uses} mean the same. {_capital(where)} their cosine is {cosine[0][1]:.2f} "
            f"(two random words: {random_pair:.2f}), which is neither clearly high nor clearly low for one spelling."
        )
    if not grouping.is_clear:
        average = mean_cosines(cosine, everything)[0] or 0.0
        return (
            f"The model cannot tell these {uses} apart. {_capital(where)} their cosines average {average:.2f} "
            f"(two random words: {random_pair:.2f}), without a clear gap between groups. Sentences that differ more in topic, "
            "or say more around the word, may help."
        )
    within, between = mean_cosines(cosine, grouping.groups)
    if len(grouping.groups) == 1:
        everyone = "Both" if n == 2 else f"All {n}"
        return (
            f"{everyone} {uses} go together. {_capital(where)} their cosines average {within:.2f}, where two random "
            f"words have {random_pair:.2f}."
        )
    said = _said(grouping.groups)
    numbers = []
    if within is not None:
        numbers.append(f"uses that go together have a cosine of {within:.2f} on average")
    if between is not None:
        numbers.append(f"uses that do not have {between:.2f}" if numbers else f"their cosines average {between:.2f}")
    numbers.append(f"two random words {random_pair:.2f}")
    return f"{_capital(said)}. {_capital(where)} {', '.join(numbers[:-1])}, {numbers[-1]}."


def ranked(cosine: Matrix, random_pair: float, layer: str) -> str:
    """What may be said of different spellings: who is closest to whom. Their letters alone move their vectors apart.

    Args:
        cosine: ``[n][n]`` cosines at the layer.
        random_pair: mean cosine of two random words there.
        layer: its name.
    """
    pairs = sorted((cosine[a][b], a + 1, b + 1) for b in range(len(cosine)) for a in range(b))
    (low, a, b), (high, c, d) = pairs[0], pairs[-1]
    where = "in the mean of the layers" if layer == "mean" else f"at layer {layer}"
    why = "The spellings differ, which moves vectors apart by itself, so no groups are named"
    if len(pairs) == 1:
        return f"The cosine of the two is {high:.2f}. Two random words have {random_pair:.2f} {where}. {why}."
    return (
        f"{c} and {d} are the closest, {a} and {b} the furthest apart. {_capital(where)} their cosines are {high:.2f} "
        f"and {low:.2f}, where two random words have {random_pair:.2f}. {why}."
    )


def _said(groups: Groups) -> str:
    together = [group for group in groups if len(group) > 1]
    alone = [group[0] + 1 for group in groups if len(group) == 1]
    parts = [f"{_listed([k + 1 for k in group])} go together" for group in together]
    if alone:
        parts.append(f"{_listed(alone)} {'stands' if len(alone) == 1 else 'stand'} apart")
    if not together:
        return f"{_listed(alone)} each stand apart: the model reads every one of them differently"
    return ", ".join(parts)


def _listed(numbers: Sequence[int]) -> str:
    shown = [str(n) for n in numbers]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

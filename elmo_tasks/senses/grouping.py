"""How probable each way to sort a set of uses into meanings is, and what may be said of it.

Pairs are not independent: where 1 goes with 2 and 2 with 3, 1 goes with 3. So whole groupings are weighed: the probability of a
grouping is a softmax over all of them of the log-odds of its pairs, and a prior by its number of groups (correlation clustering as
a conditional random field: Bansal, Blum and Chawla, 2004; Finley and Joachims, 2005).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.partitions import Groups, groups_of, likely_partitions, pair_places, together
from elmo_tasks.senses.senses import contrast

#: Sizes of sets that have numbers of their own; larger sets take those of the last.
SIZES = (2, 3, 4, 5, 6, 8)
#: What is named is to be right so often, and so often what is only leaned to; see :class:`GroupingModel`.
RIGHT_WHEN_NAMED, RIGHT_WHEN_LEANING = 0.88, 0.72
#: No grouping is named that is less probable, however often such were right.
LEAST_NAMED = 0.8
#: Nor is anything leaned to that is less probable than three to two: who reads "best guess (54 %)" learns nothing.
LEAST_LEANING = 0.6
#: What the sentences of a common set tell, see :func:`elmo_tasks.senses.views_of_uses.told`; log-odds are taken about it.
_TOLD = 1.0


class Voice(str, Enum):
    """How sure an answer is."""

    NAMED = "named"
    LEANING = "leaning"
    SILENT = "silent"


@dataclass(frozen=True)
class Decision:
    """What may be said of a set of uses."""

    voice: Voice  #: whether ``groups`` are named, only leaned to, or not told
    groups: Groups  #: the most probable grouping
    probability: float  #: how probable it is, among all groupings
    #: ``[n, n]`` the probability that two uses mean the same: that of all groupings together that put them together
    same: NDArray[np.float64]
    one_meaning: float = 0.0  #: the probability that all mean the same
    #: a pair ``(a, b, whether they mean the same, probability)`` that is all that is leaned to, where the grouping is not; ``None``
    #: else
    claim: tuple[int, int, bool, float] | None = None
    #: the grouping that is most probable if there are several meanings, and how probable it is then; ``None`` where that is less
    #: than a leaning asks for, where the grouping is likely without a condition, or of two uses
    if_several: tuple[Groups, float] | None = None

    @property
    def is_grouped(self) -> bool:
        """Whether its groups are named or leaned to, all of them."""
        return self.voice is not Voice.SILENT and self.claim is None

    @property
    def several(self) -> Voice:
        """How it may be said that there are several meanings, where it cannot be said which uses share one."""
        chance = 1 - self.one_meaning
        if chance < LEAST_LEANING:
            return Voice.SILENT
        return Voice.NAMED if chance >= RIGHT_WHEN_NAMED else Voice.LEANING


@dataclass(frozen=True)
class OfSize:
    """What was fitted for sets of one size."""

    sharpness: float  #: what the log-odds of a pair are multiplied by
    shift: float  #: what is added to them
    prior: tuple[float, ...]  #: log-weight of one group, two groups, ... .
    named_at: float = 1.0  #: probability from which a grouping is named
    leaning_at: float = 1.0  #: probability from which it is leaned to
    claim_at: float = 1.0  #: probability from which a single pair is leaned to, where no grouping is


@dataclass(frozen=True)
class SizeResult:
    """How sets of one size and collection were decided, on words that nothing was fitted on; right is what is right whole."""

    collection: str  #: of sentences
    size: int  #: uses of a set; 0: sets of all sizes together
    several: int  #: sets in several senses
    named: float  #: share of these whose grouping was named
    right: float  #: share of these named ones that are right
    leaning: float  #: share of these that are leaned to instead, or of which a pair is told
    right_leaning: float  #: share of these leanings that are right
    one: int  #: sets in one sense
    split: float  #: share of these that were named as several meanings
    one_named: float  #: share of these that were rightly named as one
    error: float  #: expected calibration error of the probability of the most probable grouping
    #: the same of the probability of one meaning, which is what is told of a set where no grouping is
    error_of_one: float = 0.0
    #: share of the sets in several senses of which it is told how they group if so, where no grouping is told
    if_several: float = 0.0
    right_if_several: float = 0.0  #: share of these that are right


@dataclass(frozen=True)
class GroupingModel:
    """Cosines of uses, how much their sentences tell, and of what a word -> the probability of every grouping."""

    weights: tuple[float, ...]  #: of each of :func:`pair_features`
    sizes: Mapping[int, OfSize]  #: by number of uses; see :data:`SIZES`

    def of_size(self, n: int) -> OfSize:
        """What was fitted for sets of ``n`` uses, or for the next smaller size."""
        return self.sizes[max(size for size in self.sizes if size <= max(2, n))]

    def posterior(
        self, cosines: Sequence[NDArray[np.floating]], told: NDArray[np.floating], density: NDArray[np.floating]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """``[K, n]`` groupings and ``[K]`` their probabilities, by ``[n, n]`` cosines in each view that was fitted, and by ``[n]``
        how much each sentence tells (:func:`elmo_tasks.senses.views_of_uses.told`) and how near other words stand to the word
        (:func:`elmo_tasks.senses.marked_vectors.density_of`).
        """
        n = len(told)
        fitted = self.of_size(n)
        first, second = pair_places(n)
        pairs = pair_features(cosines, told, density) @ np.array(self.weights) * fitted.sharpness + fitted.shift
        full = np.zeros((n, n))
        full[first, second] = full[second, first] = pairs
        labels = likely_partitions(full)
        n_groups = labels.max(axis=1)
        prior = np.array([*fitted.prior, *[fitted.prior[-1]] * n])[n_groups] - np.log(np.bincount(n_groups))[n_groups]
        scores = (together(labels) - 0.5) @ pairs + prior
        weights = np.exp(scores - scores.max())
        return labels, weights / weights.sum()

    def of_two(
        self, cosines: Sequence[NDArray[np.floating]], told: NDArray[np.floating], density: NDArray[np.floating]
    ) -> NDArray[np.float64]:
        """Many sets of two uses at once: ``[P]`` cosines in each view and ``[P, 2]`` twice -> ``[P]`` the probability that the two
        mean the same.
        """
        fitted = self.of_size(2)
        least, most = (np.log1p(side(told, axis=1)) - _TOLD for side in (np.min, np.max))
        nothing = np.zeros(len(told))  # two uses have no contrast
        features = [part for c in cosines for part in (c, c * least, nothing, nothing)]
        known = np.stack([*features, least, most, density.mean(axis=1)], axis=1)
        odds = known @ np.array(self.weights) * fitted.sharpness + fitted.shift
        return np.asarray(1 / (1 + np.exp(-np.clip(odds + fitted.prior[0] - fitted.prior[1], -50, 50))))

    def decide(
        self, cosines: Sequence[NDArray[np.floating]], told: NDArray[np.floating], density: NDArray[np.floating]
    ) -> Decision:
        """What may be said of a set; see :meth:`posterior`."""
        n, fitted = len(told), self.of_size(len(told))
        labels, chances = self.posterior(cosines, told, density)
        best = int(chances.argmax())
        first, second = pair_places(n)
        alike = chances @ together(labels)  # [pairs]
        same = np.eye(n)
        same[first, second] = same[second, first] = alike
        probability, one = float(chances[best]), float(chances[labels.max(axis=1) == 0].sum())
        groups = groups_of(labels[best])
        if probability >= min(fitted.named_at, fitted.leaning_at):
            voice = Voice.NAMED if probability >= fitted.named_at else Voice.LEANING
            return Decision(voice, groups, probability, same, one)
        then = _if_several(labels, chances) if n > 2 and probability < LEAST_LEANING else None
        claim = surest_pair(same)
        if n > 2 and claim[3] >= fitted.claim_at:
            return Decision(Voice.LEANING, groups, probability, same, one, claim, then)
        return Decision(Voice.SILENT, groups, probability, same, one, None, then)

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> GroupingModel:
        """What ``dataclasses.asdict`` made of one, also where JSON made the sizes strings."""
        sizes = {int(n): OfSize(**{**size, "prior": tuple(size["prior"])}) for n, size in raw["sizes"].items()}
        return cls(tuple(raw["weights"]), sizes)


def surest_pair(same: NDArray[np.float64]) -> tuple[int, int, bool, float]:
    """Of ``[n, n]`` probabilities that two uses mean the same: what is said most surely, as :attr:`Decision.claim`."""
    first, second = pair_places(len(same))
    alike = same[first, second]
    at = int(np.abs(alike - 0.5).argmax())
    return int(first[at]), int(second[at]), bool(alike[at] >= 0.5), float(max(alike[at], 1 - alike[at]))


def _if_several(labels: NDArray[np.int64], chances: NDArray[np.float64]) -> tuple[Groups, float] | None:
    """Of groupings ``[K, n]`` and their probabilities ``[K]``, the likeliest of several groups, given that there are several.

    From :data:`LEAST_LEANING` on such a guess was right more often than a leaning must be, on the words that were fitted on.
    """
    of_several = np.where(labels.max(axis=1) > 0, chances, 0.0)
    best = int(of_several.argmax())
    chance = float(of_several[best] / of_several.sum())
    return (groups_of(labels[best]), chance) if chance >= LEAST_LEANING else None


def pair_features(
    cosines: Sequence[NDArray[np.floating]], told: NDArray[np.floating], density: NDArray[np.floating]
) -> NDArray[np.float64]:
    """``[n (n - 1) / 2, 4 V + 3]`` what is known of each pair of uses, from ``[n, n]`` cosines in each of ``V`` views and ``[n]``
    twice.

    In each view the cosine, and what is left of it without the two uses' means (see :func:`~elmo_tasks.senses.senses.contrast`);
    both also times how much the pair tells: a low cosine of two telling sentences speaks for two meanings, of two that tell little
    it says next to nothing. Then how much the pair tells, and how much the more telling of its two sentences does. Last what kind
    of word it is: one that stands among its like (*rain*) seldom has two meanings.
    """
    first, second = pair_places(len(told))
    least = np.log1p(np.minimum(told[first], told[second])) - _TOLD
    most = np.log1p(np.maximum(told[first], told[second])) - _TOLD
    found = []
    for matrix in cosines:
        cosine = np.asarray(matrix, np.float64)[first, second]
        left = contrast(matrix)[first, second]
        found += [cosine, cosine * least, left, left * least]
    return np.stack([*found, least, most, (density[first] + density[second]) / 2], axis=1)

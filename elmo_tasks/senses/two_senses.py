"""Where a use of a word stands between two senses that are known from examples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import normalize

from elmo_tasks.senses.grouping import RIGHT_WHEN_NAMED

_SAME = 1e-6


@dataclass(frozen=True)
class TwoSenses:
    """Two senses, each as the mean direction of its known uses.

    What is looked at is a *difference*: the cosine of a use to the mean of the first sense minus its cosine to the mean of the
    second. Above :attr:`middle` a use stands nearer to the first sense, as these examples have it.
    """

    first: Tensor  #: ``[n, D]`` unit vectors of the known uses of the first sense, at least two
    second: Tensor  #: ``[m, D]`` those of the second sense, at least two

    @classmethod
    def of(cls, first: Tensor, second: Tensor) -> TwoSenses:
        """From ``[n, D]`` and ``[m, D]`` vectors of any length.

        Raises:
            ValueError: a sense has fewer than two uses: none is left to compare the other one with.
        """
        if len(first) < 2 or len(second) < 2:
            raise ValueError(f"expected at least two uses of each sense, found {len(first)} and {len(second)}")
        return cls(normalize(first.double(), dim=-1), normalize(second.double(), dim=-1))

    def cosines(self, vectors: Tensor) -> Tensor:
        """``[n, D]`` -> ``[n, 2]`` cosines to the mean of each sense."""
        means = torch.stack([normalize(sense.mean(dim=0), dim=0) for sense in (self.first, self.second)])
        return normalize(vectors.double(), dim=-1) @ means.T

    @cached_property
    def known(self) -> tuple[Tensor, Tensor]:
        """``[n]`` and ``[m]`` differences of the known uses, each left out of its own sense's mean."""
        return _left_out(self.first, self.second), -_left_out(self.second, self.first)

    @property
    def middle(self) -> float:
        """The difference half way between the two senses' average uses."""
        first, second = self.known
        return float(first.mean() + second.mean()) / 2

    @property
    def right(self) -> int:
        """How many known uses stand on their own sense's side of the middle."""
        first, second = self.known
        # Spelled alike, uses have one vector at layer 0, and only rounding sets them apart.
        return int((first > self.middle + _SAME).sum() + (second < self.middle - _SAME).sum())

    @property
    def can_tell(self) -> bool:
        """Whether the known uses are on the right side often enough for a side to be named at all."""
        return self.right >= RIGHT_WHEN_NAMED * (len(self.first) + len(self.second))

    def sides(self, differences: Tensor) -> list[int | None]:
        """``[k]`` differences -> which sense each stands nearer to (0 or 1), or ``None`` where that cannot be told.

        A side is named where the known uses make it at least as probable as :data:`RIGHT_WHEN_NAMED`: two normal curves of one
        common width, fitted to the differences of the known uses (Fisher's linear discriminant in one dimension, 1936).
        """
        first, second = self.known
        if not self.can_tell or first.mean() <= second.mean():
            return [None] * len(differences)
        freedom = len(first) + len(second) - 2
        variance = float(((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()) / freedom
        slope = float(first.mean() - second.mean()) / max(variance, 1e-12)
        chance = torch.sigmoid((differences.double() - self.middle) * slope).tolist()
        return [0 if p >= RIGHT_WHEN_NAMED else 1 if p <= 1 - RIGHT_WHEN_NAMED else None for p in chance]


def _left_out(own: Tensor, other: Tensor) -> Tensor:
    """``[n]`` cosine of each use to the mean of the others of its sense, minus its cosine to the mean of the other sense."""
    rest = normalize(own.sum(dim=0) - own, dim=-1)
    return (own * rest).sum(dim=-1) - own @ normalize(other.mean(dim=0), dim=0)

"""How far the use of a word moved from one text to another, and what chance alone would show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Fewer uses in one of the texts say nothing.
FEWEST_EACH = 4
_DRAWS = 999


@dataclass(frozen=True)
class Shift:
    """The uses of a word in two texts."""

    #: mean cosine distance of a use in one text and a use in the other (average pair distance, APD: Giulianelli, Del Tredici and
    #: Fernández, 2020; Kutuzov and Giulianelli, 2020), 0 to 2
    distance: float
    chance: float  #: its mean when the same uses are dealt to the texts at random
    spread: float  #: its standard deviation then
    #: share of these deals, the true one among them, whose distance is as large (a permutation test: Liu, Medlar and Głowacka,
    #: 2021)
    p: float

    @property
    def score(self) -> float:
        """How many standard deviations the distance lies above that of chance; 0 where chance cannot vary."""
        return (self.distance - self.chance) / self.spread if self.spread > 1e-9 else 0.0


def shift(first: NDArray[np.floating], second: NDArray[np.floating], draws: int = _DRAWS) -> Shift:
    """Compare the uses ``[n, D]`` and ``[m, D]``, of length 1, of a word in two texts, by random deals. The same for the same
    vectors, always; the two texts may change places.
    """
    n, m = len(first), len(second)
    vectors = np.concatenate([first, second]).astype(np.float64)
    alike = np.clip(vectors @ vectors.T, -1.0, 1.0)
    random = np.random.default_rng(0)
    in_first = np.zeros((draws + 1, n + m))
    in_first[0, :n] = 1.0  # as it is
    in_first[1:] = random.permuted(np.broadcast_to(in_first[0], (draws, n + m)), axis=1)
    apart = 1.0 - ((in_first @ alike) * (1.0 - in_first)).sum(axis=1) / (n * m)
    as_large = int((apart[1:] >= apart[0] - 1e-12).sum())
    return Shift(float(apart[0]), float(apart[1:].mean()), float(apart[1:].std()), (1 + as_large) / (draws + 1))

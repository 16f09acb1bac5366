"""Neighbourhood density of words (Buchanan, Westbury and Burgess, 2001)."""

from __future__ import annotations

import torch
from torch import Tensor

# Number of neighbours of a word; and the reference words: every twentieth of the commonest.
_NEIGHBOURS, _COMMON, _EVERY = 20, 10_000, 20
# Words that are compared with all others at once: a row of cosines for each is kept meanwhile.
_AT_ONCE = 50


class NeighbourhoodDensity:
    """Density of each word of a vocabulary, computed on first use.

    A word with one meaning stands among its like (*rain*: snow, storm, fog); one with several stands between all of theirs, near
    to none. Directions are ``[words, D]`` vectors of length 1, the commonest words first.
    """

    def __init__(self, directions: Tensor) -> None:
        self._directions = directions
        common = torch.arange(0, min(_COMMON, len(directions)), _EVERY, device=directions.device)
        usual = torch.cat([self._nearness(rows) for rows in common.split(_AT_ONCE)])
        self._mean, self._spread = float(usual.mean()), max(float(usual.std(unbiased=False)), 1e-6)
        self._known: dict[int, float] = {}

    def of(self, row: int) -> float:
        """Return the standardized mean cosine of a word with its 20 nearest words.

        The unit is the standard deviation over common words.
        """
        if row not in self._known:
            nearness = self._nearness(torch.tensor([row], device=self._directions.device))
            self._known[row] = (float(nearness[0]) - self._mean) / self._spread
        return self._known[row]

    def _nearness(self, rows: Tensor) -> Tensor:
        """Return the ``[n]`` mean cosines of words with their nearest neighbours."""
        n = min(_NEIGHBOURS, len(self._directions) - 1)
        cosines = self._directions[rows] @ self._directions.t()
        cosines[torch.arange(len(rows), device=rows.device), rows] = -torch.inf
        return cosines.topk(n, dim=1).values.mean(dim=1) if n else rows.new_zeros(len(rows), dtype=torch.float)

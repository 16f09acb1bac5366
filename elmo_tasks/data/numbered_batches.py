"""Batches that depend on their number alone, so that a run goes on at the very batch where it was killed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

Batch = TypeVar("Batch")


class NumberedBatches(ABC, Generic[Batch]):
    """Batches 0 to ``n_batches - 1``; says which is next, and goes on from there.

    Args:
        n_batches: where to stop.
    """

    def __init__(self, n_batches: int) -> None:
        self.n_batches, self.next_batch = n_batches, 0

    @abstractmethod
    def batch(self, k: int) -> Batch:
        """The ``k``-th batch."""

    def __len__(self) -> int:
        return self.n_batches

    def state_dict(self) -> dict[str, Any]:
        """Which batch is next."""
        return {"next_batch": self.next_batch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where a checkpoint was written."""
        self.next_batch = state["next_batch"]

    def __iter__(self) -> Iterator[Batch]:
        if self.next_batch >= self.n_batches:
            self.next_batch = 0
        while self.next_batch < self.n_batches:
            batch = self.batch(self.next_batch)
            self.next_batch += 1
            yield batch

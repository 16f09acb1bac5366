"""Batches that are the same each time they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

Batch = TypeVar("Batch")


class SameBatches(Generic[Batch]):
    """Batches made once. Not a plain list, which Lightning takes for several loaders."""

    def __init__(self, batches: list[Batch]) -> None:
        self.batches = batches

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.batches)

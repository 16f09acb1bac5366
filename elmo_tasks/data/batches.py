"""Rows -> batches: rows of like length together, in an order that only seed and epoch decide, shared by processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import torch

from elmo_tasks.errors import ConfigError

Batch = TypeVar("Batch")

# Rows are sorted by length within so many batches: little padding, and still other neighbours in every epoch.
_BATCHES_PER_POOL = 50


class BatchPlan:
    """Which rows make which batch.

    Args:
        lengths: of the rows.
        batch_size: rows of a batch, over all processes.
        shuffle: another order in every epoch; else the rows come by length, each process taking its share.
        seed: of the order.
        rank: which share of each batch is this process's.
        world_size: number of processes.

    Raises:
        ConfigError: the batch cannot be shared evenly, or there are too few rows to shuffle.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        batch_size: int,
        shuffle: bool = False,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        if batch_size % world_size:
            raise ConfigError(f"data.batch_size {batch_size} cannot be shared evenly by {world_size} processes")
        if shuffle and len(lengths) < world_size:
            raise ConfigError(f"{len(lengths)} training rows cannot be shared by {world_size} processes")
        self.lengths = lengths
        self.batch_size, self.shuffle, self.seed = batch_size, shuffle, seed
        self.rank, self.world_size = rank, world_size

    def __len__(self) -> int:
        """Batches of this process: in training, the same number for all."""
        if self.shuffle:
            rows = len(self.lengths) - len(self.lengths) % self.world_size
            return -(-rows // self.batch_size)
        return -(-len(range(self.rank, len(self.lengths), self.world_size)) // (self.batch_size // self.world_size))

    def batches(self, epoch: int = 0) -> list[list[int]]:
        """The rows of each batch of this process."""
        if not self.shuffle:
            mine = sorted(range(len(self.lengths)), key=self.lengths.__getitem__)[self.rank :: self.world_size]
            return _cut(mine, self.batch_size // self.world_size)
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        order = torch.randperm(len(self.lengths), generator=generator).tolist()
        # Every process must come to every step: the few rows that are left over differ from epoch to epoch.
        order = order[: len(order) - len(order) % self.world_size]
        pools = _cut(order, self.batch_size * _BATCHES_PER_POOL)
        cut = [b for pool in pools for b in _cut(sorted(pool, key=self.lengths.__getitem__), self.batch_size)]
        return [cut[k][self.rank :: self.world_size] for k in torch.randperm(len(cut), generator=generator).tolist()]


def _cut(rows: list[int], size: int) -> list[list[int]]:
    return [rows[k : k + size] for k in range(0, len(rows), size)]


class BatchLoader(Generic[Batch]):
    """The batches of a plan, one epoch after another. It says where it is, and can go on from there.

    Args:
        plan: which rows make which batch.
        collate: rows -> batch.
    """

    def __init__(self, plan: BatchPlan, collate: Callable[[Sequence[int]], Batch]) -> None:
        self.plan, self.collate = plan, collate
        self.epoch = 0
        self.next_batch = 0

    def __len__(self) -> int:
        return len(self.plan)

    def __iter__(self) -> Iterator[Batch]:
        batches = self.plan.batches(self.epoch)
        if self.next_batch >= len(batches):
            self.next_batch = 0
        while self.next_batch < len(batches):
            batch = self.collate(batches[self.next_batch])
            self.next_batch += 1
            yield batch

    @property
    def sampler(self) -> BatchLoader[Batch]:
        """Itself: Lightning calls ``sampler.set_epoch`` before every epoch."""
        return self

    @property
    def batch_sampler(self) -> None:
        """None; Lightning asks what has a sampler for it."""
        return None

    def set_epoch(self, epoch: int) -> None:
        """Take the order of this epoch, from its beginning unless it is the one that was interrupted."""
        if epoch != self.epoch:
            self.epoch, self.next_batch = epoch, 0

    def state_dict(self) -> dict[str, Any]:
        """Where the next batch is."""
        return {"epoch": self.epoch, "next_batch": self.next_batch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where a checkpoint was written."""
        self.epoch, self.next_batch = state["epoch"], state["next_batch"]

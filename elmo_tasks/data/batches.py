"""Batches in an order fixed by seed and number, so that a killed run can resume."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import UserList
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.errors import ConfigError

Batch = TypeVar("Batch")
Tensors = TypeVar("Tensors", bound="TensorBatch")

# Rows are sorted by length within pools of this many batches: little padding, but different
# neighbours in every epoch.
_BATCHES_PER_POOL = 50


@dataclass(frozen=True)
class TensorBatch:
    """A batch whose tensors go to a device together."""

    def to(self: Tensors, device: torch.device | str) -> Tensors:
        """Move the batch to a device."""
        tensors = {
            name: value for name, value in vars(self).items() if isinstance(value, torch.Tensor)
        }
        return replace(
            self, **{name: tensor.to(device, non_blocking=True) for name, tensor in tensors.items()}
        )


@dataclass(frozen=True)
class RowBatch(TensorBatch):
    """Rows of similar length."""

    tokens: tuple[tuple[str, ...], ...]  #: the tokens of each
    #: ``[B]`` ids of labels, or ``[B, T]`` ids of tags, 0 in the padding
    target: torch.Tensor
    index: torch.Tensor  #: ``[B]`` the row of each in its split

    def __len__(self) -> int:
        return len(self.tokens)


class FixedBatches(UserList[Batch]):
    """Batches made once; Lightning takes a plain list for several loaders."""


class ResumableBatches(ABC, Generic[Batch]):
    """Resumable sequence of ``n_batches`` batches, each a function of its number."""

    def __init__(self, n_batches: int) -> None:
        self.n_batches, self.next_batch = n_batches, 0

    @abstractmethod
    def batch(self, k: int) -> Batch:
        """Return the ``k``-th batch."""

    def __len__(self) -> int:
        return self.n_batches

    def state_dict(self) -> dict[str, Any]:
        """Return the number of the next batch."""
        return {"next_batch": self.next_batch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from a checkpoint."""
        self.next_batch = state["next_batch"]

    def __iter__(self) -> Iterator[Batch]:
        if self.next_batch >= self.n_batches:
            self.next_batch = 0
        while self.next_batch < self.n_batches:
            batch = self.batch(self.next_batch)
            self.next_batch += 1
            yield batch


class BucketedBatches(ResumableBatches[Batch]):
    """Random batches of rows, ``pool`` drawn at a time and grouped by length."""

    def __init__(
        self,
        n_batches: int,
        *,
        batch_size: int,
        pool: int,
        lengths: NDArray[np.integer],
        seed: tuple[int, ...],
    ) -> None:
        super().__init__(n_batches)
        self.batch_size = batch_size
        self.pool = pool
        self.lengths = lengths
        self.seed = seed
        self._drawn: tuple[int, NDArray[np.int64]] | None = None

    @abstractmethod
    def draw(self, rng: np.random.Generator, n: int) -> NDArray[np.int64]:
        """Draw ``[n]`` rows."""

    def rows(self, k: int) -> NDArray[np.int64]:
        """Return the ``[B]`` rows of the ``k``-th batch."""
        number = k // self.pool
        if self._drawn is None or self._drawn[0] != number:
            rng = np.random.default_rng((*self.seed, number))
            rows = self.draw(rng, self.pool * self.batch_size)
            rows = rows[np.argsort(self.lengths[rows] + rng.random(len(rows)))]
            self._drawn = number, rng.permutation(rows.reshape(self.pool, self.batch_size))
        return self._drawn[1][k % self.pool]


class BatchLoader(ResumableBatches[Batch]):
    """Loader of rows in batches of similar length, epoch after epoch.

    If shuffled, each process has its share of each batch, and every epoch has another order; else
    the rows are sorted by length, and each process takes its share. A batch has ``batch_size`` rows
    over all processes; ``collate`` builds it from the row numbers.
    """

    batch_sampler: None = None  #: Lightning inspects this attribute

    def __init__(
        self,
        lengths: Sequence[int],
        batch_size: int,
        collate: Callable[[Sequence[int]], Batch],
        *,
        shuffle: bool = False,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        if batch_size % world_size:
            raise ConfigError(
                f"data.batch_size {batch_size} cannot be shared evenly by {world_size} processes"
            )
        if shuffle and len(lengths) < world_size:
            raise ConfigError(
                f"{len(lengths)} training rows cannot be shared by {world_size} processes"
            )
        self.lengths = lengths
        self.batch_size = batch_size
        self.collate = collate
        self.shuffle = shuffle
        self.seed = seed
        self.rank = rank
        self.world_size = world_size
        self.epoch = 0
        self._rows = self.rows_of(0)
        super().__init__(len(self._rows))

    def rows_of(self, epoch: int) -> list[list[int]]:
        """Return the rows of each batch of this process."""
        if not self.shuffle:
            by_length = sorted(range(len(self.lengths)), key=self.lengths.__getitem__)
            return _cut(by_length[self.rank :: self.world_size], self.batch_size // self.world_size)
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        order = torch.randperm(len(self.lengths), generator=generator).tolist()
        # Every process must take every step, so a few rows are left out, different ones each epoch.
        order = order[: len(order) - len(order) % self.world_size]
        pools = _cut(order, self.batch_size * _BATCHES_PER_POOL)
        cut = [
            batch
            for pool in pools
            for batch in _cut(sorted(pool, key=self.lengths.__getitem__), self.batch_size)
        ]
        return [
            cut[k][self.rank :: self.world_size]
            for k in torch.randperm(len(cut), generator=generator).tolist()
        ]

    def batch(self, k: int) -> Batch:
        """Return the ``k``-th batch of the epoch."""
        return self.collate(self._rows[k])

    def __iter__(self) -> Iterator[Batch]:
        # A generator: Lightning asks for the iterator before it calls `set_epoch`, so the order is
        # taken with the first batch.
        self._rows = self.rows_of(self.epoch)
        yield from super().__iter__()

    @property
    def sampler(self) -> BatchLoader[Batch]:
        """Return the loader itself; Lightning calls ``sampler.set_epoch`` every epoch."""
        return self

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch's order and start at its beginning, unless it was interrupted."""
        if epoch != self.epoch:
            self.epoch, self.next_batch = epoch, 0

    def state_dict(self) -> dict[str, Any]:
        """Return the next batch and its epoch."""
        return {"epoch": self.epoch, **super().state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from a checkpoint."""
        super().load_state_dict(state)
        self.epoch = state["epoch"]


def _cut(rows: list[int], size: int) -> list[list[int]]:
    return [rows[k : k + size] for k in range(0, len(rows), size)]

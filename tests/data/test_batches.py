"""Batches of rows: little padding, every row once, an order that resumes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_tasks.data.batches import BatchLoader
from elmo_tasks.errors import ConfigError


def loader(lengths: list[int], batch_size: int, **options: object) -> BatchLoader[list[int]]:
    return BatchLoader(lengths, batch_size, list, **options)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 30), min_size=4, max_size=300),
    per_process=st.integers(1, 8),
    world_size=st.integers(1, 4),
    shuffle=st.booleans(),
    epoch=st.integers(0, 3),
)
def test_every_row_once_over_all_processes(lengths, per_process, world_size, shuffle, epoch):
    loaders = [
        loader(
            lengths,
            per_process * world_size,
            shuffle=shuffle,
            seed=5,
            rank=rank,
            world_size=world_size,
        )
        for rank in range(world_size)
    ]
    batches = [each.rows_of(epoch) for each in loaders]
    rows = [row for share in batches for batch in share for row in batch]
    assert len(rows) == len(set(rows))
    assert all(0 < len(batch) <= per_process for share in batches for batch in share)
    assert [len(share) for share in batches] == [len(each) for each in loaders]
    if shuffle:
        assert len({len(share) for share in batches}) == 1  # every process comes to every step
        assert len(rows) == len(lengths) - len(lengths) % world_size
    else:
        assert len(rows) == len(lengths)


def test_order_follows_seed_and_epoch_only():
    lengths = list(range(100))
    shuffled = loader(lengths, 10, shuffle=True, seed=1)
    assert shuffled.rows_of(3) == loader(lengths, 10, shuffle=True, seed=1).rows_of(3)
    assert shuffled.rows_of(0) != shuffled.rows_of(1)
    assert shuffled.rows_of(0) != loader(lengths, 10, shuffle=True, seed=2).rows_of(0)


def test_little_padding():
    lengths = [1 + (k * 7919) % 50 for k in range(1000)]
    padded = sum(
        max(lengths[k] for k in batch) * len(batch)
        for batch in loader(lengths, 20, shuffle=True).rows_of(0)
    )
    assert padded < 1.05 * sum(lengths)


def test_batches_that_processes_cannot_share_are_refused():
    with pytest.raises(
        ConfigError, match=r"data\.batch_size 10 cannot be shared evenly by 4 processes"
    ):
        loader([1] * 100, 10, world_size=4)
    with pytest.raises(ConfigError, match="3 training rows cannot be shared by 4 processes"):
        loader([1] * 3, 4, shuffle=True, world_size=4)


def test_a_loader_resumes_at_its_position():
    whole = loader(list(range(40)), 4, shuffle=True, seed=1)
    whole.set_epoch(2)
    first, *_ = steps = [(batch, whole.state_dict()) for batch in whole]
    assert [batch for batch, _ in steps] == whole.rows_of(2)
    again = loader(list(range(40)), 4, shuffle=True, seed=1)
    again.load_state_dict(first[1])
    again.set_epoch(2)
    assert list(again) == whole.rows_of(2)[1:]
    again.set_epoch(3)
    assert list(again) == whole.rows_of(3)

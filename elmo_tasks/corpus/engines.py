"""Engines that compute blocks: this process, several, or a cluster with Ray Data."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from typing import Any

from elmo_tasks.corpus.blocks import Block, BlockWorker, Job, TextRow, cut, unfinished
from elmo_tasks.corpus.progress import RowProgress
from elmo_tasks.corpus.reader import BadRows
from elmo_tasks.corpus.store import Store
from elmo_tasks.errors import ConfigError

LOCAL = "local"
#: File in the store of a job, beside its blocks, with the rows that were set aside.
BAD_NAME = "bad.jsonl"
#: Number of blocks that wait for each worker, so that no worker is idle.
_BLOCKS_WAITING = 2
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Engine:
    """Choice of processes: this one, ``workers`` of this machine, or those of Ray."""

    workers: int = 1  #: processes of this machine
    ray: str | None = None  #: ``local``, or the address of a cluster

    def run(self, job: Job, blocks: Sequence[Block], store: Store) -> Iterator[Block]:
        """Compute blocks in any order; yield each when its files are written."""
        if self.ray is not None:
            return _on_ray(job, blocks, store, self.ray)
        if self.workers > 1:
            return _in_processes(job, blocks, store, self.workers)
        return _in_this_process(job, blocks, store)


def compute(
    job: Job, rows: Iterable[TextRow], store: Store, engine: Engine, title: str, bad: BadRows
) -> list[Block]:
    """Cut rows into blocks, and compute those that are not finished yet.

    The store is removed if the job is interrupted before anything is computed.
    """
    try:
        blocks = cut(rows, store, job.block_characters)
        if bad.rows:
            lines = (json.dumps(row, ensure_ascii=False) for row in bad.rows)
            store.write(BAD_NAME, "".join(f"{line}\n" for line in lines).encode())
        run(job, blocks, store, engine, title)
    except BaseException:
        if not any(not name.endswith((".rows", BAD_NAME)) for name in store.names()):
            store.remove()
        raise
    return blocks


def run(job: Job, blocks: Sequence[Block], store: Store, engine: Engine, title: str) -> None:
    """Compute the blocks that are not finished yet, with progress."""
    rest = unfinished(blocks, job, store)
    n_rows, n_left = (sum(block.n_rows for block in part) for part in (blocks, rest))
    if n_left < n_rows:
        done = n_rows - n_left
        print(
            f"{title}: {done:,} of {n_rows:,} rows are there from an earlier run", file=sys.stderr
        )
    n_characters = sum(block.n_characters for block in rest)
    with RowProgress(
        title=title, n_rows=n_rows, n_characters=n_characters, done_rows=n_rows - n_left
    ) as progress:
        for block in engine.run(job, rest, store) if rest else ():
            progress.add(block.n_rows, block.n_characters)


def _in_this_process(job: Job, blocks: Sequence[Block], store: Store) -> Iterator[Block]:
    work = BlockWorker(job, store)
    for block in blocks:
        work(block)
        yield block


_worker: BlockWorker | None = None


def _open_worker(job: Job, store: Store, n_threads: int, number: Any) -> None:
    """Load the models of a process; on a machine with several GPUs, each has its own."""
    import torch

    global _worker
    torch.set_num_threads(n_threads)
    if torch.cuda.is_available():
        with number.get_lock():
            mine, number.value = number.value, number.value + 1
        torch.cuda.set_device(mine % torch.cuda.device_count())
    _worker = BlockWorker(job, store)


def _compute_block(block: Block) -> Block:
    assert _worker is not None
    _worker(block)
    return block


def _in_processes(job: Job, blocks: Sequence[Block], store: Store, n: int) -> Iterator[Block]:
    """Compute in processes of this machine; processes that died are replaced.

    Raises:
        ConfigError: processes die repeatedly before any block is finished.
    """
    # Spawned, not forked: threads of PyTorch do not survive a fork.
    context = multiprocessing.get_context("spawn")
    rest, failures = list(blocks), 0
    while rest:
        finished: set[int] = set()
        settings = job, store, max(1, (os.cpu_count() or 1) // n), context.Value("i", 0)
        pool = ProcessPoolExecutor(min(n, len(rest)), context, _open_worker, settings)
        try:
            for block in _through(pool, rest, _BLOCKS_WAITING * n):
                finished.add(block.number)
                yield block
        except BrokenProcessPool:
            failures = 0 if finished else failures + 1
            if failures == 3:
                raise ConfigError(
                    "worker processes end before they finish a block, probably for lack of memory:"
                    " use fewer --workers"
                ) from None
            _log.warning("A worker process died; new ones continue its work.")
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        rest = [block for block in rest if block.number not in finished]


def _through(pool: ProcessPoolExecutor, blocks: Sequence[Block], n_waiting: int) -> Iterator[Block]:
    """Hand blocks over as others are finished, so that few wait in memory."""
    remaining, running = iter(blocks), set[Future[Block]]()
    while True:
        while len(running) < n_waiting and (block := next(remaining, None)) is not None:
            running.add(pool.submit(_compute_block, block))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


def _check_cluster(address: str) -> None:
    """Raise a ConfigError if nothing listens at an address: Ray would wait for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon:
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"--ray {address}: no cluster answers there ({error}); expected HOST:PORT as `ray"
                " start --head` prints it"
            ) from None


class _RayWorker:
    """An actor of Ray Data, which holds the models."""

    def __init__(self, job: Job, store: Store) -> None:
        import torch

        torch.set_num_threads(1)
        self._work = BlockWorker(job, store)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        for k in range(len(batch["key"])):
            self._work(_block_of({name: values[k] for name, values in batch.items()}))
        return batch


def _block_of(row: Mapping[str, Any]) -> Block:
    """Build a block from a row of Ray Data, whose numbers are NumPy's."""
    return Block(
        number=int(row["number"]),
        key=str(row["key"]),
        n_rows=int(row["n_rows"]),
        n_characters=int(row["n_characters"]),
    )


def _on_ray(job: Job, blocks: Sequence[Block], store: Store, address: str) -> Iterator[Block]:
    """Compute on Ray Data, which starts actors again that died with their node.

    The rows pass through the store, which every machine must reach: a shared folder or bucket.
    """
    import ray
    from ray.data import ActorPoolStrategy, DataContext

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    started = not ray.is_initialized()
    if started:
        _check_cluster(address)
        try:
            ray.init(
                None if address == LOCAL else address,
                log_to_driver=False,
                logging_level=logging.ERROR,
                include_dashboard=False if address == LOCAL else None,
            )
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise ConfigError(f"--ray {address}: no cluster answers there ({error})") from None
    try:
        context = DataContext.get_current()
        context.enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        resources = ray.cluster_resources()
        n_gpus = int(resources.get("GPU", 0))
        # Reading needs no reserved process here, so every core may compute.
        n = max(1, min(len(blocks), n_gpus or int(resources.get("CPU", 1))))
        items = [asdict(block) for block in blocks]
        data = ray.data.from_items(items, override_num_blocks=min(len(items), 10_000)).map_batches(
            _RayWorker,
            fn_constructor_args=(job, store),
            batch_size=1,
            compute=ActorPoolStrategy(min_size=1, max_size=n, initial_size=n),
            num_cpus=1,
            num_gpus=1 if n_gpus else 0,
        )
        for row in data.iter_rows():
            yield _block_of(row)
    finally:
        if started:
            ray.shutdown()

"""Long jobs, each in a process of its own that is killed at random moments and begun again until it is done."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import time
from collections.abc import Sequence
from multiprocessing.context import ForkServerContext
from pathlib import Path


def prepared() -> ForkServerContext:
    """Processes that find everything imported: they begin at once, and are killed in their work, not in their imports."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["elmo_tasks.cli.fit", "elmo_tasks.cli.embed", "tests.cli.killed_jobs"])
    return context


def run(arguments: Sequence[str], log: str) -> None:
    """A command in this process, on one thread: sums differ in their last bit by the number of threads."""
    import torch

    from elmo_tasks.__main__ import main
    from elmo_tasks.encoders import batches

    with open(log, "a", encoding="utf-8") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    torch.set_num_threads(1)
    batches._BLOCK_TOKENS = 200  # some ten blocks, so that there is something to go on with
    sys.exit(main(list(arguments)))


def seconds(
    context: ForkServerContext, arguments: Sequence[str], log: Path, until: float | None = None
) -> float | None:
    """How long a command took, or ``None`` where it was killed ``until`` seconds after it began.

    Raises:
        AssertionError: it failed; with what it said.
    """
    process = context.Process(target=run, args=(list(arguments), str(log)))
    started = time.monotonic()
    process.start()
    process.join(until)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    assert process.exitcode == 0, (process.exitcode, log.read_text()[-3000:])
    return time.monotonic() - started


def moment(whole: float) -> float:
    """When to kill a command that takes so long."""
    return random.uniform(0.02, whole)

"""A job without a model, which other processes can import, too."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.corpus.blocks import TextRow, Work


@dataclass(frozen=True)
class Lengths:
    """Writes the number and the length of each row; may stop on the way."""

    key: str = "lengths"
    die_at: int = -1  #: the row at which a process kills itself, once
    died: str = ""  #: a file that says that it has
    seconds: float = 0.0  #: for each block
    seen: str = ""  #: a folder for the names of Ray's nodes
    endings: tuple[str, ...] = (".txt",)
    block_characters: int = 40

    def open(self) -> Work:
        def work(rows: Sequence[TextRow]) -> Mapping[str, bytes]:
            time.sleep(self.seconds)
            if self.seen:
                import ray

                (Path(self.seen) / ray.get_runtime_context().get_node_id()).touch()
            if any(row.number == self.die_at for row in rows) and not Path(self.died).exists():
                Path(self.died).touch()
                os.kill(os.getpid(), 9)
            return {".txt": "".join(f"{row.number} {len(row.text)}\n" for row in rows).encode()}

        return work

"""Blocks of rows: cut once from the input, and known by their content."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from elmo_tasks.corpus.store import Store

#: Limits of a block, whatever the job asks for.
MAX_CHARACTERS = 100_000  # seconds of work, so that no worker waits long for the last block
MAX_ROWS = 10_000


class TextRow(NamedTuple):
    """One text of the input."""

    number: int  #: from 0, over all files; a row that was set aside counts
    text: str  #: its text
    source: str  #: the file that it is from
    place: int  #: line or row in that file, from 1
    tokens: Sequence[str] | None = None  #: where the file gives tokens, or tagged words


@dataclass(frozen=True)
class Block:
    """A run of rows that is computed at once."""

    number: int  #: from 0
    key: str  #: of its rows
    n_rows: int  #: number of rows
    n_characters: int  #: of their texts

    @property
    def name(self) -> str:
        """Name of the file of its rows."""
        return f"{self.number:06}-{self.key}.rows"

    def rows(self, store: Store) -> list[TextRow]:
        """Read its rows."""
        lines = store.read(self.name).decode("utf-8", "surrogatepass").split("\n")
        return [TextRow._make(json.loads(line)) for line in lines if line]


#: Computes the files of a block from its rows: ending of the name -> content.
Work = Callable[[Sequence[TextRow]], Mapping[str, bytes]]


class Job(Protocol):
    """Work on blocks that can be sent to other processes."""

    @property
    def key(self) -> str:
        """Key computed from the weights and the settings, which determine the results."""

    @property
    def endings(self) -> tuple[str, ...]:
        """Endings of the files of a block, in the order of writing."""

    @property
    def block_characters(self) -> int:
        """Characters of a block; at most this much work is lost if the process is killed."""

    def open(self) -> Work:
        """Load the models, once in each process."""


class OneFileJob:
    """A job whose blocks have one file each, of one form."""

    form: str  #: ending of that file, without its dot

    @property
    def endings(self) -> tuple[str, ...]:
        """Ending of the file of a block."""
        return (f".{self.form}",)


def parquet_content(columns: Mapping[str, Any]) -> bytes:
    """Return the content of a Parquet file with these columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink, table = io.BytesIO(), pa.table(dict(columns))
    pq.write_table(table, sink, **parquet_options(table.schema))
    return sink.getvalue()


def parquet_options(schema: Any) -> dict[str, Any]:
    """Return the options to write a table with: vectors plain, other columns as usual.

    The numbers of vectors hardly ever repeat: a dictionary, statistics and compression would take
    most of the time of writing, and save no space.
    """
    import pyarrow as pa

    vectors = {field.name for field in schema if pa.types.is_fixed_size_list(field.type)}
    if not vectors:
        return {}
    others = [name for name in schema.names if name not in vectors]
    compression = dict.fromkeys(others, "snappy")
    compression |= {f"{name}.list.element": "none" for name in vectors}
    return {
        "use_dictionary": others,
        "write_statistics": others,
        "compression": compression,
    }


def cut(rows: Iterable[TextRow], store: Store, max_characters: int) -> list[Block]:
    """Write rows in blocks; those that an earlier run has written stay as they are.

    The blocks depend on the rows alone, so the same input gives the same blocks again.
    """
    limit, stored = min(max_characters, MAX_CHARACTERS), store.names()
    blocks: list[Block] = []
    for part in _parts(rows, limit):
        lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in part)
        content = lines.encode("utf-8", "surrogatepass")
        key = hashlib.sha256(content).hexdigest()[:16]
        block = Block(
            number=len(blocks),
            key=key,
            n_rows=len(part),
            n_characters=sum(len(row.text) for row in part),
        )
        if block.name not in stored:
            store.write(block.name, content)
        blocks.append(block)
    return blocks


def _parts(rows: Iterable[TextRow], max_characters: int) -> Iterator[list[TextRow]]:
    part: list[TextRow] = []
    n = 0
    for row in rows:
        if part and (n + len(row.text) > max_characters or len(part) == MAX_ROWS):
            yield part
            part, n = [], 0
        part.append(row)
        n += len(row.text) + 1
    if part:
        yield part


def result_name(block: Block, job: Job, ending: str) -> str:
    """Return the name of a finished block's file, derived from its rows and the job."""
    key = hashlib.sha256(f"{job.key} {block.key}".encode()).hexdigest()[:16]
    return f"{block.number:06}-{key}{ending}"


def unfinished(blocks: Sequence[Block], job: Job, store: Store) -> list[Block]:
    """Return the blocks with missing files; the file names record what is finished."""
    names = store.names()
    return [
        block
        for block in blocks
        if not all(result_name(block, job, ending) in names for ending in job.endings)
    ]


class BlockWorker:
    """Computes one block after the other, and writes each when it is finished."""

    def __init__(self, job: Job, store: Store) -> None:
        self._job, self._store = job, store
        self._work = job.open()

    def __call__(self, block: Block) -> None:
        """Compute and write the files of a block."""
        results = self._work(block.rows(self._store))
        for ending in self._job.endings:
            self._store.write(result_name(block, self._job, ending), results[ending])

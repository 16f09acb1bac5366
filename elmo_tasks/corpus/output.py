"""Output of a job: one file, or a folder or an address with a Parquet file per block."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.corpus.blocks import Block, Job, parquet_options, result_name
from elmo_tasks.corpus.engines import BAD_NAME, Engine, compute
from elmo_tasks.corpus.reader import STANDARD, BadRows, Input, files_of, read_rows
from elmo_tasks.corpus.store import Store, is_address
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import atomic_file, atomic_write, file_lock, lock_of

#: Names that this program gives to files of blocks.
_OWN_NAMES = re.compile(r"\d{6,}-[0-9a-f]{16}\.\w+|" + re.escape(BAD_NAME))


@dataclass(frozen=True)
class Output:
    """Place of the results, as given."""

    place: str  #: a file; a folder if it ends in ``/`` or is one; or an address

    @property
    def is_folder(self) -> bool:
        """True if the files of the blocks themselves are the result."""
        return is_address(self.place) or self.place.endswith("/") or Path(self.place).is_dir()

    @property
    def is_stream(self) -> bool:
        """True for standard output, and for a device such as ``/dev/null``."""
        path = Path(self.place)
        return self.place == STANDARD or (
            path.exists() and not path.is_file() and not path.is_dir()
        )

    @property
    def suffix(self) -> str:
        """Ending of the file; that of Parquet for a folder."""
        return ".parquet" if self.is_folder else Path(self.place).suffix

    @property
    def store(self) -> Store:
        """The place of finished blocks: the folder itself, or a hidden one beside the file."""
        if self.is_folder:
            return Store(self.place.rstrip("/"))
        path = Path(self.place)
        return Store(str(path.with_name(f".{path.name}.parts")))

    def check(self, sources: Sequence[str]) -> None:
        """Raise a ConfigError unless results can be written there.

        Raises:
            ConfigError: its folder does not exist, it holds other files, or it is among the input.
        """
        if self.suffix == ".parquet":
            import pyarrow  # noqa: F401  (fails before the work begins if it is missing)

        if is_address(self.place):
            return
        path = Path(self.place)
        if not path.absolute().parent.is_dir():
            raise ConfigError(f"{self.place}: the folder {path.parent} does not exist")
        inputs = [
            Path(source).resolve()
            for source in sources
            if source != STANDARD and not is_address(source)
        ]
        resolved = path.resolve()
        if any(resolved == place or place in resolved.parents for place in inputs):
            raise ConfigError(
                f"{self.place}: this is the input itself, or inside it; name a new file"
            )
        other = self.store.names() if self.is_folder else set()
        if wrong := sorted(name for name in other if not _OWN_NAMES.fullmatch(name)):
            raise ConfigError(
                f"{self.place}: this folder has files that this program did not write, such as"
                f" {wrong[0]}; name a new folder"
            )


@contextmanager
def finished_blocks(
    job: Job, texts: Input, output: Output, engine: Engine, title: str
) -> Iterator[list[Block]]:
    """Compute the blocks of a corpus; the body of the ``with`` joins them in one file.

    The computed blocks stay until the body has ended well, so that an interrupted run can resume.
    """
    output.check(texts.sources)
    for source in texts.sources:
        files_of(source)  # a missing file is rejected before anything is created
    lock = (
        contextlib.nullcontext()
        if is_address(output.place)
        else file_lock(lock_of(Path(output.place)), output.place)
    )
    with lock:
        bad, store = BadRows(texts.skip_bad), output.store
        rows = read_rows(texts.sources, texts.column, bad, texts.check)
        blocks = compute(job, rows, store, engine, title, bad)
        yield blocks
        _tidy(output, blocks, job, bad)


def join(job: Job, blocks: Sequence[Block], output: Output) -> None:
    """Join the files of the blocks into one, in order, unless they are themselves the result."""
    if output.is_folder:
        return
    (ending,) = job.endings
    names = [result_name(block, job, ending) for block in blocks]
    with atomic_file(Path(output.place)) as partial:
        if ending == ".parquet":
            _join_parquet(names, output.store, partial)
            return
        with partial.open("wb") as file:
            for name in names:
                file.write(output.store.read(name))


def _join_parquet(names: Sequence[str], store: Store, target: Path) -> None:
    """Write the Parquet files of blocks to one file, a row group or more for each.

    Raises:
        DataError: there is no block, so that the columns are not known.
    """
    import pyarrow.parquet as pq

    if not names:
        raise DataError("the input has no row, so there is nothing to write")
    writer = None
    try:
        for name in names:
            table = pq.read_table(io.BytesIO(store.read(name)))
            writer = writer or pq.ParquetWriter(
                target, table.schema, **parquet_options(table.schema)
            )
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _tidy(output: Output, blocks: Sequence[Block], job: Job, bad: BadRows) -> None:
    """Remove all files but results; keep and count the rows that were set aside."""
    store = output.store
    bad_rows_file = ""
    if bad.rows:
        bad_rows_file = (
            f"{output.place}/{BAD_NAME}" if output.is_folder else f"{output.place}.{BAD_NAME}"
        )
        if not output.is_folder:
            atomic_write(Path(bad_rows_file), store.read(BAD_NAME))
        print(
            f"{len(bad.rows):,} rows could not be read and were left out; see {bad_rows_file}",
            file=sys.stderr,
        )
    if not output.is_folder:
        store.remove()
        return
    results = {result_name(block, job, ending) for block in blocks for ending in job.endings}
    for name in store.names() - results - ({BAD_NAME} if bad_rows_file else set()):
        if _OWN_NAMES.fullmatch(name):
            store.delete(name)

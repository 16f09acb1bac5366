"""Parquet files of blocks, joined to one."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from elmo_tasks.corpus.store import Store
from elmo_tasks.errors import DataError


def join_parquet(names: Sequence[str], store: Store, target: Path) -> None:
    """Write the Parquet files of blocks to one file, a row group or more for each.

    Raises:
        DataError: there is no block, so that the columns are not known.
    """
    import pyarrow.parquet as pq

    if not names:
        raise DataError(f"{target}: the input has no row, so there is nothing to write")
    writer = None
    try:
        for name in names:
            table = pq.read_table(io.BytesIO(store.read(name)))
            writer = writer or pq.ParquetWriter(target, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()

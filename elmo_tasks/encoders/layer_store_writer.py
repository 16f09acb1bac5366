"""Writing a layer store: block by block, each recorded, so that a build that was killed goes on where it was."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from elmo_tasks.encoders.block_parts import BlockParts
from elmo_tasks.encoders.corpus_encoding import CorpusEncoding
from elmo_tasks.encoders.layer_store_description import (
    DESCRIPTION_NAME,
    LAYERS_NAME,
    OFFSETS_NAME,
    StoreDescription,
)
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import write_json

PROGRESS_NAME = "progress.json"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoreContent:
    """What a store is to hold."""

    description: StoreDescription  # its shape, and what its vectors depend on
    offsets: NDArray[np.int64]  # [sentences + 1] where the tokens of each sentence begin
    encoding: CorpusEncoding  # computes the vectors
    parts: BlockParts | None = None  # blocks of it that were computed already, by other processes
    step: Callable[[int], object] | None = None  # is told how many more tokens are encoded

    def n_rows(self, sentences: int) -> int:
        """Rows of the first sentences."""
        return sentences if self.description.pooled else int(self.offsets[sentences])


def write_store(content: StoreContent, target: Path, max_bytes: int) -> None:
    """Compute a store, or what is missing of it. Whoever calls holds the store's lock.

    The vectors are appended to a folder beside ``target`` that takes its name at the end. After each block, once it is
    on the disk, ``progress.json`` says so; what lies behind the last recorded block is thrown away.

    Raises:
        ConfigError: there is or comes to be too little room, or the encoder gives numbers that float16 cannot hold.
    """
    partial = target.with_name(f"{target.name}.partial")
    done = _sentences_done(partial, content)
    if not done:
        shutil.rmtree(partial, ignore_errors=True)
    _check_room(content.description, content.n_rows(done), target.parent, max_bytes)
    try:
        if not done:
            partial.mkdir()
            np.save(partial / OFFSETS_NAME, content.offsets)
            (partial / LAYERS_NAME).touch()
            write_json(partial / DESCRIPTION_NAME, asdict(content.description))
        _append(content, partial, done)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ConfigError(
            f"{partial}: the disk is full; make room and start again: the layer store goes on where it was"
        ) from error
    if target.exists():
        shutil.rmtree(target)
    partial.rename(target)
    (target / PROGRESS_NAME).unlink(missing_ok=True)  # after the rename: a kill in between must not start it all anew


def _append(content: StoreContent, partial: Path, done: int) -> None:
    """Write the blocks behind the first ``done`` sentences."""
    os.truncate(partial / LAYERS_NAME, content.n_rows(done) * content.description.row_bytes)
    with (
        (partial / LAYERS_NAME).open("ab") as file,
        tqdm(
            desc="layer store",
            total=content.description.n_tokens,
            initial=int(content.offsets[done]),
            unit="token",
            unit_scale=True,
            disable=None,
        ) as bar,
    ):

        def told(n_tokens: int) -> None:
            bar.update(n_tokens)
            if content.step is not None:
                content.step(n_tokens)

        for start, stop in content.encoding.blocks(done):
            try:
                if content.parts is not None and content.parts.has(start):
                    block = content.parts.read(start)
                    told(int(content.offsets[stop] - content.offsets[start]))
                else:
                    block = content.encoding.block(start, stop, told)
            except ConfigError:
                shutil.rmtree(partial)  # it would fail at the same place again
                raise
            file.write(block.tobytes())
            file.flush()
            os.fsync(file.fileno())
            write_json(partial / PROGRESS_NAME, {"sentences": stop})


def _sentences_done(partial: Path, content: StoreContent) -> int:
    """How many sentences an earlier build has written for certain; 0 also if what it left cannot be relied on."""
    description = content.description
    try:
        if StoreDescription.load(partial / DESCRIPTION_NAME).key != description.key:
            return 0
        done = json.loads((partial / PROGRESS_NAME).read_text(encoding="utf-8"))["sentences"]
        if not (type(done) is int and 0 < done <= description.n_sentences):
            return 0
        if not np.array_equal(np.load(partial / OFFSETS_NAME), content.offsets):
            return 0
        size = (partial / LAYERS_NAME).stat().st_size
    except (DataError, OSError, ValueError, TypeError, KeyError, EOFError):
        return 0
    return done if size >= content.n_rows(done) * description.row_bytes else 0


def _check_room(description: StoreDescription, rows_done: int, folder: Path, max_bytes: int) -> None:
    """Say what will be needed, and refuse what there is no room for."""
    made_of = (
        f"{description.n_sentences:,} sentences, {description.n_tokens:,} tokens, {description.n_layers} layers of "
        f"{description.width} numbers" + (", one mean per sentence" if description.pooled else "")
    )
    needed, there = description.n_bytes, rows_done * description.row_bytes
    free = shutil.disk_usage(folder).free
    if needed > max_bytes or needed - there > free:
        pooled = description.n_sentences * description.row_bytes
        remedies = [
            "raise max_bytes" if needed > max_bytes else "make room or choose another folder",
            f"keep one mean per sentence (pooled='mean', {_megabytes(pooled)}) if that is all the head needs",
            "take fewer sentences, or encode live",
        ]
        if description.pooled:
            del remedies[1]
        limit = (
            f"max_bytes allows {_megabytes(max_bytes)}"
            if needed > max_bytes
            else f"{_megabytes(free)} are free on the disk of {folder}"
            + (f" (beside {_megabytes(there)} that are written already)" if there else "")
        )
        raise ConfigError(
            f"a layer store of {made_of} needs {_megabytes(needed)}, and {limit}: {'; or '.join(remedies)}"
        )
    more = f"; {_megabytes(there)} of them are there from an earlier run" if there else ""
    _log.warning("%s: computing a layer store once (%s): %s in %s%s", description.encoder, made_of,
                 _megabytes(needed), folder, more)  # fmt: skip


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"

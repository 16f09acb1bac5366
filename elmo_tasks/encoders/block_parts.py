"""Blocks of a corpus that were computed, each in a file of its own: written by any process, merged in order, kept after a kill."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from elmo_tasks.encoders.corpus_encoding import CorpusEncoding
from elmo_tasks.files import whole_file, write_json

_ABOUT_NAME = "parts.json"


class BlockParts:
    """A folder of computed blocks; those of another corpus, encoder or request that lie in it are removed."""

    def __init__(self, folder: Path, encoding: CorpusEncoding) -> None:
        self.folder, self.encoding = folder, encoding
        try:
            known = json.loads((folder / _ABOUT_NAME).read_text(encoding="utf-8"))["key"] == encoding.key
        except (OSError, ValueError, KeyError, TypeError):
            known = False
        if not known:
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
            write_json(folder / _ABOUT_NAME, {"key": encoding.key})

    def missing(self) -> list[tuple[int, int]]:
        """Sentences ``start:stop`` of each block that was not computed yet."""
        return [block for block in self.encoding.blocks() if not self._path(block[0]).exists()]

    def has(self, start: int) -> bool:
        """Whether the block that begins with a sentence was computed."""
        return self._path(start).exists()

    def compute_missing(self) -> None:
        """Compute what was not computed yet, one block after another, and show how far it is."""
        missing, offsets = self.missing(), self.encoding.offsets
        total = int(offsets[-1])
        there = total - sum(int(offsets[stop] - offsets[start]) for start, stop in missing)
        with tqdm(total=total, initial=there, unit="token", unit_scale=True, disable=None) as bar:
            for start, stop in missing:
                self.write(start, self.encoding.block(start, stop, bar.update))

    def write(self, start: int, vectors: NDArray[Any]) -> None:
        """Keep a block, once it is whole and on the disk."""
        with whole_file(self._path(start)) as partial, partial.open("wb") as file:
            np.save(file, vectors)

    def read(self, start: int) -> NDArray[Any]:
        """The vectors of the block that begins with a sentence, memory-mapped."""
        vectors: NDArray[Any] = np.load(self._path(start), mmap_mode="r")
        return vectors

    def sentences(self) -> Iterator[NDArray[Any]]:
        """The vectors of every sentence, in order: ``[tokens, L, D]``, and without ``tokens`` if pooled."""
        for start, stop in self.encoding.blocks():
            vectors, first = self.read(start), self.encoding.row(start)
            for k in range(start, stop):
                row = self.encoding.row(k) - first
                yield vectors[row] if self.encoding.wanted.pooled else vectors[row : self.encoding.row(k + 1) - first]

    @contextmanager
    def kept_if_any(self) -> Iterator[None]:
        """Leave the folder behind if this is interrupted, unless no block was done: then there is nothing to go on with."""
        try:
            yield
        except BaseException:
            if not any(self.folder.glob("*.npy")):
                self.remove()
            raise

    def remove(self) -> None:
        """Remove them all."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, start: int) -> Path:
        return self.folder / f"{start:09d}.npy"

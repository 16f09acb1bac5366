"""Disk cache of the frozen layers of a corpus: resumable and memory-mapped."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from elmo_tasks.encoders.batches import CorpusEncoding, token_rows
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import file_lock, read_json, write_json
from elmo_tasks.layers import Layers

CachePooling = Literal["mean"]
MAX_BYTES = 16 * 10**9
VERSION = 1
_DESCRIPTION_NAME = "store.json"
_OFFSETS_NAME = "offsets.npy"
_ROWS_NAME = "layers.bin"
_PROGRESS_NAME = "progress.json"

_log = logging.getLogger(__name__)


def encoded_rows(encoding: CorpusEncoding, folder: Path, key: str) -> NDArray[Any]:
    """Compute the rows of a corpus into ``folder``, memory-mapped.

    An interrupted call with this key is resumed. Rows are appended block by block.
    ``progress.json`` counts the sentences whose rows are completely on the disk; rows after them
    are cut off before the next block. If the first block is interrupted, the folder is removed. The
    caller holds a lock, and removes the folder when it is done with the rows.
    """
    path, progress = folder / _ROWS_NAME, folder / _PROGRESS_NAME
    done = _sentences_done(encoding, folder, key)
    if not done:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        path.touch()
    try:
        os.truncate(path, encoding.row(done) * encoding.row_bytes)
        first, total = int(encoding.offsets[done]), int(encoding.offsets[-1])
        with (
            path.open("ab") as file,
            tqdm(
                desc="layers",
                total=total,
                initial=first,
                unit="token",
                unit_scale=True,
                disable=None,
            ) as bar,
        ):
            for start, stop in encoding.blocks(done):
                file.write(encoding.block(start, stop, bar.update).tobytes())
                file.flush()
                os.fsync(file.fileno())
                write_json(progress, {"key": key, "sentences": stop})
    except BaseException:
        if not progress.exists():
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return _mapped(
        path, (encoding.row(len(encoding.sentences)), *encoding.row_shape), encoding.dtype
    )


def _sentences_done(encoding: CorpusEncoding, folder: Path, key: str) -> int:
    """Return the number of sentences that an earlier call has completely written."""
    try:
        progress = read_json(folder / _PROGRESS_NAME)
        done = int(progress["sentences"])
        n_bytes = (folder / _ROWS_NAME).stat().st_size
        return (
            done
            if progress["key"] == key and n_bytes >= encoding.row(done) * encoding.row_bytes
            else 0
        )
    except (OSError, ValueError, TypeError, KeyError, IndexError):
        return 0


def _mapped(path: Path, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    number = np.dtype(dtype).newbyteorder("<")  # on every machine
    # A file without a byte cannot be mapped.
    return (
        np.memmap(path, number, "r", shape=shape)
        if path.stat().st_size
        else np.zeros(shape, number)
    )


@dataclass(frozen=True)
class CacheDescription:
    """Description of the content of a layer cache."""

    encoder: str  # its name, for people
    checksum: str  # of the encoder's weights
    text: str  # SHA-256 of the tokens of all sentences
    pooled: CachePooling | None  # None for a vector per token, "mean" for one per sentence
    n_layers: int  # number of layers L
    width: int  # size D of the vectors
    n_sentences: int  # number of sentences
    n_tokens: int  # tokens of all sentences
    version: int = VERSION  # of the files' layout

    @classmethod
    def of(cls, encoding: CorpusEncoding) -> CacheDescription:
        """Describe the cache of a corpus; reads all weights and all sentences."""
        encoder = encoding.encoder
        return cls(
            encoder=encoder.name,
            checksum=encoder.checksum,
            text=encoding.text,
            pooled="mean" if encoding.pooled else None,
            n_layers=encoder.n_layers,
            width=encoder.width,
            n_sentences=len(encoding.sentences),
            n_tokens=int(encoding.offsets[-1]),
        )

    @property
    def key(self) -> str:
        """Folder name, which depends on the weights, the text and the pooling."""
        parts = {name: value for name, value in asdict(self).items() if name != "encoder"}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def shape(self) -> tuple[int, int, int]:
        """``(tokens, L, D)``, or ``(sentences, L, D)`` if pooled."""
        return self.n_sentences if self.pooled else self.n_tokens, self.n_layers, self.width


class LayerCache:
    """Memory-mapped float16 layers of a data set's sentences, shared by processes.

    On disk they are ``[tokens, L, D]``, so that a sentence is one contiguous read, or ``[sentences,
    L, D]`` if pooled. The tokens of sentence ``k`` are rows ``offsets[k]`` to ``offsets[k + 1]``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            about = self.description = CacheDescription(**read_json(folder / _DESCRIPTION_NAME))
            self.offsets: NDArray[np.int64] = np.load(folder / _OFFSETS_NAME)
            n_bytes = (folder / _ROWS_NAME).stat().st_size
        except (OSError, ValueError, TypeError, EOFError) as error:
            raise DataError(
                f"{folder}: not a layer cache ({type(error).__name__}: {error})"
            ) from None

        fits = self.offsets.shape == (about.n_sentences + 1,) and self.offsets[-1] == about.n_tokens
        if not fits or n_bytes != 2 * np.prod(about.shape):
            raise DataError(
                f"{folder}: files of different sizes than {_DESCRIPTION_NAME} says; build it again"
            )
        self.pooled = about.pooled
        self.n_layers = about.n_layers
        self.width = about.width
        self._rows = _mapped(folder / _ROWS_NAME, about.shape, "float16")

    @classmethod
    def build(
        cls,
        encoder: Encoder,
        sentences: Sequence[Sequence[str]],
        folder: str | Path,
        pooled: CachePooling | None = None,
        max_bytes: int = MAX_BYTES,
        batch_size: int = 64,
    ) -> LayerCache:
        """Encode the sentences, or open an earlier cache; resume if interrupted.

        Args:
            encoder: gives the layers.
            sentences: the tokens of each sentence.
            folder: for caches; each has its own folder in it, named after the encoder's checksum,
                the text and ``pooled``.
            pooled: ``"mean"`` keeps only the mean over each sentence's tokens, for heads that pool
                in this way.
            max_bytes: maximum size of the vectors on the disk.
            batch_size: sentences that are encoded at once.
        """
        encoding = CorpusEncoding(
            encoder=encoder,
            sentences=sentences,
            layers="all",
            pooled=pooled is not None,
            dtype="float16",
            batch_size=batch_size,
        )
        about = CacheDescription.of(encoding)
        target = Path(folder) / about.key
        with contextlib.suppress(DataError):
            # Without the lock: a finished cache may be in a read-only folder.
            return cls(target)
        with file_lock(
            target.with_name(f"{target.name}.lock"), f"the layer cache {target}", wait=True
        ):
            try:
                return cls(target)  # if another process wrote it while this one waited
            except DataError as error:
                if target.exists():
                    _log.warning("%s; the layers are computed again", error)
            partial = target.with_name(f"{target.name}.partial")
            n_done = (
                encoding.row(_sentences_done(encoding, partial, about.key)) * encoding.row_bytes
            )
            _check_room(about, n_done, target.parent, max_bytes)
            encoded_rows(encoding, partial, about.key)
            np.save(partial / _OFFSETS_NAME, encoding.offsets)
            write_json(partial / _DESCRIPTION_NAME, asdict(about))
            shutil.rmtree(target, ignore_errors=True)
            partial.rename(target)
            # After the rename: a kill in between must not lose the rows.
            (target / _PROGRESS_NAME).unlink(missing_ok=True)
        return cls(target)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return self.description.n_sentences

    def batch(self, indices: Sequence[int] | Tensor, tokens: Sequence[Sequence[str]]) -> Layers:
        """Return float32 layers of some sentences, given with their tokens."""
        chosen = np.asarray(indices, np.int64)
        starts = self.offsets[chosen]
        lengths = self.offsets[chosen + 1] - starts
        given = [len(words) for words in tokens]
        if given != lengths.tolist():
            raise ValueError(
                f"{self.folder}: sentences {chosen.tolist()} have {lengths.tolist()} tokens,"
                f" but {given} were given: the cache was built from other sentences"
            )
        mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, T]
        rows = torch.from_numpy(self._rows[token_rows(starts, lengths)])  # [tokens, L, D]
        values = torch.zeros(self.n_layers, mask.size, self.width)
        values.index_copy_(1, torch.from_numpy(np.flatnonzero(mask)), rows.transpose(0, 1).float())
        values = values.view(self.n_layers, *mask.shape, self.width)
        return Layers(values, torch.from_numpy(mask), tuple(tuple(words) for words in tokens))

    def pooled_batch(self, indices: Sequence[int] | Tensor) -> Tensor:
        """Return ``[L, B, D]`` float32 means of sentences' tokens, if pooled."""
        return (
            torch.from_numpy(self._rows[np.asarray(indices, np.int64)])
            .transpose(0, 1)
            .float()
            .contiguous()
        )


def _check_room(about: CacheDescription, n_done: int, folder: Path, max_bytes: int) -> None:
    """Log the required size, and raise an error if it exceeds the limit or the disk."""
    needed, free = int(2 * np.prod(about.shape)), shutil.disk_usage(folder).free
    content = (
        f"{about.n_sentences:,} sentences, {about.n_tokens:,} tokens, {about.n_layers} layers of "
        f"{about.width} numbers" + (", one mean per sentence" if about.pooled else "")
    )
    limit = ""
    if needed > max_bytes:
        limit = f"the limit is {_megabytes(max_bytes)}: raise it (model.max_store_gb of a training)"
    elif needed - n_done > free:
        limit = (
            f"{_megabytes(free)} are free on the disk of {folder}: make room or choose another"
            " folder"
        )
    if limit:
        raise ConfigError(
            f"a layer cache of {content} needs {_megabytes(needed)}, and {limit}; or take fewer"
            " sentences, or encode live"
        )
    earlier = f"; {_megabytes(n_done)} of them are there from an earlier run" if n_done else ""
    size = _megabytes(needed)
    _log.warning(
        "%s: computing a layer cache once (%s): %s in %s%s",
        about.encoder,
        content,
        size,
        folder,
        earlier,
    )


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"

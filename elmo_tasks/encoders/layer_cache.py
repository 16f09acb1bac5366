"""Disk cache of the frozen layers of a corpus: resumable and memory-mapped."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from elmo_tasks.encoders.corpus_encoding import CorpusEncoding, Wanted, token_rows
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import ConfigError, DataError, InputError
from elmo_tasks.files import file_lock, write_json
from elmo_tasks.layers.layers import Layers

Pooling = Literal["mean"]
MAX_BYTES = 16 * 10**9
VERSION = 1
_DESCRIPTION_NAME, _OFFSETS_NAME, _ROWS_NAME, _PROGRESS_NAME = (
    "store.json",
    "offsets.npy",
    "layers.bin",
    "progress.json",
)
# float16 and little-endian on every machine.
_NUMBER = np.dtype("<f2")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CacheDescription:
    """Description of the content of a layer cache."""

    encoder: str  # its name, for people
    checksum: str  # of the encoder's weights
    text: str  # SHA-256 of the tokens of all sentences
    pooled: Pooling | None  # None for a vector per token, "mean" for one per sentence
    n_layers: int  # number of layers L
    width: int  # size D of the vectors
    n_sentences: int  # number of sentences
    n_tokens: int  # tokens of all sentences
    version: int = VERSION  # of the files' layout

    @classmethod
    def of(cls, encoding: CorpusEncoding) -> CacheDescription:
        """Describe the cache of a corpus; reads all weights and all sentences.

        Raises:
            InputError: a sentence is text, not tokens.
        """
        digest = hashlib.sha256()
        for k, tokens in enumerate(encoding.sentences):
            if isinstance(tokens, str):
                raise InputError(f"sentence {k + 1}: a layer cache takes tokens, found text: {tokens!r:.80}")
            # JSON, because no token, whatever is in it, can then pass for two.
            digest.update(json.dumps(list(tokens)).encode() + b"\n")
        encoder = encoding.encoder
        pooled: Pooling | None = "mean" if encoding.wanted.pooled else None
        sizes = encoder.n_layers, encoder.width, len(encoding.sentences), int(encoding.offsets[-1])
        return cls(encoder.name, encoder.checksum, digest.hexdigest(), pooled, *sizes)

    @classmethod
    def load(cls, path: Path) -> CacheDescription:
        """Read a description.

        Raises:
            DataError: the file cannot be read, or has another version.
        """
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            version = raw["version"]
            if version == VERSION:
                description = cls(**raw)
                numbers = (description.n_layers, description.width, description.n_sentences, description.n_tokens)
                if not all(type(number) is int and number >= 0 for number in numbers):
                    raise ValueError(f"expected sizes that are not negative, found {numbers}")
                return description
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DataError(f"{path}: not the description of a layer cache ({type(error).__name__}: {error})") from None
        raise DataError(f"{path}: a layer cache of version {version}, expected version {VERSION}; build it again")

    @property
    def key(self) -> str:
        """Folder name, which depends on the weights, the text and the pooling."""
        parts = {name: value for name, value in asdict(self).items() if name != "encoder"}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def shape(self) -> tuple[int, int, int]:
        """``(tokens, L, D)``, or ``(sentences, L, D)`` if pooled."""
        return self.n_sentences if self.pooled else self.n_tokens, self.n_layers, self.width

    @property
    def row_bytes(self) -> int:
        """Bytes of all layers of one token (of one sentence, if pooled)."""
        return self.n_layers * self.width * _NUMBER.itemsize

    @property
    def n_bytes(self) -> int:
        """Bytes of the vectors."""
        return self.shape[0] * self.row_bytes


class LayerCache:
    """Memory-mapped float16 layers of a data set's sentences.

    They are read-only and shared by processes.

    On disk they are ``[tokens, L, D]``, so that a sentence is one contiguous read, or ``[sentences, L, D]`` if pooled. The tokens
    of sentence ``k`` are rows ``offsets[k]`` to ``offsets[k + 1]``.

    Raises:
        DataError: a file is missing, cut short or of another version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.description = CacheDescription.load(folder / _DESCRIPTION_NAME)
        self.pooled, self.n_layers, self.width = (
            self.description.pooled,
            self.description.n_layers,
            self.description.width,
        )
        self.offsets = _read_offsets(folder / _OFFSETS_NAME, self.description)
        path = folder / _ROWS_NAME
        n_bytes = path.stat().st_size if path.is_file() else None
        if n_bytes != self.description.n_bytes:
            found = "no such file" if n_bytes is None else f"{n_bytes:,} bytes"
            raise DataError(f"{path}: expected {self.description.n_bytes:,} bytes of layers, found {found}")
        self._rows = _mapped(path, self.description.shape, _NUMBER)

    @classmethod
    def build(
        cls,
        encoder: Encoder,
        sentences: Sequence[Sequence[str]],
        folder: str | Path,
        pooled: Pooling | None = None,
        max_bytes: int = MAX_BYTES,
        batch_size: int = 64,
        step: Callable[[int], object] | None = None,
        bf16: bool = False,
    ) -> LayerCache:
        """Encode the sentences, or open an earlier cache; resume if interrupted.

        Args:
            encoder: gives the layers.
            sentences: the tokens of each sentence.
            folder: for caches; each is a sub-folder of its own, named by the encoder's checksum, the text and ``pooled``.
            pooled: ``"mean"`` keeps the mean of each sentence's tokens only, for heads that pool so.
            max_bytes: the most that the vectors may take on disk.
            batch_size: sentences that are encoded at once.
            step: called with the number of tokens encoded since its last call.
            bf16: products are computed in bfloat16.

        Raises:
            ConfigError: it would take more than ``max_bytes`` or than is free on the disk, the folder cannot be written, or
                the encoder gives numbers that float16 cannot hold.
            InputError: a sentence is text, not tokens.
        """
        encoding = cache_encoding(encoder, sentences, pooled, batch_size, bf16)
        description = CacheDescription.of(encoding)
        target = Path(folder) / description.key
        try:
            # Without the lock first: a finished cache may be in a read-only folder.
            return cls._open(target, description.key)
        except DataError:
            pass
        with _locked(target):
            try:
                return cls._open(target, description.key)  # if another process wrote it while this one waited
            except DataError as error:
                if target.exists():
                    _log.warning("%s; the layers are computed again", error)
            _write(encoding, description, target, max_bytes, step)
        return cls(target)

    @classmethod
    def _open(cls, folder: Path, key: str) -> LayerCache:
        cache = cls(folder)
        if cache.description.key != key:
            raise DataError(f"{folder / _DESCRIPTION_NAME}: describes another layer cache")
        return cache

    def __len__(self) -> int:
        """Number of sentences."""
        return self.description.n_sentences

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by path, because a memory map would be sent as a copy of its data."""
        return type(self), (self.folder,)

    def batch(self, indices: Sequence[int] | Tensor, tokens: Sequence[Sequence[str]]) -> Layers:
        """Return the encoder's layers of some sentences, to float16 precision.

        They are float32 on the CPU.

        Indices count the sentences that the cache was built from; their tokens are given, as the cache does not keep them.

        Raises:
            ValueError: the cache is pooled, or the tokens are not those of these sentences.
            IndexError: there is no such sentence.
        """
        if self.pooled:
            raise ValueError(f"{self.folder} holds one mean per sentence and no tokens: build it without pooled='mean'")
        chosen = self._checked(indices)
        starts = self.offsets[chosen]
        lengths = self.offsets[chosen + 1] - starts
        given = [len(words) for words in tokens]
        if given != lengths.tolist():
            raise ValueError(
                f"{self.folder}: sentences {chosen.tolist()} have {lengths.tolist()} tokens, given were {given}: "
                "they are not the sentences that the cache was built from"
            )
        mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, T]
        rows = torch.from_numpy(self._rows[token_rows(starts, lengths)])  # [tokens, L, D]
        values = torch.zeros(self.n_layers, mask.size, self.width)
        values.index_copy_(1, torch.from_numpy(np.flatnonzero(mask)), rows.transpose(0, 1).float())
        return Layers(
            values.view(self.n_layers, *mask.shape, self.width),
            torch.from_numpy(mask),
            tuple(tuple(words) for words in tokens),
        )

    def pooled_batch(self, indices: Sequence[int] | Tensor) -> Tensor:
        """Return ``[L, B, D]`` float32 means of sentences' tokens, on the CPU.

        A sentence without a token gives zeros. See :meth:`batch`.

        Raises:
            ValueError: the cache is not pooled.
            IndexError: there is no such sentence.
        """
        if not self.pooled:
            raise ValueError(
                f"{self.folder} holds a vector per token: build it with pooled='mean' for one per sentence"
            )
        return torch.from_numpy(self._rows[self._checked(indices)]).transpose(0, 1).float().contiguous()

    def vectors(self, layer: int, start: int, stop: int) -> NDArray[np.float32]:
        """Return ``[stop - start, D]`` float32 vectors of consecutive rows at one layer.

        A row is a token, or a sentence if pooled; the layer ``n_layers`` is the mean of all.
        """
        rows = self._rows[start:stop]
        chosen = rows.astype(np.float32).mean(axis=1) if layer == self.n_layers else rows[:, layer].astype(np.float32)
        return np.asarray(chosen, np.float32)

    def _checked(self, indices: Sequence[int] | Tensor) -> NDArray[np.int64]:
        chosen = np.asarray(indices.tolist() if isinstance(indices, Tensor) else indices, np.int64)
        # A negative index would read from the end, and silently so.
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(self)):
            raise IndexError(f"{self.folder}: expected sentences 0 to {len(self) - 1}, found {chosen.tolist()}")
        return chosen


def cache_encoding(
    encoder: Encoder,
    sentences: Sequence[Sequence[str]],
    pooled: Pooling | None = None,
    batch_size: int = 64,
    bf16: bool = False,
) -> CorpusEncoding:
    """Return the encoding whose rows :meth:`LayerCache.build` keeps.

    Raises:
        ConfigError: another pooling than those there are.
    """
    if pooled not in (None, "mean"):
        raise ConfigError(f"pooled: expected 'mean' or nothing, found '{pooled}'")
    return CorpusEncoding(encoder, sentences, Wanted("all", pooled is not None, "float16", batch_size, None, bf16))


def encoded_rows(
    encoding: CorpusEncoding, folder: Path, key: str, step: Callable[[int], object] | None = None
) -> NDArray[Any]:
    """Compute the rows of a corpus into ``folder``, memory-mapped; resume if possible.

    An interrupted call with this key is resumed where it ended.

    Rows are appended block by block. ``progress.json`` counts the sentences whose rows are on the disk for certain; whatever lies
    behind them is cut off before the next block. Interrupted before its first block, the folder is removed. The caller holds a
    lock, and removes the folder when it is done with the rows.

    Raises:
        ConfigError: the disk is full, or the encoder gives numbers that the type of the rows cannot hold.
    """
    done = _sentences_done(encoding, folder, key)
    offsets, row_bytes = encoding.offsets, encoding.row_bytes
    try:
        if not done:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / _ROWS_NAME).touch()
        os.truncate(folder / _ROWS_NAME, encoding.row(done) * row_bytes)
        first, total = int(offsets[done]), int(offsets[-1])
        with (
            (folder / _ROWS_NAME).open("ab") as file,
            tqdm(desc="layers", total=total, initial=first, unit="token", unit_scale=True, disable=None) as bar,
        ):

            def encoded(n_tokens: int) -> None:
                bar.update(n_tokens)
                if step is not None:
                    step(n_tokens)

            for start, stop in encoding.blocks(done):
                file.write(encoding.block(start, stop, encoded).tobytes())
                file.flush()
                os.fsync(file.fileno())
                write_json(folder / _PROGRESS_NAME, {"key": key, "sentences": stop})
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ConfigError(f"{folder}: the disk is full; make room and start again: it resumes where it was") from error
    except ConfigError:
        shutil.rmtree(folder)  # it would fail at the same place again
        raise
    except BaseException:
        if not (folder / _PROGRESS_NAME).exists():
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shape = (encoding.row(len(encoding.sentences)), *encoding.row_shape)
    return _mapped(folder / _ROWS_NAME, shape, np.dtype(encoding.wanted.dtype).newbyteorder("<"))


def _sentences_done(encoding: CorpusEncoding, folder: Path, key: str) -> int:
    """Return the number of sentences that an earlier call has surely written.

    It is 0 also if the files are not reliable.
    """
    try:
        progress = json.loads((folder / _PROGRESS_NAME).read_text(encoding="utf-8"))
        done = progress["sentences"]
        reliable = (
            progress["key"] == key
            and type(done) is int
            and 0 < done <= len(encoding.sentences)
            and (folder / _ROWS_NAME).stat().st_size >= encoding.row(done) * encoding.row_bytes
        )
    except (OSError, ValueError, TypeError, KeyError):
        return 0
    return done if reliable else 0


def _write(
    encoding: CorpusEncoding,
    description: CacheDescription,
    target: Path,
    max_bytes: int,
    step: Callable[[int], object] | None,
) -> None:
    """Write the files of a cache into a temporary folder, then rename it.

    The temporary folder is beside ``target``.
    """
    partial = target.with_name(f"{target.name}.partial")
    _check_room(
        description, encoding.row(_sentences_done(encoding, partial, description.key)), target.parent, max_bytes
    )
    encoded_rows(encoding, partial, description.key, step)
    np.save(partial / _OFFSETS_NAME, encoding.offsets)
    write_json(partial / _DESCRIPTION_NAME, asdict(description))
    if target.exists():
        shutil.rmtree(target)
    partial.rename(target)
    (target / _PROGRESS_NAME).unlink(missing_ok=True)  # after the rename: a kill in between must not lose the rows


def _mapped(path: Path, shape: tuple[int, ...], number: np.dtype[Any]) -> NDArray[Any]:
    # A file without a byte cannot be mapped.
    return np.memmap(path, number, "r", shape=shape) if path.stat().st_size else np.zeros(shape, number)


def _read_offsets(path: Path, description: CacheDescription) -> NDArray[np.int64]:
    try:
        offsets = np.load(path)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path}: not the offsets of a layer cache ({type(error).__name__}: {error})") from None
    if offsets.shape != (description.n_sentences + 1,) or offsets.dtype != np.int64:
        raise DataError(
            f"{path}: expected {description.n_sentences + 1:,} int64 offsets, found {offsets.dtype} {offsets.shape}"
        )
    if offsets[0] != 0 or offsets[-1] != description.n_tokens or (np.diff(offsets) < 0).any():
        raise DataError(f"{path}: expected offsets that rise from 0 to {description.n_tokens:,}")
    return offsets


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Hold the lock of a cache; the system releases it when the process ends."""
    with ExitStack() as stack:
        try:
            stack.enter_context(
                file_lock(target.with_name(f"{target.name}.lock"), f"the layer cache {target}", wait=True)
            )
        except OSError as error:
            raise ConfigError(f"{target.parent}: no folder that layer caches can be written to ({error})") from error
        yield


def _check_room(description: CacheDescription, rows_done: int, folder: Path, max_bytes: int) -> None:
    """Log the required size, and raise an error if the disk has too little space."""
    content = (
        f"{description.n_sentences:,} sentences, {description.n_tokens:,} tokens, {description.n_layers} layers of "
        f"{description.width} numbers" + (", one mean per sentence" if description.pooled else "")
    )
    needed, written = description.n_bytes, rows_done * description.row_bytes
    free = shutil.disk_usage(folder).free
    if needed > max_bytes or needed - written > free:
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
            + (f" (beside {_megabytes(written)} that are written already)" if written else "")
        )
        raise ConfigError(
            f"a layer cache of {content} needs {_megabytes(needed)}, and {limit}: {'; or '.join(remedies)}"
        )
    earlier = f"; {_megabytes(written)} of them are there from an earlier run" if written else ""
    _log.warning("%s: computing a layer cache once (%s): %s in %s%s", description.encoder, content,
                 _megabytes(needed), folder, earlier)  # fmt: skip


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"

"""The frozen layers of a data set, computed once and kept on disk, so that training a head costs no encoder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.encoders.block_parts import BlockParts
from elmo_tasks.encoders.corpus_encoding import CorpusEncoding, Wanted, token_rows
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.layer_store_files import (
    DESCRIPTION_NAME,
    LAYERS_NAME,
    NUMBER,
    OFFSETS_NAME,
    Pooling,
    StoreDescription,
    describe,
    write_store,
)
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import held
from elmo_tasks.layers.layers import Layers

MAX_BYTES = 16 * 10**9

_log = logging.getLogger(__name__)


class LayerStore:
    """All layers of the sentences of a data set, in float16, memory-mapped; read-only, and shared by processes.

    On disk they are ``[tokens, L, D]``, so that a sentence is one contiguous read, or ``[sentences, L, D]`` if pooled. The tokens
    of sentence ``k`` are rows ``offsets[k]`` to ``offsets[k + 1]``.

    Raises:
        DataError: a file is missing, cut short or of another version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.description = described = StoreDescription.load(folder / DESCRIPTION_NAME)
        self.pooled, self.n_layers, self.width = described.pooled, described.n_layers, described.width
        self.offsets = _read_offsets(folder / OFFSETS_NAME, self.description)
        path = folder / LAYERS_NAME
        found = path.stat().st_size if path.is_file() else None
        if found != self.description.n_bytes:
            came = "no such file" if found is None else f"{found:,} bytes"
            raise DataError(f"{path}: expected {self.description.n_bytes:,} bytes of layers, found {came}")
        # A file without a byte cannot be mapped.
        self._rows: NDArray[np.float16] = (
            np.memmap(path, NUMBER, "r", shape=self.description.shape)
            if found
            else np.zeros(self.description.shape, NUMBER)
        )

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
        parts: BlockParts | None = None,
    ) -> LayerStore:
        """Encode the sentences, or open what an earlier call made of them; go on where one was interrupted.

        Args:
            encoder: gives the layers.
            sentences: the tokens of each sentence.
            folder: for stores; each is a sub-folder of its own, named by the encoder's checksum, the text and ``pooled``.
            pooled: ``"mean"`` keeps the mean of each sentence's tokens only, for heads that pool so.
            max_bytes: the most that the vectors may take on disk.
            batch_size: sentences that are encoded at once.
            step: is told how many more tokens are encoded.
            bf16: products are computed in bfloat16.
            parts: blocks that other processes computed already, as :func:`store_encoding` describes them.

        Raises:
            ConfigError: it would take more than ``max_bytes`` or than is free on the disk, the folder cannot be written, or
                the encoder gives numbers that float16 cannot hold.
            InputError: a sentence is text, not tokens.
        """
        encoding = parts.encoding if parts is not None else store_encoding(encoder, sentences, pooled, batch_size, bf16)
        description = describe(encoding)  # reads all weights and all sentences
        key = description.key
        target = Path(folder) / key
        try:
            # Without the lock first: what is whole may lie where nobody may write.
            return cls._open(target, key)
        except DataError:
            pass
        with _alone(target):
            try:
                return cls._open(target, key)  # if another process wrote it while this one waited
            except DataError as error:
                if target.exists():
                    _log.warning("%s; the layers are computed again", error)
            write_store(encoding, description, target, max_bytes, parts, step)
        return cls(target)

    @classmethod
    def _open(cls, folder: Path, key: str) -> LayerStore:
        store = cls(folder)
        if store.description.key != key:
            raise DataError(f"{folder / DESCRIPTION_NAME}: describes another layer store")
        return store

    def __len__(self) -> int:
        """Number of sentences."""
        return self.description.n_sentences

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process opens the files: a memory map would be sent as a copy of all its numbers."""
        return type(self), (self.folder,)

    def batch(self, indices: Sequence[int] | Tensor, tokens: Sequence[Sequence[str]]) -> Layers:
        """What the encoder gives for some of the sentences, to float16 precision: float32 layers on the CPU.

        The places are those in what the store was built from; their tokens are given, as the store does not keep them.

        Raises:
            ValueError: the store is pooled, or the tokens are not those of these sentences.
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
                "they are not the sentences that the store was built from"
            )
        mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, T]
        found = torch.from_numpy(self._rows[token_rows(starts, lengths)])  # [tokens, L, D]
        values = torch.zeros(self.n_layers, mask.size, self.width)
        values.index_copy_(1, torch.from_numpy(np.flatnonzero(mask)), found.transpose(0, 1).float())
        return Layers(
            values.view(self.n_layers, *mask.shape, self.width),
            torch.from_numpy(mask),
            tuple(tuple(words) for words in tokens),
        )

    def pooled_batch(self, indices: Sequence[int] | Tensor) -> Tensor:
        """``[L, B, D]`` float32 means of sentences' tokens, on the CPU; zeros for a sentence without a token. See :meth:`batch`.

        Raises:
            ValueError: the store is not pooled.
            IndexError: there is no such sentence.
        """
        if not self.pooled:
            raise ValueError(
                f"{self.folder} holds a vector per token: build it with pooled='mean' for one per sentence"
            )
        return torch.from_numpy(self._rows[self._checked(indices)]).transpose(0, 1).float().contiguous()

    def vectors(self, layer: int, start: int, stop: int) -> NDArray[np.float32]:
        """``[stop - start, D]`` float32 vectors of some rows, in order, at one layer; for looking through all of them.

        A row is a token, or a sentence if pooled; the layer ``n_layers`` is the mean of all.
        """
        rows = self._rows[start:stop]
        found = rows.astype(np.float32).mean(axis=1) if layer == self.n_layers else rows[:, layer].astype(np.float32)
        return np.asarray(found, np.float32)

    def _checked(self, indices: Sequence[int] | Tensor) -> NDArray[np.int64]:
        chosen = np.asarray(indices.tolist() if isinstance(indices, Tensor) else indices, np.int64)
        # A negative index would read from the end, and silently so.
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(self)):
            raise IndexError(f"{self.folder}: expected sentences 0 to {len(self) - 1}, found {chosen.tolist()}")
        return chosen


def store_encoding(
    encoder: Encoder,
    sentences: Sequence[Sequence[str]],
    pooled: Pooling | None = None,
    batch_size: int = 64,
    bf16: bool = False,
) -> CorpusEncoding:
    """What :meth:`LayerStore.build` computes, for whoever computes blocks of it elsewhere.

    Raises:
        ConfigError: another pooling than those there are.
    """
    if pooled not in (None, "mean"):
        raise ConfigError(f"pooled: expected 'mean' or nothing, found '{pooled}'")
    return CorpusEncoding(encoder, sentences, Wanted("all", pooled is not None, "float16", batch_size, None, bf16))


def _read_offsets(path: Path, description: StoreDescription) -> NDArray[np.int64]:
    try:
        offsets = np.load(path)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path}: not the offsets of a layer store ({type(error).__name__}: {error})") from None
    if offsets.shape != (description.n_sentences + 1,) or offsets.dtype != np.int64:
        raise DataError(
            f"{path}: expected {description.n_sentences + 1:,} int64 offsets, found {offsets.dtype} {offsets.shape}"
        )
    if offsets[0] != 0 or offsets[-1] != description.n_tokens or (np.diff(offsets) < 0).any():
        raise DataError(f"{path}: expected offsets that rise from 0 to {description.n_tokens:,}")
    return offsets


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Hold a store alone; the lock ends with the process, however it ends."""
    with ExitStack() as stack:
        try:
            stack.enter_context(held(target.with_name(f"{target.name}.lock"), f"the layer store {target}", wait=True))
        except OSError as error:
            raise ConfigError(f"{target.parent}: no folder that layer stores can be written to ({error})") from error
        yield

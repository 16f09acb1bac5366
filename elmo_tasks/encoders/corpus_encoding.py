"""Block-wise encoding of a corpus, in batches of sentences of similar length."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.encoders.batches import by_length
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import ConfigError

# What a kill costs at most: so many tokens (a minute of the largest biLM on a CPU). Sentences are sorted by length
# within a block, so it should hold many batches; and it is held in memory, hence the bytes.
_BLOCK_TOKENS = 50_000
_BLOCK_BYTES = 128_000_000
# Padding included: a batch of very long texts would not fit into memory.
_BATCH_TOKENS = 4096

#: Progress callback; its argument is the number of tokens encoded since its last call.
Told = Callable[[int], Any]


@dataclass(frozen=True)
class Wanted:
    """Settings of the vectors of a corpus: kept layers, precision, batch sizes."""

    layers: Literal["all", "top", "average"] = "all"  # all of them, the top one, or their average
    pooled: bool = False  # one vector a sentence, the mean over its tokens, instead of one a token
    dtype: Literal["float32", "float16"] = "float32"  # of the result: float32 or float16
    batch_size: int = 64  # sentences that are encoded at once, at most
    window: int | None = None  # sentences of more tokens are read in overlapping windows of so many; whole if None
    bf16: bool = False  # products are computed in bfloat16

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise ConfigError(f"batch_size: expected 1 or more, found {self.batch_size}")
        if self.window is not None and self.window < 4:
            raise ConfigError(f"window: expected 4 tokens or more, found {self.window}")


@dataclass(frozen=True)
class CorpusEncoding:
    """Vectors of a corpus, computed block by block."""

    encoder: Encoder  # gives the layers
    sentences: Sequence[Sequence[str]]  # the tokens of each sentence
    wanted: Wanted = Wanted()  # of their vectors

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Return the ``[sentences + 1]`` token offsets of the sentences."""
        return np.concatenate([[0], np.cumsum([len(tokens) for tokens in self.sentences])]).astype(np.int64)

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of a row: ``(L, D)``, or ``(D,)`` for a single layer."""
        all_layers = self.wanted.layers == "all"
        return (self.encoder.n_layers, self.encoder.width) if all_layers else (self.encoder.width,)

    @property
    def row_bytes(self) -> int:
        """Bytes of one row: of a token, or of a sentence if pooled."""
        return int(np.prod(self.row_shape)) * np.dtype(self.wanted.dtype).itemsize

    @cached_property
    def key(self) -> str:
        """Cache key, computed from the encoder's weights, the text and the settings."""
        about = [self.encoder.checksum, asdict(self.wanted)]
        if (precision := getattr(self.encoder, "precision", "float32")) != "float32":
            about.append(precision)
        digest = hashlib.sha256(json.dumps(about).encode())
        for tokens in self.sentences:
            digest.update(json.dumps(list(tokens)).encode() + b"\n")  # no token, whatever is in it, can pass for two
        return digest.hexdigest()[:32]

    def row(self, sentence: int) -> int:
        """Return the first row of a sentence."""
        return sentence if self.wanted.pooled else int(self.offsets[sentence])

    def blocks(self, start: int = 0) -> Iterator[tuple[int, int]]:
        """Yield the sentence range ``start:stop`` of each block.

        The end of a block depends only on its start.
        """
        limit = _BLOCK_TOKENS if self.wanted.pooled else min(_BLOCK_TOKENS, _BLOCK_BYTES // max(1, self.row_bytes))
        while start < len(self.sentences):
            stop = int(np.searchsorted(self.offsets, self.offsets[start] + limit, side="right")) - 1
            stop = min(max(stop, start + 1), len(self.sentences))
            yield start, stop
            start = stop

    def block(self, start: int, stop: int, told: Told | None = None) -> NDArray[Any]:
        """Compute the vectors of sentences ``start:stop``, ``[rows, L, D]`` or ``[rows, D]``.

        A row is a token, or a sentence if pooled.

        They are in the order of the sentences though they are encoded by length. Zeros for a sentence without a token, if pooled.

        Raises:
            ConfigError: float16 is wanted, and cannot hold a number.
        """
        pieces = np.array(
            [(k, *span) for k in range(start, stop) for span in windows(len(self.sentences[k]), self.wanted.window)],
            np.int64,
        ).reshape(-1, 5)
        first = self.row(start)
        pooled = self.wanted.pooled
        vectors = np.zeros(
            (self.row(stop) - first, *self.row_shape), "<f4" if pooled or self.wanted.dtype == "float32" else "<f2"
        )
        for batch in by_length((pieces[:, 2] - pieces[:, 1]).tolist(), self.wanted.batch_size, _BATCH_TOKENS):
            at, begin, end, kept_from, kept_to = pieces[batch].T
            found = self._vectors(at, begin, end, kept_from, kept_to)
            kept = kept_to - kept_from
            if pooled:
                np.add.at(vectors, at - start, found)
            else:
                vectors[token_rows(self.offsets[at] - first + kept_from, kept)] = found
            if told is not None:
                told(int(kept.sum()))
        if pooled:
            counts = np.maximum(np.diff(self.offsets[start : stop + 1]), 1)
            vectors /= counts.reshape(-1, *[1] * len(self.row_shape)).astype(np.float32)
            return self._checked(torch.from_numpy(vectors), np.arange(start, stop)).numpy()
        return vectors

    @torch.inference_mode()
    def _vectors(self, at: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64],
                 kept_from: NDArray[np.int64], kept_to: NDArray[np.int64]) -> NDArray[Any]:  # fmt: skip
        """Compute the kept vectors of a batch, ``[tokens, ...]``, or sums ``[B, ...]``.

        The pieces follow one another; the sums are over their tokens.
        """
        with torch.autocast(self.encoder.device.type, torch.bfloat16) if self.wanted.bf16 else nullcontext():
            layers = self.encoder.encode([self.sentences[k][a:b] for k, a, b in zip(at, begin, end, strict=True)])
        found = layers.mask.sum(dim=1).tolist()
        expected = self.encoder.n_layers, self.encoder.width
        if layers.values.shape[::3] != expected or found != (end - begin).tolist():
            raise ValueError(
                f"{self.encoder.name}: expected {expected} layers and width for sentences of {(end - begin).tolist()} tokens, "
                f"found {tuple(layers.values.shape)} for {found}"
            )
        # All is put together where the encoder computes, so that only what is kept is copied from a GPU.
        values = layers.values.float()  # [L, B, T, D]
        if self.wanted.layers == "all":
            values = values.permute(1, 2, 0, 3)  # [B, T, L, D]
        else:
            values = values[-1] if self.wanted.layers == "top" else values.mean(dim=0)  # [B, T, D]
        t = torch.arange(values.shape[1], device=values.device)
        span = torch.from_numpy(np.stack([kept_from - begin, kept_to - begin])).to(values.device).unsqueeze(2)
        kept = (span[0] <= t) & (t < span[1])  # [B, T]
        if self.wanted.pooled:
            return (values * kept.view(*kept.shape, *[1] * len(self.row_shape))).sum(dim=1).cpu().numpy()
        return self._checked(values[kept], np.repeat(at, kept_to - kept_from)).cpu().numpy()

    def _checked(self, vectors: Tensor, sentence_of: NDArray[np.int64]) -> Tensor:
        """Convert to the requested type, and check the range."""
        if self.wanted.dtype == "float32":
            return vectors
        half = vectors.to(torch.float16)
        if bool(torch.isfinite(half).all()):
            return half
        row, *place = (~torch.isfinite(half)).nonzero()[0].tolist()
        layer = f"layer {place[0]}" if self.wanted.layers == "all" else f"the {self.wanted.layers} layer"
        raise ConfigError(
            f"{self.encoder.name}: {layer} of sentence {sentence_of[row] + 1} has the value "
            f"{float(vectors[(row, *place)]):g}, and float16 can only hold finite numbers up to 65504: keep float32, or encode live"
        )


def windows(n_tokens: int, size: int | None) -> list[tuple[int, int, int, int]]:
    """Split a sentence into windows: begin, end, first kept token, end of kept tokens.

    Windows overlap by half, so that every token but the first and last ones is read with a quarter of a window on either side.
    The whole sentence is one if ``size`` is ``None``; one without a token has none.
    """
    if not n_tokens:
        return []
    if size is None or n_tokens <= size:
        return [(0, n_tokens, 0, n_tokens)]
    margin = size // 4
    step = size - 2 * margin
    begins = [*range(0, n_tokens - size, step), n_tokens - size]
    cuts = [0, *(begin + margin for begin in begins[1:]), n_tokens]
    return [(begin, begin + size, cuts[k], cuts[k + 1]) for k, begin in enumerate(begins)]


def token_rows(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ``[lengths.sum()]`` row numbers of consecutive runs.

    A run is ``start, start + 1, ...``.
    """
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))

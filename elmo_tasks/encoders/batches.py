"""Batched encoding of data sets, by length, and of corpora, block by block."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.api import check_cancelled
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.grouping import by_length as by_length
from elmo_tasks.encoders.sentences import Tokens
from elmo_tasks.errors import ConfigError

# Token positions per batch, padding included: a batch holds more short sentences than long ones.
_BATCH_TOKENS = 4096
_MAX_SENTENCES = 256
# At most this much work is lost if the process is killed: a minute of the largest biLM on a CPU.
# Sentences are sorted by length within a block, so a block should hold many batches; and it is held
# in memory, hence the limit in bytes.
_BLOCK_TOKENS = 50_000
_BLOCK_BYTES = 128_000_000

#: Progress callback; its argument is the number of tokens encoded since its last call.
ProgressStep = Callable[[int], object]


@dataclass(frozen=True)
class EncodedBatch:
    """Sentences of similar length; one that is repeated has one row."""

    numbers: list[int]  # of the sentences
    rows: list[int]  # the row of each in values
    #: [L, B, T, D] on the encoder's device; of a language model, with the boundaries of sentences
    values: Tensor
    first: int  # place of the first token: 1 where there are boundaries, else 0


def encoded_batches(encoder: Encoder, sentences: Sequence[Tokens]) -> Iterator[EncodedBatch]:
    """Encode sentences, longest first, so that memory errors occur early."""
    model = encoder.language_model
    numbers: dict[Tokens, list[int]] = {}
    for k, sentence in enumerate(sentences):
        numbers.setdefault(sentence, []).append(k)
    distinct = list(numbers)
    for chosen in by_length(
        list(map(len, distinct)), _MAX_SENTENCES, _BATCH_TOKENS, longest_first=True
    ):
        check_cancelled()
        batch = [distinct[k] for k in chosen]
        with torch.inference_mode():
            values = encoder.encode(batch).values if model is None else model.states(batch).layers
        rows = [row for row, sentence in enumerate(batch) for _ in numbers[sentence]]
        yield EncodedBatch(
            numbers=[k for sentence in batch for k in numbers[sentence]],
            rows=rows,
            values=values,
            first=int(model is not None),
        )


def token_vectors(
    encoder: Encoder, sentences: Sequence[Tokens]
) -> Iterator[tuple[int, NDArray[np.float16]]]:
    """Yield the number of each sentence and its ``[L, tokens, D]``, in any order."""
    for batch in encoded_batches(encoder, sentences):
        values = batch.values.to(torch.float16).cpu().numpy()
        for k, row in zip(batch.numbers, batch.rows, strict=True):
            yield k, values[:, row, batch.first : batch.first + len(sentences[k])]


@dataclass(frozen=True)
class CorpusEncoding:
    """Vectors of a corpus: the choice of layers, the precision and the batches."""

    encoder: Encoder  # gives the layers
    sentences: Sequence[Sequence[str]]  # the tokens of each sentence
    layers: Literal["all", "top", "average"] = "all"  # all of them, the top one, or their average
    pooled: bool = False  # one vector per sentence, the mean over its tokens, not one per token
    dtype: Literal["float32", "float16"] = "float32"  # of the result
    batch_size: int = 64  # sentences that are encoded at once, at most
    # longer sentences are read in overlapping windows of this many tokens; whole if None
    window: int | None = None
    bf16: bool = False  # products are computed in bfloat16
    first: int = 0  # number of the first sentence, in messages

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise ConfigError(f"batch_size: expected 1 or more, found {self.batch_size}")
        if self.window is not None and self.window < 4:
            raise ConfigError(f"window: expected 4 tokens or more, found {self.window}")

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Return the ``[sentences + 1]`` token offsets of the sentences."""
        return np.concatenate([[0], np.cumsum([len(tokens) for tokens in self.sentences])]).astype(
            np.int64
        )

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of a row: ``(L, D)``, or ``(D,)`` for a single layer."""
        return (
            (self.encoder.n_layers, self.encoder.width)
            if self.layers == "all"
            else (self.encoder.width,)
        )

    @property
    def row_bytes(self) -> int:
        """Bytes of one row: of a token, or of a sentence if pooled."""
        return int(np.prod(self.row_shape)) * np.dtype(self.dtype).itemsize

    @cached_property
    def text(self) -> str:
        """SHA-256 of the tokens of all sentences."""
        digest = hashlib.sha256()
        for tokens in self.sentences:
            # JSON, so that no token can be mistaken for two, whatever it contains.
            digest.update(json.dumps(list(tokens)).encode() + b"\n")
        return digest.hexdigest()

    @cached_property
    def key(self) -> str:
        """Key computed from the encoder's weights, the text and the settings."""
        precision = getattr(self.encoder, "precision", "float32")
        settings = [self.layers, self.pooled, self.dtype, self.window, self.bf16]
        return hashlib.sha256(
            json.dumps([self.encoder.checksum, precision, self.text, settings]).encode()
        ).hexdigest()

    def row(self, sentence: int) -> int:
        """Return the first row of a sentence."""
        return sentence if self.pooled else int(self.offsets[sentence])

    def blocks(self, start: int = 0) -> Iterator[tuple[int, int]]:
        """Yield the sentence range of each block, whose end depends only on its start."""
        limit = (
            _BLOCK_TOKENS
            if self.pooled
            else min(_BLOCK_TOKENS, _BLOCK_BYTES // max(1, self.row_bytes))
        )
        while start < len(self.sentences):
            stop = int(np.searchsorted(self.offsets, self.offsets[start] + limit, side="right")) - 1
            stop = min(max(stop, start + 1), len(self.sentences))
            yield start, stop
            start = stop

    def block(self, start: int, stop: int, step: ProgressStep | None = None) -> NDArray[Any]:
        """Compute the rows of sentences: ``[rows, L, D]`` or ``[rows, D]``.

        A row is a token, or a sentence if pooled; one without a token is then zero.
        """
        pieces = np.array(
            [
                (k, *span)
                for k in range(start, stop)
                for span in windows(len(self.sentences[k]), self.window)
            ],
            np.int64,
        ).reshape(-1, 5)
        first = self.row(start)
        wide = self.pooled or self.dtype == "float32"
        vectors = np.zeros((self.row(stop) - first, *self.row_shape), "<f4" if wide else "<f2")
        for batch in by_length(
            (pieces[:, 2] - pieces[:, 1]).tolist(), self.batch_size, _BATCH_TOKENS
        ):
            at, _, _, kept_from, kept_to = pieces[batch].T
            n_kept = kept_to - kept_from
            if self.pooled:
                np.add.at(vectors, at - start, self._vectors(pieces[batch]))
            else:
                vectors[token_rows(self.offsets[at] - first + kept_from, n_kept)] = self._vectors(
                    pieces[batch]
                )
            if step is not None:
                step(int(n_kept.sum()))
        if self.pooled:
            counts = np.maximum(np.diff(self.offsets[start : stop + 1]), 1)
            vectors /= counts.reshape(-1, *[1] * len(self.row_shape)).astype(np.float32)
            return self._checked(torch.from_numpy(vectors), np.arange(start, stop)).numpy()
        return vectors

    @torch.inference_mode()
    def _vectors(self, pieces: NDArray[np.int64]) -> NDArray[Any]:
        """Compute the kept vectors ``[tokens, ...]`` of a batch, or sums ``[B, ...]``.

        A piece is a sentence, the begin and end of a window in it, and those of its kept tokens.
        """
        at, begin, end, kept_from, kept_to = pieces.T
        with (
            torch.autocast(self.encoder.device.type, torch.bfloat16) if self.bf16 else nullcontext()
        ):
            encoded = self.encoder.encode(
                [self.sentences[k][i:j] for k, i, j in zip(at, begin, end, strict=True)]
            )
        # The vectors are chosen on the encoder's device, so that only these are copied from a GPU.
        values = encoded.values.float()  # [L, B, T, D]
        if self.layers == "all":
            values = values.permute(1, 2, 0, 3)  # [B, T, L, D]
        elif self.layers == "top":
            values = values[-1]  # [B, T, D]
        else:
            values = values.mean(dim=0)
        positions = torch.arange(values.shape[1], device=values.device)
        span = (
            torch.from_numpy(np.stack([kept_from - begin, kept_to - begin]))
            .to(values.device)
            .unsqueeze(2)
        )
        kept = (span[0] <= positions) & (positions < span[1])  # [B, T]
        if self.pooled:
            return (
                (values * kept.view(*kept.shape, *[1] * len(self.row_shape)))
                .sum(dim=1)
                .cpu()
                .numpy()
            )
        return self._checked(values[kept], np.repeat(at, kept_to - kept_from)).cpu().numpy()

    def _checked(self, vectors: Tensor, sentence_of: NDArray[np.int64]) -> Tensor:
        """Convert to the requested type, and check the range."""
        if self.dtype == "float32":
            return vectors
        half = vectors.to(torch.float16)
        if bool(torch.isfinite(half).all()):
            return half
        place = (~torch.isfinite(half)).nonzero()[0].tolist()
        value = float(vectors[tuple(place)])
        layer = f"layer {place[1]}" if self.layers == "all" else f"the {self.layers} layer"
        raise ConfigError(
            f"{self.encoder.name}: {layer} of sentence {sentence_of[place[0]] + 1} has the value"
            f" {value:g}, and float16 can only hold finite numbers up to 65504: keep float32, or"
            " encode live"
        )


def windows(n_tokens: int, size: int | None) -> list[tuple[int, int, int, int]]:
    """Split a sentence into windows: begin, end, begin and end of the tokens that are kept.

    Windows overlap by half: every token but the first and last ones is read with a quarter of a
    window on either side.
    """
    if not n_tokens:
        return []
    if size is None or n_tokens <= size:
        return [(0, n_tokens, 0, n_tokens)]
    margin = size // 4
    begins = [*range(0, n_tokens - size, size - 2 * margin), n_tokens - size]
    cuts = [0, *(begin + margin for begin in begins[1:]), n_tokens]
    return [(begin, begin + size, cuts[k], cuts[k + 1]) for k, begin in enumerate(begins)]


def token_rows(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ``[lengths.sum()]`` row numbers of runs ``start, start + 1, ...``."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))

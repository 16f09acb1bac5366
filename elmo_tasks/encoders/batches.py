"""Batched encoding of a data set, each distinct sentence once and by length.

A caller can therefore keep only the vectors that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.api import check_cancelled
from elmo_tasks.encoders.encoder import Encoder

# Token positions per batch: a batch of short sentences holds more of them.
_PLACES, _MOST_SENTENCES = 4096, 256

Sentence = tuple[str, ...]


@dataclass(frozen=True)
class EncodedBatch:
    """Distinct sentences of similar length."""

    sentences: tuple[Sentence, ...]  # their tokens
    #: [L, B, T, D] where the encoder computes, with the boundaries of the sentences if it is a language model
    values: Tensor
    first: int  # place of the first token: 1 where there are boundaries, else 0


def encoded_batches(encoder: Encoder, sentences: Sequence[Sentence]) -> Iterator[EncodedBatch]:
    """Encode distinct sentences, longest first, so that memory errors occur early.

    Raises:
        Cancelled: the client disconnected.
    """
    model = encoder.language_model
    distinct = list(dict.fromkeys(sentences))
    for rows in by_length([len(sentence) for sentence in distinct], _MOST_SENTENCES, _PLACES, longest_first=True):
        check_cancelled()
        batch = [distinct[k] for k in rows]
        with torch.inference_mode():
            values = encoder.encode(batch).values if model is None else model.states(batch).layers
        yield EncodedBatch(tuple(batch), values, 0 if model is None else 1)


def token_vectors(encoder: Encoder, sentences: Sequence[Sentence]) -> Iterator[tuple[int, NDArray[np.float16]]]:
    """Yield a sentence's number and the ``[L, tokens, D]`` vectors of its tokens.

    The order is that of computation.
    """
    at: dict[Sentence, list[int]] = {}
    for k, sentence in enumerate(sentences):
        at.setdefault(sentence, []).append(k)
    for batch in encoded_batches(encoder, list(at)):
        values = batch.values.to(torch.float16).cpu().numpy()
        for row, sentence in enumerate(batch.sentences):
            for k in at[sentence]:
                yield k, values[:, row, batch.first : batch.first + len(sentence)]


def by_length(lengths: Sequence[int], most: int, most_places: int, longest_first: bool = False) -> Iterator[list[int]]:
    """Group sentence numbers by length, within the limits on sentences and tokens.

    Little padding is needed.

    One sentence alone may have more of them.
    """
    batch: list[int] = []
    for k in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=longest_first):
        longest = max(lengths[k], lengths[batch[0]]) if batch else 0
        if batch and (len(batch) == most or longest * (len(batch) + 1) > most_places):
            yield batch
            batch = []
        batch.append(k)
    if batch:
        yield batch

"""Batches for a language model: parallel streams, and sentences for perplexity."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.data.batches import ResumableBatches, TensorBatch
from elmo_tasks.data.tokenized_corpus import TokenizedCorpus, character_table, read_sentences
from elmo_tasks.errors import DataError
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, Vocabulary, open_text


@dataclass(frozen=True)
class StreamBatch(TensorBatch):
    """One step of truncated back-propagation.

    Attributes:
        characters: ``[U, C]`` character ids of the distinct words of both directions.
        words: ``[2, B, T]`` rows of ``characters``: the forward, then the backward streams.
        targets: ``[2, B, T]`` vocabulary ids of the words that come next.
        corpus_ids: ``[U]`` what those distinct words are: places in :attr:`TokenizedCorpus.words`.
    """

    characters: Tensor
    words: Tensor
    targets: Tensor
    corpus_ids: Tensor


@dataclass(frozen=True)
class SentenceBatch(TensorBatch):
    """Whole sentences, for perplexity.

    Attributes:
        characters: ``[U, C]`` character ids of the distinct words.
        words: ``[B, T]`` rows of ``characters``; ``<S> w1 .. wn </S>``, right-padded.
        lengths: ``[B]`` words of each sentence, boundaries included.
        targets: ``[B, T]`` vocabulary ids of ``words``.
    """

    characters: Tensor
    words: Tensor
    lengths: Tensor
    targets: Tensor


def target_ids(corpus_words: Sequence[str], vocabulary: Vocabulary) -> NDArray[np.int64]:
    """Return the ``[n_words]`` vocabulary ids of the words of a corpus."""
    return np.array([vocabulary.id_of(word) for word in corpus_words], np.int64)


class StreamLoader(ResumableBatches[StreamBatch]):
    """Loader of ``batch_size`` parallel streams, ``unroll_steps`` words at a time.

    ``targets [n_words]`` are the vocabulary ids of the words. The streams of all processes are ``batch_size * world_size``;
    ``first_batch`` says how many batches of the first pass are left out.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        targets: NDArray[np.int64],
        batch_size: int,
        unroll_steps: int,
        n_batches: int,
        rank: int = 0,
        world_size: int = 1,
        first_batch: int = 0,
    ) -> None:
        super().__init__(n_batches)
        self.corpus, self.targets = corpus, targets
        self.unroll_steps, self.first_batch = unroll_steps, first_batch
        self.stream_length = len(corpus.forward) // (batch_size * world_size)
        self.starts = np.arange(rank * batch_size, (rank + 1) * batch_size, dtype=np.int64) * self.stream_length

    def batch(self, k: int) -> StreamBatch:
        """Return the ``k``-th batch; past the end of the corpus the streams restart."""
        per_pass = max(1, (self.stream_length - 1) // self.unroll_steps)
        offset = ((self.first_batch + k) % per_pass) * self.unroll_steps
        at = self.starts[:, None] + offset + np.arange(self.unroll_steps + 1)  # [B, T + 1]
        at = np.minimum(at, len(self.corpus.forward) - 1)
        ids = np.stack([self.corpus.forward[at], self.corpus.backward[at]])  # [2, B, T + 1]
        distinct, words = np.unique(ids[:, :, :-1], return_inverse=True)
        return StreamBatch(
            characters=torch.from_numpy(self.corpus.characters[distinct].astype(np.int64)),
            words=torch.from_numpy(words.reshape(2, len(at), self.unroll_steps)),
            targets=torch.from_numpy(self.targets[ids[:, :, 1:]]),
            corpus_ids=torch.from_numpy(distinct.astype(np.int64)),
        )


def sentence_batches(
    sentences: Sequence[Sequence[str]], vocabulary: Vocabulary, max_tokens: int = 4096
) -> Iterator[SentenceBatch]:
    """Group sentences by length into batches of ``max_tokens``, padding included."""
    batch: list[Sequence[str]] = []
    for sentence in sorted(sentences, key=len):
        # The one that comes is the longest so far.
        if batch and (len(batch) + 1) * (len(sentence) + 2) > max_tokens:
            yield _sentence_batch(batch, vocabulary)
            batch = []
        batch.append(sentence)
    if batch:
        yield _sentence_batch(batch, vocabulary)


def _sentence_batch(sentences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> SentenceBatch:
    ids: dict[str, int] = {word: k for k, word in enumerate(SPECIAL_WORDS)}
    rows = [[BEGIN_ID, *(ids.setdefault(word, len(ids)) for word in words), END_ID] for words in sentences]
    lengths = np.array([len(row) for row in rows])
    words = np.full((len(rows), lengths.max()), END_ID)
    for row, target in zip(rows, words, strict=True):
        target[: len(row)] = row
    return SentenceBatch(
        characters=torch.from_numpy(character_table(list(ids)).astype(np.int64)),
        words=torch.from_numpy(words),
        lengths=torch.from_numpy(lengths),
        targets=torch.from_numpy(target_ids(list(ids), vocabulary)[words]),
    )


def held_out_sentences(path: Path, index: Path | None, sources: Sequence[str]) -> list[list[str]]:
    """Read held-out sentences, one per line, of the training files ``sources``.

    The index is a table with the columns ``source`` (how the name of a training file begins), ``first_line`` and ``last_line``
    (from 1); without one every line is read.
    """
    sentences = list(read_sentences([path]))
    if index is not None:
        try:
            rows = csv.DictReader(open_text(index), delimiter="\t")
            parts = [(row["source"], int(row["first_line"]) - 1, int(row["last_line"])) for row in rows]
        except (csv.Error, KeyError, TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{index}: expected a table with tabs and the columns source, first_line and last_line ({error})"
            ) from None
        used = [part for part in parts if any(name.startswith(f"{part[0]}_") for name in sources)]
        sentences = [words for _, start, stop in used for words in sentences[start:stop]]
    if not sentences:
        which = (
            f"no held-out sentence of the sources {', '.join(sorted(set(sources)))}" if index else "no sentence in it"
        )
        raise DataError(f"{path}: {which}")
    return sentences

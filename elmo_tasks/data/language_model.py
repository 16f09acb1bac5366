"""Text for pretraining: parallel streams for the two directions, and single sentences for perplexity."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.data.tokenized_corpus import TokenizedCorpus, character_table, read_sentences
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, UNKNOWN_ID, Vocabulary, open_text


@dataclass(frozen=True)
class StreamBatch:
    """One step of truncated back-propagation.

    Attributes:
        characters: ``[U, C]`` character ids of the distinct words of both directions.
        words: ``[2, B, T]`` rows of ``characters``: the forward, then the backward streams.
        targets: ``[2, B, T]`` vocabulary ids of the words that come next.
    """

    characters: Tensor
    words: Tensor
    targets: Tensor

    def to(self, device: torch.device) -> StreamBatch:
        """The same batch elsewhere."""
        return StreamBatch(*(t.to(device, non_blocking=True) for t in (self.characters, self.words, self.targets)))


@dataclass(frozen=True)
class SentenceBatch:
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

    def to(self, device: torch.device) -> SentenceBatch:
        """The same batch elsewhere."""
        return SentenceBatch(*(t.to(device) for t in (self.characters, self.words, self.lengths, self.targets)))


def target_ids(corpus_words: Sequence[str], vocabulary: Vocabulary) -> NDArray[np.int64]:
    """``[n_words]`` vocabulary id of each word of a corpus."""
    return np.array([vocabulary.id_of(word) for word in corpus_words], np.int64)


class StreamLoader:
    """``batch_size`` places of the corpus read in parallel, ``unroll_steps`` words at a time; the state goes on where it was.

    It says where it is, and goes on from there, so that a run resumes at the very batch where it was killed.

    Args:
        corpus: the text.
        targets: ``[n_words]`` vocabulary id of each word.
        batch_size: streams of this process.
        unroll_steps: words of each stream in a batch.
        n_batches: where to stop.
        rank: which share of the streams this process reads.
        world_size: number of processes.
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
    ) -> None:
        self.corpus, self.targets = corpus, targets
        self.unroll_steps, self.n_batches = unroll_steps, n_batches
        n_streams = batch_size * world_size
        self.stream_length = len(corpus.forward) // n_streams
        mine = np.arange(rank * batch_size, (rank + 1) * batch_size, dtype=np.int64)
        self.starts = mine * self.stream_length
        self.next_batch = 0

    def __len__(self) -> int:
        return self.n_batches

    def state_dict(self) -> dict[str, Any]:
        """Where the next batch begins."""
        return {"next_batch": self.next_batch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where a checkpoint was written."""
        self.next_batch = state["next_batch"]

    def __iter__(self) -> Iterator[StreamBatch]:
        if self.next_batch >= self.n_batches:
            self.next_batch = 0
        while self.next_batch < self.n_batches:
            batch = self.batch(self.next_batch)
            self.next_batch += 1
            yield batch

    def batch(self, k: int) -> StreamBatch:
        """The ``k``-th batch of the corpus; past its end the streams begin anew."""
        per_pass = max(1, (self.stream_length - 1) // self.unroll_steps)
        offset = (k % per_pass) * self.unroll_steps
        at = self.starts[:, None] + offset + np.arange(self.unroll_steps + 1)  # [B, T + 1]
        at = np.minimum(at, len(self.corpus.forward) - 1)
        ids = np.stack([self.corpus.forward[at], self.corpus.backward[at]])  # [2, B, T + 1]
        distinct, words = np.unique(ids[:, :, :-1], return_inverse=True)
        return StreamBatch(
            characters=torch.from_numpy(self.corpus.characters[distinct].astype(np.int64)),
            words=torch.from_numpy(words.reshape(2, len(at), self.unroll_steps)),
            targets=torch.from_numpy(self.targets[ids[:, :, 1:]]),
        )


def sentence_batches(
    sentences: Sequence[Sequence[str]], vocabulary: Vocabulary, max_tokens: int = 4096
) -> Iterator[SentenceBatch]:
    """Sentences by length, so that little is padded.

    Args:
        sentences: tokenized sentences.
        vocabulary: gives the target ids.
        max_tokens: words of a batch, padding included.
    """
    order = sorted(range(len(sentences)), key=lambda k: len(sentences[k]))
    batch: list[Sequence[str]] = []
    for k in order:
        # The one that comes is the longest so far.
        if batch and (len(batch) + 1) * (len(sentences[k]) + 2) > max_tokens:
            yield _sentence_batch(batch, vocabulary)
            batch = []
        batch.append(sentences[k])
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


class SentenceLoader:
    """Batches made once; Lightning takes a plain list for several loaders."""

    def __init__(self, batches: list[SentenceBatch]) -> None:
        self.batches = batches

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[SentenceBatch]:
        return iter(self.batches)


def held_out_sentences(path: Path, index: Path | None, sources: Sequence[str]) -> list[list[str]]:
    """Held-out sentences of the sources that are trained on.

    Args:
        path: text file, one tokenized sentence per line.
        index: table with the columns ``source``, ``first_line`` and ``last_line`` (from 1); ``None`` to read every line.
        sources: names of the training files; a source counts if one of them begins with its name.

    Raises:
        DataError: no line is left.
    """
    sentences = list(read_sentences([path]))
    if index is not None:
        rows = csv.DictReader(open_text(index), delimiter="\t")
        ranges = [
            (int(row["first_line"]) - 1, int(row["last_line"]))
            for row in rows
            if any(name.startswith(f"{row['source']}_") for name in sources)
        ]
        sentences = [words for start, stop in ranges for words in sentences[start:stop]]
    if not sentences:
        raise DataError(f"{path}: no held-out sentence of the sources {', '.join(sorted(set(sources)))}")
    return sentences


class LanguageModelData(pl.LightningDataModule):
    """Text files to pretrain on. Nothing is read before :meth:`setup`.

    Args:
        files: text files or patterns (``corpus/wiki_*``), plain or ``.xz``, one tokenized sentence per line.
        cache_dir: where the word ids of the files are kept.
        vocabulary_size: words to predict, the three special ones included; fewer if the text has fewer.
        vocabulary: a vocabulary file to use instead of the commonest words.
        batch_size: parallel streams, over all processes.
        unroll_steps: words of each stream per optimizer step.
        max_tokens: stop after so many words of each direction; the whole text by default.
        held_out: text file for perplexity.
        held_out_index: which lines of it belong to which source; see :func:`held_out_sentences`.
        max_held_out: sentences of it to use while training.
    """

    def __init__(
        self,
        files: list[str],
        cache_dir: str = "runs/corpus",
        vocabulary_size: int = 50_003,
        vocabulary: str | None = None,
        batch_size: int = 128,
        unroll_steps: int = 20,
        max_tokens: int | None = None,
        held_out: str | None = None,
        held_out_index: str | None = None,
        max_held_out: int | None = None,
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.files, self.cache_dir = files, Path(cache_dir)
        self.vocabulary_size, self.vocabulary_file = vocabulary_size, vocabulary
        self.batch_size, self.unroll_steps, self.max_tokens = batch_size, unroll_steps, max_tokens
        self.held_out, self.held_out_index, self.max_held_out = held_out, held_out_index, max_held_out
        self.corpus: TokenizedCorpus | None = None
        self.vocabulary: Vocabulary | None = None
        self._sentences: list[list[str]] = []
        self._loader: StreamLoader | None = None
        self._position: dict[str, Any] = {"next_batch": 0}

    def paths(self) -> list[Path]:
        """The files that ``files`` names, in a fixed order.

        Raises:
            DataError: a name or pattern matches nothing.
        """
        found: list[Path] = []
        for pattern in self.files:
            folder, name = Path(pattern).parent, Path(pattern).name
            matches = sorted(folder.glob(name)) if folder.is_dir() else []
            if not matches:
                raise DataError(f"data.files: '{pattern}' matches no file")
            found += matches
        return found

    def prepare_data(self) -> None:
        """Turn the text into ids, once, on one process."""
        TokenizedCorpus.build(self.paths(), self.cache_dir)

    def setup(self, stage: str | None = None) -> None:
        """Open the ids; choose the vocabulary; say what is ahead."""
        if self.corpus is not None:
            return
        paths = self.paths()
        self.corpus = TokenizedCorpus.build(paths, self.cache_dir)
        if self.vocabulary_file is None:
            self.vocabulary = Vocabulary(self.corpus.words[: self.vocabulary_size])
        else:
            self.vocabulary = Vocabulary.load(Path(self.vocabulary_file))
        if self.held_out is not None:
            index = None if self.held_out_index is None else Path(self.held_out_index)
            self._sentences = held_out_sentences(Path(self.held_out), index, [path.name for path in paths])

    @property
    def n_batches(self) -> int:
        """Optimizer steps that the text, or ``max_tokens``, gives."""
        assert self.corpus is not None
        per_batch = self.batch_size * self.unroll_steps
        if self.max_tokens is not None:
            return max(1, math.ceil(self.max_tokens / per_batch))
        return max(1, (len(self.corpus.forward) // self.batch_size - 1) // self.unroll_steps)

    def summary(self) -> str:
        """What is ahead, in one paragraph."""
        assert self.corpus is not None
        assert self.vocabulary is not None
        corpus, per_batch = self.corpus, self.batch_size * self.unroll_steps
        ids = target_ids(corpus.words, self.vocabulary)
        inside = ids != UNKNOWN_ID
        inside[: len(SPECIAL_WORDS)] = False
        covered = corpus.counts[inside].sum() / corpus.n_tokens
        return (
            f"{corpus.n_tokens:,} tokens in {corpus.n_sentences:,} sentences, {len(corpus.words) - 3:,} distinct words; "
            f"{len(self.vocabulary):,} words to predict cover {covered:.2%} of the text. "
            f"{self.batch_size} streams x {self.unroll_steps} words = {per_batch:,} positions a step; "
            f"{self.n_batches:,} steps = {self.n_batches * per_batch:,} positions, sentence boundaries included, "
            f"{self.n_batches * per_batch / len(corpus.forward):.2f} passes over the text."
        )

    def train_dataloader(self) -> StreamLoader:
        """The parallel streams; each process reads its share."""
        assert self.corpus is not None
        assert self.vocabulary is not None
        rank, world = (self.trainer.global_rank, self.trainer.world_size) if self.trainer else (0, 1)
        if self.batch_size % world:
            raise ConfigError(f"data.batch_size {self.batch_size} cannot be shared evenly by {world} processes")
        self._loader = StreamLoader(
            self.corpus,
            target_ids(self.corpus.words, self.vocabulary),
            self.batch_size // world,
            self.unroll_steps,
            self.n_batches,
            rank,
            world,
        )
        self._loader.load_state_dict(self._position)
        return self._loader

    def state_dict(self) -> dict[str, Any]:
        """Where the streams are. Lightning loses the loader's own state once the optimizer asks for the number of steps."""
        return {"streams": self._loader.state_dict() if self._loader else self._position}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on there."""
        self._position = state_dict["streams"]

    def val_dataloader(self) -> SentenceLoader:
        """Held-out sentences, ``max_held_out`` of them; each process takes its share."""
        step = 1 if self.max_held_out is None else max(1, len(self._sentences) // self.max_held_out)
        return self._held_out_loader(self._sentences[::step])

    def test_dataloader(self) -> SentenceLoader:
        """All held-out sentences; each process takes its share."""
        return self._held_out_loader(self._sentences)

    def _held_out_loader(self, sentences: list[list[str]]) -> SentenceLoader:
        assert self.vocabulary is not None
        rank, world = (self.trainer.global_rank, self.trainer.world_size) if self.trainer else (0, 1)
        return SentenceLoader(list(sentence_batches(sentences[rank::world], self.vocabulary)))

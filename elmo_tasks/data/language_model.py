"""Data module for pretraining: text files to streams and held-out sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytorch_lightning as pl

from elmo_tasks.data import language_batches
from elmo_tasks.data.batches import FixedBatches, ResumableBatches
from elmo_tasks.data.language_batches import (
    SentenceBatch,
    StreamLoader,
    TokenizedCorpus,
    target_ids,
)
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, UNKNOWN_ID, Vocabulary

Loader = TypeVar("Loader", bound=ResumableBatches[Any])


class TextFiles(pl.LightningDataModule):
    """Training text of :class:`LanguageModelData`, and the position in it."""

    def __init__(self, files: list[str], cache_dir: str) -> None:
        super().__init__()
        self.files, self.cache_dir = files, Path(cache_dir)
        self._loader: ResumableBatches[Any] | None = None
        self._position: dict[str, Any] = {"next_batch": 0}

    def paths(self) -> list[Path]:
        """Paths matched by ``files``; see :func:`matching_files`."""
        return matching_files(self.files)

    def read_corpus(self) -> TokenizedCorpus:
        """Return the ids of the text, which are computed once."""
        return TokenizedCorpus.build(self.paths(), self.cache_dir)

    def prepare_data(self) -> None:
        """Turn the text into ids, once, on one process."""
        self.read_corpus()

    def share(self) -> tuple[int, int]:
        """Return the rank of this process and the number of processes."""
        return (self.trainer.global_rank, self.trainer.world_size) if self.trainer else (0, 1)

    def resumed(self, loader: Loader) -> Loader:
        """Return a loader of training batches, resumed from a checkpoint."""
        loader.load_state_dict(self._position)
        self._loader = loader
        return loader

    def state_dict(self) -> dict[str, Any]:
        """Return the position of the loader."""
        # Lightning loses the loader's own state once the optimizer requests the number of steps.
        return self._position if self._loader is None else self._loader.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the position of the loader."""
        self._position = state_dict


class LanguageModelData(TextFiles):
    """Text files to pretrain on. No file is read before :meth:`setup`.

    Args:
        files: text files or patterns (``corpus/wiki_*``), plain or ``.xz``, one tokenized sentence
            per line.
        cache_dir: where the word ids of the files are kept.
        vocabulary_size: words to predict, the three special ones included; fewer if the text has
            fewer.
        vocabulary: a vocabulary file to use instead of the commonest words.
        batch_size: parallel streams, over all processes.
        unroll_steps: words of each stream per optimizer step.
        max_tokens: number of positions (words and boundaries) to read in each direction; the whole
            text by default.
        skip_tokens: number of positions of the first pass to leave out, because an earlier run of
            the same batch size has read them.
        held_out: text file for perplexity.
        held_out_index: which lines of it belong to which source; see :func:`held_out_sentences`.
        max_held_out: sentences of it to use while training.
    """

    def __init__(
        self,
        files: list[str],
        cache_dir: str = "runs/corpus",
        vocabulary_size: int = 50_003,
        *,
        vocabulary: str | None = None,
        batch_size: int = 128,
        unroll_steps: int = 20,
        max_tokens: int | None = None,
        skip_tokens: int = 0,
        held_out: str | None = None,
        held_out_index: str | None = None,
        max_held_out: int | None = None,
    ) -> None:
        super().__init__(files, cache_dir)
        self.save_hyperparameters()
        self.vocabulary_size, self.vocabulary_file = vocabulary_size, vocabulary
        self.batch_size = batch_size
        self.unroll_steps = unroll_steps
        self.max_tokens = max_tokens
        self.skip_tokens, self._per_batch = skip_tokens, batch_size * unroll_steps
        if skip_tokens < 0:
            raise ConfigError(f"data.skip_tokens {skip_tokens}: expected 0 or more")
        self.held_out = held_out
        self.held_out_index = held_out_index
        self.max_held_out = max_held_out
        self.corpus: TokenizedCorpus
        self.vocabulary: Vocabulary
        self._sentences: list[list[str]] = []

    def setup(self, stage: str | None = None) -> None:
        """Open the ids, choose the vocabulary and log the planned training."""
        if hasattr(self, "corpus"):
            return
        self.corpus = self.read_corpus()
        if self.vocabulary_file is None:
            self.vocabulary = Vocabulary(self.corpus.words[: self.vocabulary_size])
        else:
            self.vocabulary = Vocabulary.load(Path(self.vocabulary_file))
        self._targets = target_ids(self.corpus.words, self.vocabulary)
        if self.held_out is not None:
            index = None if self.held_out_index is None else Path(self.held_out_index)
            names = [path.name for path in self.paths()]
            self._sentences = language_batches.held_out_sentences(Path(self.held_out), index, names)

    @property
    def n_batches(self) -> int:
        """Number of optimizer steps for the text, or for ``max_tokens``."""
        if self.max_tokens is not None:
            return max(1, math.ceil(self.max_tokens / self._per_batch))
        steps = (len(self.corpus.forward) // self.batch_size - 1) // self.unroll_steps
        left = steps - self.skip_tokens // self._per_batch
        if left < 1 and self.skip_tokens:
            raise DataError(
                f"data.skip_tokens {self.skip_tokens:,}: the text has no more than that"
            )
        return max(1, left)

    def summary(self) -> str:
        """Summarize the planned training in one paragraph."""
        corpus, positions = self.corpus, self.n_batches * self._per_batch
        inside = self._targets != UNKNOWN_ID
        inside[: len(SPECIAL_WORDS)] = False
        covered = corpus.counts[inside].sum() / corpus.n_tokens
        return (
            f"{corpus.n_tokens:,} tokens in {corpus.n_sentences:,} sentences,"
            f" {len(corpus.words) - 3:,} distinct words; {len(self.vocabulary):,} words to predict"
            f" cover {covered:.2%} of the text. {self.batch_size} streams x {self.unroll_steps}"
            f" words = {self._per_batch:,} positions per step; {self.n_batches:,} steps ="
            f" {positions:,} positions, sentence boundaries included,"
            f" {positions / len(corpus.forward):.2f} passes over the text."
        )

    def train_dataloader(self) -> StreamLoader:
        """Return the parallel streams; each process reads its share."""
        rank, world = self.share()
        if len(self.corpus.forward) // self.batch_size <= self.unroll_steps:
            raise DataError(
                f"the text has {len(self.corpus.forward):,} words and sentence boundaries, too few"
                f" for {self.batch_size} streams of at least {self.unroll_steps + 1}: give more"
                " text, or lower data.batch_size"
            )
        if self.batch_size % world:
            raise ConfigError(
                f"data.batch_size {self.batch_size} cannot be shared evenly by {world} processes"
            )
        loader = StreamLoader(
            corpus=self.corpus,
            targets=self._targets,
            batch_size=self.batch_size // world,
            unroll_steps=self.unroll_steps,
            n_batches=self.n_batches,
            rank=rank,
            world_size=world,
            first_batch=self.skip_tokens // self._per_batch,
        )
        return self.resumed(loader)

    def state_dict(self) -> dict[str, Any]:
        """Return the position of the streams."""
        return {"streams": super().state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the position of the streams."""
        super().load_state_dict(state_dict["streams"])

    def val_dataloader(self) -> FixedBatches[SentenceBatch]:
        """Return ``max_held_out`` held-out sentences; each process takes its share."""
        step = (
            1
            if self.max_held_out is None
            else max(1, math.ceil(len(self._sentences) / self.max_held_out))
        )
        return self._held_out_loader(self._sentences[::step])

    def test_dataloader(self) -> FixedBatches[SentenceBatch]:
        """Return all held-out sentences; each process takes its share."""
        return self._held_out_loader(self._sentences)

    def _held_out_loader(self, sentences: list[list[str]]) -> FixedBatches[SentenceBatch]:
        rank, world = self.share()
        return FixedBatches(
            list(language_batches.sentence_batches(sentences[rank::world], self.vocabulary))
        )


def matching_files(patterns: Sequence[str]) -> list[Path]:
    """Return the files that match names and patterns, in a fixed order."""
    paths: list[Path] = []
    for pattern in patterns:
        matches = sorted(Path(pattern).parent.glob(Path(pattern).name))
        if not matches:
            raise DataError(f"data.files: '{pattern}' matches no file")
        paths += matches
    return paths

"""Sentences of a text, and words in them to be guessed: what a cloze head learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from numpy.typing import NDArray

from elmo_tasks.data.language_batches import held_out_sentences
from elmo_tasks.data.language_model import matching_files
from elmo_tasks.data.numbered_batches import NumberedBatches
from elmo_tasks.data.same_batches import SameBatches
from elmo_tasks.data.tokenized_corpus import TokenizedCorpus
from elmo_tasks.encoders.static_vectors import DEFAULT_NAME, StaticVectors
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.vocabulary import BEGIN_ID

# So many words of a sentence are asked for, at most: each sentence is read once, and its other words are asked for with others.
_MOST_OF_A_SENTENCE = 4
# Batches that are drawn together and cut by length, so that a batch holds sentences of like length.
_POOL = 16


@dataclass(frozen=True)
class GapBatch:
    """Words to guess.

    Attributes:
        sentences: the sentences, whole.
        of: ``n`` times which sentence.
        at: ``n`` times which token of it.
        answers: ``n`` times the word's place among the static vectors.
    """

    sentences: list[list[str]]
    of: list[int]
    at: list[int]
    answers: list[int]

    def __len__(self) -> int:
        return len(self.of)

    def to(self, device: torch.device) -> GapBatch:
        """Itself: it is text, and what reads it takes it to the device."""
        return self


class ClozeGaps(pl.LightningDataModule):
    """Sentences with words to guess; nothing is read before :meth:`setup`.

    Args:
        files: text files or patterns, as in :class:`LanguageModelData`.
        cache_dir: where the word ids of the files are kept.
        static: the static vectors whose words are guessed: a name in ``checkpoints/`` or a folder.
        n_words: only so many of their words are asked for, the most frequent ones.
        often: words that come more often than this, as a share of the text, are asked for less often, by the square root of how
            often they come (as word2vec draws words).
        shortest: sentences of fewer words are left out.
        longest: sentences of more words are left out.
        batch_size: sentences of a step.
        n_batches: steps.
        held_out: text whose sentences are guessed to see how well that goes; ``None`` for none.
        held_out_index: see :func:`held_out_sentences`.
        max_held_out: so many of them at most, spread over all.
        seed: of the draws.

    Raises:
        ConfigError: a number is below what it counts.
    """

    def __init__(
        self,
        files: list[str],
        cache_dir: str = "runs/corpus",
        static: str = DEFAULT_NAME,
        n_words: int = 15_000,
        often: float = 3e-5,
        shortest: int = 4,
        longest: int = 24,
        batch_size: int = 128,
        n_batches: int = 6000,
        held_out: str | None = None,
        held_out_index: str | None = None,
        max_held_out: int = 2000,
        seed: int = 1,
    ) -> None:
        super().__init__()
        if not 1 < shortest <= longest or min(n_words, batch_size, n_batches, max_held_out) < 1 or often <= 0:
            raise ConfigError(
                f"data.shortest {shortest}, longest {longest}, n_words {n_words}, often {often}, batch_size {batch_size}, "
                f"n_batches {n_batches}, max_held_out {max_held_out}: expected 2 <= shortest <= longest, a share above 0, and "
                "numbers of at least 1"
            )
        self.save_hyperparameters()
        self.files, self.cache_dir, self.static_name = files, Path(cache_dir), static
        self.n_words, self.often = n_words, often
        self.shortest, self.longest, self.batch_size, self.n_batches = shortest, longest, batch_size, n_batches
        self.held_out, self.held_out_index, self.max_held_out, self.seed = held_out, held_out_index, max_held_out, seed
        self.static: StaticVectors | None = None
        self._loader: GapLoader | None = None
        self._position = {"next_batch": 0}

    def prepare_data(self) -> None:
        """Turn the text into ids, once, on one process."""
        TokenizedCorpus.build(matching_files(self.files), self.cache_dir)

    def setup(self, stage: str | None = None) -> None:
        """Open the ids, and find out which words are asked for how often."""
        if self.static is None:
            self._corpus = TokenizedCorpus.build(matching_files(self.files), self.cache_dir)
            self.static = StaticVectors.load(self.static_name)
            self._rows = self.static.rows_of(self._corpus.words).numpy()  # [n_words] of the corpus

    def train_dataloader(self) -> GapLoader:
        """Sentences as they are drawn; each process draws its own."""
        rank = self.trainer.global_rank if self.trainer else 0
        shares = self._corpus.counts / self._corpus.counts.sum()
        chances = np.minimum(1.0, np.sqrt(self.often / np.maximum(shares, 1e-12)))
        chances[(self._rows >= self.n_words) | ~_words(self._corpus.words)] = 0.0
        self._loader = GapLoader(
            self._corpus,
            self._rows,
            chances,
            (self.shortest, self.longest),
            self.batch_size,
            self.n_batches,
            (self.seed, rank),
        )
        self._loader.load_state_dict(self._position)
        return self._loader

    def val_dataloader(self) -> SameBatches[GapBatch]:
        """Held-out sentences, one word of each; the words are drawn as in training."""
        if self.held_out is None:
            return SameBatches([])
        assert self.static is not None
        index = None if self.held_out_index is None else Path(self.held_out_index)
        sentences = held_out_sentences(Path(self.held_out), index, [path.name for path in matching_files(self.files)])
        fitting = [words for words in sentences if self.shortest <= len(words) <= self.longest]
        fitting = fitting[:: max(1, len(fitting) // self.max_held_out)][: self.max_held_out]
        rng = np.random.default_rng(self.seed)
        batches = []
        for start in range(0, len(fitting), self.batch_size):
            batch = GapBatch(fitting[start : start + self.batch_size], [], [], [])
            for k, words in enumerate(batch.sentences):
                rows = self.static.rows_of(words).numpy()
                shares = np.array([self.static.share_of(word) for word in words])
                chances = np.sqrt(self.often / np.maximum(shares, self.often)) * (rows < self.n_words) * _words(words)
                if chances.any():
                    at = int(rng.choice(len(words), p=chances / chances.sum()))
                    batch.of.append(k)
                    batch.at.append(at)
                    batch.answers.append(int(rows[at]))
            if len(batch):
                batches.append(batch)
        return SameBatches(batches)

    def state_dict(self) -> dict[str, Any]:
        """Where the draws are."""
        return self._position if self._loader is None else self._loader.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on there."""
        self._position = state_dict


class GapLoader(NumberedBatches[GapBatch]):
    """Batches of drawn sentences.

    Args:
        corpus: the text.
        rows: ``[n_words]`` place of each of its words among the static vectors.
        chances: ``[n_words]`` how often each is asked for where it stands.
        lengths: words of the shortest and of the longest sentence that is drawn.
        batch_size: sentences of a batch.
        n_batches: where to stop.
        seed: of the draws.

    Raises:
        DataError: no sentence is of such a length.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        rows: NDArray[np.int64],
        chances: NDArray[np.float64],
        lengths: tuple[int, int],
        batch_size: int,
        n_batches: int,
        seed: tuple[int, ...],
    ) -> None:
        super().__init__(n_batches)
        self._corpus, self._rows, self._chances = corpus, rows, chances
        self.batch_size, self.seed = batch_size, seed
        self._drawn: tuple[int, NDArray[np.int64]] | None = None
        begins = np.flatnonzero(corpus.forward == BEGIN_ID)
        sizes = np.diff(np.append(begins, len(corpus.forward))) - 2
        fitting = (sizes >= lengths[0]) & (sizes <= lengths[1])
        if not fitting.any():
            raise DataError(f"data.files: no sentence of {lengths[0]} to {lengths[1]} words to take words out of")
        self._begins, self._sizes = begins[fitting] + 1, sizes[fitting]

    def batch(self, k: int) -> GapBatch:
        """The ``k``-th batch."""
        number = k // _POOL
        if self._drawn is None or self._drawn[0] != number:
            self._drawn = number, self._pool(number)
        return self._batch(self._drawn[1][k % _POOL], k)

    def _pool(self, number: int) -> NDArray[np.int64]:
        """``[_POOL, B]`` sentences; each batch is of like length, and the batches come in any order."""
        rng = np.random.default_rng((*self.seed, 0, number))
        chosen = rng.integers(len(self._sizes), size=_POOL * self.batch_size)
        chosen = chosen[np.argsort(self._sizes[chosen] + rng.random(len(chosen)))]
        return rng.permutation(chosen.reshape(_POOL, self.batch_size))

    def _batch(self, chosen: NDArray[np.int64], number: int) -> GapBatch:
        rng = np.random.default_rng((*self.seed, 1, number))
        batch = GapBatch([], [], [], [])
        for k, (begin, size) in enumerate(zip(self._begins[chosen], self._sizes[chosen], strict=True)):
            ids = np.asarray(self._corpus.forward[begin : begin + size])
            batch.sentences.append([self._corpus.words[w] for w in ids])
            asked = np.flatnonzero(rng.random(size) < self._chances[ids])
            for at in rng.permutation(asked)[:_MOST_OF_A_SENTENCE]:
                batch.of.append(k)
                batch.at.append(int(at))
                batch.answers.append(int(self._rows[ids[at]]))
        return batch


def _words(tokens: Sequence[str]) -> NDArray[np.bool_]:
    """Which tokens are words, with a letter in them."""
    return np.array([any(c.isalpha() for c in token) for token in tokens])

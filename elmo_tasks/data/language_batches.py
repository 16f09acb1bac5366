"""Text for a language model: word ids, kept on disk, and batches of them."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from elmo_tasks.data.batches import ResumableBatches, TensorBatch
from elmo_tasks.errors import DataError
from elmo_tasks.files import file_lock, lock_of, unfinished_folder
from elmo_tasks.text.characters import BEGIN_SENTENCE_IDS, END_SENTENCE_IDS, character_ids
from elmo_tasks.text.vocabulary import (
    BEGIN,
    BEGIN_ID,
    END,
    END_ID,
    SPECIAL_WORDS,
    UNKNOWN,
    Vocabulary,
    open_text,
)

_LINES_PER_BLOCK = 10_000
_FORMAT = 1


class TokenizedCorpus:
    """Memory-mapped word ids of a corpus, forwards and with reversed sentences."""

    def __init__(self, folder: Path) -> None:
        #: The distinct words; the special ones first, then by falling frequency. An id is a
        #: position here.
        self.words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")[:-1]
        #: Number of occurrences of each word.
        self.counts: NDArray[np.int64] = np.load(folder / "counts.npy")
        #: ``[n_words, 50]`` character ids of each word.
        self.characters: NDArray[np.int16] = np.load(folder / "characters.npy", mmap_mode="r")
        #: ``[N]`` ids; each sentence is ``<S> w1 .. wn </S>``, backward ``</S> wn .. w1 <S>`` in
        #: its place.
        self.forward: NDArray[np.int32] = np.memmap(folder / "forward.bin", np.int32, "r")
        self.backward: NDArray[np.int32] = np.memmap(folder / "backward.bin", np.int32, "r")
        self.n_sentences = int(self.counts[BEGIN_ID])
        self.n_tokens = len(self.forward) - 2 * self.n_sentences  # without the boundaries

    def sentences(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ``[S]`` first positions in :attr:`forward` and lengths of sentences."""
        begins = np.flatnonzero(self.forward == BEGIN_ID)
        return begins + 1, np.diff(np.append(begins, len(self.forward))) - 2

    @classmethod
    def build(cls, files: Sequence[Path], cache: Path) -> TokenizedCorpus:
        """Read tokenized text files, or open the result of an earlier call in ``cache``.

        Files are plain or ``.xz``, with one sentence per line.
        """
        stats = [
            (str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in files
        ]
        folder = cache / hashlib.sha256(json.dumps([_FORMAT, stats]).encode()).hexdigest()[:16]
        if not folder.exists():
            with (
                file_lock(lock_of(folder), f"the text in {cache}", wait=True),
                unfinished_folder(folder) as partial,
            ):
                if not folder.exists():  # another run may have written it while this one waited
                    _write(partial, files)
                    partial.rename(folder)
        return cls(folder)


# Text of at least this many lines, with fewer words per line than this, is not in sentences.
_FEWEST_LINES = 20
_SHORTEST_LINE = 1.1


def read_sentences(files: Sequence[Path]) -> Iterator[list[str]]:
    """Read tokenized sentences, one per line; sentence marks in them are text."""
    for path in files:
        for line in open_text(path):
            words = line.split()
            if "<S>" in words or "</S>" in words:
                words = [
                    piece
                    for word in words
                    for piece in (("<", word[1:-1], ">") if word in ("<S>", "</S>") else (word,))
                ]
            if words:
                yield words


def _write(folder: Path, files: Sequence[Path]) -> None:
    """Count the words, then write the ids of both directions."""
    counts: Counter[str] = Counter()
    n_sentences = 0
    for sentence in read_sentences(files):
        counts.update(sentence)
        n_sentences += 1
    n_tokens = sum(counts.values())
    if n_sentences >= _FEWEST_LINES and n_tokens < _SHORTEST_LINE * n_sentences:
        raise DataError(
            f"nearly every line of the text files is one word ({n_tokens:,} words in"
            f" {n_sentences:,} lines): expected a sentence per line, with spaces between its"
            " tokens. Text of a script without spaces must be split into words first"
        )
    if not n_sentences:
        raise DataError(
            "the text files have no sentence in them; expected one tokenized sentence per line"
        )
    counts.update({END: n_sentences, BEGIN: n_sentences, UNKNOWN: 0})
    words = [
        *SPECIAL_WORDS,
        *(word for word, _ in counts.most_common() if word not in SPECIAL_WORDS),
    ]
    ids = {word: k for k, word in enumerate(words)}
    sentences = read_sentences(files)
    with (folder / "forward.bin").open("wb") as ahead, (folder / "backward.bin").open("wb") as back:
        while block := list(islice(sentences, _LINES_PER_BLOCK)):
            rows = [[BEGIN_ID, *map(ids.__getitem__, sentence), END_ID] for sentence in block]
            for file, directed in ((ahead, rows), (back, [row[::-1] for row in rows])):
                np.fromiter(chain.from_iterable(directed), np.int32).tofile(file)
    np.save(folder / "counts.npy", np.array([counts[word] for word in words], np.int64))
    np.save(folder / "characters.npy", _character_table(words))
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")


def _character_table(words: Sequence[str]) -> NDArray[np.int16]:
    """Return ``[n_words, 50]`` character ids of words, :data:`SPECIAL_WORDS` first."""
    rows = [character_ids(word) for word in words]
    rows[BEGIN_ID], rows[END_ID] = list(BEGIN_SENTENCE_IDS), list(END_SENTENCE_IDS)
    return np.array(rows, np.int16)


@dataclass(frozen=True)
class StreamBatch(TensorBatch):
    """One step of truncated back-propagation."""

    characters: Tensor  #: ``[U, C]`` character ids of the distinct words of both directions
    words: Tensor  #: ``[2, B, T]`` rows of ``characters``: the forward, then the backward streams
    targets: Tensor  #: ``[2, B, T]`` vocabulary ids of the words that come next
    #: ``[U]`` positions of the distinct words in :attr:`TokenizedCorpus.words`
    corpus_ids: Tensor


@dataclass(frozen=True)
class SentenceBatch(TensorBatch):
    """Whole sentences, for perplexity."""

    characters: Tensor  #: ``[U, C]`` character ids of the distinct words
    words: Tensor  #: ``[B, T]`` rows of ``characters``; ``<S> w1 .. wn </S>``, right-padded
    lengths: Tensor  #: ``[B]`` words of each sentence, boundaries included
    targets: Tensor  #: ``[B, T]`` vocabulary ids of ``words``


def target_ids(corpus_words: Sequence[str], vocabulary: Vocabulary) -> NDArray[np.int64]:
    """Return the ``[n_words]`` vocabulary ids of the words of a corpus."""
    return np.array([vocabulary.id_of(word) for word in corpus_words], np.int64)


class StreamLoader(ResumableBatches[StreamBatch]):
    """Loader of ``batch_size`` parallel streams, ``unroll_steps`` words at a time.

    ``targets [n_words]`` are the vocabulary ids of the words. The streams of all processes are
    ``batch_size * world_size``; ``first_batch`` is the number of batches of the first pass that are
    left out.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        targets: NDArray[np.int64],
        batch_size: int,
        *,
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
        self.starts = (
            np.arange(rank * batch_size, (rank + 1) * batch_size, dtype=np.int64)
            * self.stream_length
        )

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
        # This sentence is the longest so far.
        if batch and (len(batch) + 1) * (len(sentence) + 2) > max_tokens:
            yield _sentence_batch(batch, vocabulary)
            batch = []
        batch.append(sentence)
    if batch:
        yield _sentence_batch(batch, vocabulary)


def _sentence_batch(sentences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> SentenceBatch:
    ids: dict[str, int] = {word: k for k, word in enumerate(SPECIAL_WORDS)}
    rows = [
        [BEGIN_ID, *(ids.setdefault(word, len(ids)) for word in words), END_ID]
        for words in sentences
    ]
    lengths = torch.tensor([len(row) for row in rows])
    words = pad_sequence(
        [torch.tensor(row) for row in rows], batch_first=True, padding_value=END_ID
    )
    characters = torch.from_numpy(_character_table(list(ids)).astype(np.int64))
    return SentenceBatch(
        characters=characters,
        words=words,
        lengths=lengths,
        targets=torch.from_numpy(target_ids(list(ids), vocabulary))[words],
    )


def held_out_sentences(path: Path, index: Path | None, sources: Sequence[str]) -> list[list[str]]:
    """Read held-out sentences, one per line, of the training files ``sources``.

    The index is a table with the columns ``source`` (how the name of a training file begins),
    ``first_line`` and ``last_line`` (from 1); without one every line is read.
    """
    sentences = list(read_sentences([path]))
    if index is not None:
        try:
            rows = csv.DictReader(open_text(index), delimiter="\t")
            parts = [
                (row["source"], int(row["first_line"]) - 1, int(row["last_line"])) for row in rows
            ]
        except (csv.Error, KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{index}: expected a table with tabs and the columns source, first_line and"
                f" last_line ({error})"
            ) from None
        used = [part for part in parts if any(name.startswith(f"{part[0]}_") for name in sources)]
        sentences = [words for _, start, stop in used for words in sentences[start:stop]]
    if not sentences:
        missing = "no sentence in it"
        if index is not None:
            missing = f"no held-out sentence of the sources {', '.join(sorted(set(sources)))}"
        raise DataError(f"{path}: {missing}")
    return sentences

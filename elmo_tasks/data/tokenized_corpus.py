"""Word ids of text files, computed once and kept on disk for a language model."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.errors import DataError
from elmo_tasks.files import unfinished_folder
from elmo_tasks.text.tokens import BEGIN_SENTENCE_IDS, END_SENTENCE_IDS, character_ids
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, open_text

_LINES_PER_BLOCK = 10_000
_FORMAT = 1


class TokenizedCorpus:
    """Memory-mapped word ids of a corpus, forwards and with reversed sentences.

    Attributes:
        words: the distinct words; the special ones first, then by falling frequency. An id is a position here.
        counts: how often each occurs.
        characters: ``[n_words, 50]`` character ids of each word.
        forward: ``[N]`` ids; each sentence is ``<S> w1 .. wn </S>``.
        backward: ``[N]`` ids; each sentence is ``</S> wn .. w1 <S>``, the sentences in the same order.
    """

    def __init__(self, folder: Path) -> None:
        self.words = (folder / "words.txt").read_text(encoding="utf-8").split("\n")[:-1]
        self.counts: NDArray[np.int64] = np.load(folder / "counts.npy")
        self.characters: NDArray[np.int16] = np.load(folder / "characters.npy", mmap_mode="r")
        self.forward: NDArray[np.int32] = np.memmap(folder / "forward.bin", np.int32, "r")
        self.backward: NDArray[np.int32] = np.memmap(folder / "backward.bin", np.int32, "r")

    @property
    def n_sentences(self) -> int:
        """Number of sentences."""
        return int(self.counts[BEGIN_ID])

    @property
    def n_tokens(self) -> int:
        """Number of words, sentence boundaries not counted."""
        return len(self.forward) - 2 * self.n_sentences

    def sentences(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ``[S]`` first positions in :attr:`forward` and lengths of sentences."""
        begins = np.flatnonzero(self.forward == BEGIN_ID)
        return begins + 1, np.diff(np.append(begins, len(self.forward))) - 2

    @classmethod
    def build(cls, files: Sequence[Path], cache: Path) -> TokenizedCorpus:
        """Read tokenized text files, or open the result of an earlier call in ``cache``.

        Files are plain or ``.xz``, with one sentence per line.
        """
        folder = cache / _fingerprint(files)
        if not (folder / "words.txt").exists():
            with unfinished_folder(folder) as partial:
                _write(partial, read_sentences(files))
                # Another run may have made the same meanwhile, and be reading it: what is whole stays.
                if folder.exists() and not (folder / "words.txt").exists():
                    shutil.rmtree(folder)
                try:
                    partial.rename(folder)
                except OSError:
                    if not (folder / "words.txt").exists():
                        raise
        return cls(folder)


def read_sentences(files: Sequence[Path]) -> Iterator[list[str]]:
    """Read tokenized sentences of text files, one per line."""
    for path in files:
        for line in open_text(path):
            if words := line.split():
                yield _as_text(words)


def _as_text(words: list[str]) -> list[str]:
    """Escape sentence marks in a text, so that they are read as ordinary text."""
    if "</S>" not in words and "<S>" not in words:
        return words
    return [piece for word in words for piece in (("<", word[1:-1], ">") if word in ("<S>", "</S>") else (word,))]


def _fingerprint(files: Sequence[Path]) -> str:
    if missing := [path for path in files if not path.exists()]:
        raise DataError(f"{missing[0]}: no such file")
    stats = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(json.dumps([_FORMAT, stats]).encode()).hexdigest()[:16]


def _write(folder: Path, sentences: Iterator[list[str]]) -> None:
    """Write the ids, first in the order of appearance, then by frequency."""
    ids: defaultdict[str, int] = defaultdict()
    ids.default_factory = ids.__len__
    for word in SPECIAL_WORDS:
        ids[word]
    with (folder / "appearance.bin").open("wb") as out:
        while block := list(islice(sentences, _LINES_PER_BLOCK)):
            block_ids = [k for words in block for k in (BEGIN_ID, *(ids[word] for word in words), END_ID)]
            np.array(block_ids, np.int32).tofile(out)
        if not out.tell():
            raise DataError("the text files have no sentence in them; expected one tokenized sentence per line")
    appearance = np.memmap(folder / "appearance.bin", np.int32, "r")
    counts = np.zeros(len(ids), np.int64)
    for start, stop in _pieces(appearance):
        counts += np.bincount(appearance[start:stop], minlength=len(ids))
    n_special = len(SPECIAL_WORDS)
    order = np.concatenate([np.arange(n_special), n_special + np.argsort(-counts[n_special:], kind="stable")])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    with (folder / "forward.bin").open("wb") as ahead, (folder / "backward.bin").open("wb") as back:
        for start, stop in _pieces(appearance):
            piece = rank[appearance[start:stop]]
            piece.tofile(ahead)
            turn_sentences(piece).tofile(back)
    del appearance
    (folder / "appearance.bin").unlink()
    by_appearance = list(ids)
    words = [by_appearance[k] for k in order]
    np.save(folder / "counts.npy", counts[order])
    np.save(folder / "characters.npy", character_table(words))
    # Last, because its presence says that the folder is complete.
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")


def _pieces(ids: NDArray[np.int32], size: int = 4_000_000) -> Iterator[tuple[int, int]]:
    """Yield the ranges of pieces of at most ``size`` ids that hold whole sentences."""
    start = 0
    while start < len(ids):
        stop = min(start + size, len(ids))
        while ids[stop - 1] != END_ID:
            stop -= 1
        yield start, stop
        start = stop


def turn_sentences(ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Reverse each of the consecutive ``<S> w1 .. wn </S>`` sentences in place."""
    ends = np.flatnonzero(ids == END_ID)
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    return ids[np.repeat(starts + ends, lengths) - np.arange(len(ids))]


def character_table(words: Sequence[str]) -> NDArray[np.int16]:
    """Return ``[n_words, 50]`` character ids of words, :data:`SPECIAL_WORDS` first."""
    rows = [character_ids(word) for word in words]
    rows[BEGIN_ID], rows[END_ID] = list(BEGIN_SENTENCE_IDS), list(END_SENTENCE_IDS)
    return np.array(rows, np.int16)

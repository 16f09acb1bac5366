"""Index of the vectors of every word of a corpus: nearest neighbours, and uses of a word."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.api import NearUse
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import DataError
from elmo_tasks.senses.fast_search import FastSearch
from elmo_tasks.senses.index_files import (
    BLOCKS_FOLDER,
    DESCRIPTION_NAME,
    VECTORS,
    IndexDescription,
    IndexJob,
    build_files,
    one_line,
    read_description,
)
from elmo_tasks.senses.index_tables import NORMS, SENTENCES_NAME, WORDS_NAME
from elmo_tasks.senses.use_sources import evenly
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Use
from elmo_tasks.text.word_forms import are_inflections, first_letters, folded

#: Uses of one word up to which all are compared, instead of those that the fast search finds.
_MAX_COMPARED = 50_000
_BLOCK = 16_384


class UseIndex:
    """An index that :func:`build_index` wrote; read-only, memory-mapped.

    Args:
        folder: the folder of the index.

    Raises:
        DataError: a file is missing, broken, or of another version.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        path = self.folder / DESCRIPTION_NAME
        try:
            self.description = IndexDescription(**read_description(self.folder))
            self._lines, self._offsets, self._forms, self._postings, self._starts = (
                np.load(self.folder / f"{name}.npy", mmap_mode="r")
                for name in ("lines", "offsets", "forms", "postings", "starts")
            )
            self._vocabulary = (
                (self.folder / WORDS_NAME).read_bytes().decode("utf-8", "surrogatepass").split("\n")
            )
            self._blocks = self._mapped(VECTORS)
            self._norms = self._mapped(NORMS)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, EOFError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{path}: expected an index written by `elmo-tasks index` ({type(error).__name__}:"
                f" {error})"
            ) from None
        self._check_files()

    def _mapped(self, ending: str) -> list[NDArray[np.floating]]:
        folder = self.folder / BLOCKS_FOLDER
        return [
            np.load(folder / f"{name}{ending}", mmap_mode="r")
            for name, _ in self.description.blocks
        ]

    def _check_files(self) -> None:
        """Refuse an index with truncated files, or with files of another index."""
        about = self.description
        size = (
            (self.folder / SENTENCES_NAME).stat().st_size
            if (self.folder / SENTENCES_NAME).is_file()
            else -1
        )
        sizes = [n for _, n in about.blocks]
        fits = {
            BLOCKS_FOLDER: [v.shape for v in self._blocks]
            == [(about.n_layers, n, about.width) for n in sizes]
            and [v.shape for v in self._norms] == [(about.n_layers + 1, n) for n in sizes],
            SENTENCES_NAME: self._lines.shape == (about.n_sentences + 1,)
            and self._lines[-1] == size,
            "offsets.npy": self._offsets.shape == (about.n_sentences + 1,)
            and self._offsets[-1] == about.n_tokens,
            WORDS_NAME: len(self._vocabulary) == about.n_forms == len(self._starts) - 1,
            "forms.npy": self._forms.shape == self._postings.shape == (about.n_tokens,),
        }
        wrong = [name for name, is_right in fits.items() if not is_right]
        if wrong:
            raise DataError(
                f"{self.folder}: {' and '.join(wrong)} do not fit {DESCRIPTION_NAME}, as after a"
                " copy that was cut short; copy the folder again, or build the index again"
            )

    def __len__(self) -> int:
        """Return the number of tokens."""
        return self.description.n_tokens

    @cached_property
    def _begins(self) -> NDArray[np.int64]:
        """First row of each block, and the number of all rows."""
        return np.concatenate([[0], np.cumsum([n for _, n in self.description.blocks])]).astype(
            np.int64
        )

    @cached_property
    def _is_word(self) -> NDArray[np.bool_]:
        """Mask of the forms that are words, as opposed to punctuation."""
        return np.array([any(c.isalnum() for c in word) for word in self._vocabulary])

    @cached_property
    def fast(self) -> dict[int, FastSearch]:
        """Fast searches of this index, by layer; without any, all vectors are compared."""
        return FastSearch.of(self.folder)

    def rows_of(self, word: str) -> NDArray[np.int64]:
        """Return the rows of a word in any inflection, in order."""
        key = folded(word)
        letters = first_letters(key)
        found = [
            k
            for k, other in enumerate(self._vocabulary)
            if other[:1] in letters and are_inflections(key, other)
        ]
        rows = [self._postings[self._starts[k] : self._starts[k + 1]] for k in found]
        return np.sort(np.concatenate(rows)) if rows else np.zeros(0, np.int64)

    def uses_of(self, word: str, max_uses: int) -> tuple[tuple[Use, ...], int]:
        """Return the uses of a word in any inflection, in order, and their number.

        Of more than ``max_uses`` uses, keep ``max_uses`` at even distances.
        """
        rows = self.rows_of(word)
        kept = rows[evenly(range(len(rows)), max_uses)]
        return tuple(map(self.use, kept.tolist())), len(rows)

    def search(
        self,
        vector: NDArray[np.floating],
        layer: int,
        n: int = 20,
        word: str = "",
        among: str = "all",
        leave_out: str = "",
    ) -> tuple[NearUse, ...]:
        """Return the ``n`` uses nearest to a vector ``[D]`` at a layer, nearest first.

        The layer after the last stands for the mean of the layers. The search covers ``"all"``
        words, the ``"same"``, that are inflections of ``word``, or ``"other"`` ones; it returns at
        most one use per sentence, and none from ``leave_out``.
        """
        direction = np.asarray(vector, np.float32) / max(float(np.linalg.norm(vector)), 1e-12)
        rows = np.zeros(0, np.int64) if among == "all" else self.rows_of(word)
        n_candidates, total = 8 * n + 64, len(rows) if among == "same" else len(self)
        while True:  # the nearest rows may all be copies of one sentence
            hits = self._hits(
                self._candidates(direction, layer, n_candidates, rows, among), n, leave_out
            )
            if len(hits) == n or n_candidates >= total:
                return hits
            n_candidates *= 8

    def _hits(
        self, candidates: Iterator[tuple[int, float]], n: int, leave_out: str
    ) -> tuple[NearUse, ...]:
        hits: list[NearUse] = []
        taken = {folded(one_line(leave_out))}
        for row, cosine in candidates:
            if len(hits) == n:
                break
            use = self.use(row)
            if folded(use.sentence) not in taken:
                taken.add(folded(use.sentence))
                hits.append(NearUse(use, min(1.0, cosine)))
        return tuple(hits)

    def _candidates(
        self,
        direction: NDArray[np.float32],
        layer: int,
        n: int,
        rows: NDArray[np.int64],
        among: str,
    ) -> Iterator[tuple[int, float]]:
        """Yield up to ``n`` rows and their cosines, nearest first."""
        chosen: NDArray[np.int64] | None = None
        if among == "same" and len(rows) <= _MAX_COMPARED:
            chosen = rows[self._is_word[self._forms[rows]]]
        elif (fast := self.fast.get(layer)) is not None:
            chosen = fast.nearest(direction, n, rows, among)
        if chosen is None:
            return self._scanned(direction, layer, n, rows, among)
        # The fast search compares rounded vectors: the exact ones decide the order.
        cosines = (
            self._vectors(layer, chosen) @ direction / np.maximum(self._norm(layer, chosen), 1e-12)
        )
        order = np.argsort(-cosines, kind="stable")[:n]
        return zip(chosen[order].tolist(), cosines[order].tolist(), strict=True)

    def _scanned(
        self,
        direction: NDArray[np.float32],
        layer: int,
        n: int,
        rows: NDArray[np.int64],
        among: str,
    ) -> Iterator[tuple[int, float]]:
        """Compare with all vectors, block by block: float32 of all may exceed the memory."""
        best_rows, best = np.zeros(0, np.int64), np.zeros(0, np.float32)
        for number, start in enumerate(self._begins[:-1]):
            stop = self._begins[number + 1]
            wanted = self._is_word[self._forms[start:stop]]
            if among != "all":
                inside = np.zeros(len(wanted), bool)
                inside[rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)] - start] = (
                    True
                )
                wanted &= inside if among == "same" else ~inside
            cosines = self._block_vectors(number, layer) @ direction
            cosines /= np.maximum(self._norms[number][layer], 1e-12)
            near = np.flatnonzero(wanted)
            best_rows, best = (
                np.concatenate([best_rows, near + start]),
                np.concatenate([best, cosines[near]]),
            )
            if len(best) > n:
                # Keep the first in a tie, so that the order does not depend on the blocks.
                kept = np.sort(np.argsort(-best, kind="stable")[:n])
                best_rows, best = best_rows[kept], best[kept]
        order = np.argsort(-best, kind="stable")
        return zip(best_rows[order].tolist(), best[order].tolist(), strict=True)

    def _block_vectors(self, number: int, layer: int) -> NDArray[np.float32]:
        vectors = self._blocks[number]
        if layer < len(vectors):
            return np.asarray(vectors[layer], np.float32)
        return np.asarray(vectors.astype(np.float32).mean(axis=0), np.float32)

    def _vectors(self, layer: int, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return ``[rows, D]`` vectors of any rows at a layer."""
        found = np.empty((len(rows), self.description.width), np.float32)
        for number, at, inside in self._by_block(rows):
            vectors = self._blocks[number]
            part = (
                vectors[layer, inside]
                if layer < len(vectors)
                else vectors[:, inside].astype(np.float32).mean(axis=0)
            )
            found[at] = part
        return found

    def _norm(self, layer: int, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        found = np.empty(len(rows), np.float32)
        for number, at, inside in self._by_block(rows):
            found[at] = self._norms[number][layer, inside]
        return found

    def _by_block(
        self, rows: NDArray[np.int64]
    ) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
        """Yield blocks, which of the rows are in each, and their places there."""
        numbers = np.searchsorted(self._begins, rows, side="right") - 1
        order = np.argsort(numbers, kind="stable")
        present, first = np.unique(numbers[order], return_index=True)
        for number, (start, end) in zip(
            present.tolist(), pairwise([*first.tolist(), len(order)]), strict=True
        ):
            at = order[start:end]
            yield number, at, rows[at] - self._begins[number]

    def use(self, row: int) -> Use:
        """Return the use of one token."""
        number = int(np.searchsorted(self._offsets, row, side="right")) - 1
        with (self.folder / SENTENCES_NAME).open("rb") as file:
            file.seek(int(self._lines[number]))
            line = file.read(int(self._lines[number + 1] - self._lines[number]) - 1)
        sentence = line.decode("utf-8", "surrogatepass")
        return Use.in_sentence(sentence, tokenize(sentence), row - int(self._offsets[number]))

    def some_words(self, n: int) -> list[Use]:
        """Return the uses of a fixed random sample of words."""
        random = np.random.default_rng(0)
        rows = random.choice(len(self), min(4 * n, len(self)), replace=False)
        return [self.use(int(row)) for row in rows[self._is_word[self._forms[rows]]][:n]]

    def word_vectors(self, layer: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """Yield the rows of the words of each block, and their vectors of length 1 at a layer."""
        for number, start in enumerate(self._begins[:-1].tolist()):
            words = np.flatnonzero(self._is_word[self._forms[start : self._begins[number + 1]]])
            norms = np.maximum(self._norms[number][layer, words], 1e-12)
            yield words + start, self._block_vectors(number, layer)[words] / norms[:, None]


def build_index(
    encoder: Encoder,
    sentences: Iterable[str],
    folder: str | Path,
    title: str,
    progress: Callable[[float], None] | None = None,
    wait: bool = False,
) -> UseIndex:
    """Encode a corpus with a loaded encoder and write its index; see :func:`build_files`."""
    job = IndexJob(precision="float32", encoder=encoder)
    build_files(job, sentences, Path(folder), title, progress=progress, wait=wait)
    return UseIndex(folder)


def text_key(sentences: Sequence[str]) -> str:
    """Return a key that changes when the sentences do."""
    return hashlib.sha256("\n".join(sentences).encode()).hexdigest()[:16]

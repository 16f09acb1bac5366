"""Index of the vectors of every word of a corpus, with exact nearest-neighbour search."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.layer_cache import LayerCache
from elmo_tasks.errors import DataError
from elmo_tasks.files import read_json
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import are_inflections, folded
from elmo_tasks.uses import Use

DESCRIPTION_NAME, SENTENCES_NAME, WORDS_NAME, ARRAYS_NAME = "index.json", "sentences.txt", "words.txt", "places.npz"
LAYERS_FOLDER = "layers"
VERSION = 1
_BLOCK = 16_384


@dataclass(frozen=True)
class IndexDescription:
    """Description of an index."""

    title: str  #: one-line description
    encoder: str  #: name of the model
    checksum: str  #: checksum of its weights
    store: str  #: key of the layer cache
    n_sentences: int  #: number of sentences
    n_tokens: int  #: words and punctuation of all sentences
    version: int = VERSION  #: version of the file format


@dataclass(frozen=True)
class Hit:
    """One search result."""

    use: Use  #: the word in its sentence
    cosine: float  #: cosine with the query


class UseIndex:
    """An index that :func:`build_index` wrote; read-only, memory-mapped.

    Args:
        folder: where it lies.

    Raises:
        DataError: a file is missing, broken, or of another version.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        path = self.folder / DESCRIPTION_NAME
        try:
            raw = read_json(path)
            if raw.get("version") != VERSION:
                raise DataError(f"{path}: an index of version {raw.get('version')}, expected {VERSION}; build it again")
            self.description = IndexDescription(**raw)
            arrays = np.load(self.folder / ARRAYS_NAME)
            self._lines: NDArray[np.int64] = arrays["lines"]
            self._word_of: NDArray[np.int32] = arrays["words"]
            self._norms: NDArray[np.float32] = arrays["norms"]  # [L + 1, tokens]; the last one is of the mean
            self._vocabulary = (self.folder / WORDS_NAME).read_text(encoding="utf-8").split("\n")
        except (OSError, ValueError, TypeError, KeyError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{path}: expected an index written by `elmo-tasks index` ({type(error).__name__}: {error})"
            ) from None
        self.store = LayerCache(self.folder / LAYERS_FOLDER / Path(self.description.store).name)
        self._check()

    def _check(self) -> None:
        """Refuse an index with truncated files, or with files of another index."""
        about, store = self.description, self.store.description
        size = (self.folder / SENTENCES_NAME).stat().st_size if (self.folder / SENTENCES_NAME).is_file() else -1
        lines, words = self._lines, self._word_of
        right = {
            LAYERS_FOLDER: (store.n_sentences, store.n_tokens) == (about.n_sentences, about.n_tokens),
            SENTENCES_NAME: lines.shape == (about.n_sentences + 1,)
            and lines[0] == 0
            and lines[-1] == size
            and bool((np.diff(lines) > 0).all()),
            WORDS_NAME: words.shape == (about.n_tokens,)
            and (not len(words) or (words.min() >= 0 and words.max() < len(self._vocabulary))),
            ARRAYS_NAME: self._norms.shape == (self.store.n_layers + 1, about.n_tokens),
        }
        wrong = [name for name, fits in right.items() if not fits]
        if wrong:
            raise DataError(
                f"{self.folder}: {' and '.join(wrong)} do not fit {DESCRIPTION_NAME}, as after a copy that was cut short; "
                "copy the folder again, or build the index again"
            )

    def __len__(self) -> int:
        """Return the number of tokens."""
        return self.description.n_tokens

    @cached_property
    def _is_word(self) -> NDArray[np.bool_]:
        """Mask ``[tokens]`` of words, as opposed to punctuation."""
        kinds = np.array([any(c.isalnum() for c in word) for word in self._vocabulary])
        return kinds[self._word_of]

    def forms_of(self, word: str) -> NDArray[np.bool_]:
        """Return the mask ``[tokens]`` of inflections of a word."""
        key = folded(word)
        return np.array([are_inflections(key, other) for other in self._vocabulary])[self._word_of]

    def uses_of(self, word: str, most: int) -> tuple[tuple[tuple[str, int], ...], int]:
        """Return the uses of a word in any inflection, in order, and their number.

        A use is a sentence and the position of its token. Of more than ``most`` uses, keep ``most`` at even
        distances.
        """
        rows = np.flatnonzero(self.forms_of(word))
        kept = rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]
        numbers = np.searchsorted(self.store.offsets, kept, side="right") - 1
        uses = (
            (self.sentence(n), row - int(self.store.offsets[n])) for n, row in zip(numbers, kept.tolist(), strict=True)
        )
        return tuple(uses), len(rows)

    def search(
        self,
        vector: NDArray[np.floating],
        layer: int,
        n: int = 20,
        among: NDArray[np.bool_] | None = None,
        leave_out: str = "",
    ) -> tuple[Hit, ...]:
        """Return the nearest uses to a vector ``[D]`` at a layer, nearest first.

        One more than the last layer means the mean of the layers. The search covers all words, or those in the mask
        ``among`` ``[tokens]``; it returns at most one use per sentence, and none from the sentence ``leave_out``.
        """
        # In blocks: the vectors are float16 on disk, and all of them in float32 may exceed the memory.
        direction = np.asarray(vector, np.float32) / max(float(np.linalg.norm(vector)), 1e-12)
        cosines = np.empty(len(self), np.float32)
        for start in range(0, len(self), _BLOCK):
            stop = min(start + _BLOCK, len(self))
            cosines[start:stop] = self.store.vectors(layer, start, stop) @ direction  # [block, D] @ [D]
        cosines /= np.maximum(self._norms[layer], 1e-12)
        cosines[~(self._is_word if among is None else self._is_word & among)] = -np.inf
        hits: list[Hit] = []
        seen: set[str] = {folded(one_line(leave_out))}
        for row in _descending(cosines, 8 * n + 64):  # some of the nearest share a sentence
            if len(hits) == n or cosines[row] == -np.inf:
                break
            use = self.use(row)
            if folded(use.sentence) in seen:
                continue
            seen.add(folded(use.sentence))
            hits.append(Hit(use, float(min(1.0, cosines[row]))))
        return tuple(hits)

    def use(self, row: int) -> Use:
        """Return the use of one token."""
        number = int(np.searchsorted(self.store.offsets, row, side="right")) - 1
        sentence = self.sentence(number)
        index = row - int(self.store.offsets[number])
        tokens = tokenize(sentence)
        return Use.in_sentence(sentence, tokens, index)

    def some_words(self, n: int, layer: int) -> list[tuple[Use, NDArray[np.float32]]]:
        """Return a fixed random sample of words, with the vector ``[D]`` of each at a layer."""
        rows = np.flatnonzero(self._is_word)
        drawn = np.random.default_rng(0).choice(rows, min(n, len(rows)), replace=False).tolist()
        return [(self.use(row), self.store.vectors(layer, row, row + 1)[0]) for row in drawn]

    def sentence(self, number: int) -> str:
        """Return one sentence."""
        with (self.folder / SENTENCES_NAME).open("rb") as file:
            file.seek(int(self._lines[number]))
            return file.read(int(self._lines[number + 1] - self._lines[number]) - 1).decode("utf-8")


def _descending(values: NDArray[np.float32], n: int) -> Iterator[int]:
    """Yield positions by descending value; sort beyond the first ``n`` only on demand."""
    k = min(len(values), n)
    near = np.argpartition(-values, k - 1)[:k] if k else np.zeros(0, np.int64)
    yield from near[np.argsort(-values[near], kind="stable")].tolist()
    if k < len(values):
        rest = np.setdiff1d(np.arange(len(values)), near, assume_unique=True)
        yield from rest[np.argsort(-values[rest], kind="stable")].tolist()


def one_line(sentence: str) -> str:
    """Normalize a sentence to the single line that an index stores."""
    return " ".join(sentence.split())

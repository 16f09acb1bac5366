"""Index of the vectors of every word of a corpus, with exact nearest-neighbour search."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.layer_cache import CacheDescription, LayerCache, cache_encoding
from elmo_tasks.encoders.uses import Use, progress_fraction
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import atomic_file, atomic_write, file_lock, read_json, write_json
from elmo_tasks.senses.uses import evenly
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import are_inflections, folded

DESCRIPTION_NAME, SENTENCES_NAME, WORDS_NAME, ARRAYS_NAME = "index.json", "sentences.txt", "words.txt", "places.npz"
LAYERS_FOLDER = "layers"
VERSION = 1
#: Size that exact search handles in a few seconds on one core; 400,000 words take about 0.2 s.
MAX_TOKENS = 5_000_000
_BLOCK = 16_384
_BYTES_PER_TOKEN = 12  # beside the vectors


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


class Hit(NamedTuple):
    """A search result: a use, and its cosine with the query."""

    use: Use
    cosine: float


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
        self._check_files()

    def _check_files(self) -> None:
        """Refuse an index with truncated files, or with files of another index."""
        about, store = self.description, self.store.description
        size = (self.folder / SENTENCES_NAME).stat().st_size if (self.folder / SENTENCES_NAME).is_file() else -1
        lines, words = self._lines, self._word_of
        fits = {
            LAYERS_FOLDER: (store.n_sentences, store.n_tokens) == (about.n_sentences, about.n_tokens),
            SENTENCES_NAME: lines.shape == (about.n_sentences + 1,)
            and lines[0] == 0
            and lines[-1] == size
            and bool((np.diff(lines) > 0).all()),
            WORDS_NAME: words.shape == (about.n_tokens,)
            and (not len(words) or (words.min() >= 0 and words.max() < len(self._vocabulary))),
            ARRAYS_NAME: self._norms.shape == (self.store.n_layers + 1, about.n_tokens),
        }
        wrong = [name for name, is_right in fits.items() if not is_right]
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

    def uses_of(self, word: str, max_uses: int) -> tuple[tuple[Use, ...], int]:
        """Return the uses of a word in any inflection, in order, and their number.

        Of more than ``max_uses`` uses, keep ``max_uses`` at even distances.
        """
        rows = np.flatnonzero(self.forms_of(word)).tolist()
        return tuple(map(self.use, evenly(rows, max_uses))), len(rows)

    def search(
        self,
        vector: NDArray[np.floating],
        layer: int,
        n: int = 20,
        among: NDArray[np.bool_] | None = None,
        leave_out: str = "",
    ) -> tuple[Hit, ...]:
        """Return the ``n`` uses nearest to a vector ``[D]`` at a layer, nearest first.

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
        taken = {folded(_one_line(leave_out))}
        for row in _descending(cosines, 8 * n + 64):  # some of the nearest share a sentence
            if len(hits) == n or cosines[row] == -np.inf:
                break
            use = self.use(row)
            if folded(use.sentence) in taken:
                continue
            taken.add(folded(use.sentence))
            hits.append(Hit(use, float(min(1.0, cosines[row]))))
        return tuple(hits)

    def use(self, row: int) -> Use:
        """Return the use of one token."""
        number = int(np.searchsorted(self.store.offsets, row, side="right")) - 1
        with (self.folder / SENTENCES_NAME).open("rb") as file:
            file.seek(int(self._lines[number]))
            sentence = file.read(int(self._lines[number + 1] - self._lines[number]) - 1).decode("utf-8")
        return Use.in_sentence(sentence, tokenize(sentence), row - int(self.store.offsets[number]))

    def some_words(self, n: int, layer: int) -> list[tuple[Use, NDArray[np.float32]]]:
        """Return a fixed random sample of words, with the vector ``[D]`` of each at a layer."""
        rows = np.flatnonzero(self._is_word)
        drawn = np.random.default_rng(0).choice(rows, min(n, len(rows)), replace=False).tolist()
        return [(self.use(row), self.store.vectors(layer, row, row + 1)[0]) for row in drawn]


def _descending(values: NDArray[np.float32], n: int) -> Iterator[int]:
    """Yield positions by descending value; sort beyond the first ``n`` only on demand."""
    k = min(len(values), n)
    near = np.argpartition(-values, k - 1)[:k] if k else np.zeros(0, np.int64)
    yield from near[np.argsort(-values[near], kind="stable")].tolist()
    if k < len(values):
        rest = np.setdiff1d(np.arange(len(values)), near, assume_unique=True)
        yield from rest[np.argsort(-values[rest], kind="stable")].tolist()


def _one_line(sentence: str) -> str:
    """Normalize a sentence to the single line that an index stores."""
    return " ".join(sentence.split())


def build_index(
    encoder: Encoder,
    sentences: Iterable[str],
    folder: str | Path,
    title: str,
    max_tokens: int = MAX_TOKENS,
    progress: Callable[[float], None] | None = None,
    wait: bool = False,
    bf16: bool = False,
) -> UseIndex:
    """Encode a corpus and write its index.

    An interrupted build is resumed, and a complete index is opened.

    Args:
        encoder: computes the vectors.
        sentences: sentences of the corpus.
        folder: output folder.
        title: one-line description.
        max_tokens: maximum number of tokens.
        progress: called with the completed fraction.
        wait: wait for another process that writes the index, in place of raising.
        bf16: compute products in bfloat16.

    Raises:
        ConfigError: there are no sentences, too many tokens, too little room, the folder holds another index, or another
            process writes it.
    """
    lines = [_one_line(sentence) for sentence in sentences]
    tokens = [[token.text for token in tokenize(line)] for line in lines]
    n_tokens = sum(map(len, tokens))
    if not n_tokens:
        raise ConfigError("there is nothing to index: expected text with at least one sentence")
    if n_tokens > max_tokens:
        raise ConfigError(
            f"{n_tokens:,} tokens are too many for exact search; the most is {max_tokens:,}. Index a part of the text "
            "(every tenth document, say), or several parts into folders of their own"
        )
    folder = Path(folder)
    key = CacheDescription.of(cache_encoding(encoder, tokens)).key
    if (index := _existing(folder, key)) is not None:  # Without the lock: the folder may be read-only.
        return index
    with file_lock(folder / ".lock", f"the index {folder}", wait):
        if (index := _existing(folder, key)) is None:
            step = progress_fraction(progress, n_tokens)
            store = LayerCache.build(encoder, tokens, folder / LAYERS_FOLDER, step=step, bf16=bf16)
            description = IndexDescription(title, encoder.name, encoder.checksum, key, len(lines), n_tokens)
            _write(folder, description, lines, tokens, store)
            index = UseIndex(folder)
    return index


def _existing(folder: Path, key: str) -> UseIndex | None:
    if not (folder / DESCRIPTION_NAME).exists():
        return None
    index = UseIndex(folder)
    if index.description.store != key:
        raise ConfigError(f"{folder}: holds an index of other text or of another model; choose another folder")
    return index


def _write(
    folder: Path,
    description: IndexDescription,
    lines: Sequence[str],
    tokens: Sequence[Sequence[str]],
    store: LayerCache,
) -> None:
    words: dict[str, int] = {}
    word_of = np.array([words.setdefault(folded(w), len(words)) for row in tokens for w in row], np.int32)
    # A key may hold no line break: a token has none.
    atomic_write(folder / WORDS_NAME, "\n".join(words))
    encoded = [f"{line}\n".encode() for line in lines]
    atomic_write(folder / SENTENCES_NAME, b"".join(encoded))
    starts = np.concatenate([[0], np.cumsum([len(line) for line in encoded])]).astype(np.int64)
    with atomic_file(folder / ARRAYS_NAME) as partial, partial.open("wb") as file:
        np.savez(file, lines=starts, words=word_of, norms=_norms(store))
    # Written last: it marks the index as complete.
    write_json(folder / DESCRIPTION_NAME, asdict(description))


def size_of(n_tokens: int, n_layers: int, width: int) -> int:
    """Estimate the bytes of an index on disk."""
    return n_tokens * (2 * n_layers * width + 4 * (n_layers + 1) + _BYTES_PER_TOKEN)


def text_key(sentences: Sequence[str]) -> str:
    """Return a key that changes when the sentences do."""
    return hashlib.sha256("\n".join(sentences).encode()).hexdigest()[:16]


def _norms(store: LayerCache) -> NDArray[np.float32]:
    """Return ``[L + 1, tokens]`` lengths of the vectors of each layer and of their mean."""
    n = int(store.offsets[-1])
    norms = np.empty((store.n_layers + 1, n), np.float32)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        for layer in range(store.n_layers + 1):
            norms[layer, start:stop] = np.linalg.norm(store.vectors(layer, start, stop), axis=1)
    return norms

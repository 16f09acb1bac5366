"""Build the index of a corpus: encode every word once and store the vectors.

An interrupted build resumes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.layer_cache import CacheDescription, LayerCache, cache_encoding
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import atomic_file, atomic_write, file_lock, write_json
from elmo_tasks.senses.use_index import (
    ARRAYS_NAME,
    DESCRIPTION_NAME,
    LAYERS_FOLDER,
    SENTENCES_NAME,
    WORDS_NAME,
    IndexDescription,
    UseIndex,
    one_line,
)
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import folded
from elmo_tasks.uses import progress_fraction

#: Size that exact search handles in a few seconds on one core; 400,000 words take about 0.2 s.
MOST_TOKENS = 5_000_000
_BLOCK = 16_384
_PER_TOKEN = 12  # bytes beside the vectors

#: Called with the completed fraction, 0..1.
Progress = Callable[[float], None]


def build_index(
    encoder: Encoder,
    sentences: Iterable[str],
    folder: str | Path,
    title: str,
    max_tokens: int = MOST_TOKENS,
    progress: Progress | None = None,
    wait: bool = False,
    bf16: bool = False,
) -> UseIndex:
    """Encode a corpus, resume an interrupted build, or open a complete index.

    Args:
        encoder: computes the vectors.
        sentences: sentences of the corpus.
        folder: output folder.
        title: one-line description.
        max_tokens: maximum number of tokens.
        progress: called with the completed fraction.
        wait: whether to wait for another process that writes it, in place of raising.
        bf16: whether to compute products in bfloat16.

    Raises:
        ConfigError: there are no sentences, too many tokens, too little room, the folder holds another index, or another
            process writes it.
    """
    lines = [one_line(sentence) for sentence in sentences]
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
    if (index := _already(folder, key)) is not None:  # Without the lock: the folder may be read-only.
        return index
    with file_lock(folder / ".lock", f"the index {folder}", wait):
        if (index := _already(folder, key)) is None:
            step = progress_fraction(progress, n_tokens)
            store = LayerCache.build(encoder, tokens, folder / LAYERS_FOLDER, step=step, bf16=bf16)
            description = IndexDescription(title, encoder.name, encoder.checksum, key, len(lines), n_tokens)
            index = _written(folder, description, lines, tokens, store)
    return index


def _already(folder: Path, key: str) -> UseIndex | None:
    if not (folder / DESCRIPTION_NAME).exists():
        return None
    index = UseIndex(folder)
    if index.description.store != key:
        raise ConfigError(f"{folder}: holds an index of other text or of another model; choose another folder")
    return index


def _written(
    folder: Path,
    description: IndexDescription,
    lines: Sequence[str],
    tokens: Sequence[Sequence[str]],
    store: LayerCache,
) -> UseIndex:
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
    return UseIndex(folder)


def size_of(n_tokens: int, n_layers: int, width: int) -> int:
    """Estimate the bytes of an index on disk."""
    return n_tokens * (2 * n_layers * width + 4 * (n_layers + 1) + _PER_TOKEN)


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

"""Words of the meanings of the dictionary, stored beside the static vectors.

Looking up the words of a thousand entries takes ten seconds of a processor. ``python -m
elmo_tasks.recipes.meaning_words`` does it once. A meaning that has changed since has another key:
it is not found, and its words are looked up like those of a meaning that a user typed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import WeightsError
from elmo_tasks.senses.word_matches import CompactWords
from elmo_tasks.weights.folders import verify

FILE_NAME = "meaning_words.safetensors"


class StoredWords:
    """Compact words of many meanings, found by a hash of the meaning.

    Args:
        tensors: ``keys`` ``[M]``, sorted; ``ends`` ``[M]`` of each meaning's part of ``rows`` and
            ``weights`` ``[T]``; see :class:`~elmo_tasks.senses.word_matches.CompactWords`.
    """

    def __init__(self, tensors: Mapping[str, NDArray[np.generic]]) -> None:
        self._keys = tensors["keys"].astype(np.int64)
        self._ends = tensors["ends"].astype(np.int64)
        self._rows = tensors["rows"].astype(np.int32)
        self._weights = tensors["weights"].astype(np.float64)

    def __len__(self) -> int:
        return len(self._keys)

    def get(self, meaning: str) -> CompactWords | None:
        """Return the words of a meaning, or ``None`` if it is not stored."""
        key = _hash(meaning)
        place = int(np.searchsorted(self._keys, key))
        if place == len(self._keys) or self._keys[place] != key:
            return None
        part = slice(int(self._ends[place - 1]) if place else 0, int(self._ends[place]))
        return CompactWords(self._weights[part], self._rows[part])


def read_words(static: StaticVectors) -> StoredWords:
    """Read the words that are stored beside some vectors: none if they are of other vectors.

    Raises:
        WeightsError: the file is broken.
    """
    path = None if static.folder is None else static.folder / FILE_NAME
    if path is None or not path.exists():
        return StoredWords(_tensors({}, static))
    verify([path])
    try:
        tensors = load_file(path)
        if tensors["vectors"].tobytes().hex() != static.checksum:
            return StoredWords(_tensors({}, static))
        return StoredWords(tensors)
    except (OSError, SafetensorError, KeyError) as error:
        raise WeightsError(f"{path}: not the words of meanings ({error})") from None


def write_words(folder: Path, static: StaticVectors, words: Mapping[str, CompactWords]) -> Path:
    """Write the words of meanings, and return the path."""
    path = folder / FILE_NAME
    save_file(_tensors(words, static), path)
    return path


def _tensors(
    words: Mapping[str, CompactWords], static: StaticVectors
) -> dict[str, NDArray[np.generic]]:
    found = sorted((_hash(meaning), part) for meaning, part in words.items())
    rows = [part.rows for _, part in found]
    weights = [part.weights for _, part in found]
    row_type = np.uint16 if len(static) < 2**16 else np.int32
    return {
        "vectors": np.frombuffer(bytes.fromhex(static.checksum), np.uint8),
        "keys": np.array([key for key, _ in found], np.int64),
        "ends": np.cumsum([len(part) for part in rows], dtype=np.int32),
        "rows": np.concatenate([np.zeros(0, np.int32), *rows]).astype(row_type),
        "weights": np.concatenate([np.zeros(0), *weights]).astype(np.float16),
    }


def _hash(meaning: str) -> int:
    digest = hashlib.sha256(meaning.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)

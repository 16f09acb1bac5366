"""What a frozen word reader gives for each word of a corpus, read once."""

from __future__ import annotations

import torch
from torch import Tensor

from elmo_tasks.bilm.char_cnn import CharacterCNN
from elmo_tasks.bilm.word_readers import read_words

#: Memory for the vectors, in bytes; 512 MiB hold a million words of 128 numbers. Words past that are read each time.
MAX_BYTES = 512 * 2**20


class WordCache:
    """Vectors of the commonest words of a corpus, filled as the words come.

    Args:
        reader: the character CNN; it must not change while the cache is in use.
        n_words: distinct words of the corpus, whose ids are ranks by frequency.
        max_bytes: memory for the vectors.
    """

    def __init__(self, reader: CharacterCNN, n_words: int, max_bytes: int = MAX_BYTES) -> None:
        self.reader = reader
        weight = reader.projection.weight
        rows = min(n_words, max_bytes // (4 * len(weight)))
        self._vectors = torch.empty(rows, len(weight), device=weight.device)
        self._is_there = torch.zeros(rows, dtype=torch.bool, device=weight.device)

    def read(self, characters: Tensor, ids: Tensor) -> Tensor:
        """Vectors of words.

        Args:
            characters: ``[U, C]`` character ids.
            ids: ``[U]`` ids of the words in the corpus.

        Returns:
            ``[U, P]`` float32, without gradient.
        """
        fits = ids < len(self._is_there)
        rows = ids.clamp(max=len(self._is_there) - 1)
        missing = ~(fits & self._is_there[rows])
        vectors = self._vectors[rows]
        if missing.any():
            vectors[missing] = read_words(self.reader, characters[missing])
            new = missing & fits
            self._vectors[ids[new]] = vectors[new]
            self._is_there[ids[new]] = True
        return vectors

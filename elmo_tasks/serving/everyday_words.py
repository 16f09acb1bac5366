"""The words of the everyday sentences as a model reads them: what two random words have in common is measured on them."""

from __future__ import annotations

import torch
from torch import Tensor

from elmo_tasks.corpus.everyday import everyday_sentences
from elmo_tasks.encoders.elmo import Elmo


def everyday_words(elmo: Elmo) -> tuple[Tensor, Tensor, Tensor]:
    """Vectors of all words, on the CPU, with what :func:`~elmo_tasks.analysis.similarity.random_pair_cosine` needs beside them.

    Returns:
        ``[L, n, D]`` vectors, ``[n]`` number of the sentence of each, ``[n]`` number of the word that each is, in any case.
    """
    layers = elmo.encode(everyday_sentences())
    ids: dict[str, int] = {}
    kept = [
        (k, t, ids.setdefault(word.lower(), len(ids)))
        for k, words in enumerate(layers.tokens)
        for t, word in enumerate(words)
        if word[0].isalpha()
    ]
    sentence, place, word = (torch.tensor(column) for column in zip(*kept, strict=True))
    return layers.values[:, sentence, place].cpu(), sentence, word

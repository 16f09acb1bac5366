"""The words of the everyday sentences as a model reads them: what two random words have in common is measured on them."""

from __future__ import annotations

import torch
from torch import Tensor

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.senses.gallery import everyday_sentences
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.uses import Use, use_vectors


def everyday_words(encoder: Encoder) -> tuple[Tensor, Tensor, Tensor]:
    """Vectors of all words, on the CPU, with what :func:`~elmo_tasks.senses.similarity.random_pair_cosine` needs beside them.

    Returns:
        ``[L, n, D]`` vectors, ``[n]`` number of the sentence of each, ``[n]`` number of the word that each is, in any case.
    """
    rows = [[token.text for token in tokenize(sentence)] for sentence in everyday_sentences()]
    places = [(k, t) for k, words in enumerate(rows) for t, word in enumerate(words) if word[0].isalpha()]
    ids: dict[str, int] = {}
    words = [ids.setdefault(rows[k][t].lower(), len(ids)) for k, t in places]
    vectors = use_vectors(encoder, [Use.of_tokens(rows[k], t) for k, t in places])
    return vectors, torch.tensor([k for k, _ in places]), torch.tensor(words)

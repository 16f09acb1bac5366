"""Cosines of uses at each layer, and of two random words for comparison."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.use_vectors import use_vectors
from elmo_tasks.layers import with_mean
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Use


def cosine_matrix(vectors: Tensor) -> Tensor:
    """Return ``[n, n]`` cosines of ``[n, D]``, exactly symmetric with a diagonal of 1."""
    unit = F.normalize(vectors.double(), dim=-1)
    cosine = (unit @ unit.T).clamp(-1.0, 1.0)
    cosine = (cosine + cosine.T) / 2
    return cosine.fill_diagonal_(1.0)


def random_pair_cosine(vectors: Tensor, sentence: Tensor, word: Tensor) -> Tensor:
    """Return ``[L]`` mean cosines of two tokens that share neither sentence nor word.

    The arguments are ``[L, n, D]`` tokens, and ``[n]`` numbers of their sentences and words.

    The published figures of this kind are those of Ethayarajh (2019), "How contextual are
    contextualized word representations?".
    """
    unit = F.normalize(vectors.double(), dim=-1)
    apart = (sentence.unsqueeze(0) != sentence.unsqueeze(1)) & (
        word.unsqueeze(0) != word.unsqueeze(1)
    )
    cosine = unit @ unit.transpose(1, 2)  # [L, n, n]
    return (cosine * apart).sum(dim=(1, 2)) / apart.sum()


def random_pairs(encoder: Encoder) -> tuple[float, ...]:
    """Return the mean cosine of two random everyday words at each layer and in the mean."""
    vectors, sentence, word = everyday_words(encoder)
    return tuple(
        round(value, 6) for value in random_pair_cosine(with_mean(vectors), sentence, word).tolist()
    )


def everyday_sentences() -> list[str]:
    """Return sixty unrelated sentences, written for this project.

    The cosines of random words are measured on them.
    """
    return Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8").splitlines()


def everyday_words(encoder: Encoder) -> tuple[Tensor, Tensor, Tensor]:
    """Return the arguments of :func:`random_pair_cosine` for the everyday sentences.

    Returns:
        ``[L, n, D]`` vectors, ``[n]`` the number of the sentence of each, ``[n]`` the number of the
        word, in any case.
    """
    rows = [[token.text for token in tokenize(sentence)] for sentence in everyday_sentences()]
    places = [
        (k, t) for k, words in enumerate(rows) for t, word in enumerate(words) if word[0].isalpha()
    ]
    ids: dict[str, int] = {}
    words = [ids.setdefault(rows[k][t].lower(), len(ids)) for k, t in places]
    vectors = use_vectors(encoder, [Use.of_tokens(rows[k], t) for k, t in places])
    return vectors, torch.tensor([k for k, _ in places]), torch.tensor(words)

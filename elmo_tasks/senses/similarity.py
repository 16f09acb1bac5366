"""Cosines of uses at each layer, and what two random words have."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.layers.views import with_mean
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.uses import Use, use_vectors


def cosine_matrix(vectors: Tensor) -> Tensor:
    """``[n, D]`` -> ``[n, n]`` cosine similarities; exactly 1 on the diagonal, exactly symmetric."""
    unit = F.normalize(vectors.double(), dim=-1)
    cosine = (unit @ unit.T).clamp(-1.0, 1.0)
    cosine = (cosine + cosine.T) / 2
    return cosine.fill_diagonal_(1.0)


def random_pair_cosine(vectors: Tensor, sentence: Tensor, word: Tensor) -> Tensor:
    """``[L, n, D]`` tokens, and ``[n]`` numbers of their sentences and words -> ``[L]`` mean cosines of two tokens that share
    neither.

    The published figures of this kind are those of Ethayarajh (2019), "How contextual are contextualized word representations?".
    """
    unit = F.normalize(vectors.double(), dim=-1)
    apart = (sentence.unsqueeze(0) != sentence.unsqueeze(1)) & (word.unsqueeze(0) != word.unsqueeze(1))
    cosine = unit @ unit.transpose(1, 2)  # [L, n, n]
    return (cosine * apart).sum(dim=(1, 2)) / apart.sum()


def random_pairs(encoder: Encoder) -> tuple[float, ...]:
    """Mean cosine of two random words of the everyday sentences, at each layer and in their mean."""
    vectors, sentence, word = everyday_words(encoder)
    return tuple(round(value, 6) for value in random_pair_cosine(with_mean(vectors), sentence, word).tolist())


def everyday_sentences() -> list[str]:
    """Sixty unconnected sentences, written for this project: what two random words have in common is measured on them."""
    return Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8").splitlines()


def everyday_words(encoder: Encoder) -> tuple[Tensor, Tensor, Tensor]:
    """All words of the everyday sentences, as :func:`random_pair_cosine` needs them.

    Returns:
        ``[L, n, D]`` vectors, ``[n]`` the number of the sentence of each, ``[n]`` the number of the word, in any case.
    """
    rows = [[token.text for token in tokenize(sentence)] for sentence in everyday_sentences()]
    places = [(k, t) for k, words in enumerate(rows) for t, word in enumerate(words) if word[0].isalpha()]
    ids: dict[str, int] = {}
    words = [ids.setdefault(rows[k][t].lower(), len(ids)) for k, t in places]
    vectors = use_vectors(encoder, [Use.of_tokens(rows[k], t) for k, t in places])
    return vectors, torch.tensor([k for k, _ in places]), torch.tensor(words)

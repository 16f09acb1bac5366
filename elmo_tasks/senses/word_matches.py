"""Word-by-word evidence for a meaning.

It measures the fit of each context word to the words of the meaning's examples.

The mean of a context blurs a single telling word. Here every word counts by itself: a kernel
density over the words around the examples of a meaning, and over those of its gloss, gives ``log
p(word | meaning)``, and the logarithms add up as in naive Bayes. ColBERT (Khattab and Zaharia,
2020) compares texts word by word for the same reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.entries import Sense
from elmo_tasks.senses.features import Vectors, context_weights, unit
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Use

#: Inverse width of the kernel ``exp(_SHARPNESS * (cosine - 1))``.
_SHARPNESS = 8.0
_MIN_DENSITY = 1e-6
_MIN_WEIGHT = 1e-3
#: Weight of the context words of about ten tokens; a longer sentence counts no more, so
#: that neither the choice of a meaning nor the detection of an unlisted one depends on the length
#: of the sentence.
_MAX_CONTEXT = 3.0


@dataclass(frozen=True)
class WeightedWords:
    """Words as unit vectors ``[T, D]`` with weights ``[T]``; unknown words are left out."""

    vectors: Vectors
    weights: NDArray[np.float64]
    rows: NDArray[np.int32]  #: ``[T]`` positions of the words among the static vectors


@dataclass(frozen=True)
class CompactWords:
    """Words without their vectors: a hundredth of the size, for thousands of meanings."""

    weights: NDArray[np.float64]
    rows: NDArray[np.int32]

    def weighted(self, static: StaticVectors) -> WeightedWords:
        """Look the vectors up again."""
        rows = torch.from_numpy(self.rows.astype(np.int64)).to(static.device)
        vectors = unit(static.vectors_at(rows).cpu().numpy())
        return WeightedWords(vectors, self.weights, self.rows)


@dataclass(frozen=True)
class Matches:
    """Fit of the context of each use to each meaning, ``[n, S]`` each."""

    #: weighted sum of ``log p(word | meaning)``, of a long sentence as if it had about ten words
    total: NDArray[np.float64]
    mean: NDArray[np.float64]  #: weighted mean of it
    #: weighted mean cosine of each word to the nearest word of the meaning
    nearest: NDArray[np.float64]
    #: ``[n]`` weight of all context words of a use: how much the sentence says
    weight: NDArray[np.float64]

    def part(self, uses: Sequence[int], meanings: Sequence[int]) -> Matches:
        """Return the matches of some uses to some meanings."""
        kept = np.ix_(uses, meanings)
        return Matches(
            total=self.total[kept],
            mean=self.mean[kept],
            nearest=self.nearest[kept],
            weight=self.weight[list(uses)],
        )


def context_words(static: StaticVectors, use: Use) -> WeightedWords:
    """Return the words around a use."""
    return _weighted(static, [_context(use)])


def meaning_words(static: StaticVectors, word: str, sense: Sense) -> WeightedWords:
    """Return the words around all examples of a meaning, and those of its gloss."""
    examples = (find_mention(word, sentence) for sentence in sense.examples or sense.sentences)
    gloss = [token.text for token in tokenize(sense.gloss)]
    return _merged(_weighted(static, [*map(_context, examples), (gloss, [word])]))


def _merged(words: WeightedWords) -> WeightedWords:
    """Join the occurrences of each word, which changes no sum over the words."""
    rows, first, place = np.unique(words.rows, return_index=True, return_inverse=True)
    weights = np.bincount(place, words.weights, len(rows)).astype(np.float64)
    return WeightedWords(words.vectors[first], weights, rows)


def gloss_words(static: StaticVectors, word: str, sense: Sense) -> WeightedWords:
    """Return the words of the gloss of a meaning."""
    return _weighted(static, [([token.text for token in tokenize(sense.gloss)], [word])])


def joined_words(parts: Sequence[WeightedWords]) -> WeightedWords:
    """Concatenate words."""
    return WeightedWords(
        np.concatenate([part.vectors for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.rows for part in parts]),
    )


def match(uses: Sequence[WeightedWords], meanings: Sequence[WeightedWords]) -> Matches:
    """Compare the context words of ``n`` uses with the words of ``S`` meanings."""
    mean, nearest = (np.zeros((len(uses), len(meanings))) for _ in range(2))
    counts = np.array([len(use.weights) for use in uses])
    if not counts.any():
        return Matches(total=mean, mean=mean, nearest=nearest, weight=np.zeros(len(uses)))
    vectors = np.concatenate([use.vectors for use in uses])
    weights = np.concatenate([use.weights for use in uses])
    owner = np.repeat(np.arange(len(uses)), counts)
    weight_of_use = np.maximum(np.bincount(owner, weights, len(uses)), 1e-12)
    for s, meaning in enumerate(meanings):
        if not len(meaning.weights):
            mean[:, s] = (
                np.bincount(owner, weights * np.log(_MIN_DENSITY), len(uses)) / weight_of_use
            )
        else:
            cosines = vectors @ meaning.vectors.T
            density = np.exp(_SHARPNESS * (cosines - 1)) @ meaning.weights / meaning.weights.sum()
            mean[:, s] = (
                np.bincount(owner, weights * np.log(density + _MIN_DENSITY), len(uses))
                / weight_of_use
            )
            nearest[:, s] = (
                np.bincount(owner, weights * cosines.max(axis=1), len(uses)) / weight_of_use
            )
    total = mean * np.minimum(weight_of_use, _MAX_CONTEXT)[:, None]
    return Matches(total=total, mean=mean, nearest=nearest, weight=weight_of_use)


def _context(use: Use) -> tuple[Sequence[str], Sequence[str]]:
    """Return the tokens around a use, and those of the use."""
    around = (*use.tokens[: use.token_start], *use.tokens[use.token_end :])
    return around, use.tokens[use.token_start : use.token_end]


def _weighted(
    static: StaticVectors, contexts: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> WeightedWords:
    """Weigh tokens as around a word, which is one word of one or more tokens.

    The contexts, each with its word, are looked up at once.
    """
    tokens = [token for around, _ in contexts for token in around]
    rows = static.rows_of([*tokens, *(token for _, word in contexts for token in word)])
    vectors = unit(static.vectors_at(rows).cpu().numpy())
    shares = np.array([static.share_of(token) for token in tokens])
    weights = np.zeros(len(tokens))
    start, own_start = 0, len(tokens)
    for around, word in contexts:
        end, own_end = start + len(around), own_start + len(word)
        own = unit(vectors[own_start:own_end].mean(axis=0))
        weights[start:end] = context_weights(vectors[start:end], shares[start:end], own)
        start, own_start = end, own_end
    directions = vectors[: len(tokens)]
    kept = (weights > _MIN_WEIGHT) & directions.any(axis=1)
    of_tokens = rows.cpu().numpy()[: len(tokens)].astype(np.int32)
    return WeightedWords(directions[kept], weights[kept], of_tokens[kept])

"""Features of a use of a word, from which its meaning is predicted.

The views of a use, each about the mean of all uses and of length 1:

- ``words``: the words of the sentence around it, as static vectors, the rare and the related ones
  weighing more;
- ``expected``: the words that the language model expects in its place, as static vectors;
- ``layer 1``, ``layer 2``, …: layers of the encoder;
- ``context``: the states of the language model just before and just after the word, which have not
  read it.

An encoder without an output layer has no ``expected``, one that is not a language model has no
``context`` either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.encoders.use_vectors import UseVectors, use_batches
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.text.uses import Use

WORDS = "words"
EXPECTED = "expected"
CONTEXT = "context"
Vectors = NDArray[np.float32]

# A word whose vector equals that of the compared word weighs e^2 times as much as an orthogonal
# one: related words indicate the meaning.
_RELATED_WEIGHT = 2.0


def layer_view(layer: int) -> str:
    """Return the name of the view of an encoder layer."""
    return f"layer {layer}"


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Scale ``[..., D]`` to length 1; keep zero vectors."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12), np.float32)


def centred(vectors: NDArray[np.floating], centre: NDArray[np.floating]) -> Vectors:
    """Centre ``[n, D]`` on ``[D]`` and scale to length 1.

    A zero vector, which stands for an unknown word, stays zero.
    """
    has_vector = np.abs(vectors).max(axis=1, keepdims=True) > 0
    return unit(np.where(has_vector, vectors - centre, 0.0))


def extract(
    encoder: Encoder,
    static: StaticVectors,
    expected: ExpectedWords | None,
    uses: Sequence[Use],
    layers: Sequence[int],
    on_done: Callable[[int], object] | None = None,
) -> dict[str, Vectors]:
    """Return the views of ``n`` uses, ``[n, D]`` each, not yet centred.

    Each sentence is encoded once, whatever the number of uses in it.

    Args:
        encoder: reads the sentences.
        static: vectors of the words around a use.
        expected: the words that the encoder expects in a place, if it has an output layer.
        uses: in any order.
        layers: the encoder layers to read.
        on_done: called with the number of uses of each batch.
    """
    views: dict[str, Vectors] = {}
    for rows, read in use_batches(encoder, uses):
        for name, part in views_of(static, expected, [uses[k] for k in rows], read, layers).items():
            if name not in views:
                views[name] = np.zeros((len(uses), part.shape[1]), np.float32)
            views[name][rows] = part
        if on_done is not None:
            on_done(len(rows))
    return views


def views_of(
    static: StaticVectors,
    expected: ExpectedWords | None,
    uses: Sequence[Use],
    read: UseVectors,
    layers: Sequence[int],
) -> dict[str, Vectors]:
    """Return the views of uses that are already encoded; see :func:`extract`."""
    views: dict[str, Vectors] = {layer_view(k): read.layers[k].numpy() for k in layers}
    if read.before is not None and read.after is not None:
        views[CONTEXT] = torch.cat([read.before[-1], read.after[-1]], dim=-1).numpy()
        if expected is not None:
            views[EXPECTED] = expected(uses, read)
    words = np.zeros((len(uses), static.width), np.float32)
    for _, group in groupby(range(len(uses)), lambda k: uses[k].tokens):
        rows = list(group)
        words[rows] = context_vectors(static, [uses[k] for k in rows])
    views[WORDS] = words
    return views


def context_vectors(static: StaticVectors, uses: Sequence[Use]) -> Vectors:
    """Return ``[n, S]`` vectors of the words around ``n`` uses in one sentence.

    A vector is zero if no other word is known.

    A use of several tokens is left out as a whole, and its vector is the mean of its tokens.
    """
    tokens = uses[0].tokens
    vectors = static.vectors_of(tokens).cpu().numpy()
    shares = np.array([static.share_of(token) for token in tokens])
    contexts = []
    for use in uses:
        keep = np.r_[0 : use.token_start + 1, use.token_end : len(tokens)]
        outside = vectors[keep]
        outside[use.token_start] = vectors[use.token_start : use.token_end].mean(axis=0)
        contexts.append(context_vector(outside, shares[keep], use.token_start))
    return np.stack(contexts)


def context_vector(
    vectors: NDArray[np.floating],
    shares: NDArray[np.floating],
    index: int,
    related: float = _RELATED_WEIGHT,
) -> Vectors:
    """Return the words around one word as a unit vector ``[D]``.

    The vector is zero if no other word is known.

    A bag of words: rare words (SIF: Arora, Liang and Ma, 2017) and words related to the word itself
    weigh more; ``related`` sets the weight of the latter. The word is left out, and so is every
    token with the same vector.

    Args:
        vectors: ``[T, D]`` static vectors of the tokens of a sentence, zero for unknown ones.
        shares: ``[T]`` how often each comes among all words, from 0 to 1.
        index: the word.
        related: how much a related word weighs.
    """
    directions = unit(vectors)
    weights = context_weights(directions, shares, directions[index], related)
    weights[index] = 0.0
    return unit((directions * weights[:, None]).sum(axis=0))


def context_weights(
    directions: NDArray[np.floating],
    shares: NDArray[np.floating],
    word: NDArray[np.floating],
    related: float = _RELATED_WEIGHT,
) -> NDArray[np.float64]:
    """Weigh ``[T, D]`` unit vectors of the words around a word ``[D]``.

    See :func:`context_vector`.
    """
    alike = directions @ word  # zero where the word itself is unknown
    weights = rarity(np.asarray(shares, np.float64)) * np.exp(related * alike)
    weights[alike > 1 - 1e-5] = 0.0
    return np.asarray(weights, np.float64)


def join(
    views: Mapping[str, Vectors], centres: Mapping[str, Vectors], weights: Mapping[str, float]
) -> Vectors:
    """Concatenate the weighted views to ``[n, sum of D]``.

    Each view is centred, scaled to length 1 and multiplied by the root of its weight.

    The dot product of two rows is the weighted sum of the cosines in the views.
    """
    return np.concatenate(
        [weight**0.5 * centred(views[name], centres[name]) for name, weight in weights.items()],
        axis=1,
    )

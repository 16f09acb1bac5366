"""What a use of a word is compared by: a layer of the model, the words around it, or both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.static_vectors import rarity

#: The words around the use, as static vectors: no model reads the sentence.
WORDS = "words"
#: The first layer that reads the sentence, beside the words around the use: groups match senses better so than with another
#: layer, or the mean, beside them.
BOTH = "both"
# A word whose vector is that of the use's own word counts e^2 times as much as one at right angles to it: of all that stands in
# a sentence, what goes with the word tells its sense. Of 0 to 3 the best.
_RELATED = 2.0


def view_names(layers: Sequence[str]) -> tuple[str, ...]:
    """The layers (with their mean) and what else a use can be compared by."""
    return (*layers, WORDS, BOTH)


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """``[..., D]`` with length 1; the zero vector stays."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12), np.float32)


def surroundings(
    vectors: NDArray[np.floating], shares: NDArray[np.floating], index: int, related: float = _RELATED
) -> NDArray[np.float32]:
    """The words around one word as one vector ``[D]`` of length 1, or zero where no other word is known: rare ones (SIF: Arora,
    Liang and Ma, 2017) and related ones weigh more, the latter the more, the higher ``related``.

    Their order does not count. The word itself is left out, and so is every token that has its very vector. Given are ``[T, D]``
    static vectors of the tokens of the sentence, zero for unknown ones, and ``[T]`` how often each comes among all words, from 0 to
    1.
    """
    directions = unit(vectors)
    alike = directions @ directions[index]  # zero where the word itself is unknown
    weights = rarity(np.asarray(shares, np.float64)) * np.exp(related * alike)
    weights[alike > 1 - 1e-5] = 0.0
    weights[index] = 0.0
    return unit((directions * weights[:, None]).sum(axis=0))


def view_of(
    name: str, layers: NDArray[np.floating], names: Sequence[str], around: NDArray[np.floating]
) -> NDArray[np.float32]:
    """The uses in one of :func:`view_names`, from ``[L, n, D]`` without their mean and ``[n, S]`` what :func:`surroundings` gives;
    ``names`` are those of the layers and, if there are several, their mean. The cosine of two rows is what is said of the two uses.
    """
    if name == WORDS:
        return unit(around)
    if name == BOTH:
        return unit(np.concatenate([unit(layers[min(1, len(layers) - 1)]), unit(around)], axis=1))
    k = list(names).index(name)
    return unit(layers[k] if k < len(layers) else layers.mean(axis=0))


def told(vectors: NDArray[np.floating], shares: NDArray[np.floating], index: int) -> float:
    """How much a sentence tells of one of its words: how many others are known in it, rare ones counting 1, "the" next to nothing;
    from ``[T, D]`` and ``[T]`` as in :func:`surroundings`.
    """
    weights = rarity(np.asarray(shares, np.float64)) * vectors.any(axis=1)
    weights[index] = 0.0
    return float(weights.sum())

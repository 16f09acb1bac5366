"""Which words around the uses of one group are characteristic of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.static_vectors import rarity
from elmo_tasks.text.word_forms import are_inflections

# Rarer words name a topic better: the weight of the surroundings (SIF), damped.
_DAMPED = 0.5
# Of one use's support for a word, so much is the word standing there itself: it must be like other uses' words, too.
_ITSELF = 0.7


def characteristic_words(
    groups: Sequence[Sequence[Sequence[str]]],
    vectors_of: Callable[[Sequence[str]], NDArray[np.floating]],
    share_of: Callable[[str], float],
    leave_out: Callable[[str], bool],
    most: int = 5,
) -> tuple[tuple[str, ...], ...]:
    """The words around the uses of a group that are like the other words there, and unlike those of any other group: in lower case,
    the most characteristic first, fewer than asked, or none, where there are no more.

    A use supports a word as much as its most similar word is like it (the squared cosine of their static vectors); a word stands
    for the group whose uses support it more than those of every other group do. Counting words alone (log-odds with a prior:
    Monroe, Colaresi and Quinn, 2008) needs more text: of a dozen uses nearly every word is there once, and common words come out
    first.

    Given are the words around each use, use by use, group by group; ``n`` words -> ``[n, D]``, zero for one that has no vector; how
    often a word comes among all words, from 0 to 1; and which words, in lower case, name nothing: stop words, and the word itself.
    """
    kept = [
        [{w for w in map(str.casefold, use) if w.isalpha() and not leave_out(w)} for use in group] for group in groups
    ]
    words = sorted({word for group in kept for use in group for word in use})
    if not words:
        return tuple(() for _ in groups)
    vectors = np.asarray(vectors_of(words), np.float64)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    alike = np.maximum(unit @ unit.T, 0.0) ** 2
    row = {word: k for k, word in enumerate(words)}
    support = np.stack([_support(alike, [[row[w] for w in use] for use in group]) for group in kept])  # [groups, words]
    weight = rarity(np.array([share_of(word) for word in words])) ** _DAMPED
    named = []
    for g, group in enumerate(kept):
        others = np.delete(support, g, axis=0)
        rival = others.max(axis=0) if len(others) else np.zeros(len(words))
        scores = (support[g] - _ITSELF / max(1, len(group)) - rival) * weight
        there = {row[word] for use in group for word in use}
        chosen: list[str] = []
        for k in sorted(there, key=lambda k: (-scores[k], words[k])):
            if len(chosen) == most or scores[k] <= 0:
                break
            if not any(are_inflections(words[k], other) for other in chosen):
                chosen.append(words[k])
        named.append(tuple(chosen))
    return tuple(named)


def _support(alike: NDArray[np.float64], uses: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """``[words]`` how much the uses of a group support each word, on average."""
    rows = [alike[:, list(use)].max(axis=1) if use else np.zeros(len(alike)) for use in uses]
    return np.mean(rows, axis=0) if rows else np.zeros(len(alike))

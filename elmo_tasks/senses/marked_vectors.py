"""Vectors of marked words in every view that can speak of their meaning; the rest of the sentences is not kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.layers.views import layer_names
from elmo_tasks.senses.calibration import Calibration
from elmo_tasks.senses.expected_words import EXPECTED, ExpectedWords
from elmo_tasks.senses.views_of_uses import WORDS, surroundings, told, unit, view_names, view_of
from elmo_tasks.uses import Use, use_batches

#: What the model knows of a word without having read it: the top forward state before it, the top backward state behind it.
BEFORE_AFTER = "before/after"
#: All that the verdict on two uses is read from.
VERDICT = "verdict"


@dataclass(frozen=True)
class MarkedVectors:
    """Marked words of one data set; a word of several tokens is the mean of them."""

    layers: NDArray[np.float16]  #: ``[L, n, D]``
    #: ``[n, D]`` (see :data:`BEFORE_AFTER`); None where the encoder does not read in two directions
    before_after: NDArray[np.float16] | None
    #: ``[n, S]`` the words around the word (see :func:`~elmo_tasks.senses.views_of_uses.surroundings`)
    around: NDArray[np.float16]
    #: ``[n, S]`` what the model would have written there; None where it was not asked
    expected: NDArray[np.float16] | None = None
    calibration: Calibration | None = None  #: what the verdict is read from; None where no verdict is given
    #: ``[n]`` how much each sentence tells of its word (:func:`~elmo_tasks.senses.views_of_uses.told`); None if not asked
    told: NDArray[np.float64] | None = None

    def view(self, name: str) -> NDArray[np.float32]:
        """``[n, D]`` of length 1 in one of :func:`all_views`."""
        if name == BEFORE_AFTER and self.before_after is not None:
            return unit(self.before_after.astype(np.float32))
        if name == EXPECTED and self.expected is not None:
            return self.expected.astype(np.float32)
        if name == WORDS:
            return unit(self.around.astype(np.float32))
        if name == VERDICT and self.calibration is not None:
            return self.calibration.joined(self.view)
        names = layer_names(len(self.layers))
        if name in names[: len(self.layers)]:  # the others need not be widened
            return unit(self.layers[names.index(name)].astype(np.float32))
        return view_of(name, self.layers.astype(np.float32), names, self.around.astype(np.float32))


def all_views(encoder: Encoder, writes: bool = False, judges: bool = False) -> tuple[str, ...]:
    """The layers, their mean, and what else a use can be compared by in this encoder, which is asked what it would have written or
    not, and of which it is known what its verdict is read from, or not.
    """
    layers = layer_names(encoder.n_layers)
    extra: tuple[str, ...] = (BEFORE_AFTER,) if encoder.language_model is not None else ()
    extra += (EXPECTED,) if writes else ()
    return (*layers, *extra, *view_names(layers)[len(layers) :], *((VERDICT,) if judges else ()))


def marked_vectors(
    encoder: Encoder,
    static: StaticVectors,
    words: Sequence[Use],
    step: Callable[[int], object] | None = None,
    expected: ExpectedWords | None = None,
) -> MarkedVectors:
    """Encode the sentences of marked words in any order, each sentence once, however many of them stand in it; ``step`` is told how
    many words more are done. What the encoder would have written is asked where ``expected`` is given.
    """
    n, width = len(words), encoder.width
    layers = np.zeros((encoder.n_layers, n, width), np.float16)
    near = np.zeros((n, width), np.float16) if encoder.language_model is not None else None
    around = np.zeros((n, static.width), np.float16)
    written = np.zeros((n, static.width), np.float16) if expected is not None else None
    tell = np.zeros(n)
    for numbers, found in use_batches(encoder, words):
        layers[:, numbers] = found.layers.numpy()
        if near is not None and found.before is not None and found.after is not None:
            near[numbers] = torch.cat([found.before[-1], found.after[-1]], dim=-1).numpy()
            if expected is not None and written is not None:
                written[numbers] = expected([words[k] for k in numbers], found)
        for _, of_sentence in groupby(numbers, lambda k: words[k].tokens):
            mine = list(of_sentence)
            around[mine], tell[mine] = _around(static, [words[k] for k in mine])
        if step is not None:
            step(len(numbers))
    return MarkedVectors(layers, near, around, written, told=tell)


def words_around(static: StaticVectors, use: Use) -> NDArray[np.float32]:
    """``[S]`` the words around a use: see :func:`elmo_tasks.senses.views_of_uses.surroundings`."""
    return _around(static, [use])[0][0]


def told_of(static: StaticVectors, use: Use) -> float:
    """How much its sentence tells of a use: see :func:`elmo_tasks.senses.views_of_uses.told`."""
    return float(_around(static, [use])[1][0])


def density_of(static: StaticVectors, use: Use) -> float:
    """How near other words stand to the word of a use (:meth:`StaticVectors.density`); of several tokens the mean."""
    return float(np.mean([static.density(token) for token in use.tokens[use.token_start : use.token_end]]))


def _around(static: StaticVectors, words: Sequence[Use]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """``[words, S]`` and ``[words]`` of one sentence; a word is left out as a whole, of however many tokens it is, and its vector
    is their mean.
    """
    sentence = words[0].tokens
    vectors = static.vectors_of(sentence).cpu().numpy()
    shares = np.array([static.share_of(token) for token in sentence])
    found, tell = [], []
    for word in words:
        keep = np.r_[0 : word.token_start + 1, word.token_end : len(sentence)]
        outside = vectors[keep]
        outside[word.token_start] = vectors[word.token_start : word.token_end].mean(axis=0)
        found.append(surroundings(outside, shares[keep], word.token_start))
        tell.append(told(outside, shares[keep], word.token_start))
    return np.stack(found), np.array(tell)

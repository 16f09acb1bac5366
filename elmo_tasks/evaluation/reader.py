"""Vectors of marked words or of all tokens, with progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from elmo_tasks.encoders.batches import token_vectors
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.use_vectors import use_batches
from elmo_tasks.layers import MEAN, layer_names
from elmo_tasks.senses.disambiguation import SenseModel
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.features import CONTEXT, EXPECTED, WORDS, Vectors, unit, views_of
from elmo_tasks.text.uses import Use

#: The states of the language model just before and just after the word, which have not read it.
BEFORE_AFTER = "before/after"
#: The embedding of the sense model, which joins all views.
MEANINGS = "meanings"
#: Features of uses -> their views here.
_VIEWS = {CONTEXT: BEFORE_AFTER, EXPECTED: EXPECTED, WORDS: WORDS, MEANINGS: MEANINGS}


@dataclass(frozen=True)
class UseViews:
    """Marked words of one data set in every view, in half precision.

    A word of several tokens is the mean of them.
    """

    layers: NDArray[np.float16]  #: ``[L, n, D]``
    others: dict[str, NDArray[np.float16]]  #: ``[n, D]`` of each view that is no layer

    def view(self, name: str) -> NDArray[np.float32]:
        """Return ``[n, D]`` unit vectors of one of :attr:`Reader.views`."""
        if name in self.others:
            return unit(self.others[name].astype(np.float32))
        if name == MEAN:
            return unit(self.layers.mean(axis=0, dtype=np.float32))
        return unit(self.layers[int(name)].astype(np.float32))


@dataclass(frozen=True)
class Reader:
    """Encoder of the words and sentences of a test."""

    encoder: Encoder
    static: StaticVectors  #: vectors of the words around a use
    expected: ExpectedWords | None = None  #: None for an encoder without an output layer
    senses: SenseModel | None = None  #: None for an encoder without calibration
    layers_only: bool = False  #: True to measure only the layers and their mean

    @property
    def views(self) -> tuple[str, ...]:
        """Views of marked words."""
        sources = {
            BEFORE_AFTER: self.encoder.language_model,
            EXPECTED: self.expected,
            WORDS: self.static,
            MEANINGS: self.senses,
        }
        others = (
            []
            if self.layers_only
            else [view for view, source in sources.items() if source is not None]
        )
        return (*layer_names(self.encoder.n_layers), *others)

    def words(self, words: Sequence[Use], what: str) -> UseViews:
        """Vectors of marked words; ``what`` labels the progress bar."""
        n, all_layers = len(words), range(self.encoder.n_layers)
        layers = np.zeros((self.encoder.n_layers, n, self.encoder.width), np.float16)
        others: dict[str, NDArray[np.float16]] = {}
        with progress(what, n, "word") as bar:
            for rows, read in use_batches(self.encoder, words):
                layers[:, rows] = read.layers.numpy()
                uses = [words[k] for k in rows]
                parts: dict[str, Vectors] = views_of(
                    self.static, self.expected, uses, read, all_layers
                )
                if self.senses is not None:
                    parts[MEANINGS] = self.senses.calibration.embed(parts)
                for name, view in _VIEWS.items():
                    if name in parts:
                        others.setdefault(view, np.zeros((n, parts[name].shape[1]), np.float16))[
                            rows
                        ] = parts[name]
                bar.update(len(rows))
        return UseViews(layers, others)

    def tokens(
        self, sentences: Sequence[tuple[str, ...]], what: str
    ) -> Iterator[tuple[str, NDArray[np.float16]]]:
        """Yield the name and ``[n, D]`` vectors of each layer and of their mean."""
        ends = np.cumsum([len(sentence) for sentence in sentences])
        values = np.zeros((self.encoder.n_layers, int(ends[-1]), self.encoder.width), np.float16)
        with progress(what, len(values[0]), "word") as bar:
            for k, layers in token_vectors(self.encoder, sentences):
                values[:, ends[k] - len(sentences[k]) : ends[k]] = layers
                bar.update(len(sentences[k]))
        for name in layer_names(len(values)):
            is_mean = name == MEAN
            yield (
                name,
                values.mean(axis=0, dtype=np.float32).astype(np.float16)
                if is_mean
                else values[int(name)],
            )


def progress(what: str, total: int, unit: str) -> tqdm:
    """Return a progress bar on stderr, which disappears when it is closed."""
    return tqdm(total=total, desc=what, unit=unit, unit_scale=True, leave=False, mininterval=1.0)

"""Vectors of marked words or of all tokens, with progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from elmo_tasks.encoders.batches import token_vectors
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.layers.views import MEAN, layer_names
from elmo_tasks.senses.calibration import Calibration
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.marked_vectors import MarkedVectors, all_views, marked_vectors
from elmo_tasks.uses import Use


@dataclass(frozen=True)
class Reader:
    """An encoder at work."""

    encoder: Encoder  #: the encoder to evaluate
    static: StaticVectors  #: vectors of the words around a use
    #: predicted words in the place of a use; None for an encoder without an output layer
    expected: ExpectedWords | None = None
    calibration: Calibration | None = None  #: its calibration; None for an uncalibrated encoder
    layers_only: bool = False  #: True to read the layers and their mean only

    @property
    def views(self) -> tuple[str, ...]:
        """Views of marked words."""
        if self.layers_only:
            return layer_names(self.encoder.n_layers)
        return all_views(self.encoder, self.expected is not None, self.calibration is not None)

    def words(self, words: Sequence[Use], what: str) -> MarkedVectors:
        """Compute vectors of marked words; ``what`` labels the progress bar."""
        with progress(what, len(words), "word") as bar:
            found = marked_vectors(self.encoder, self.static, words, bar.update, self.expected)
        return replace(found, calibration=self.calibration)

    def tokens(self, sentences: Sequence[tuple[str, ...]], what: str) -> Iterator[tuple[str, NDArray[np.float16]]]:
        """Yield the name and ``[n, D]`` vectors of each layer and of their mean."""
        ends = np.cumsum([len(sentence) for sentence in sentences])
        values = np.zeros((self.encoder.n_layers, int(ends[-1]), self.encoder.width), np.float16)
        with progress(what, len(values[0]), "word") as bar:
            for k, found in token_vectors(self.encoder, sentences):
                values[:, ends[k] - len(sentences[k]) : ends[k]] = found
                bar.update(len(sentences[k]))
        for name in layer_names(len(values)):
            mean = values.mean(axis=0, dtype=np.float32).astype(np.float16) if name == MEAN else None
            yield name, values[int(name)] if mean is None else mean


@contextmanager
def progress(what: str, total: int, unit: str) -> Iterator[tqdm]:
    """A bar on stderr that goes when it is full."""
    with tqdm(total=total, desc=what, unit=unit, unit_scale=True, leave=False, mininterval=1.0) as bar:
        yield bar

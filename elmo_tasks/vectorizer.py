"""Vectors of sentences in pipelines of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from elmo_tasks.encoders import Encoder, load
from elmo_tasks.encoders.grouping import by_length
from elmo_tasks.encoders.sentences import TextOrTokens, checked_sentences
from elmo_tasks.errors import ConfigError
from elmo_tasks.layers import masked_mean

_BATCH_TOKENS = 4096


class ElmoVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The mean over the tokens of each sentence, by a frozen encoder.

    Nothing is learned from data. The encoder is loaded when it is first needed; clones and pickles
    hold its name alone. Example: ``make_pipeline(ElmoVectorizer(), LogisticRegression())``.

    Args:
        model: name or folder of an encoder; the bundled biLM if ``None``.
        layer: number of the layer, 0 being the one without context and -1 the top one; ``"mean"``
            for the mean of all layers.
        batch_size: sentences that are encoded at once, at most.
        precision: ``"float32"`` or ``"int8"``, see :meth:`elmo_tasks.encoders.elmo.Elmo.load`.
        device: where to compute; by default a GPU if there is one.
    """

    def __init__(
        self,
        model: str | None = None,
        layer: int | str = "mean",
        *,
        batch_size: int = 64,
        precision: str = "float32",
        device: str | None = None,
    ) -> None:
        self.model = model
        self.layer = layer
        self.batch_size = batch_size
        self.precision = precision
        self.device = device

    def fit(self, sentences: Iterable[TextOrTokens], y: Any = None) -> ElmoVectorizer:
        """Load the encoder and check the parameters; the sentences are not read."""
        encoder = self._encoder()
        layers = (*range(-encoder.n_layers, encoder.n_layers), "mean")
        if self.layer not in layers or isinstance(self.layer, bool):
            raise ConfigError(
                f"layer: expected 0 to {encoder.n_layers - 1} or 'mean', found {self.layer!r:.40}"
            )
        if self.batch_size < 1:
            raise ConfigError(f"batch_size: expected 1 or more, found {self.batch_size}")
        return self

    def transform(self, sentences: Iterable[TextOrTokens]) -> NDArray[np.float32]:
        """Return ``[n, D]`` vectors of texts or lists of tokens, zeros for none."""
        self.fit(())
        given = checked_sentences(sentences)
        encoder = self._encoder()
        vectors = np.zeros((len(given), encoder.width), np.float32)
        for chosen in by_length(
            [len(sentence) for sentence in given], self.batch_size, _BATCH_TOKENS * 6
        ):
            with torch.no_grad():
                layers = encoder.encode([given[k] for k in chosen])
                values = (
                    layers.average() if self.layer == "mean" else layers.values[int(self.layer)]
                )
                vectors[chosen] = masked_mean(values, layers.mask).float().cpu().numpy()
        return vectors

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the ``D`` numbers."""
        return np.array([f"elmo{k}" for k in range(self._encoder().width)], dtype=object)

    def _encoder(self) -> Encoder:
        key = (self.model, self.precision, self.device)
        loaded: tuple[Any, Encoder] | None = self.__dict__.get("_loaded")
        if loaded is None or loaded[0] != key:
            self._loaded = loaded = (key, load(self.model, self.device, self.precision))
        return loaded[1]

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __getstate__(self) -> dict[str, Any]:
        """Parameters without the weights."""
        return {name: value for name, value in super().__getstate__().items() if name != "_loaded"}

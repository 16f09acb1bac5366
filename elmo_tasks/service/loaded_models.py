"""Registry of the available models: load each on first use, and read its card."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_tasks.api import for_everybody
from elmo_tasks.bilm.int8 import checked_precision
from elmo_tasks.bilm.model_files import bundled_models
from elmo_tasks.encoders import Encoder, FoundEncoder, find
from elmo_tasks.encoders.static_vectors import StaticVectors, bundled_vectors
from elmo_tasks.errors import ConfigError, InputError
from elmo_tasks.layers.device import checked_device
from elmo_tasks.layers.views import layer_names
from elmo_tasks.senses.disambiguation import SenseModel
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.similarity import random_pairs
from elmo_tasks.service.sense_models import load_sense_model


@dataclass(frozen=True)
class LoadedModel:
    """A model in memory, with its calibration for meanings."""

    encoder: Encoder  #: the encoder
    names: tuple[str, ...]  #: names of its layers, the mean included
    static: StaticVectors  #: static vectors of the words around a use
    expected: ExpectedWords | None  #: ``None`` for a model without an output layer
    senses: SenseModel | None  #: ``None`` if the model has no calibration
    random_pair: tuple[float, ...]  #: mean cosine of two random words at each layer and in the mean

    @property
    def shown_layer(self) -> int:
        """Position of the layer shown first.

        This is the top layer or, in a deep model, the layer that separates meanings best.
        """
        deep = self.encoder.n_layers > 3 and self.senses is not None
        return self.senses.calibration.layers[-1] if deep and self.senses else self.encoder.n_layers - 1


#: Returns a model by name, the default one for ``None``; raises :class:`InputError` for an unknown one.
LoadModel = Callable[[str | None], LoadedModel]
#: Returns a model without its calibration, which only comparisons need.
LoadEncoder = Callable[[str | None], Encoder]
#: Returns the static vectors.
LoadStatic = Callable[[], StaticVectors]


class LoadedModels:
    """Load models by name, each once.

    Args:
        model: name or folder of the default model; the one of the program if ``None``.
        device: where to compute; a GPU if there is one and ``None`` is given.
        others: names or folders of more models that a request may ask for, beside those that come with the program.
        may_measure: whether to calibrate, once, a model that came without a calibration.
        precision: of the products of biLMs, ``"float32"`` or ``"int8"``.

    Raises:
        ConfigError: there is no such model, or two of them have one name.
        WeightsError: it is a published model that was not downloaded.
    """

    def __init__(
        self,
        model: str | None = None,
        device: str | None = None,
        others: Sequence[str] = (),
        may_measure: bool = True,
        precision: str = "float32",
    ) -> None:
        self._may_measure, self._precision = may_measure, checked_precision(precision)
        self.device = str(checked_device(device))
        asked = list(dict.fromkeys((model, *others)))
        found = [find(place) for place in asked]
        self._found = {encoder.name: encoder for encoder in found}
        self._places = dict(zip(asked, (encoder.name for encoder in found), strict=True))
        if len(self._found) < len(found):
            raise ConfigError(
                f"two models have one name: {', '.join(encoder.name for encoder in found)}; rename one's folder"
            )
        self.default = found[0].name
        self._models: dict[str, LoadedModel] = {}
        self._encoders: dict[str, Encoder] = {}
        self._static: StaticVectors | None = None
        # Requests run in threads: the lock ensures that each model is loaded once, for heads and comparisons alike.
        self._lock = threading.RLock()

    def names(self) -> tuple[str, ...]:
        """Names that a request may use, the default one first."""
        return tuple(dict.fromkeys([*self._found, *bundled_models(), *bundled_vectors()]))

    def name_of(self, place: str | None) -> str:
        """Return the name of the model with this name or folder."""
        return self._places[place]

    def folder(self, name: str) -> Path | None:
        """Return the local folder of an available model, if there is one, without loading it."""
        return self._find(name).folder

    def allowed(self, model: str | None) -> str:
        """Return the name of the requested model if it is available.

        A path from the network is never opened.
        """
        if model is None or model == self.default:
            return self.default
        if model not in self.names():
            raise InputError(
                f"There is no model “{model[:40]}” here; there is {', '.join(self.names())}.", field="model"
            )
        return model

    def model(self, asked: str | None = None) -> LoadedModel:
        """Return the requested model with its calibration.

        Raises:
            InputError: it is not on offer.
            WeightsError: its files are broken.
        """
        name = self.allowed(asked)
        with self._lock, for_everybody():
            if name not in self._models:
                encoder, static = self.encoder(name), self.static()
                expected = ExpectedWords.load(encoder, static)
                senses = load_sense_model(encoder, static, expected, self._may_measure)
                names = layer_names(encoder.n_layers)
                self._models[name] = LoadedModel(encoder, names, static, expected, senses, random_pairs(encoder))
            return self._models[name]

    def static(self) -> StaticVectors:
        """Return the bundled static vectors."""
        with self._lock:
            if self._static is None:
                self._static = StaticVectors.load()
            return self._static

    def encoder_for(self, asked: str | None) -> Encoder:
        """Return the encoder of the requested model; raise as :meth:`model` does."""
        return self.encoder(self.allowed(asked))

    def encoder(self, name: str) -> Encoder:
        """Return an encoder by a trusted name or folder, without its calibration."""
        with self._lock:
            if name not in self._encoders:
                self._encoders[name] = self._find(name).load(self.device, self._precision)
            return self._encoders[name]

    def _find(self, name: str) -> FoundEncoder:
        return self._found.get(name) or find(name)


def told(folder: Path | None) -> tuple[str, ...]:
    """Describe the training of a model from its card; return nothing without a card."""
    if folder is None:
        return ()
    try:
        card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    if not isinstance(card, dict):
        return ()
    sentences = []
    tasks = _texts(card.get("learned_from"))
    if tasks:
        sentences.append(f"It was trained to predict {'; and '.join(tasks)}.")
    training = card.get("training")
    positions = training.get("positions") if isinstance(training, dict) else None
    if isinstance(positions, int) and positions > 0:
        config = card.get("config")
        start = config.get("start_from") if isinstance(config, dict) and "parts" not in (training or {}) else None
        read = f"read {positions / 1e6:.1f} million words and sentence ends, forwards and backwards."
        sentences.append(
            f"It went on from {Path(start).name} and {read}" if isinstance(start, str) else f"It has {read}"
        )
        if alone := _language_model_alone(training, len(tasks)):
            sentences.append(f"The first {alone / 1e6:.1f} million of them taught it only the first of these tasks.")
    sources = card.get("sources")
    if names := _texts([s.get("what") for s in sources if isinstance(s, dict)] if isinstance(sources, list) else None):
        sentences.append(f"Its text comes from: {'; '.join(dict.fromkeys(names))}.")
    return tuple(sentences)


def _language_model_alone(training: Any, n_tasks: int) -> int:
    """Return the number of positions that trained the language model alone, or 0.

    It is the first part of a training if that part had one task and the whole has more.
    """
    parts = training.get("parts")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], dict) else {}
    positions = first.get("positions")
    one_of_more = len(_texts(first.get("learned_from"))) == 1 < n_tasks
    return positions if one_of_more and isinstance(positions, int) else 0


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []

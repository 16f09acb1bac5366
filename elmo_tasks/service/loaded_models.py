"""Registry of the available models, each loaded on first use."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from elmo_tasks.api import LayerScore, Message, ModelProbes, PaperScores, ProbeResult, uncancellable
from elmo_tasks.bilm.int8 import checked_precision
from elmo_tasks.bilm.model_files import bundled_models
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.devices import checked_device
from elmo_tasks.encoders import Encoder, FoundEncoder, find
from elmo_tasks.encoders.static_vectors import StaticVectors, bundled_vectors
from elmo_tasks.errors import ConfigError, DataError, InputError
from elmo_tasks.evaluation.results import NAME, PUBLISHED, ResultRow, read_probes
from elmo_tasks.files import read_json
from elmo_tasks.layers import layer_names
from elmo_tasks.senses.calibrate import calibrate
from elmo_tasks.senses.calibration_files import models_checksum, read_calibration, write_calibration
from elmo_tasks.senses.disambiguation import SenseModel
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.scoring import SenseCalibration
from elmo_tasks.senses.similarity import everyday_sentences, random_pairs
from elmo_tasks.senses.tagger import Tagger
from elmo_tasks.service.validation import check_choice
from elmo_tasks.weights.cache import cache_folder
from elmo_tasks.wording import duration

#: Maximum seconds for reading the dictionary on first use; a large model reads only
#: part of it.
_READING_SECONDS = 75.0
_FITTING_SECONDS = 45.0
_MIN_USES = 2_000
#: Sentences of the dictionary are about half as long as the everyday ones that are timed.
_RELATIVE_LENGTH = 0.6
_log = logging.getLogger(__name__)
Value = TypeVar("Value")


class OnceCache:
    """Values that are computed on first use, each once, and kept."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._locks: dict[str, threading.RLock] = {}

    def once(self, name: str, compute: Callable[[], Value]) -> Value:
        """Return the value of this name; concurrent requests wait for one computation."""
        with self._locks.setdefault(name, threading.RLock()):
            if name not in self._values:
                self._values[name] = compute()
            value: Value = self._values[name]
            return value


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model in memory, with its calibration for meanings."""

    encoder: Encoder  #: the encoder
    names: tuple[str, ...]  #: names of its layers, the mean included
    static: StaticVectors  #: static vectors of the words around a use
    expected: ExpectedWords | None  #: ``None`` for a model without an output layer
    senses: SenseModel | None  #: ``None`` if the model has no calibration
    random_pair: tuple[float, ...]  #: mean cosine of two random words at each layer and in the mean
    cache: OnceCache = field(default_factory=OnceCache)  #: further measurements of this model

    @property
    def shown_layer(self) -> int:
        """The layer shown first: the top one or, in a deep model, the best for meanings."""
        is_deep = self.encoder.n_layers > 3
        return (
            self.senses.calibration.layers[-1]
            if is_deep and self.senses
            else self.encoder.n_layers - 1
        )

    @property
    def sense_model(self) -> SenseModel:
        """The model of meanings; without one, an :class:`InputError` is raised."""
        if self.senses is None:
            reason = "it was not calibrated, or it reads no sentences"
            raise InputError(
                f"“{self.encoder.name}” predicts no meanings: {reason}.", field="model"
            )
        return self.senses


class LoadedModels:
    """Load models by name, each once.

    Args:
        model: name or folder of the default model; the program's default if ``None``.
        device: where to compute; by default a GPU if there is one.
        others: names or folders of more models that a request may name, beside the bundled ones.
        may_measure: whether to calibrate, once, a model that came without a calibration.
        precision: of the products of biLMs, ``"float32"`` or ``"int8"``.
    """

    def __init__(
        self,
        model: str | None = None,
        device: str | None = None,
        *,
        others: Sequence[str] = (),
        may_measure: bool = True,
        precision: str = "float32",
    ) -> None:
        self._may_measure = may_measure
        self._precision = checked_precision(precision)
        self.device = str(checked_device(device))
        places = list(dict.fromkeys((model, *others)))
        encoders = [find(place) for place in places]
        self._found = {encoder.name: encoder for encoder in encoders}
        self._names = dict(zip(places, (encoder.name for encoder in encoders), strict=True))
        if len(self._found) < len(encoders):
            names = ", ".join(encoder.name for encoder in encoders)
            raise ConfigError(f"two models have the same name: {names}; rename the folder of one")
        self.default = encoders[0].name
        self.place = model or self.default  #: name or folder of the default model
        self.cache = OnceCache()  #: measurements of encoders
        self._once = OnceCache()  # each model is loaded once, for heads and comparisons alike

    def names(self) -> tuple[str, ...]:
        """Names that a request may use, the default one first."""
        return tuple(dict.fromkeys([*self._found, *bundled_models(), *bundled_vectors()]))

    def folder(self, name: str) -> Path | None:
        """Return the local folder of an available model, if there is one, without loading it."""
        return self._find(name).folder

    def allowed(self, model: str | None) -> str:
        """Return the name of an available model; a path from the network is never opened."""
        name = self._names.get(model, model) or self.default
        check_choice(name, self.names(), "model", "model")
        return name

    def model(self, request: str | None = None) -> LoadedModel:
        """Return the requested model with its calibration."""
        name = self.allowed(request)
        with uncancellable():
            return self._once.once(f"model {name}", lambda: self._with_calibration(name))

    def _with_calibration(self, name: str) -> LoadedModel:
        encoder = self.encoder(name)
        static = self.static()
        expected = ExpectedWords.load(encoder, static)
        senses = load_sense_model(encoder, static, expected, self._may_measure)
        return LoadedModel(
            encoder=encoder,
            names=layer_names(encoder.n_layers),
            static=static,
            expected=expected,
            senses=senses,
            random_pair=random_pairs(encoder),
        )

    def static(self) -> StaticVectors:
        """Return the bundled static vectors."""
        return self._once.once("static vectors", StaticVectors.load)

    def encoder(self, name: str) -> Encoder:
        """Return an encoder by a trusted name or folder, without its calibration."""
        return self._once.once(
            f"encoder {name}", lambda: self._find(name).load(self.device, self._precision)
        )

    def _find(self, name: str) -> FoundEncoder:
        return self._found.get(name) or find(name)


def load_sense_model(
    encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None, may_fit: bool = True
) -> SenseModel | None:
    """Load the sense model of an encoder, or fit it on first use.

    It is ``None`` for an encoder that reads no sentence, or one without a calibration unless
    ``may_fit``.
    """
    if not encoder.reads_sentence:
        return None
    checksum = models_checksum(encoder, static, expected)
    cached = cached_folder(checksum)
    for folder in (encoder.folder, cached):
        found = None if folder is None else read_calibration(folder, checksum)
        if found is not None:
            calibration, vectors = found
            tagger = Tagger.load(encoder)
            return SenseModel(
                encoder, static, expected, calibration=calibration, centroids=vectors, tagger=tagger
            )
    return _fit(encoder, static, expected, cached) if may_fit else None


def cached_folder(checksum: str) -> Path:
    """Return the cache folder for the calibration of a model that came without one."""
    return cache_folder() / "meanings" / checksum[:16]


def _fit(
    encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None, cached: Path
) -> SenseModel:
    began = time.perf_counter()
    random_pairs(encoder)
    per_sentence = _RELATIVE_LENGTH * (time.perf_counter() - began) / len(everyday_sentences())
    max_uses = max(_MIN_USES, int(_READING_SECONDS / max(per_sentence, 1e-6)))
    _log.warning(
        "%s: this model is calibrated on the dictionary once, which takes %s; the result is kept in"
        " %s. To skip this: --no-calibration",
        encoder.name,
        duration(min(_READING_SECONDS, max_uses * per_sentence) + _FITTING_SECONDS),
        cached,
    )
    calibration, vectors = fit_calibration(encoder, static, expected, max_uses)
    try:
        write_calibration(cached, calibration, vectors)
    except OSError as error:  # the home folder is read-only: the next start fits it again
        _log.warning("%s could not be written: %s", cached, error)
    tagger = Tagger.load(encoder)
    return SenseModel(
        encoder, static, expected, calibration=calibration, centroids=vectors, tagger=tagger
    )


def fit_calibration(
    encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None, max_uses: int | None
) -> tuple[SenseCalibration, dict[str, Vectors]]:
    """Fit the meanings of an encoder on ``max_uses`` uses of the dictionary."""
    with tqdm(
        total=100, unit="%", desc=f"reading the dictionary with {encoder.name}", leave=False
    ) as bar:
        lexicon = bundled_lexicon()
        return calibrate(
            encoder,
            static,
            expected,
            lexicon,
            max_uses,
            lambda share: bar.update(round(100 * share) - bar.n),
        )


def describe_training(folder: Path | None) -> tuple[str, ...]:
    """Describe the training of a model in sentences, none without a readable card."""
    sentences: list[str] = []
    try:
        card = read_json(folder / "card.json") if folder is not None else {}
        tasks = card.get("learned_from", [])
        training = card.get("training", {})
        if tasks:
            sentences.append(f"It was trained to predict {'; and '.join(tasks)}.")
        if positions := training.get("positions"):
            parts = training.get("parts")
            start = None if parts else card.get("config", {}).get("start_from")
            begin = (
                "It has read" if start is None else f"It started from {Path(start).name} and read"
            )
            n = f"{positions / 1e6:.1f} million"
            sentences.append(f"{begin} {n} words and sentence ends, forwards and backwards.")
            if parts and len(parts[0].get("learned_from", [])) == 1 < len(tasks):
                n = f"{parts[0]['positions'] / 1e6:.1f} million"
                sentences.append(f"The first {n} of them taught it only the first of these tasks.")
        if names := [source["what"] for source in card.get("sources", []) if "what" in source]:
            sentences.append(f"Its text comes from: {'; '.join(dict.fromkeys(names))}.")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ()
    return tuple(sentences)


def dictionary_layers(folder: Path | None) -> tuple[str, ...]:
    """Return the layers that were also trained on the dictionary, by the card of a model."""
    try:
        layers = (
            read_json(folder / "card.json").get("dictionary_layers", [])
            if folder is not None
            else []
        )
        return tuple(str(int(layer)) for layer in layers)
    except (OSError, ValueError, TypeError, AttributeError):
        return ()


def read_measurements(models: LoadedModels) -> tuple[ModelProbes, ...]:
    """Implement :meth:`elmo_tasks.api.Service.probes`."""
    default, *others = models.names()
    # only models with measurements are loaded
    folders = {name: models.folder(name) for name in others}
    measured = [
        _measurements(models, name)
        for name, folder in folders.items()
        if folder and (folder / NAME).is_file()
    ]
    return (_measurements(models, default), *(model for model in measured if model.results))


def _measurements(models: LoadedModels, name: str) -> ModelProbes:
    encoder = models.encoder(name)
    folder = models.folder(name)
    # The page may be public: do not show the path on this machine.
    shown = f"{CHECKPOINTS.name}/{name}" if folder == CHECKPOINTS / name else name
    command = f"elmo-tasks evaluate --probes --model {name} --out {shown}/{NAME}"
    results: tuple[ProbeResult, ...] = ()
    remark = "It was not measured yet."
    if folder is not None and (folder / NAME).is_file():
        try:
            measured = read_probes(folder / NAME)
            results = tuple(_result(row) for row in measured.rows if row.is_main)
            remark = ""
            if measured.checksum != encoder.checksum:
                results = ()
                remark = "Other weights than these were measured."
        except DataError as error:
            _log.warning("%s", error)
            remark = f"Its file {NAME} cannot be read."
    return ModelProbes(
        model=name,
        layers=encoder.layer_names,
        command=command,
        results=results,
        message=Message(remark),
    )


def _result(row: ResultRow) -> ProbeResult:
    def scores(by_layer: Mapping[str, float]) -> tuple[LayerScore, ...]:
        return tuple(LayerScore(layer, score) for layer, score in by_layer.items())

    paper = next((paper for paper in PUBLISHED if paper.task == row.task), None)
    published = (
        PaperScores(
            data=paper.data,
            source=paper.source,
            scores=scores(paper.scores),
            same_data=paper.same_data,
        )
        if paper
        else None
    )
    return ProbeResult(
        task=row.task,
        title=row.title,
        unit=row.unit,
        scores=scores(row.scores),
        without=row.without,
        without_name=row.without_name,
        note=row.note,
        paper=published,
    )

"""Application service: implements ``api.Service`` for the UI and the CLI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elmo_tasks import api
from elmo_tasks.api import LIMITS, Comparison, ModelInfo, SideBySide, Substitutes, TextSenses
from elmo_tasks.messages.meanings import not_english_answer
from elmo_tasks.messages.views import model_title
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.service.asked_uses import find_uses
from elmo_tasks.service.comparisons import compare_uses, side_by_side, substitutes
from elmo_tasks.service.loaded_models import LoadedModels, told
from elmo_tasks.service.meanings import MIN_KNOWN_WORDS, known_share, own_entries
from elmo_tasks.service.nearest_uses import NearestSearch
from elmo_tasks.service.present import Presentation
from elmo_tasks.service.probes import MeasuredLayers
from elmo_tasks.service.sense_maps import SenseMaps
from elmo_tasks.service.sentences import Sentences
from elmo_tasks.service.text_senses import text_senses
from elmo_tasks.service.trained_heads import TrainedHeads
from elmo_tasks.service.training_jobs import TrainingJobs
from elmo_tasks.service.why import Explainer
from elmo_tasks.text.tokens import tokenize


class Session:
    """Implements :class:`elmo_tasks.api.Service`.

    It does not keep the user's texts; uploads of training data stay in the folder of runs.

    Args:
        model: name or folder of the model to start with; the default one if ``None``.
        device: where to compute; a GPU if there is one and ``None`` is given.
        runs_dir: where training runs leave their heads.
        training: whether users may train heads from the screen, and upload data for it.
        index: folder of an index of one's own text, to search beside the dictionary.
        others: see :class:`LoadedModels`.
        may_measure: see :class:`LoadedModels`; an uncalibrated model predicts no meanings.
        precision: see :class:`LoadedModels`.

    Raises:
        ConfigError: there is no such model, or two of them have one name.
        WeightsError: it is a published model that was not downloaded.
        DataError: the folder holds no index.
    """

    limits = LIMITS

    def __init__(
        self,
        model: str | None = None,
        device: str | None = None,
        runs_dir: str | Path = "runs",
        training: bool = False,
        index: str | Path | None = None,
        others: Sequence[str] = (),
        may_measure: bool = True,
        precision: str = "float32",
    ) -> None:
        self.loaded = loaded = LoadedModels(model, device, others, may_measure, precision)
        own = UseIndex(index) if index is not None else None
        runs = Path(runs_dir)
        self.why: api.WhyService = Explainer(self.compare, loaded.model)
        self.sentences: api.SentenceService = Sentences(loaded.encoder_for)
        self.maps: api.MapService = SenseMaps(loaded.model, own)
        self.nearest: api.NearestService = NearestSearch(loaded.model, loaded.static, own)
        self.heads: api.HeadService = TrainedHeads(loaded.encoder, [runs], loaded.device)
        encoder = loaded.default if model is None else str(model)
        self.training: api.TrainingService = TrainingJobs(
            runs, encoder, lambda: loaded.encoder(loaded.default).n_layers, training
        )
        self.probes: api.ProbeService = MeasuredLayers(loaded)
        self.present: api.PresentService = Presentation(loaded.model, loaded.static)

    def models(self) -> tuple[ModelInfo, ...]:
        """Implement :meth:`elmo_tasks.api.Service.models`."""
        layers = self.loaded.model().names
        return tuple(
            ModelInfo(
                name, model_title(name), layers if name == self.loaded.default else (), told(self.loaded.folder(name))
            )
            for name in self.loaded.names()
        )

    def compare(
        self, word: str, sentences: Sequence[str], model: str | None = None, own_meanings: str = ""
    ) -> Comparison:
        """Implement :meth:`elmo_tasks.api.Service.compare`."""
        own = own_entries(own_meanings)
        return compare_uses(word, find_uses(word, sentences), self.loaded.model(model), own)

    def substitutes(self, word: str, sentences: Sequence[str], model: str | None = None) -> Substitutes:
        """Implement :meth:`elmo_tasks.api.Service.substitutes`."""
        return substitutes(word, find_uses(word, sentences), self.loaded.model(model))

    def senses(self, text: str, model: str | None = None, own_meanings: str = "") -> TextSenses:
        """Implement :meth:`elmo_tasks.api.Service.senses`."""
        return text_senses(text, self.loaded.model(model), own_entries(own_meanings))

    def language_warning(self, texts: Sequence[str]) -> str:
        """Implement :meth:`elmo_tasks.api.Service.language_warning`."""
        known = known_share(self.loaded.static(), [[token.text for token in tokenize(text)] for text in texts])
        return not_english_answer(known).headline if known < MIN_KNOWN_WORDS else ""

    def side_by_side(
        self, word: str, sentences: Sequence[str], models: Sequence[str], senses: Sequence[str] = ()
    ) -> SideBySide:
        """Implement :meth:`elmo_tasks.api.Service.side_by_side`."""
        return side_by_side(word, sentences, models, self.loaded, senses)

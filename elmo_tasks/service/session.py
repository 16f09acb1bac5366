"""Application service: implements ``api.Service`` for the UI and the CLI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from elmo_tasks import api
from elmo_tasks.encoders import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import DataError
from elmo_tasks.messages.meanings import not_english_answer
from elmo_tasks.messages.views import MODEL_TITLES
from elmo_tasks.senses.judging import not_english
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.service import comparisons
from elmo_tasks.service.examples import dictionary_test, ready_sentences
from elmo_tasks.service.incremental_reading import incremental_reading
from elmo_tasks.service.loaded_models import (
    LoadedModels,
    describe_training,
    dictionary_layers,
    read_measurements,
)
from elmo_tasks.service.nearest_uses import nearest_uses, static_neighbours
from elmo_tasks.service.own_meanings import (
    entry_text,
    expanded,
    lexicon_entries,
    own_entries,
)
from elmo_tasks.service.sense_maps import UseCache, project_on_map, sense_map
from elmo_tasks.service.text_senses import text_senses
from elmo_tasks.service.trained_heads import TrainedHeads
from elmo_tasks.service.training_jobs import TrainingJobs
from elmo_tasks.service.validation import find_uses
from elmo_tasks.service.why import explain
from elmo_tasks.tasks import TASKS


class Session:
    """Implements :class:`elmo_tasks.api.Service`.

    The user's texts are not kept; uploads of training data stay in ``runs_dir``, with the runs.

    Args:
        models: the models, which sessions may share; or the name or folder of one.
        runs_dir: folder of training runs.
        training: whether users may train and upload.
        index: folder of an index of the user's own text.
        lexicon: dictionary file whose entries count before ours.
        static: static vectors of :meth:`nearest`; the bundled ones if ``None``.
    """

    limits = api.LIMITS

    def __init__(
        self,
        models: LoadedModels | str | None = None,
        *,
        runs_dir: str | Path = "runs",
        training: bool = False,
        index: str | Path | None = None,
        lexicon: str | Path | None = None,
        static: str | Path | None = None,
    ) -> None:
        loaded = models if isinstance(models, LoadedModels) else LoadedModels(models)
        self.loaded = loaded
        self._lexicon = lexicon_entries(lexicon)
        self._static = None if static is None else StaticVectors.load(static)
        self._index = UseIndex(index) if index is not None else None
        self.index_title = self._index.description.title if self._index else ""
        self._uses = UseCache()
        self._heads = TrainedHeads(loaded.encoder, [Path(runs_dir)], loaded.device)
        self.training: api.Training = TrainingJobs(
            runs=Path(runs_dir),
            encoder=loaded.place,
            n_layers=lambda: loaded.encoder(loaded.default).n_layers,
            allowed=training,
        )

    def check_index(self) -> None:
        """Raise a :class:`DataError` for an index with vectors of another model."""
        encoder = self.loaded.encoder(self.loaded.default)
        if self._index is not None and self._index.description.checksum != encoder.checksum:
            raise DataError(
                f"{self._index.folder}: expected vectors by “{encoder.name}”, found some by"
                f" “{self._index.description.encoder}”; choose that model, or make the index again"
            )

    def models(self) -> tuple[api.ModelInfo, ...]:
        loaded = self.loaded
        layers = {loaded.default: loaded.model().names}
        return tuple(
            api.ModelInfo(
                name=name,
                title=MODEL_TITLES.get(name, name),
                layers=layers.get(name, ()),
                about=describe_training(loaded.folder(name)),
                dictionary_layers=dictionary_layers(loaded.folder(name)),
            )
            for name in loaded.names()
        )

    def compare(
        self, word: str, sentences: Sequence[str], model: str | None = None, own_meanings: str = ""
    ) -> api.Comparison:
        own = [*own_entries(expanded(own_meanings, word)), *self._lexicon]
        uses = find_uses(word, sentences)
        loaded = self.loaded.model(model)
        return comparisons.compare_uses(word, uses, loaded, own, self._mixing_heads(loaded.encoder))

    def _mixing_heads(self, encoder: Encoder) -> list[tuple[str, api.LayerWeights]]:
        """Return the kind and the layer weights of the first head of each kind on an encoder."""
        learned = {weights.head: weights for weights in self.layer_weights()}
        first: dict[str, api.HeadInfo] = {}
        for head in self.heads():
            first.setdefault(head.kind, head)
        found = ((kind, head, learned.get(head.name)) for kind, head in first.items())
        return [
            (kind, weights)
            for kind, head, weights in found
            if weights and head.encoder == encoder.name and len(weights.layers) == encoder.n_layers
        ]

    def side_by_side(
        self, word: str, sentences: Sequence[str], models: Sequence[str], senses: Sequence[str] = ()
    ) -> api.SideBySide:
        return comparisons.side_by_side(
            word, sentences, models, self.loaded, senses, self._lexicon, self._mixing_heads
        )

    def sentence_similarity(
        self, sentences: Sequence[str], model: str | None = None
    ) -> api.SentenceComparison:
        encoder = self.loaded.encoder(self.loaded.allowed(model))
        return comparisons.compare_sentences(sentences, encoder, self.loaded.cache)

    def substitutes(
        self, word: str, sentences: Sequence[str], model: str | None = None
    ) -> api.Substitutes:
        return comparisons.substitutes(word, find_uses(word, sentences), self.loaded.model(model))

    def explain(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
    ) -> api.Explanation:
        return explain(self.compare(word, sentences, model), self.loaded.model(model), pair, layer)

    def disambiguate(
        self, text: str, model: str | None = None, own_meanings: str = ""
    ) -> api.TextSenses:
        own = [*own_entries(own_meanings), *self._lexicon]
        return text_senses(text, self.loaded.model(model), own)

    def language_warning(self, texts: Sequence[str]) -> str:
        language = not_english(self.loaded.static(), texts)
        return not_english_answer(language).headline if language else ""

    def dictionary_words(self) -> tuple[str, ...]:
        return tuple(entry.word for entry in bundled_lexicon().ambiguous)

    def sense_map(
        self, request: api.MapRequest, progress: api.Progress | None = None
    ) -> api.SenseMap:
        return sense_map(
            request, self.loaded.model(request.model), self._uses, self._index, progress
        )

    def project_use(self, sentence: str, request: api.MapRequest) -> api.ProjectedUse:
        return project_on_map(
            sentence, request, self.loaded.model(request.model), self._uses, self._index
        )

    def nearest(
        self, request: api.NearestRequest, progress: api.Progress | None = None
    ) -> api.NearestUses:
        static = self.loaded.static() if self._static is None else self._static
        loaded = self.loaded.model(request.model)
        return nearest_uses(request, loaded, static, self._index, progress)

    def static_neighbours(self, word: str, n: int = 12) -> api.StaticNeighbours:
        return static_neighbours(word, n, self.loaded.static())

    def dictionary_test(self, model: str | None = None) -> api.DictionaryTest:
        loaded = self.loaded.model(model)
        return loaded.cache.once("dictionary", lambda: dictionary_test(loaded.sense_model))

    def incremental_reading(
        self,
        word: str,
        sentence: str,
        senses: Sequence[str] | None = None,
        model: str | None = None,
    ) -> api.IncrementalReading:
        return incremental_reading(word, sentence, senses, self.loaded.model(model))

    def probes(self) -> tuple[api.ModelProbes, ...]:
        return read_measurements(self.loaded)

    def ready_sentences(self, word: str) -> api.ReadyWord | None:
        return ready_sentences(word)

    def entry_text(self, word: str) -> str:
        return entry_text(word)

    def tasks(self) -> Mapping[str, api.TaskWords]:
        return {name: task.words for name, task in TASKS.items()}

    def heads(self) -> tuple[api.HeadInfo, ...]:
        return self._heads.heads()

    def layer_weights(self) -> tuple[api.LayerWeights, ...]:
        return self._heads.layer_weights()

    def tag(
        self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1
    ) -> tuple[api.TaggedText, ...]:
        return self._heads.tag(sentences, head, n_readings)

    def classify(
        self, texts: Sequence[str], head: str | None = None, occlusion: bool = True
    ) -> tuple[api.ClassifiedText, ...]:
        return self._heads.classify(texts, head, occlusion)

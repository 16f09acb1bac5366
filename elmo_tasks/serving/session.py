"""What stands behind the screen and the commands: the models that are loaded, and what people may ask of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from elmo_tasks.analysis.calibration import Calibration
from elmo_tasks.analysis.senses import Grouping, group_uses, ranked, verdict
from elmo_tasks.analysis.similarity import cosine_matrix
from elmo_tasks.api import (
    ClassifiedText,
    Comparison,
    ComparisonItem,
    DataLook,
    Explanation,
    GallerySense,
    HeadInfo,
    LayerComparison,
    LayerProducts,
    LayerWeights,
    Limits,
    MeaningForms,
    ModelInfo,
    NearestUses,
    Progress,
    Respelling,
    SenseMap,
    StaticNeighbours,
    Substitutes,
    TaggedSentence,
    TrainingJob,
    TrainingOffer,
    TrainingPlan,
    TwoLives,
)
from elmo_tasks.bilm.model_files import bundled_models, find_model, load_bilm
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import layer_names, with_mean
from elmo_tasks.serving.calibrations import load_calibration
from elmo_tasks.serving.nearest_uses import NearestUse
from elmo_tasks.serving.present import Presentation
from elmo_tasks.serving.sense_maps import SenseMaps
from elmo_tasks.serving.substitutes import Writer
from elmo_tasks.serving.trained_heads import TrainedHeads
from elmo_tasks.serving.training_jobs import TrainingJobs
from elmo_tasks.serving.what_if import products_of, respell
from elmo_tasks.serving.why import Explainer
from elmo_tasks.text.mentions import Mention, check_word, find_mention

_TITLES = {"elmo-mini": "elmo-mini, the small ELMo that comes with the program"}


@dataclass(frozen=True)
class _Loaded:
    """A model in memory, and what its cosines mean."""

    elmo: Elmo
    names: tuple[str, ...]
    calibration: Calibration


class Session:
    """Implements :class:`elmo_tasks.api.Service`. Nothing a person sends is kept.

    Args:
        model: name or folder of the model to start with; the default one if ``None``.
        device: where to compute; a GPU if there is one and ``None`` is given.
        runs_dir: where training runs leave their heads.
        training: whether people may train heads from the screen, and upload data for it.
        index: folder of an index of one's own text, to search beside the gallery.

    Raises:
        ConfigError: there is no such model.
        WeightsError: it is a published model that was not downloaded.
        DataError: the folder holds no index.
    """

    limits = Limits()

    def __init__(
        self,
        model: str | None = None,
        device: str | None = None,
        runs_dir: str | Path = "runs",
        training: bool = False,
        index: str | Path | None = None,
    ) -> None:
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._files = find_model(model)
        self.default = self._files.name
        self._models: dict[str, _Loaded] = {}
        self._encoders: dict[str, Elmo] = {}
        # One at a time: requests come in threads, and a model is loaded once, whether heads or comparing need it.
        self._lock = threading.RLock()
        self._heads = TrainedHeads(self._elmo, [Path(runs_dir)], self.device, self.limits)
        self._explainer = Explainer(self.compare, self._elmo)
        self._writer = Writer(self.compare, self._elmo)
        encoder = self.default if model is None else str(model)
        self._training = TrainingJobs(Path(runs_dir), encoder, lambda: self._elmo(self.default).n_layers, training)
        self._presentation = Presentation(lambda name: self._load(self._allowed(name)), self.limits)
        self._sense_maps = SenseMaps(lambda name: self._elmo(self._allowed(name)))
        self._nearest = NearestUse(lambda name: self._load(self._allowed(name)), index, self.limits)

    def heads(self) -> tuple[HeadInfo, ...]:
        """See :meth:`elmo_tasks.api.Service.heads`."""
        return self._heads.infos()

    def tag(self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1) -> tuple[TaggedSentence, ...]:
        """See :meth:`elmo_tasks.api.Service.tag`."""
        return self._heads.tag(sentences, head, n_readings)

    def classify(
        self, texts: Sequence[str], head: str | None = None, pushes: bool = True
    ) -> tuple[ClassifiedText, ...]:
        """See :meth:`elmo_tasks.api.Service.classify`."""
        return self._heads.classify(texts, head, pushes)

    def layer_weights(self) -> tuple[LayerWeights, ...]:
        """See :meth:`elmo_tasks.api.Service.layer_weights`."""
        return self._heads.layer_weights()

    def gallery_words(self) -> tuple[str, ...]:
        """See :meth:`elmo_tasks.api.Service.gallery_words`."""
        return self._sense_maps.words()

    def sense_map(
        self,
        word: str,
        text: str = "",
        view: str | None = None,
        n_groups: int | None = None,
        gallery: bool = True,
        name: str = "",
        model: str | None = None,
        progress: Progress | None = None,
    ) -> SenseMap:
        """See :meth:`elmo_tasks.api.Service.sense_map`."""
        return self._sense_maps.sense_map(word, text, view, n_groups, gallery, name, model, progress)

    def two_lives(self, text: str, model: str | None = None, progress: Progress | None = None) -> TwoLives:
        """See :meth:`elmo_tasks.api.Service.two_lives`."""
        return self._sense_maps.two_lives(text, model, progress)

    def nearest(
        self,
        word: str,
        sentence: str,
        layer: str | None = None,
        only: str = "all",
        source: str | None = None,
        n: int = 15,
        model: str | None = None,
        progress: Progress | None = None,
    ) -> NearestUses:
        """See :meth:`elmo_tasks.api.Service.nearest`."""
        return self._nearest.nearest(word, sentence, layer, only, source, n, model, progress)

    def gallery_senses(self, word: str) -> tuple[GallerySense, ...]:
        """See :meth:`elmo_tasks.api.Service.gallery_senses`."""
        return self._presentation.senses(word)

    def static_neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        """See :meth:`elmo_tasks.api.Service.static_neighbours`."""
        return self._presentation.neighbours(word, n)

    def meaning_forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> MeaningForms:
        """See :meth:`elmo_tasks.api.Service.meaning_forms`."""
        return self._presentation.forms(word, sentence, senses, model)

    def training_offer(self) -> TrainingOffer:
        """See :meth:`elmo_tasks.api.Service.training_offer`."""
        return self._training.offer()

    def keep_upload(self, name: str, content: bytes) -> str:
        """See :meth:`elmo_tasks.api.Service.keep_upload`."""
        return self._training.keep_upload(name, content)

    def look_at_data(self, plan: TrainingPlan) -> DataLook:
        """See :meth:`elmo_tasks.api.Service.look_at_data`."""
        return self._training.look(plan)

    def start_training(self, plan: TrainingPlan) -> TrainingJob:
        """See :meth:`elmo_tasks.api.Service.start_training`."""
        return self._training.start(plan)

    def stop_training(self, name: str) -> TrainingJob:
        """See :meth:`elmo_tasks.api.Service.stop_training`."""
        return self._training.stop(name)

    def training_jobs(self) -> tuple[TrainingJob, ...]:
        """See :meth:`elmo_tasks.api.Service.training_jobs`."""
        return self._training.jobs()

    def layer_products(self, word: str, sentences: Sequence[str], model: str | None = None) -> LayerProducts:
        """See :meth:`elmo_tasks.api.Service.layer_products`."""
        mentions = self._mentions(word, sentences)
        loaded = self._load(self._allowed(model))
        return products_of(word, loaded.elmo, loaded.names, mentions, [_item(m) for m in mentions])

    def what_if(self, word: str, sentences: Sequence[str], spelling: str, model: str | None = None) -> Respelling:
        """See :meth:`elmo_tasks.api.Service.what_if`."""
        mentions = self._mentions(word, sentences, fewest=1)
        loaded = self._load(self._allowed(model))
        return respell(spelling, loaded.elmo, loaded.names, loaded.calibration, mentions)

    def models(self) -> tuple[ModelInfo, ...]:
        """The models on offer, the default one first."""
        names = dict.fromkeys([self.default, *bundled_models()])
        return tuple(ModelInfo(name, _TITLES.get(name, name), self._load(name).names) for name in names)

    def compare(self, word: str, sentences: Sequence[str], model: str | None = None) -> Comparison:
        """See :meth:`elmo_tasks.api.Service.compare`."""
        mentions = self._mentions(word, sentences)
        loaded = self._load(self._allowed(model))
        layers = loaded.elmo.encode([[t.text for t in m.tokens] for m in mentions])
        uses = torch.stack([layers.values[:, k, m.index] for k, m in enumerate(mentions)], dim=1).cpu()  # [L, n, D]
        views = with_mean(uses)
        compared = tuple(
            LayerComparison(
                name=name,
                cosine=tuple(tuple(round(v, 6) for v in row) for row in cosine_matrix(vectors).tolist()),
                norms=tuple(round(v, 6) for v in vectors.norm(dim=-1).tolist()),
                random_pair_cosine=known.random_pair_cosine,
            )
            for name, vectors, known in zip(loaded.names, views, loaded.calibration.layers, strict=True)
        )
        asked = loaded.calibration.verdict_layer
        same = loaded.calibration.layers[asked].same_sense
        one_spelling = len({m.token.text for m in mentions}) == 1
        # What a cosine means was measured on one spelling at a time, in English.
        known_kind = one_spelling and any("a" <= c <= "z" for c in mentions[0].token.text.lower())
        grouping = group_uses(compared[asked].cosine, same) if same and known_kind else Grouping((), 0.0, False)
        return Comparison(
            word=word.strip(),
            model=loaded.elmo.name,
            items=tuple(_item(m) for m in mentions),
            layers=compared,
            groups=grouping.groups if grouping.is_clear else (),
            verdict=_verdict(mentions[0].token.text if one_spelling else None, known_kind, compared[asked], grouping),
            verdict_layer=loaded.names[asked],
        )

    def why(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
    ) -> Explanation:
        """See :meth:`elmo_tasks.api.Service.why`."""
        return self._explainer.why(word, sentences, pair, layer, model)

    def substitutes(self, word: str, sentences: Sequence[str], model: str | None = None) -> Substitutes:
        """See :meth:`elmo_tasks.api.Service.substitutes`."""
        return self._writer.written(word, sentences, model)

    def _mentions(self, word: str, sentences: Sequence[str], fewest: int | None = None) -> list[Mention]:
        limits = self.limits
        if any("[" not in sentence for sentence in sentences) or not sentences:
            check_word(word)
        fewest = limits.min_sentences if fewest is None else fewest
        if not fewest <= len(sentences) <= limits.max_sentences:
            had = {0: "is no sentence", 1: "is one sentence"}.get(len(sentences), f"are {len(sentences)} sentences")
            raise InputError(
                f"Comparing takes {fewest} to {limits.max_sentences} sentences; there {had}.",
                field="sentences",
            )
        mentions = []
        for k, sentence in enumerate(sentences, start=1):
            field = f"sentence {k}"
            if len(sentence) > limits.max_characters:
                raise InputError(
                    f"Sentence {k} has {len(sentence):,} characters; the most is {limits.max_characters:,}. Shorten it.",
                    field=field,
                )
            mention = find_mention(word, sentence, field=field)
            if len(mention.tokens) > limits.max_tokens:
                raise InputError(
                    f"Sentence {k} has {len(mention.tokens):,} words; the most is {limits.max_tokens}. Shorten it.",
                    field=field,
                )
            mentions.append(mention)
        return mentions

    def _allowed(self, model: str | None) -> str:
        """A request may only name what is on offer: a path from the network is not opened."""
        if model is None or model == self.default:
            return self.default
        if model not in bundled_models():
            offered = ", ".join(dict.fromkeys([self.default, *bundled_models()]))
            raise InputError(f"There is no model “{model[:40]}” here; there is {offered}.", field="model")
        return model

    def _elmo(self, name: str) -> Elmo:
        """An encoder by name, without the calibration that only comparing needs."""
        with self._lock:
            if name not in self._encoders:
                files = self._files if name == self.default else find_model(name)
                self._encoders[name] = Elmo(load_bilm(files).to(self.device), files.name, files)
            return self._encoders[name]

    def _load(self, name: str) -> _Loaded:
        with self._lock:
            if name not in self._models:
                elmo = self._elmo(name)
                self._models[name] = _Loaded(elmo, layer_names(elmo.n_layers), load_calibration(elmo))
            return self._models[name]


def _item(mention: Mention) -> ComparisonItem:
    token = mention.token
    return ComparisonItem(
        sentence=mention.sentence,
        tokens=tuple(t.text for t in mention.tokens),
        index=mention.index,
        token=token.text,
        start=token.start,
        end=token.end,
        choices=mention.choices,
    )


def _verdict(word: str | None, known_kind: bool, layer: LayerComparison, grouping: Grouping) -> str:
    if word is None:
        return ranked(layer.cosine, layer.random_pair_cosine, layer.name)
    if not known_kind:
        return f"The model cannot tell these uses of “{word}” apart. It was measured on English words only."
    return verdict(grouping, layer.cosine, layer.random_pair_cosine, layer.name, word)

"""Trained heads: list them with their scores, tag and classify texts with them."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elmo_tasks.api import (
    LIMITS,
    ClassifiedText,
    HeadInfo,
    LayerWeights,
    Limits,
    MixWeights,
    Score,
    TaggedSentence,
    WordOcclusion,
)
from elmo_tasks.encoders import Encoder
from elmo_tasks.encoders.sentences import checked_texts
from elmo_tasks.errors import ConfigError, InputError, WeightsError
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.heads.head_files import HeadFiles, bundled_heads, default_head, find_head, heads_below
from elmo_tasks.layers.views import layer_names
from elmo_tasks.messages.training import METRIC_WORDS
from elmo_tasks.service.asked_uses import check_length, check_words
from elmo_tasks.tasks import CLASSIFICATION, TAGGING, TASKS, find_task
from elmo_tasks.text.tag_schemes import types_of
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.training.head_sources import resolve_source
from elmo_tasks.training.predictor import Predictor, batched

#: Suffix of the name of a no-context baseline: the same head on the context-free layer.
NO_CONTEXT = "-layer0"
# Leaving out each word of a longer text takes too long for interactive use.
_MOST_OCCLUDED = 100
# Words that one request may encode again for occlusion: about four seconds of elmo-mini on one core.
_MOST_LEFT_OUT = 20_000
_log = logging.getLogger(__name__)


class TrainedHeads:
    """Heads in ``checkpoints/`` and in the folders of runs, loaded on first use."""

    def __init__(
        self, encoder: Callable[[str], Encoder], runs: Sequence[Path], device: str = "cpu", limits: Limits = LIMITS
    ) -> None:
        self._encoder, self._runs, self._device, self._limits = encoder, tuple(runs), device, limits
        self._predictors: dict[tuple[Path, float], Predictor] = {}
        self._said: set[Path] = set()
        self._lock = threading.Lock()

    def offered(self) -> tuple[HeadInfo, ...]:
        """Implement :meth:`elmo_tasks.api.HeadService.offered`."""
        files = self._files()
        return tuple(_info(name, found, own=name not in bundled_heads(), names=files) for name, found in files.items())

    def layer_weights(self) -> tuple[LayerWeights, ...]:
        """Implement :meth:`elmo_tasks.api.HeadService.layer_weights`."""
        groups: dict[object, list[LayerWeights]] = {}
        for name, files in self._files().items():
            if (weights := _layer_weights(name, files)) is not None:
                groups.setdefault(_configuration(name, files), []).append(weights)
        return tuple(_joined_runs(group) for group in groups.values())

    def tag(self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1) -> tuple[TaggedSentence, ...]:
        """Implement :meth:`elmo_tasks.api.HeadService.tag`."""
        if not 1 <= n_readings <= 10:
            raise InputError(f"Between 1 and 10 readings can be shown, not {n_readings}.", field="n_readings")
        rows = self._tokens(sentences, "sentence")
        predictor = self._predictor(head, "tagging")
        tagged = predictor.tag([[token.text for token in row] for row in rows], n_readings)
        return tuple(map(TAGGING.result, sentences, rows, tagged))

    def classify(
        self, texts: Sequence[str], head: str | None = None, occlusion: bool = True
    ) -> tuple[ClassifiedText, ...]:
        """Implement :meth:`elmo_tasks.api.HeadService.classify`."""
        rows = self._tokens(texts, "text")
        predictor = self._predictor(head, "classification")
        said = predictor.classify([[token.text for token in row] for row in rows])
        results = list(map(CLASSIFICATION.result, texts, rows, said))
        if not occlusion:
            return tuple(results)
        effects = _occlusion(predictor, rows, said)
        return tuple(replace(result, occlusion=found) for result, found in zip(results, effects, strict=True))

    def _files(self) -> dict[str, HeadFiles]:
        """Return the heads by name.

        The default of each kind comes first, a head comes before its baseline, and local ones come last.
        """
        shipped = [find_head(name) for name in bundled_heads()]
        first = {kind: _default(kind) for kind in TASKS}
        order = list(TASKS)
        shipped.sort(key=lambda f: (order.index(f.kind), f.name.removesuffix(NO_CONTEXT) != first[f.kind], f.name))
        found = {files.name: files for files in shipped}
        for folder in heads_below(self._runs):
            try:
                files = find_head(folder)
                # Check that the card is readable, too: a broken one must not hide all other heads.
                _info(files.name, files, own=True, names={})
                _layer_weights(files.name, files)
            except (ConfigError, ValueError, KeyError, TypeError, AttributeError) as error:  # not a complete run
                if folder not in self._said:
                    self._said.add(folder)
                    _log.warning("%s is passed over: %s", folder, error)
                continue
            name, number = files.name, 2
            while name in found:
                name, number = f"{files.name}-{number}", number + 1
            found[name] = files
        return found

    def _predictor(self, head: str | None, kind: str) -> Predictor:
        """Load a head by name; a request names an available one, never a path."""
        files = self._files()
        fitting = {name: found for name, found in files.items() if found.kind == kind}
        if not fitting:
            train = find_task(kind).words.train
            raise InputError(f"There is no trained model for this yet. Train one: {train}.", field="head")
        name = next(iter(fitting)) if head is None else head
        if name not in fitting:
            raise InputError(f"There is no model “{name[:40]}” for this; there is {', '.join(fitting)}.", field="head")
        found = fitting[name]
        # A repeated run writes a new head to the same place.
        key = (found.folder, (found.folder / "head.json").stat().st_mtime)
        with self._lock:
            if key not in self._predictors:
                try:
                    loaded = self._loaded(found)
                except (ConfigError, WeightsError) as error:
                    raise InputError(f"The model “{name[:40]}” cannot be used: {error}", field="head") from error
                others = {at: kept for at, kept in self._predictors.items() if at[0] != found.folder}
                self._predictors = {**others, key: loaded}
            return self._predictors[key]

    def _loaded(self, files: HeadFiles) -> Predictor:
        """Load a head, sharing the encoder in memory if possible."""
        source = files.encoder
        encoder: Encoder | None = None
        with contextlib.suppress(ConfigError, WeightsError):
            encoder = self._encoder(source.name)
        if encoder is None or encoder.checksum != source.checksum:
            try:
                place = resolve_source(files, "encoder", self._runs)
            except ConfigError as error:  # The message names local folders, which a client on the network must not see.
                raise ConfigError(
                    f"the encoder {Path(source.name).name} that it was trained on is not here. Whoever runs this app can put it "
                    "into checkpoints/ or the folder of runs"
                ) from error
            encoder = self._encoder(place)
        return Predictor.load(files, encoder, self._device, self._runs)

    def _tokens(self, texts: Sequence[str], what: str) -> list[list[Token]]:
        limits, texts = self._limits, checked_texts(texts)
        if not 1 <= len(texts) <= limits.max_texts:
            had = f"there are {len(texts)}" if texts else "there is none"
            raise InputError(f"Type 1 to {limits.max_texts} {what}s, one a line; {had}.", field="sentences")
        rows = []
        for k, text in enumerate(texts, start=1):
            field, called = f"sentence {k}", f"{what.capitalize()} {k}"
            check_length(text, field, called, limits)
            row = tokenize(text)
            if not row:
                raise InputError(f"{called} has no words. Type some, or delete the line.", field=field)
            check_words(row, field, called, limits)
            rows.append(row)
        return rows


def _default(kind: str) -> str | None:
    try:
        return default_head(kind)
    except ConfigError:
        return None


def _info(name: str, files: HeadFiles, own: bool, names: dict[str, HeadFiles]) -> HeadInfo:
    labels = files.task.labels if files.task.scheme is None else types_of(files.task.labels, files.task.scheme)
    baseline = f"{name}{NO_CONTEXT}"
    return HeadInfo(
        name=name,
        title=str(files.card.get("title") or name),
        kind=files.kind,
        labels=tuple(labels),
        encoder=files.encoder.name,
        score=_score(files.card),
        baseline=baseline if baseline in names else None,
        own=own,
    )


def _score(card: dict[str, Any]) -> Score | None:
    scores = card.get("scores", {})
    for split in ("test", "validation"):
        if split in scores:
            main = scores[split]["main"]
            data = str(card.get("data") or "its data")
            return Score(METRIC_WORDS.get(main, main), float(scores[split][main]), f"{data}, {split} part")
    return None


def _layer_weights(name: str, files: HeadFiles) -> LayerWeights | None:
    about = files.card.get("layer_weights", {})
    rows = about.get("epochs", [])
    if not about.get("learned") or not rows:
        return None
    training = files.card.get("training", {})
    seed = int(training.get("seed") or 0)
    epochs = tuple(_mix(row, seed) for row in rows)
    best = training.get("best_epoch")
    final = next((mix for mix in epochs if mix.epoch == best), epochs[-1])
    own = MixWeights(final.weights, final.gamma, 0, seed, final.score)
    runs = [own, *(_mix(row | {"epoch": 0}, int(row["seed"])) for row in about.get("runs", []) if row["seed"] != seed)]
    return LayerWeights(
        head=name,
        title=str(files.card.get("title") or name),
        layers=layer_names(files.task.n_layers)[: files.task.n_layers],
        final=final,
        epochs=epochs,
        runs=tuple(sorted(runs, key=lambda run: run.seed)),
    )


def _configuration(name: str, files: HeadFiles) -> object:
    """Return a key that runs of one configuration share, whatever their seed.

    It consists of the title, the encoder, the data and the settings.
    """
    card, training = files.card, files.card.get("training", {})
    if training.get("seed") is None:
        return name
    settings = {key: training.get(key) for key in ("precision", "encoder_learning_rate", "class_weights")}
    about = {key: card.get(key) for key in ("title", "trained_on")}
    return json.dumps(
        [about, settings, files.kind, files.encoder.checksum, files.settings], sort_keys=True, default=str
    )


def _joined_runs(group: Sequence[LayerWeights]) -> LayerWeights:
    """Join runs that differ only in their seed; of one seed, keep the first run."""
    runs = {run.seed: run for entry in reversed(group) for run in entry.runs}
    return replace(group[0], runs=tuple(runs[seed] for seed in sorted(runs)))


def _mix(row: dict[str, Any], seed: int) -> MixWeights:
    return MixWeights(tuple(row["weights"]), row["gamma"], row["epoch"], seed, row.get("score"))


def _occlusion(
    predictor: Predictor, rows: Sequence[Sequence[Token]], said: Sequence[TextPrediction]
) -> list[tuple[WordOcclusion, ...]]:
    """Leave out each word in turn (occlusion: Zeiler and Fergus, 2014; Li et al., 2016).

    Short texts come first, until the limit per request is reached; batches hold texts of similar length.
    """
    chosen, spent = [], 0
    for k in sorted(range(len(rows)), key=lambda k: len(rows[k])):
        spent += len(rows[k]) * (len(rows[k]) - 1)
        if 2 <= len(rows[k]) <= _MOST_OCCLUDED and spent <= _MOST_LEFT_OUT:
            chosen.append(k)
    words = {k: [token.text for token in rows[k]] for k in chosen}
    without = [(k, at) for k in chosen for at in range(len(words[k]))]
    texts = [words[k][:at] + words[k][at + 1 :] for k, at in without]
    found: dict[int, list[WordOcclusion]] = {k: [] for k in range(len(rows))}
    left = (read for batch in batched(texts) for read in predictor.classify(batch))
    for (k, at), read in zip(without, left, strict=True):
        token = rows[k][at]
        change = said[k].confidence - read.probabilities.get(said[k].label or "", 0.0)
        found[k].append(WordOcclusion(token.text, token.start, token.end, change))
    return [tuple(found[k]) for k in range(len(rows))]

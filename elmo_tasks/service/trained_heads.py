"""Trained heads: list them with their scores, tag and classify texts with them."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elmo_tasks import api
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.encoders import Encoder
from elmo_tasks.errors import ConfigError, InputError, WeightsError
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.heads.head_files import (
    CONFIG_NAME,
    HeadFiles,
    bundled_heads,
    default_head,
    find_head,
    heads_below,
)
from elmo_tasks.layers import layer_names
from elmo_tasks.prediction import Predictor, batched, resolve_source
from elmo_tasks.service.run_folder import free_name, scores_of
from elmo_tasks.service.validation import check_choice, check_count, checked_rows
from elmo_tasks.tasks import CLASSIFICATION, TAGGING, TASKS, find_task
from elmo_tasks.text.tag_schemes import types_of
from elmo_tasks.text.tokens import Token
from elmo_tasks.text.uses import Use
from elmo_tasks.weights.folders import CARD_NAME

#: Suffix of the name of a no-context baseline: the same head on the context-free layer.
NO_CONTEXT = "-layer0"
# Leaving out each word of a longer text takes too long for interactive use.
_MAX_OCCLUDED = 100
# Words that one request may encode again for occlusion: about four seconds of elmo-mini on one
# core.
_MAX_ENCODED = 20_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Listing:
    """The heads as they were at some time."""

    stamps: dict[Path, tuple[int, ...]]  #: modification times of the files of each head
    files: dict[str, HeadFiles]  #: by name
    heads: tuple[api.HeadInfo, ...]
    layer_weights: tuple[api.LayerWeights, ...]


class TrainedHeads:
    """The heads of :class:`elmo_tasks.api.Service`, from ``checkpoints/`` and runs."""

    def __init__(
        self, encoder: Callable[[str], Encoder], runs: Sequence[Path], device: str = "cpu"
    ) -> None:
        self._encoder = encoder
        self._runs = tuple(runs)
        self._device = device
        # By folder, with the folder's modification time.
        self._predictors: dict[Path, tuple[float, Predictor]] = {}
        self._warned: set[Path] = set()
        self._listed: _Listing | None = None
        self._lock = threading.Lock()

    def heads(self) -> tuple[api.HeadInfo, ...]:
        return self._listing().heads

    def layer_weights(self) -> tuple[api.LayerWeights, ...]:
        return self._listing().layer_weights

    def tag(
        self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1
    ) -> tuple[api.TaggedText, ...]:
        check_count(n_readings, 10, "n_readings", "readings")
        rows = checked_rows(sentences, "sentence")
        predictor = self._predictor(head, "tagging")
        tagged = predictor.predict_batch(
            [[token.text for token in row] for row in rows], n_readings=n_readings
        )
        return tuple(map(TAGGING.result, sentences, rows, tagged))

    def classify(
        self, texts: Sequence[str], head: str | None = None, occlusion: bool = True
    ) -> tuple[api.ClassifiedText, ...]:
        rows = checked_rows(texts, "text")
        predictor = self._predictor(head, "classification")
        predictions = predictor.predict_batch([[token.text for token in row] for row in rows])
        results = tuple(map(CLASSIFICATION.result, texts, rows, predictions))
        if not occlusion:
            return results
        effects = _occlusion(predictor, texts, rows, predictions)
        return tuple(
            replace(result, occlusion=effect)
            for result, effect in zip(results, effects, strict=True)
        )

    def _listing(self) -> _Listing:
        """Read the files of all heads, unless none has changed since they were read."""
        bundled, local = bundled_heads(), heads_below(self._runs)
        stamps = {
            folder: _stamp(folder) for folder in (*(CHECKPOINTS / name for name in bundled), *local)
        }
        listed = self._listed
        if listed is None or listed.stamps != stamps:
            files = self._files(bundled, local)
            infos = tuple(
                _info(name, head, name not in bundled, files) for name, head in files.items()
            )
            listed = _Listing(stamps, files, infos, _all_layer_weights(files))
            self._listed = listed
        return listed

    def _files(self, bundled_names: Sequence[str], local: Sequence[Path]) -> dict[str, HeadFiles]:
        """Return heads by name: defaults first, each before its baseline, local ones last."""
        bundled = [find_head(name) for name in bundled_names]
        order = list(TASKS)
        first: dict[str, str] = {}
        for kind in TASKS:
            with contextlib.suppress(ConfigError):
                first[kind] = default_head(kind)
        bundled.sort(
            key=lambda files: (
                order.index(files.kind),
                files.name.removesuffix(NO_CONTEXT) != first.get(files.kind),
                files.name,
            )
        )
        heads = {files.name: files for files in bundled}
        for folder in local:
            try:
                files = find_head(folder)
                # Check that the card is readable, too: a broken one must not hide all other heads.
                _info(files.name, files, own=True, names={})
                _layer_weights(files.name, files)
            except (
                ConfigError,
                ValueError,
                KeyError,
                TypeError,
                AttributeError,
            ) as error:  # not a complete run
                if folder not in self._warned:
                    self._warned.add(folder)
                    _log.warning("%s is skipped: %s", folder, error)
                continue
            heads[free_name(files.name, heads)] = files
        return heads

    def _predictor(self, head: str | None, kind: str) -> Predictor:
        """Load a head by name; a request names an available one, never a path."""
        heads = {name: files for name, files in self._listing().files.items() if files.kind == kind}
        if not heads:
            train = find_task(kind).words.train
            raise InputError(
                f"There is no trained model for this yet. Train one: {train}.", field="head"
            )
        name = next(iter(heads)) if head is None else head
        check_choice(name, heads, "head", "head")
        files = heads[name]
        # a repeated run writes a new head to the same place
        changed = (files.folder / "head.json").stat().st_mtime
        with self._lock:
            if self._predictors.get(files.folder, (0.0,))[0] != changed:
                try:
                    self._predictors[files.folder] = changed, self._load(files)
                except (ConfigError, WeightsError) as error:
                    raise InputError(
                        f"The model “{name[:40]}” cannot be used: {error}", field="head"
                    ) from error
            return self._predictors[files.folder][1]

    def _load(self, files: HeadFiles) -> Predictor:
        """Load a head, sharing the encoder in memory if possible."""
        source = files.encoder
        encoder: Encoder | None = None
        with contextlib.suppress(ConfigError, WeightsError):
            encoder = self._encoder(source.name)
        if encoder is None or encoder.checksum != source.checksum:
            try:
                encoder = self._encoder(resolve_source(files, "encoder", self._runs))
            # its message names local folders, which a client on the network must not see
            except ConfigError as error:
                raise ConfigError(
                    f"the encoder {Path(source.name).name} that it was trained on is not here."
                    " Whoever runs this app can put it into checkpoints/ or the folder of runs"
                ) from error
        return Predictor.load(files, encoder, self._device, self._runs)


def _stamp(folder: Path) -> tuple[int, ...]:
    """Return when the settings and the card of a head were changed."""
    paths = (folder / CONFIG_NAME, folder / CARD_NAME)
    return tuple(path.stat().st_mtime_ns for path in paths if path.is_file())


def _all_layer_weights(heads: dict[str, HeadFiles]) -> tuple[api.LayerWeights, ...]:
    """Return the weights of all heads; those that differ only in their seed are runs of one."""
    joined: dict[str, api.LayerWeights] = {}
    for name, files in heads.items():
        if (weights := _layer_weights(name, files)) is not None:
            first = joined.setdefault(_configuration(name, files), weights)
            runs = {run.seed: run for run in (*weights.runs, *first.runs)}
            joined[_configuration(name, files)] = replace(
                first, runs=tuple(runs[seed] for seed in sorted(runs))
            )
    return tuple(joined.values())


def _info(name: str, files: HeadFiles, own: bool, names: dict[str, HeadFiles]) -> api.HeadInfo:
    labels = (
        files.task.labels
        if files.task.scheme is None
        else types_of(files.task.labels, files.task.scheme)
    )
    baseline = f"{name}{NO_CONTEXT}"
    data = files.card.get("data") or "its data"
    scores = [
        api.Score(score.metric, score.value, f"{data}, {score.split} part")
        for score in scores_of(files.card)
    ]
    return api.HeadInfo(
        name=name,
        title=str(files.card.get("title") or name),
        kind=files.kind,
        labels=tuple(labels),
        encoder=files.encoder.name,
        score=scores[0] if scores else None,
        baseline=baseline if baseline in names else None,
        own=own,
    )


def _layer_weights(name: str, files: HeadFiles) -> api.LayerWeights | None:
    learned = files.card.get("layer_weights", {})
    rows = learned.get("epochs", [])
    if not learned.get("learned") or not rows:
        return None
    training = files.card.get("training", {})
    seed = int(training.get("seed") or 0)
    epochs = tuple(_mix(row, seed) for row in rows)
    final = next((mix for mix in epochs if mix.epoch == training.get("best_epoch")), epochs[-1])
    others = [
        _mix(row | {"epoch": 0}, int(row["seed"]))
        for row in learned.get("runs", [])
        if row["seed"] != seed
    ]
    return api.LayerWeights(
        head=name,
        title=str(files.card.get("title") or name),
        layers=layer_names(files.task.n_layers)[: files.task.n_layers],
        final=final,
        epochs=epochs,
        runs=(replace(final, epoch=0), *others),
    )


def _configuration(name: str, files: HeadFiles) -> str:
    """Return a key that runs of one configuration share, whatever their seed."""
    card = files.card
    training = files.card.get("training", {})
    if training.get("seed") is None:
        return name
    same = [
        card.get("title"),
        card.get("trained_on"),
        files.kind,
        files.encoder.checksum,
        files.settings,
    ]
    same += [training.get(key) for key in ("precision", "encoder_learning_rate", "class_weights")]
    return json.dumps(same, sort_keys=True, default=str)


def _mix(row: dict[str, Any], seed: int) -> api.MixWeights:
    return api.MixWeights(
        weights=tuple(row["weights"]),
        gamma=row["gamma"],
        epoch=row["epoch"],
        seed=seed,
        score=row.get("score"),
    )


def _occlusion(
    predictor: Predictor,
    texts: Sequence[str],
    rows: Sequence[Sequence[Token]],
    predictions: Sequence[TextPrediction],
) -> list[tuple[api.WordEffect, ...]]:
    """Leave out each word in turn (occlusion: Zeiler and Fergus, 2014; Li et al., 2016).

    Short texts come first, until the limit per request is reached.
    """
    words = [[token.text for token in row] for row in rows]
    left_out: list[tuple[int, int]] = []  # text, word
    encoded = 0
    for k in sorted(range(len(rows)), key=lambda k: len(rows[k])):
        n = len(rows[k])
        encoded += n * (n - 1)
        if 2 <= n <= _MAX_OCCLUDED and encoded <= _MAX_ENCODED:
            left_out += [(k, at) for at in range(n)]
    batches = batched([words[k][:at] + words[k][at + 1 :] for k, at in left_out])
    without = (prediction for batch in batches for prediction in predictor.predict_batch(batch))
    effects: list[tuple[api.WordEffect, ...]] = [()] * len(rows)
    for (k, at), prediction in zip(left_out, without, strict=True):
        whole = predictions[k]
        change = whole.confidence - prediction.probabilities.get(whole.label or "", 0.0)
        effects[k] += (api.WordEffect(Use.in_sentence(texts[k], rows[k], at), change),)
    return effects

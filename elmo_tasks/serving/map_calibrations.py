"""How well groups of uses match known senses in one model: where that is kept, and how it is measured."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.analysis.sense_map_calibration import KnownUses, SenseMapCalibration, calibrate_sense_map
from elmo_tasks.analysis.views_of_uses import surroundings, view_names, view_of
from elmo_tasks.bilm.model_cache import cache_folder
from elmo_tasks.corpus.gallery import gallery, gallery_words
from elmo_tasks.corpus.uses import Use, gallery_use
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.layers.views import layer_names

NAME = "sense_map.json"
# To be raised when what stands around a use is seen in another way: what was measured before no longer counts.
_METHOD = 2
_BATCH = 64

_log = logging.getLogger(__name__)


def load_map_calibration(elmo: Elmo, static: StaticVectors) -> SenseMapCalibration | None:
    """What was measured of a model, from beside it or from the user's cache; ``None`` if it never was."""
    checksum = checksum_of(elmo, static)
    for path in paths(elmo, checksum):
        if not path.exists():
            continue
        try:
            found = SenseMapCalibration.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError) as error:
            _log.warning("%s cannot be read (%s: %s)", path, type(error).__name__, error)
            continue
        if found.checksum == checksum:
            return found
    return None


def paths(elmo: Elmo, checksum: str) -> tuple[Path, ...]:
    """Where a calibration may lie: beside the model, and in the user's cache."""
    cached = cache_folder() / "sense_map" / f"{checksum[:16]}.json"
    return (cached,) if elmo.files is None else (elmo.files.folder / NAME, cached)


def checksum_of(elmo: Elmo, static: StaticVectors) -> str:
    """What changes when the model, the static vectors or the gallery do."""
    return hashlib.sha256(f"{elmo.checksum} {static.checksum} {_gallery_checksum()} {_METHOD}".encode()).hexdigest()


@cache
def _gallery_checksum() -> str:
    return hashlib.sha256(json.dumps([asdict(use) for use in gallery()]).encode()).hexdigest()


def measure_map(elmo: Elmo, static: StaticVectors, views: Sequence[str] = ()) -> SenseMapCalibration:
    """Group the uses of all words of the gallery in every view, and see how well the groups match the senses.

    Args:
        elmo: the model.
        static: word vectors of the words around a use.
        views: names of the views; all but the context-free layer if none is given.
    """
    names = layer_names(elmo.n_layers)
    wanted = tuple(views) or tuple(name for name in view_names(names) if name != "0" or len(names) == 1)
    words = {}
    for word in gallery_words():
        uses = [gallery_use(entry) for entry in gallery() if entry.word == word]
        layers, around = use_vectors(elmo, static, uses)
        words[word] = KnownUses(
            {name: view_of(name, layers, names, around) for name in wanted}, tuple(use.sense or "" for use in uses)
        )
    return calibrate_sense_map(words, wanted, checksum_of(elmo, static))


def use_vectors(
    elmo: Elmo, static: StaticVectors, uses: Sequence[Use], progress: Callable[[float], None] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """``[L, n, D]`` vectors of the uses, and ``[n, S]`` of the words around them."""
    layers = np.zeros((elmo.n_layers, len(uses), elmo.width), np.float32)
    order = sorted(range(len(uses)), key=lambda k: len(uses[k].tokens))
    with torch.inference_mode():
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            values = elmo.encode([uses[k].tokens for k in batch]).values
            for row, k in enumerate(batch):
                layers[:, k] = values[:, row, uses[k].index].float().cpu().numpy()
            if progress is not None:
                progress((start + len(batch)) / len(order))
    around = (
        np.stack([words_around(static, use.tokens, use.index) for use in uses])
        if uses
        else np.zeros((0, static.width), np.float32)
    )
    return layers, around


def words_around(static: StaticVectors, tokens: Sequence[str], index: int) -> NDArray[np.float32]:
    """``[S]``: see :func:`elmo_tasks.analysis.views_of_uses.surroundings`."""
    vectors = static.vectors_of(tokens).cpu().numpy()
    return surroundings(vectors, np.array([static.share_of(token) for token in tokens]), index)

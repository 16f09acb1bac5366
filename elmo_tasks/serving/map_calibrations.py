"""How well groups of uses match known senses in one model: where that is kept, and how it is measured."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from elmo_tasks.bilm.model_cache import cache_folder
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.layers.views import layer_names
from elmo_tasks.senses.calibration import Calibration
from elmo_tasks.senses.gallery import gallery, gallery_words
from elmo_tasks.senses.marked_vectors import marked_vectors
from elmo_tasks.senses.sense_map_calibration import KnownUses, SenseMapCalibration, calibrate_sense_map
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import view_names

NAME = "sense_map.json"
# To be raised when what stands around a use is seen in another way: what was measured before no longer counts.
_METHOD = 2

_log = logging.getLogger(__name__)
C = TypeVar("C", Calibration, SenseMapCalibration)


def load_map_calibration(encoder: Encoder, static: StaticVectors) -> SenseMapCalibration | None:
    """What was measured of a model, from beside it or from the user's cache; ``None`` if it never was."""
    checksum = checksum_of(encoder, static)
    return kept(paths(encoder, checksum), checksum, SenseMapCalibration.from_dict, "cannot be read")


def kept(
    places: Sequence[Path], checksum: str, from_dict: Callable[[dict[str, Any]], C], where_broken: str
) -> C | None:
    """What was measured of the model with that checksum, from the first of the files that has it."""
    for path in places:
        if not path.exists():
            continue
        try:
            found = from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            _log.warning("%s %s (%s: %s)", path, where_broken, type(error).__name__, error)
            continue
        if found.checksum == checksum:
            return found
    return None


def paths(encoder: Encoder, checksum: str) -> tuple[Path, ...]:
    """Where a calibration may lie: beside the model, and in the user's cache."""
    cached = cache_folder() / "sense_map" / f"{checksum[:16]}.json"
    return (cached,) if encoder.folder is None else (encoder.folder / NAME, cached)


def checksum_of(encoder: Encoder, static: StaticVectors) -> str:
    """What changes when the model, the static vectors or the gallery do."""
    return hashlib.sha256(f"{encoder.checksum} {static.checksum} {_gallery_checksum()} {_METHOD}".encode()).hexdigest()


@cache
def _gallery_checksum() -> str:
    return hashlib.sha256(json.dumps([asdict(use) for use in gallery()]).encode()).hexdigest()


def measure_map(
    encoder: Encoder,
    static: StaticVectors,
    views: Sequence[str] = (),
    passing: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> SenseMapCalibration:
    """Group the uses of all words of the gallery in every view, and see how well the groups match the senses.

    Views are all but the context-free layer if none is given; ``passing`` hands them on one by one, as ``tqdm`` does.
    """
    names = layer_names(encoder.n_layers)
    wanted = tuple(views) or tuple(name for name in view_names(names) if name != "0" or len(names) == 1)
    words = {}
    for word in gallery_words():
        uses = [gallery_use(entry) for entry in gallery() if entry.word == word]
        found = marked_vectors(encoder, static, uses)
        words[word] = KnownUses({name: found.view(name) for name in wanted}, tuple(use.sense or "" for use in uses))
    return calibrate_sense_map(words, passing(wanted), checksum_of(encoder, static))

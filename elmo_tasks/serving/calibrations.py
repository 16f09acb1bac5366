"""Where a model's calibration is kept: beside the model if it came with it, else in the user's cache."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from elmo_tasks.analysis.calibration import Calibration, WordUses, calibrate
from elmo_tasks.analysis.similarity import random_pair_cosine
from elmo_tasks.bilm.model_cache import cache_folder
from elmo_tasks.corpus.everyday import everyday_sentences
from elmo_tasks.corpus.gallery import gallery
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.layers.views import layer_names, with_mean
from elmo_tasks.text.mentions import find_mention

_log = logging.getLogger(__name__)


def load_calibration(elmo: Elmo) -> Calibration:
    """The calibration of a model; measured now, and kept, if there is none yet."""
    if elmo.files is None:
        return measure(elmo, "")
    checksum = elmo.files.checksum
    beside, cached = elmo.files.folder / "calibration.json", cached_path(checksum)
    for path in (beside, cached):
        if (found := _read(path)) is not None and found.checksum == checksum:
            return found
    _log.warning("%s: measuring once what a cosine means in this model; the result is kept in %s", elmo.name, cached)
    calibration = measure(elmo, checksum)
    write_calibration(calibration, cached)
    return calibration


def cached_path(checksum: str) -> Path:
    """Where the calibration of a model that came without one is kept."""
    return cache_folder() / "calibration" / f"{checksum[:16]}.json"


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write it; the file appears only when it is whole."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".part")
        partial.write_text(json.dumps(calibration.to_dict(), indent=1) + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError as error:  # a read-only home: it will be measured anew next time
        _log.warning("%s could not be written: %s", path, error)


def measure(elmo: Elmo, checksum: str) -> Calibration:
    """Encode the everyday sentences and the gallery, and see what cosines mean.

    Args:
        elmo: the model.
        checksum: of its weights.
    """
    uses: dict[str, list[tuple[tuple[str, ...], int, str]]] = {}
    for use in gallery():
        mention = find_mention(use.word, use.sentence)
        uses.setdefault(use.word, []).append((tuple(t.text for t in mention.tokens), mention.index, use.sense))
    words = {
        word: WordUses(with_mean(_vectors(elmo, [(t, i) for t, i, _ in known])), tuple(s for *_, s in known))
        for word, known in uses.items()
    }
    return calibrate(layer_names(elmo.n_layers), words, random_pairs(elmo), checksum)


def random_pairs(elmo: Elmo) -> tuple[float, ...]:
    """Mean cosine of two random words of the everyday sentences, at each layer and in their mean."""
    layers = elmo.encode(everyday_sentences())
    ids: dict[str, int] = {}
    keep = [
        (k, t, ids.setdefault(word.lower(), len(ids)))
        for k, words in enumerate(layers.tokens)
        for t, word in enumerate(words)
        if word[0].isalpha()
    ]
    sentence, place, word = (torch.tensor(column) for column in zip(*keep, strict=True))
    vectors = with_mean(layers.values[:, sentence, place].cpu())
    return tuple(round(value, 6) for value in random_pair_cosine(vectors, sentence, word).tolist())


def _vectors(elmo: Elmo, places: Sequence[tuple[Sequence[str], int]]) -> Tensor:
    """``[L, n, D]`` vectors of one token of each sentence."""
    layers = elmo.encode([tokens for tokens, _ in places])
    return torch.stack([layers.values[:, k, i] for k, (_, i) in enumerate(places)], dim=1).cpu()


def _read(path: Path) -> Calibration | None:
    if not path.exists():
        return None
    try:
        return Calibration.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        _log.warning("%s is not a calibration and is measured anew (%s: %s)", path, type(error).__name__, error)
        return None

"""Where a model's calibration is kept: beside the model if it came with it, else in the user's cache."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from elmo_tasks.bilm.model_cache import cache_folder
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.files import write_json
from elmo_tasks.layers.views import layer_names, with_mean
from elmo_tasks.senses.calibration import Calibration, LayerCalibration
from elmo_tasks.senses.calibration_fit import calibrate
from elmo_tasks.senses.expected_words import EXPECTED, ExpectedWords
from elmo_tasks.senses.gallery import EverydayUse, GalleryUse, everyday_sentences, everyday_uses, gallery, gallery_words
from elmo_tasks.senses.known_sets import WordUses
from elmo_tasks.senses.marked_vectors import density_of, marked_vectors
from elmo_tasks.senses.similarity import random_pair_cosine
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import WORDS
from elmo_tasks.serving.map_calibrations import checksum_of, kept
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.uses import Use, told_as_share, use_vectors
from elmo_tasks.wording.text import duration

# To be raised when the same model is measured in another way: what was measured before no longer counts.
_METHOD = 6
#: The collection of sentences as people type them.
EVERYDAY = "everyday"
#: Seconds of one core for what follows the reading.
_FITTING = 30.0
#: Nobody waits longer for the first answer of a large model: after so many seconds no further part of the gallery is read.
_READING = 75.0
#: A large model may read one of so many parts of the gallery's words, beside all everyday ones.
_PARTS = 4
_log = logging.getLogger(__name__)

KnownUse = EverydayUse | GalleryUse


def load_calibration(
    encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None, may_measure: bool = True
) -> Calibration:
    """The calibration of a model, from beside it or from the user's cache.

    If there is none yet, it is measured now, and kept; where it may not be, nothing is said of meanings.
    """
    if not encoder.reads_sentence:
        return measure(encoder, static, expected)  # takes no time
    checksum = _checksum_of(encoder, static, expected)
    cached = cached_path(checksum)
    beside = [] if encoder.folder is None else [encoder.folder / "calibration.json"]
    if found := kept((*beside, cached), checksum, Calibration.from_dict, "is not a calibration and is measured anew"):
        return found
    began = time.perf_counter()
    random_pair = random_pairs(encoder)
    if not may_measure:
        return Calibration.unmeasured(layer_names(encoder.n_layers), random_pair, {WORDS: static.width})
    n_words, n_random = _n_words(), sum(len(tokenize(sentence)) for sentence in everyday_sentences())
    reading = (time.perf_counter() - began) * n_words / n_random
    _log.warning(
        "%s: measuring once what a cosine means in this model: up to %s words of sentences with known senses are read, which "
        "takes %s; the result is kept in %s. To go without: --no-calibration",
        encoder.name,
        f"{n_words:,}",
        duration(min(reading, _READING) + _FITTING),
        cached,
    )
    with tqdm(total=100, unit="%", desc=f"measuring {encoder.name}", leave=False) as bar:
        calibration = measure(
            encoder, static, expected, lambda share: bar.update(round(100 * share) - bar.n), random_pair, _READING
        )
    write_calibration(calibration, cached)
    return calibration


def cached_path(checksum: str) -> Path:
    """Where the calibration of a model that came without one is kept."""
    return cache_folder() / "calibration" / f"{hashlib.sha256(checksum.encode()).hexdigest()[:16]}.json"


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write it; the file appears only when it is whole."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, calibration.to_dict())
    except OSError as error:  # a read-only home: it will be measured anew next time
        _log.warning("%s could not be written: %s", path, error)


def measure(
    encoder: Encoder,
    static: StaticVectors,
    expected: ExpectedWords | None,
    progress: Callable[[float], None] | None = None,
    random_pair: Sequence[float] | None = None,
    seconds: float = math.inf,
    times: int = 1,
) -> Calibration:
    """Encode the everyday sentences and the gallery, and see what cosines mean.

    Args:
        encoder: the model.
        static: vectors of the words around a use.
        expected: what the model would write in the place of a use, if it can.
        progress: told the share of the sentences that is read.
        random_pair: what :func:`random_pairs` gives, where it is known.
        seconds: how long it may read; a quarter of the gallery's words is read in any case, and everything by default.
        times: how many times as many sets are drawn as on first use; see :func:`~elmo_tasks.senses.calibration_fit.calibrate`.
    """
    names, checksum = layer_names(encoder.n_layers), _checksum_of(encoder, static, expected)
    random_pair = random_pairs(encoder) if random_pair is None else random_pair
    if not encoder.reads_sentence:  # its cosines tell words apart, not uses of one
        layers = [
            LayerCalibration(name, random_pair_cosine=cosine) for name, cosine in zip(names, random_pair, strict=True)
        ]
        return Calibration(checksum, tuple(layers), (), 0, names[0], {})
    return calibrate(names, known_uses(encoder, static, expected, progress, seconds), random_pair, checksum, times)


def _n_words() -> int:
    """Words of all sentences of both collections, each sentence once."""
    sentences = {gallery_use(entry).tokens for entry in gallery()} | {gallery_use(e).tokens for e in everyday_uses()}
    return sum(len(tokens) for tokens in sentences)


def known_uses(
    encoder: Encoder,
    static: StaticVectors,
    expected: ExpectedWords | None,
    progress: Callable[[float], None] | None = None,
    seconds: float = math.inf,
) -> dict[str, WordUses]:
    """The uses of every word of both collections, read, by word and collection; see :func:`measure`."""
    parts: list[list[tuple[str, KnownUse]]] = [[] for _ in range(_PARTS)]
    part_of = {word: k % _PARTS for k, word in enumerate(gallery_words())}
    for use in gallery():
        parts[part_of[use.word]].append(("gallery", use))
    parts[0] += [(EVERYDAY, entry) for entry in everyday_uses()]
    n_uses, n_read = sum(map(len, parts)), 0
    found: dict[str, WordUses] = {}
    began = time.perf_counter()
    for part in parts:
        # What comes is foreseen by what was read.
        if n_read and (time.perf_counter() - began) * (n_read + len(part)) / n_read > seconds:
            break
        found |= _read_uses(encoder, static, expected, part, _from(progress, n_read / n_uses, len(part) / n_uses))
        n_read += len(part)
    return found


def _from(progress: Callable[[float], None] | None, start: float, width: float) -> Callable[[float], None] | None:
    """Progress of a part as progress of the whole."""
    return None if progress is None else lambda share: progress(start + width * share)


def _read_uses(
    encoder: Encoder,
    static: StaticVectors,
    expected: ExpectedWords | None,
    entries: Sequence[tuple[str, KnownUse]],
    progress: Callable[[float], None] | None,
) -> dict[str, WordUses]:
    """Uses with the collections they are from, by word and collection."""
    uses = [gallery_use(entry) for _, entry in entries]
    found = marked_vectors(encoder, static, uses, told_as_share(progress, len(uses)), expected)
    assert found.told is not None
    density = np.array([density_of(static, use) for use in uses])
    vectors = with_mean(torch.from_numpy(found.layers.astype(np.float32)))  # [L + 1, n, D]
    others = {WORDS: found.around.astype(np.float32)}
    if found.expected is not None:
        others[EXPECTED] = found.expected.astype(np.float32)
    places: dict[tuple[str, str], list[int]] = {}
    for k, (collection, entry) in enumerate(entries):
        places.setdefault((entry.word, collection), []).append(k)
    return {
        f"{word}/{collection}": WordUses(
            vectors[:, at],
            {view: values[at] for view, values in others.items()},
            tuple(entries[k][1].sense for k in at),
            found.told[at],
            density[at],
            collection,
        )
        for (word, collection), at in places.items()
    }


def _checksum_of(encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None) -> str:
    written = "" if expected is None else expected.checksum
    return f"{checksum_of(encoder, static)}-{_METHOD}-{_everyday_checksum()[:16]}-{written}"


@cache
def _everyday_checksum() -> str:
    return hashlib.sha256(json.dumps([asdict(use) for use in everyday_uses()]).encode()).hexdigest()


def random_pairs(encoder: Encoder) -> tuple[float, ...]:
    """Mean cosine of two random words of the everyday sentences, at each layer and in their mean."""
    vectors, sentence, word = everyday_words(encoder)
    return tuple(round(value, 6) for value in random_pair_cosine(with_mean(vectors), sentence, word).tolist())


def everyday_words(encoder: Encoder) -> tuple[Tensor, Tensor, Tensor]:
    """All words of the everyday sentences, as :func:`~elmo_tasks.senses.similarity.random_pair_cosine` needs them.

    ``[L, n, D]`` vectors, ``[n]`` number of the sentence of each, ``[n]`` number of the word that each is, in any case.
    """
    rows = [[token.text for token in tokenize(sentence)] for sentence in everyday_sentences()]
    places = [(k, t) for k, words in enumerate(rows) for t, word in enumerate(words) if word[0].isalpha()]
    ids: dict[str, int] = {}
    words = [ids.setdefault(rows[k][t].lower(), len(ids)) for k, t in places]
    vectors = use_vectors(encoder, [Use.of_tokens(rows[k], t) for k, t in places])
    return vectors, torch.tensor([k for k, _ in places]), torch.tensor(words)

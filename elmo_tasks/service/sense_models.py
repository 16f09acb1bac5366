"""Sense model of an encoder: bundled with it, cached, or fitted on first use."""

from __future__ import annotations

import logging
import time
from pathlib import Path

from tqdm import tqdm

from elmo_tasks.bilm.model_cache import cache_folder
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.messages.text import duration
from elmo_tasks.senses.calibrate import calibrate
from elmo_tasks.senses.disambiguation import (
    SenseModel,
    models_checksum,
    read_calibration,
    write_calibration,
)
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.similarity import everyday_sentences, random_pairs

#: Upper bound in seconds on the time for reading the dictionary on first use; a large model reads a part of it.
_READING_SECONDS = 75.0
_FITTING_SECONDS = 45.0
_MIN_USES = 1_500
#: Sentences of the dictionary are about half as long as the everyday ones that are timed.
_RELATIVE_LENGTH = 0.6
_log = logging.getLogger(__name__)


def load_sense_model(
    encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None, may_fit: bool = True
) -> SenseModel | None:
    """Load the sense model of an encoder, or fit it on first use.

    Return ``None`` for an encoder that reads no sentence, or one without a calibration if ``may_fit`` is False.

    Fitting uses a part of the dictionary that takes about a minute to read; the result stays in the user's cache.
    """
    if not encoder.reads_sentence:
        return None
    checksum = models_checksum(encoder, static, expected)
    cached = cached_folder(checksum)
    for folder in (encoder.folder, cached):
        if folder is not None and (found := read_calibration(folder, checksum)) is not None:
            return SenseModel(encoder, static, expected, *found)
    if not may_fit:
        return None
    return _fit(encoder, static, expected, cached)


def cached_folder(checksum: str) -> Path:
    """Return the cache folder for the calibration of a model that came without one."""
    return cache_folder() / "meanings" / checksum[:16]


def _fit(encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None, cached: Path) -> SenseModel:
    began = time.perf_counter()
    random_pairs(encoder)
    per_sentence = _RELATIVE_LENGTH * (time.perf_counter() - began) / len(everyday_sentences())
    max_uses = max(_MIN_USES, int(_READING_SECONDS / max(per_sentence, 1e-6)))
    _log.warning(
        "%s: fitting once, on the dictionary, what tells meanings apart in this model, which takes %s; the result is kept in %s. "
        "To go without: --no-calibration",
        encoder.name,
        duration(min(_READING_SECONDS, max_uses * per_sentence) + _FITTING_SECONDS),
        cached,
    )
    with tqdm(total=100, unit="%", desc=f"reading the dictionary with {encoder.name}", leave=False) as bar:
        calibration, centroids = calibrate(
            encoder,
            static,
            expected,
            bundled_lexicon(),
            max_uses,
            lambda share: bar.update(round(100 * share) - bar.n),
        )
    try:
        write_calibration(cached, calibration, centroids)
    except OSError as error:  # the home folder is read-only: the next start fits it again
        _log.warning("%s could not be written: %s", cached, error)
    return SenseModel(encoder, static, expected, calibration, centroids)

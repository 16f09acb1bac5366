"""Fit the calibration of an encoder's sense model on the words of the dictionary.

Held-out words and test sentences are never read here. One example in five of each meaning is a
*development* sentence: it fits the weights of the score and the detection of unlisted meanings, and
is left out of the centroids during fitting. The steps are:

1. the weight of each view: softmax regression on the cosines of a use to the meanings of its word,
   with each use left out of the centroid of its own meaning;
2. a projection of all views with which the same cosines separate meanings better (prototypes: Snell
   et al., 2017), kept only if it does so on development sentences;
3. the centroids of the meanings of each word, moved to where they separate its examples best;
4. the scores of parts of speech, by a logistic regression on the embedded examples;
5. the weights of cosine, word matches and part of speech in the score of a meaning, the log-odds of
   an unlisted meaning (each meaning left out in turn), and those of a shared meaning of two uses of
   an unlisted word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.use_vectors import progress_fraction
from elmo_tasks.errors import DataError
from elmo_tasks.senses.calibration_files import models_checksum
from elmo_tasks.senses.disambiguation import sense_key
from elmo_tasks.senses.entries import Entry, is_development
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.features import Vectors, extract, join
from elmo_tasks.senses.fit_scores import (
    development_evidence,
    fit_parts,
    fit_same,
    fit_scores,
    fit_unknown,
)
from elmo_tasks.senses.fit_views import (
    UseRows,
    accuracy,
    choose_layers,
    contrasted_means,
    fit_projection,
    fit_weights,
)
from elmo_tasks.senses.lexicon import Lexicon
from elmo_tasks.senses.scoring import SenseCalibration
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use

_MIN_WORDS = 40


def calibrate(
    encoder: Encoder,
    static: StaticVectors,
    expected: ExpectedWords | None,
    lexicon: Lexicon,
    max_uses: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[SenseCalibration, dict[str, Vectors]]:
    """Fit the calibration of an encoder, and compute the centroids of all meanings.

    Args:
        encoder: the model.
        static: vectors of the words around a use.
        expected: the words that the model expects in a position, if it has an output layer.
        lexicon: the dictionary.
        max_uses: read only about this many of its sentences; all by default.
        progress: called with the fraction of the sentences read so far, from 0 to 1.

    Raises:
        DataError: the dictionary has too few words with several meanings, or none with three.
    """
    entries = _some([*lexicon.ambiguous, *lexicon.expressions], max_uses)
    uses, owners = _uses_of(entries)
    words = _words(entries, owners)
    if len(words) < _MIN_WORDS:
        raise DataError(
            f"expected a dictionary with at least {_MIN_WORDS} words of several meanings to fit on,"
            f" found {len(words)}; read more of it"
        )
    layers = choose_layers(encoder, uses, words)
    on_done = progress_fraction(progress, len(uses))
    views = extract(encoder, static, expected, uses, layers, on_done)
    centres = {name: np.asarray(part.mean(axis=0)) for name, part in views.items()}
    weights = fit_weights(views, centres, words)
    joined = torch.from_numpy(join(views, centres, weights))
    projection = fit_projection(joined, words)
    before, after = (accuracy(F.normalize(x, dim=-1), words) for x in (joined, joined @ projection))
    kept = projection if after > before else None
    embedded = F.normalize(joined if kept is None else joined @ kept, dim=-1)
    centroids = _centroids(entries, owners, embedded)
    parts, part_matrix = fit_parts(entries, owners, embedded.numpy())
    evidence = development_evidence(
        entries, uses, embedded, words, static, centroids, (part_matrix, parts)
    )
    weights_of_scores = fit_scores(evidence)
    calibration = SenseCalibration(
        checksum=models_checksum(encoder, static, expected),
        layers=tuple(layers),
        weights=weights,
        centres=centres,
        projection=None if kept is None else kept.numpy(),
        slope=weights_of_scores[0],
        match=weights_of_scores[1],
        part=weights_of_scores[2],
        parts=parts,
        part_matrix=part_matrix,
        unknown=fit_unknown(evidence, weights_of_scores),
        same=fit_same(embedded, words),
    )
    return calibration, centroids


def _some(entries: Sequence[Entry], max_uses: int | None) -> list[Entry]:
    """Return all entries, or entries at even distances with about ``max_uses`` sentences."""
    total = sum(len(sense.sentences) for entry in entries for sense in entry.all_senses)
    if max_uses is None or total <= max_uses:
        return list(entries)
    step = total / max(1, max_uses)
    return [entries[int(k * step)] for k in range(int(len(entries) / step))]


def _uses_of(entries: Sequence[Entry]) -> tuple[list[Use], list[tuple[int, int, int]]]:
    """Return the examples of entries as uses, with entry, meaning and number of each."""
    uses: list[Use] = []
    owners: list[tuple[int, int, int]] = []
    for e, entry in enumerate(entries):
        for s, sense in enumerate(entry.all_senses):
            for k, sentence in enumerate(sense.examples):
                uses.append(find_mention(entry.word, sentence))
                owners.append((e, s, k))
    return uses, owners


def _words(entries: Sequence[Entry], owners: Sequence[tuple[int, int, int]]) -> list[UseRows]:
    """Return the words to fit on: not held out, with two meanings or more."""
    rows: dict[int, list[int]] = {}
    for row, (e, _, _) in enumerate(owners):
        rows.setdefault(e, []).append(row)
    found = []
    for e, entry_rows in rows.items():
        entry = entries[e]
        if entry.is_held_out or len(entry.all_senses) < 2:
            continue
        senses = torch.tensor([owners[row][1] for row in entry_rows])
        development = torch.tensor([is_development(owners[row][2]) for row in entry_rows])
        found.append(
            UseRows(
                word=entry.word,
                rows=torch.tensor(entry_rows),
                senses=senses,
                n_senses=len(entry.all_senses),
                is_development=development,
            )
        )
    return found


def _centroids(
    entries: Sequence[Entry], owners: Sequence[tuple[int, int, int]], embedded: Tensor
) -> dict[str, Vectors]:
    """Return the centroid ``[H]`` of every meaning, by its fingerprint."""
    rows: dict[int, list[int]] = {}
    for row, (e, _, _) in enumerate(owners):
        rows.setdefault(e, []).append(row)
    found: dict[str, Vectors] = {}
    for e, entry_rows in rows.items():
        entry = entries[e]
        senses = torch.tensor([owners[row][1] for row in entry_rows])
        centroids = contrasted_means(embedded[entry_rows], senses, len(entry.all_senses))
        for sense, centroid in zip(entry.all_senses, centroids.numpy(), strict=True):
            found[sense_key(entry.word, sense)] = centroid
    return found

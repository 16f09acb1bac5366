"""Probabilities of the meanings of a use, from the evidence for each.

The score of a meaning adds the cosine to it, the fit of each context word to the words of its
examples and gloss (``word_matches.py``), and the probability of its part of speech; in running text
also how common the meaning is (``frequencies.py``). A softmax gives probabilities. A logistic
regression gives the probability that none of the meanings is meant: it also sees how close the use
is to meanings of other words. None of this grows with the length of the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.senses.features import Vectors, join, unit
from elmo_tasks.senses.word_matches import Matches

#: Evidence for a meaning that is not listed. All but the lead and the last two belong to the
#: meaning of the highest score.
UNKNOWN_FEATURES = (
    "cosine",
    "lead",
    "mean match",
    "nearest match",
    "total match",
    "nearest other",
    "mean other",
)

#: Weight of the prior in running text, and factor of the scores there; fitted on half of the judged
#: passages (``elmo-tasks evaluate --passages``), as is the least log-odds at which an unlisted
#: meaning is reported.
PRIOR_WEIGHT = 1.7
TEXT_SCALE = 0.55
TEXT_UNKNOWN = 4.0
#: Log-odds against an unlisted meaning where the words around the use have no weight; 0 from a
#: weight of 1 on.
_SAYS_LITTLE = 4.0
#: Largest difference between the total matches of two meanings that counts in a probability: one
#: telling word must not outweigh all else (*the bird flew into the new wing of the hospital*).
MAX_LAG = 1.0
#: Factor of the scores of sentences that people type. It and the largest difference were chosen on
#: half of the traps, sentences with a word that pulls to a wrong meaning.
TYPED_SCALE = 0.7
_BLOCK = 512  # uses that are compared with all meanings at a time
_N_OTHERS = 20  # meanings of other words that are most similar to a use
#: Least probability of a part of speech: dictionaries call a use a noun that a tagger calls an
#: adjective.
_MIN_PART = 0.02


@dataclass(frozen=True)
class SenseCalibration:
    """Parameters fitted on the dictionary for one encoder."""

    checksum: str  #: of the models that embed uses (:func:`calibration_files.models_checksum`)
    layers: tuple[int, ...]  #: the encoder layers that are read
    weights: Mapping[str, float]  #: weight of each view that is read, by name
    centres: Mapping[str, Vectors]  #: ``[D]`` mean of each view
    projection: Vectors | None  #: ``[sum of D, H]``; ``None`` if the plain views do as well
    slope: float  #: weight of the cosine in the score of a meaning
    match: float  #: weight of the word matches in the score of a meaning
    part: float  #: weight of the log-probability of its part of speech
    parts: tuple[str, ...]  #: the parts of speech that the tagger distinguishes
    part_matrix: Vectors  #: ``[H + 1, P]`` their scores from an embedded use, the constants last
    #: log-odds of an unlisted meaning: intercept, coefficients of :data:`UNKNOWN_FEATURES`
    unknown: tuple[float, ...]
    #: log-odds that two uses of an unlisted word share a meaning: intercept, coefficient of their
    #: cosine
    same: tuple[float, float]
    #: scores on test sentences and held-out words
    measured: Mapping[str, Any] = field(default_factory=dict)

    def embed(self, views: Mapping[str, Vectors]) -> Vectors:
        """Return unit vectors ``[n, H]`` from the views of ``n`` uses."""
        joined = join(views, self.centres, self.weights)
        return unit(joined if self.projection is None else joined @ self.projection)


@dataclass(frozen=True)
class SenseProbabilities:
    """Probabilities of the meanings of one use."""

    probabilities: tuple[float, ...]  #: of each meaning; they and ``other`` add up to 1
    other: float  #: of an unlisted meaning

    @property
    def best(self) -> int | None:
        """Position of the most probable meaning; ``None`` for an unlisted one."""
        k = max(range(len(self.probabilities)), key=self.probabilities.__getitem__)
        return k if self.probabilities[k] >= self.other else None

    @property
    def top(self) -> float:
        """Probability of the most probable meaning."""
        return max(*self.probabilities, self.other)

    def same(self, other: SenseProbabilities) -> float:
        """Return the probability that two uses share a meaning, listed or not."""
        shared = sum(p * q for p, q in zip(self.probabilities, other.probabilities, strict=True))
        return min(1.0, shared + self.other * other.other)


@dataclass(frozen=True)
class Evidence:
    """Evidence for each of ``S`` meanings of ``n`` uses of a word."""

    cosines: NDArray[np.float64]  #: ``[n, S]`` of a use and the centroid of a meaning
    matches: Matches
    #: ``[n, 2]`` highest and mean cosine to the most similar meanings of other words
    others: NDArray[np.float64]
    parts: NDArray[np.float64]  #: ``[n, S]`` log-probability of the part of speech of each meaning

    def scores(
        self, slope: float, match_weight: float, part_weight: float, max_lag: float = np.inf
    ) -> NDArray[np.float64]:
        """Return ``[n, S]`` scores.

        Their softmax is the probability of each meaning, if one of them is meant. The total match
        of a meaning counts as at most ``max_lag`` behind the best.
        """
        lags = self.matches.total - self.matches.total.max(axis=1, keepdims=True)
        matches = np.maximum(lags, -max_lag)
        return slope * self.cosines + match_weight * matches + part_weight * self.parts

    def unknown_features(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``[n, 7]`` values of :data:`UNKNOWN_FEATURES`."""
        rows, best = np.arange(len(scores)), scores.argmax(axis=1)
        ordered = np.sort(scores, axis=1)
        lead = ordered[:, -1] - ordered[:, -2] if scores.shape[1] > 1 else np.zeros(len(scores))
        of_best = (
            m[rows, best] for m in (self.matches.mean, self.matches.nearest, self.matches.total)
        )
        return np.column_stack([self.cosines[rows, best], lead, *of_best, self.others])

    def without(self, use: int, meaning: int) -> Evidence:
        """Return the evidence of one use with one meaning left out."""
        rest = [s for s in range(self.cosines.shape[1]) if s != meaning]
        kept = np.ix_([use], rest)
        return Evidence(
            cosines=self.cosines[kept],
            matches=self.matches.part([use], rest),
            others=self.others[[use]],
            parts=self.parts[kept],
        )


def classify(
    calibration: SenseCalibration, evidence: Evidence, prior: NDArray[np.float64] | None = None
) -> list[SenseProbabilities]:
    """Compute the probabilities of the meanings of each use.

    Args:
        calibration: the weights.
        evidence: of ``n`` uses for ``S`` meanings.
        prior: ``[S]`` log-probability of each meaning in running text; ``None`` for sentences that
            people type, where the meanings of a word are contrasted.
    """
    weights = calibration.slope, calibration.match, calibration.part
    features = evidence.unknown_features(evidence.scores(*weights))
    odds = calibration.unknown[0] + features @ np.asarray(calibration.unknown[1:], np.float64)
    scores = evidence.scores(*weights, max_lag=MAX_LAG)
    # A sentence that says too little ("Look, a crane!") shows nothing of a meaning that is not
    # listed.
    odds = odds - _SAYS_LITTLE * np.maximum(0.0, 1.0 - evidence.matches.weight)
    if prior is None:
        scores = TYPED_SCALE * scores
    else:
        scores = TEXT_SCALE * (scores + PRIOR_WEIGHT * prior)
        odds = odds - TEXT_UNKNOWN
    known, other = softmax(scores), sigmoid(odds)
    return [
        SenseProbabilities(tuple(float(x) for x in (1 - u) * row), float(u))
        for row, u in zip(known, other, strict=True)
    ]


@dataclass(frozen=True)
class NearMeanings:
    """The meanings of the dictionary that are most similar to each of ``n`` uses, best first."""

    cosines: Vectors  #: ``[n, K]``
    rows: NDArray[np.int64]  #: ``[n, K]`` places among all meanings

    def part(self, uses: Sequence[int]) -> NearMeanings:
        """Return those of some uses."""
        return NearMeanings(self.cosines[uses], self.rows[uses])


def near_meanings(embedded: Vectors, centroids: Vectors, n_own: int = 0) -> NearMeanings:
    """Return the nearest meanings, as many as :func:`nearest_others` needs.

    Args:
        embedded: ``[n, H]`` uses.
        centroids: ``[M, H]`` of all meanings.
        n_own: the largest number of meanings that a word of these uses has.
    """
    n = min(_N_OTHERS + n_own, len(centroids))
    if not n or not len(embedded):
        empty = np.zeros((len(embedded), 0))
        return NearMeanings(empty.astype(np.float32), empty.astype(np.int64))
    blocks = [embedded[start : start + _BLOCK] for start in range(0, len(embedded), _BLOCK)]
    table = torch.from_numpy(centroids).T
    best = [(torch.from_numpy(block) @ table).topk(n, dim=1) for block in blocks]
    return NearMeanings(
        torch.cat([found.values for found in best]).numpy(),
        torch.cat([found.indices for found in best]).numpy(),
    )


def nearest_others(near: NearMeanings, own: Sequence[int] = ()) -> NDArray[np.float64]:
    """Return the highest and mean cosine to meanings of other words, ``[n, 2]``.

    They compare each use with the most similar meanings, but for the rows ``own`` of its word.
    """
    is_other = ~np.isin(near.rows, list(own))
    is_counted = is_other & (is_other.cumsum(axis=1) <= _N_OTHERS)
    counts = is_counted.sum(axis=1)
    cosines = np.where(is_counted, near.cosines.astype(np.float64), 0.0)
    highest = np.where(is_counted, near.cosines.astype(np.float64), -1.0).max(axis=1, initial=-1.0)
    mean = cosines.sum(axis=1) / np.maximum(counts, 1)
    return np.column_stack([np.where(counts > 0, highest, 0.0), mean])


def part_scores(
    embedded: Vectors, matrix: Vectors, parts: Sequence[str], wanted: Sequence[str]
) -> NDArray[np.float64]:
    """Return ``[n, S]`` log-probabilities of parts of speech, one for each of ``S`` meanings.

    A part of speech that was not fitted (expressions, the user's meanings) is as probable as the
    likeliest one.

    Args:
        embedded: ``[n, H]`` uses.
        matrix: ``[H + 1, P]``, the constants last.
        parts: the ``P`` parts of speech that the tagger distinguishes.
        wanted: the part of speech of each meaning.
    """
    if not parts:
        return np.zeros((len(embedded), len(wanted)))
    shares = softmax(embedded.astype(np.float64) @ matrix[:-1] + matrix[-1])
    known = np.log(shares * (1 - _MIN_PART) + _MIN_PART)
    columns = [
        known[:, parts.index(part)] if part in parts else known.max(axis=1) for part in wanted
    ]
    return np.stack(columns, axis=1)


def same_probability(calibration: SenseCalibration, embedded: Vectors) -> NDArray[np.float64]:
    """Return ``[n, n]`` probabilities that two uses of an unlisted word share a meaning.

    The prior odds are even.
    """
    return sigmoid(
        calibration.same[0] + calibration.same[1] * (embedded @ embedded.T).astype(np.float64)
    )


def sigmoid(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert log-odds to probabilities."""
    return np.asarray(1 / (1 + np.exp(-odds)), np.float64)


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert ``[n, S]`` scores to probabilities."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float64)

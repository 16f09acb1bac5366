"""Word sense disambiguation: the meaning of the dictionary that a use of a word has.

A use is embedded: its views (``features.py``) side by side, times one matrix that was fitted on the
dictionary. A meaning is the mean of its examples, as in section 5.3 of Peters et al. (2018). The
score of a meaning adds the cosine to it, the fit of each context word to the words of its examples
and gloss (``word_matches.py``), and the probability of its part of speech; in running text also how
common the meaning is (``frequencies.py``). A softmax gives probabilities. A logistic regression
gives the probability that none of the meanings is meant: it also sees how close the use is to
meanings of other words. None of this grows with the length of the sentence. All is fitted once for
each encoder (``calibrate.py``).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.use_vectors import UseVectors, use_batches
from elmo_tasks.errors import WeightsError
from elmo_tasks.files import read_json, write_json
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.features import Vectors, extract, join, unit, views_of
from elmo_tasks.senses.lexicon import Entry, Sense
from elmo_tasks.senses.tagger import Tagger
from elmo_tasks.senses.word_matches import (
    Matches,
    WeightedWords,
    context_words,
    match,
    meaning_words,
)
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use
from elmo_tasks.text.word_forms import folded
from elmo_tasks.weights.safetensors_files import read_safetensors, write_safetensors

MEANINGS_NAME = "meanings"
SETTINGS_NAME = "meanings.json"
#: Increase this when the embedding of uses changes: it invalidates older files.
METHOD = 3
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
#: meaning is worth saying.
PRIOR_WEIGHT = 1.7
TEXT_SCALE = 0.58
TEXT_UNKNOWN = 3.0
#: Log-odds against an unlisted meaning where the words around the use weigh nothing; none from a
#: weight of 1 on.
_SAYS_LITTLE = 4.0
_N_OTHERS = 20  # meanings of other words that are most similar to a use
#: Least probability of a part of speech: dictionaries call a use a noun that a tagger calls an
#: adjective.
_MIN_PART = 0.02


@dataclass(frozen=True)
class SenseCalibration:
    """Parameters fitted on the dictionary for one encoder."""

    checksum: (
        str  #: of the encoder, the static vectors and the output layer (:func:`models_checksum`)
    )
    layers: tuple[int, ...]  #: the encoder layers that are read
    weights: Mapping[str, float]  #: weight of each view that is read, by name
    centres: Mapping[str, Vectors]  #: ``[D]`` mean of each view
    projection: Vectors | None  #: ``[sum of D, H]``; ``None`` if the plain views do as well
    slope: float  #: weight of the cosine in the score of a meaning
    match: float  #: weight of the word matches in the score of a meaning
    part: float  #: weight of the log-probability of its part of speech
    parts: tuple[str, ...]  #: the parts of speech that are told apart
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

    def scores(self, slope: float, match_weight: float, part_weight: float) -> NDArray[np.float64]:
        """Return ``[n, S]`` scores.

        Their softmax is the probability of each meaning, if one of them is meant.
        """
        return slope * self.cosines + match_weight * self.matches.total + part_weight * self.parts

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
    scores = evidence.scores(calibration.slope, calibration.match, calibration.part)
    odds = calibration.unknown[0] + evidence.unknown_features(scores) @ np.asarray(
        calibration.unknown[1:], np.float64
    )
    # A sentence that says too little ("Look, a crane!") shows nothing of a meaning that is not
    # listed.
    odds = odds - _SAYS_LITTLE * np.maximum(0.0, 1.0 - evidence.matches.weight)
    if prior is not None:
        scores = TEXT_SCALE * (scores + PRIOR_WEIGHT * prior)
        odds = odds - TEXT_UNKNOWN
    known, other = softmax(scores), sigmoid(odds)
    return [
        SenseProbabilities(tuple(float(x) for x in (1 - u) * row), float(u))
        for row, u in zip(known, other, strict=True)
    ]


def nearest_others(
    embedded: Vectors, centroids: Vectors, own: Sequence[int] = ()
) -> NDArray[np.float64]:
    """Return the highest and mean cosine to meanings of other words, ``[n, 2]``.

    They compare each use with the most similar of the meanings ``[M, H]``, but for the rows ``own``
    of its word.
    """
    n = min(_N_OTHERS, len(centroids) - len(own))
    if n < 1:
        return np.zeros((len(embedded), 2))
    cosines = embedded @ centroids.T
    cosines[:, list(own)] = -2.0
    top = np.partition(cosines, -n, axis=1)[:, -n:].astype(np.float64)
    return np.column_stack([top.max(axis=1), top.mean(axis=1)])


def part_scores(
    embedded: Vectors, matrix: Vectors, parts: Sequence[str], wanted: Sequence[str]
) -> NDArray[np.float64]:
    """Return ``[n, S]`` log-probabilities of parts of speech, one for each of ``S`` meanings.

    A part of speech that was not fitted (expressions, the user's meanings) is as probable as the
    likeliest one.

    Args:
        embedded: ``[n, H]`` uses.
        matrix: ``[H + 1, P]``, the constants last.
        parts: the ``P`` parts of speech that are told apart.
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


@dataclass(frozen=True)
class ReadUses:
    """Uses as a :class:`SenseModel` reads them."""

    embedded: Vectors  #: ``[n, H]``
    tags: list[str]  #: part of speech of each (Universal Dependencies); empty without a tagger


class SenseModel:
    """Embed uses with one encoder and compare them with meanings of the dictionary.

    Args:
        encoder: reads the sentences.
        static: vectors of the words around a use.
        expected: the words that the encoder expects in a place; ``None`` for one without an output
            layer.
        tagger: parts of speech; ``None`` for an encoder without one.
        calibration: what was fitted for this encoder.
        centroids: ``[H]`` of meanings that were computed before, by :func:`sense_key`.
    """

    def __init__(
        self,
        encoder: Encoder,
        static: StaticVectors,
        expected: ExpectedWords | None,
        calibration: SenseCalibration,
        centroids: Mapping[str, Vectors] | None = None,
        tagger: Tagger | None = None,
    ) -> None:
        self.encoder = encoder
        self.static = static
        self.expected = expected
        self.calibration = calibration
        self.tagger = tagger
        self._centroids: dict[str, Vectors] = dict(centroids or {})
        self._words: dict[str, WeightedWords] = {}
        shipped = list(self._centroids)
        self._all = (
            np.stack([self._centroids[key] for key in shipped])
            if shipped
            else np.zeros((0, 1), np.float32)
        )
        self._rows_of: dict[str, list[int]] = {}
        for row, key in enumerate(shipped):
            self._rows_of.setdefault(word_of_key(key), []).append(row)

    def embed(self, uses: Sequence[Use]) -> Vectors:
        """Return ``[n, H]`` embedded uses, encoding each sentence once."""
        return self.calibration.embed(
            extract(self.encoder, self.static, self.expected, uses, self.calibration.layers)
        )

    def read(self, uses: Sequence[Use]) -> ReadUses:
        """Embed uses and tag them, encoding each sentence once."""
        embedded: Vectors | None = None
        tags = [""] * len(uses)
        for rows, read in use_batches(self.encoder, uses):
            part = self.embed_read([uses[k] for k in rows], read)
            if embedded is None:
                embedded = np.zeros((len(uses), part.shape[1]), np.float32)
            embedded[rows] = part
            if self.tagger is not None:
                for k, tag in zip(rows, self.tagger(read.layers), strict=True):
                    tags[k] = tag
        return ReadUses(np.zeros((0, 1), np.float32) if embedded is None else embedded, tags)

    def embed_read(self, uses: Sequence[Use], read: UseVectors) -> Vectors:
        """Embed uses that the encoder has read before."""
        return self.calibration.embed(
            views_of(self.static, self.expected, uses, read, self.calibration.layers)
        )

    def centroids(self, senses: Sequence[tuple[str, Sense]]) -> Vectors:
        """Return ``[S, H]`` centroids of meanings, each given with its word.

        Compute missing ones and cache them.
        """
        keys = [sense_key(word, sense) for word, sense in senses]
        missing = [k for k, key in enumerate(keys) if key not in self._centroids]
        if missing:
            uses, owners = [], []
            for k in missing:
                word, sense = senses[k]
                for sentence in sense.examples or sense.sentences:
                    uses.append(find_mention(word, sentence))
                    owners.append(k)
            embedded = self.embed(uses)
            for k in missing:
                rows = [row for row, owner in enumerate(owners) if owner == k]
                self._centroids[keys[k]] = unit(embedded[rows].mean(axis=0))
        return np.stack([self._centroids[key] for key in keys])

    def classify(
        self,
        uses: Sequence[Use],
        embedded: Vectors,
        senses: Sequence[tuple[str, Sense]],
        prior: NDArray[np.float64] | None = None,
    ) -> list[SenseProbabilities]:
        """Classify uses, embedded as ``[n, H]``, by these meanings; see :func:`classify`."""
        return classify(self.calibration, self.evidence(uses, embedded, senses), prior)

    def evidence(
        self, uses: Sequence[Use], embedded: Vectors, senses: Sequence[tuple[str, Sense]]
    ) -> Evidence:
        """Collect what speaks for each of these meanings of uses that are embedded as ``[n,
        H]``.
        """
        meanings = [self._words_of(word, sense) for word, sense in senses]
        own = [
            row
            for word in {folded(word) for word, _ in senses}
            for row in self._rows_of.get(word, ())
        ]
        return Evidence(
            cosines=np.asarray(embedded @ self.centroids(senses).T, np.float64),
            matches=match([context_words(self.static, use) for use in uses], meanings),
            others=nearest_others(embedded, self._all, own),
            parts=part_scores(
                embedded,
                self.calibration.part_matrix,
                self.calibration.parts,
                [sense.part_of_speech for _, sense in senses],
            ),
        )

    def _words_of(self, word: str, sense: Sense) -> WeightedWords:
        key = f"{sense_key(word, sense)} {sense.gloss}"
        if key not in self._words:
            self._words[key] = meaning_words(self.static, word, sense)
        return self._words[key]


def senses_of(entries: Sequence[Entry]) -> list[tuple[str, Sense]]:
    """Return all meanings of one or more entries, each with its word."""
    return [(entry.word, sense) for entry in entries for sense in entry.senses]


def sense_key(word: str, sense: Sense) -> str:
    """Return a key without spaces, of the word and a hash of its examples."""
    text = "\n".join(sense.examples or sense.sentences)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{'_'.join(folded(word).split())}:{digest}"


def word_of_key(key: str) -> str:
    """Return the folded word of a :func:`sense_key`."""
    return key.rpartition(":")[0].replace("_", " ")


def models_checksum(encoder: Encoder, static: StaticVectors, expected: ExpectedWords | None) -> str:
    """Return a key that changes when any model that embeds uses does."""
    parts = [
        str(METHOD),
        encoder.checksum,
        static.checksum,
        expected.checksum if expected is not None else "",
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def write_calibration(
    folder: Path, calibration: SenseCalibration, centroids: Mapping[str, Vectors]
) -> None:
    """Write a calibration and the centroids of meanings.

    The settings come last and mark the rest as complete.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(centroids)
    tensors = {
        f"centre.{view}": torch.from_numpy(np.ascontiguousarray(v))
        for view, v in calibration.centres.items()
    }
    tensors["parts"] = torch.from_numpy(np.ascontiguousarray(calibration.part_matrix))
    if calibration.projection is not None:
        tensors["projection"] = torch.from_numpy(np.ascontiguousarray(calibration.projection))
    if names:
        tensors["centroids"] = torch.from_numpy(np.stack([centroids[name] for name in names]))
    write_safetensors(folder, MEANINGS_NAME, tensors, torch.float16)
    settings = {
        "method": METHOD,
        "checksum": calibration.checksum,
        "layers": list(calibration.layers),
        "weights": dict(calibration.weights),
        "slope": calibration.slope,
        "match": calibration.match,
        "part": calibration.part,
        "parts": list(calibration.parts),
        "unknown": list(calibration.unknown),
        "same": list(calibration.same),
        "measured": dict(calibration.measured),
        "centroids": " ".join(names),
    }
    write_json(folder / SETTINGS_NAME, settings)


def read_calibration(
    folder: Path, checksum: str
) -> tuple[SenseCalibration, dict[str, Vectors]] | None:
    """Read a calibration with its centroids.

    Return ``None`` if there is none, or if it belongs to other models.

    Raises:
        WeightsError: the files are broken.
    """
    path = folder / SETTINGS_NAME
    if not path.exists():
        return None
    try:
        raw = read_json(path)
        if raw["checksum"] != checksum or raw["method"] != METHOD:
            return None
        tensors = {
            name: np.asarray(t.float().numpy())
            for name, t in read_safetensors(folder, MEANINGS_NAME).items()
        }
        calibration = SenseCalibration(
            checksum=str(raw["checksum"]),
            layers=tuple(int(k) for k in raw["layers"]),
            weights={str(view): float(weight) for view, weight in raw["weights"].items()},
            centres={
                k.removeprefix("centre."): v for k, v in tensors.items() if k.startswith("centre.")
            },
            projection=tensors.get("projection"),
            slope=_numbers([raw["slope"]], 1)[0],
            match=_numbers([raw["match"]], 1)[0],
            part=_numbers([raw["part"]], 1)[0],
            parts=tuple(map(str, raw["parts"])),
            part_matrix=tensors["parts"],
            unknown=_numbers(raw["unknown"], 1 + len(UNKNOWN_FEATURES)),
            same=_numbers(raw["same"], 2),  # type: ignore[arg-type]
            measured=dict(raw["measured"]),
        )
        names = str(raw["centroids"]).split()
        centroids = dict(zip(names, tensors["centroids"], strict=True)) if names else {}
        _check_widths(calibration, centroids)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise WeightsError(
            f"{path}: not a calibration of meanings ({type(error).__name__}: {error})"
        ) from None
    return calibration, centroids


def _check_widths(calibration: SenseCalibration, centroids: Mapping[str, Vectors]) -> None:
    width = sum(len(calibration.centres[view]) for view in calibration.weights)
    if calibration.projection is not None:
        rows, embedded = calibration.projection.shape
        if rows != width:
            raise ValueError(f"expected a projection of {width} rows, found {rows}")
        width = embedded
    if calibration.part_matrix.shape != (width + 1, len(calibration.parts)):
        raise ValueError(
            f"expected part-of-speech scores of {width + 1} rows, found"
            f" {len(calibration.part_matrix)}"
        )
    if found := {len(centroid) for centroid in centroids.values()} - {width}:
        raise ValueError(f"expected centroids of width {width}, found {found.pop()}")


def _numbers(values: Sequence[Any], n: int) -> tuple[float, ...]:
    found = tuple(float(value) for value in values)
    if len(found) != n or not all(map(math.isfinite, found)):
        raise ValueError(f"expected {n} numbers, found {values!r:.80}")
    return found

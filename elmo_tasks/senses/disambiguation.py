"""Word sense disambiguation: find the dictionary meaning of each use of a word.

A use is embedded: its views (``features.py``) side by side, times one matrix that was fitted on the
dictionary. A meaning is the mean of its examples, as in section 5.3 of Peters et al. (2018).
``scoring.py`` turns their cosine and other evidence into probabilities. All is fitted once for each
encoder (``calibrate.py``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.use_vectors import UseVectors, use_batches
from elmo_tasks.senses.entries import Entry, Sense
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.features import Vectors, extract, unit, views_of
from elmo_tasks.senses.scoring import (
    Evidence,
    NearMeanings,
    SenseCalibration,
    SenseProbabilities,
    classify,
    near_meanings,
    nearest_others,
    part_scores,
)
from elmo_tasks.senses.stored_words import read_words
from elmo_tasks.senses.tagger import Tagger
from elmo_tasks.senses.word_matches import (
    CompactWords,
    WeightedWords,
    context_words,
    match,
    meaning_words,
)
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use
from elmo_tasks.text.word_forms import folded

#: Meanings whose words and centroids are kept: more than the dictionary has.
_MAX_KEPT = 12_000


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
        calibration: parameters fitted for this encoder.
        centroids: ``[H]`` centroids that were computed earlier, by :func:`sense_key`.
    """

    def __init__(
        self,
        encoder: Encoder,
        static: StaticVectors,
        expected: ExpectedWords | None,
        *,
        calibration: SenseCalibration,
        centroids: Mapping[str, Vectors] | None = None,
        tagger: Tagger | None = None,
    ) -> None:
        self.encoder = encoder
        self.static = static
        self.expected = expected
        self.calibration = calibration
        self.tagger = tagger
        self._shipped: Mapping[str, Vectors] = dict(centroids or {})
        # Includes meanings that users type; the oldest entries are dropped.
        self._computed: dict[str, Vectors] = {}
        self._words: dict[str, CompactWords] = {}
        self._stored_words = read_words(static)
        shipped = list(self._shipped)
        self._all = (
            np.stack([self._shipped[key] for key in shipped])
            if shipped
            else np.zeros((0, 1), np.float32)
        )
        self._rows_of: dict[str, list[int]] = {}
        for row, key in enumerate(shipped):
            self._rows_of.setdefault(word_of_key(key), []).append(row)
        # A form may belong to two words, as *rose* does.
        self._most_own = 2 * max(map(len, self._rows_of.values()), default=0)

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
        known = {key: self._shipped.get(key, self._computed.get(key)) for key in keys}
        missing = [k for k, key in enumerate(keys) if known[key] is None]
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
                known[keys[k]] = self._computed[keys[k]] = unit(embedded[rows].mean(axis=0))
            _forget_oldest(self._computed)
        return np.stack([centroid for key in keys if (centroid := known[key]) is not None])

    def near(self, embedded: Vectors) -> NearMeanings:
        """Compare uses ``[n, H]`` of any words with all meanings at once, for :meth:`classify`."""
        return near_meanings(embedded, self._all, self._most_own)

    def classify(
        self,
        uses: Sequence[Use],
        embedded: Vectors,
        senses: Sequence[tuple[str, Sense]],
        prior: NDArray[np.float64] | None = None,
        near: NearMeanings | None = None,
    ) -> list[SenseProbabilities]:
        """Classify uses, embedded as ``[n, H]``, by these meanings; see :func:`classify`."""
        return classify(self.calibration, self.evidence(uses, embedded, senses, near), prior)

    def evidence(
        self,
        uses: Sequence[Use],
        embedded: Vectors,
        senses: Sequence[tuple[str, Sense]],
        near: NearMeanings | None = None,
    ) -> Evidence:
        """Collect the evidence for each of these meanings, for uses embedded as ``[n, H]``.

        ``near`` is what :meth:`near` returns for them.
        """
        meanings = [self._words_of(word, sense) for word, sense in senses]
        own = [
            row
            for word in {folded(word) for word, _ in senses}
            for row in self._rows_of.get(word, ())
        ]
        if near is None or len(own) > self._most_own:
            near = near_meanings(embedded, self._all, len(own))
        return Evidence(
            cosines=np.asarray(embedded @ self.centroids(senses).T, np.float64),
            matches=match([context_words(self.static, use) for use in uses], meanings),
            others=nearest_others(near, own),
            parts=part_scores(
                embedded,
                self.calibration.part_matrix,
                self.calibration.parts,
                [sense.part_of_speech for _, sense in senses],
            ),
        )

    def _words_of(self, word: str, sense: Sense) -> WeightedWords:
        key = words_key(word, sense)
        if (known := self._stored_words.get(key) or self._words.get(key)) is not None:
            return known.weighted(self.static)
        words = meaning_words(self.static, word, sense)
        self._words[key] = CompactWords(words.weights, words.rows)
        _forget_oldest(self._words)
        return words


def _forget_oldest(kept: dict[str, Any]) -> None:
    """Bound a cache that several threads may fill."""
    if len(kept) > _MAX_KEPT:
        for key in list(kept)[:-_MAX_KEPT]:
            kept.pop(key, None)


def senses_of(entries: Sequence[Entry]) -> list[tuple[str, Sense]]:
    """Return all meanings of one or more entries, each with its word."""
    return [(entry.word, sense) for entry in entries for sense in entry.senses]


def sense_key(word: str, sense: Sense) -> str:
    """Return a key without spaces, of the word and a hash of its examples."""
    text = "\n".join(sense.examples or sense.sentences)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{'_'.join(folded(word).split())}:{digest}"


def words_key(word: str, sense: Sense) -> str:
    """Return a key of all that the words of a meaning are taken from."""
    return f"{sense_key(word, sense)} {sense.gloss}"


def word_of_key(key: str) -> str:
    """Return the folded word of a :func:`sense_key`."""
    return key.rpartition(":")[0].replace("_", " ")

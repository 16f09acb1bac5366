"""Check a calibration on unseen text: pairs of uses from SemCor."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.data.sense_uses import SenseUse, read_semcor
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.senses.calibration import Calibration
from elmo_tasks.senses.grouping_fit import reliability_of
from elmo_tasks.senses.marked_vectors import MarkedVectors, density_of
from elmo_tasks.senses.partitions import places_of

#: Number of lemmas, and of pairs of either kind of each.
LEMMAS, PAIRS = 800, 3


@dataclass(frozen=True)
class UsePairs:
    """Pairs of uses, places in a list."""

    first: NDArray[np.int64]  #: ``[n]``
    second: NDArray[np.int64]  #: ``[n]``
    same: NDArray[np.bool_]  #: ``[n]`` whether they have one sense


@dataclass(frozen=True)
class PairCheck:
    """Results of one calibrated view on pairs; both kinds of pairs weigh the same."""

    name: str  #: of the reading
    right: float  #: share of the pairs whose more probable side is the true one
    named: float  #: share clear enough to be named, as two uses are
    right_when_named: float  #: share of those that are right
    error: float  #: expected calibration error


def lexicographer_file(key: str) -> str:
    """Return the WordNet file number of a sense key: ``"17"`` for ``bank%1:17:01::``."""
    return key.partition("%")[2].split(":")[1]


def sense_pairs(uses: Sequence[SenseUse]) -> UsePairs:
    """Pairs of one lemma: the same sense, or senses in different WordNet files.

    Only lemmas with both kinds of pairs, the same number of each, so that the lemma alone tells
    nothing; which ones is drawn with a fixed seed. Two uses are never of one sentence.
    """
    by_lemma = places_of(use.lemma if len(use.senses) == 1 else None for use in uses)
    r = random.Random(0)
    lemmas = sorted(lemma for lemma in by_lemma if lemma is not None)
    r.shuffle(lemmas)
    found: list[tuple[int, int, bool]] = []
    n_lemmas = 0
    for lemma in lemmas:
        alike, apart = (list(pairs) for pairs in _both_kinds(uses, by_lemma[lemma], r))
        if n := min(len(alike), len(apart), PAIRS):
            found += [(a, b, same) for same, pairs in ((True, alike), (False, apart)) for a, b in r.sample(pairs, n)]
            n_lemmas += 1
        if n_lemmas == LEMMAS:
            break
    first, second, same = np.array(found, np.int64).reshape(-1, 3).T
    return UsePairs(first, second, same.astype(bool))


def _both_kinds(
    uses: Sequence[SenseUse], places: Sequence[int], r: random.Random
) -> Iterator[Iterator[tuple[int, int]]]:
    some = r.sample(places, min(len(places), 60))  # "be" has thousands
    by_sense = {sense: [some[k] for k in ks] for sense, ks in places_of(uses[k].senses[0] for k in some).items()}
    alike = (pair for ks in by_sense.values() for pair in combinations(ks, 2))
    apart = (
        pair
        for (one, ks), (other, js) in combinations(by_sense.items(), 2)
        if lexicographer_file(one) != lexicographer_file(other)
        for pair in product(ks, js)
    )
    for pairs in (alike, apart):
        yield ((a, b) for a, b in pairs if uses[a].use.tokens != uses[b].use.tokens)


def check_on_pairs(
    calibration: Calibration, vectors: MarkedVectors, density: NDArray[np.float64], pairs: UsePairs
) -> list[PairCheck]:
    """Score every calibrated view on pairs of uses, as in a two-sentence comparison.

    ``density``: ``[n]``, see :func:`~elmo_tasks.senses.marked_vectors.density_of`.
    """
    cosine = {layer.name: _cosines(vectors.view(layer.name), pairs) for layer in calibration.layers}
    for view in calibration.centres:
        cosine[view] = _cosines(calibration.centred(view, vectors.view(view)), pairs)
    each = np.ones(len(vectors.around)) if vectors.told is None else vectors.told
    told, dense = (np.stack([of[pairs.first], of[pairs.second]], axis=1) for of in (each, density))
    found = []
    for reading in calibration.readings:
        if reading.grouping is None:
            continue
        chance = reading.grouping.of_two([cosine[view] for view in reading.views], told, dense)
        right = (chance > 0.5) == pairs.same
        named = np.maximum(chance, 1 - chance) >= reading.grouping.of_size(2).named_at
        found.append(
            PairCheck(
                reading.name,
                float(right.mean()),
                float(named.mean()),
                float(right[named].mean()) if named.any() else 0.0,
                reliability_of(chance, pairs.same)[1],
            )
        )
    return found


def check_on_semcor(calibration: Calibration, reader: Reader, path: Path) -> tuple[int, list[PairCheck]]:
    """Draw pairs from SemCor, encode them, and score every view on them.

    Returns the number of pairs and the results.
    """
    uses = read_semcor(path)
    pairs = sense_pairs(uses)
    rows, places = np.unique(np.stack([pairs.first, pairs.second]), return_inverse=True)
    first, second = places.reshape(2, -1)
    words = [uses[k].use for k in rows]
    vectors, density = reader.words(words, "SemCor"), np.array([density_of(reader.static, word) for word in words])
    return len(pairs.same), check_on_pairs(calibration, vectors, density, UsePairs(first, second, pairs.same))


def _cosines(unit_vectors: NDArray[np.float32], pairs: UsePairs) -> NDArray[np.float64]:
    return np.einsum("nd,nd->n", unit_vectors[pairs.first], unit_vectors[pairs.second]).astype(np.float64)

"""Sets of uses whose senses are known, as a person would type them: to fit what may be said of uses, and to measure it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.senses.calibration import Matrices, centred
from elmo_tasks.senses.grouping import SIZES
from elmo_tasks.senses.partitions import in_order, places_of
from elmo_tasks.senses.similarity import cosine_matrix

#: Sets of each size that are drawn of each collection; of the largest fewer, which take longest to weigh.
SETS, SETS_OF_MOST = 160, 80
# How often uses of several senses have three rather than two, where there are as many.
_THREE_SENSES = 0.25


@dataclass(frozen=True)
class WordUses:
    """Uses of one word whose senses are known."""

    vectors: Tensor  #: ``[L, n, D]``, the mean of the layers included
    #: ``[n, S]`` what stands around each use, by view: the words (:func:`elmo_tasks.senses.views_of_uses.surroundings`), and what
    #: the model expects (:class:`elmo_tasks.senses.expected_words.ExpectedWords`)
    others: Mapping[str, NDArray[np.floating]]
    senses: tuple[str, ...]  #: ``n`` names
    #: ``[n]`` how much each sentence tells (:func:`elmo_tasks.senses.views_of_uses.told`); one by default
    told: NDArray[np.floating] = field(default_factory=lambda: np.ones(0))
    #: ``[n]`` how near other words stand to the word (:func:`elmo_tasks.senses.marked_vectors.density_of`); zero by default
    density: NDArray[np.floating] = field(default_factory=lambda: np.zeros(0))
    collection: str = "gallery"  #: which collection of sentences it is from

    def __post_init__(self) -> None:
        if not len(self.told):
            object.__setattr__(self, "told", np.ones(len(self.senses)))
        if not len(self.density):
            object.__setattr__(self, "density", np.zeros(len(self.senses)))


@dataclass(frozen=True)
class KnownSet:
    """A few uses of one word."""

    cosines: Matrices  #: ``[n, n]`` in each view
    labels: NDArray[np.int64]  #: ``[n]`` the number of the sense of each, by their first use
    told: NDArray[np.floating]  #: ``[n]`` how much each sentence tells
    density: NDArray[np.floating]  #: ``[n]`` how near other words stand to the word
    collection: str  #: which collection they are from

    @property
    def same(self) -> NDArray[np.bool_]:
        """``[n, n]`` whether two uses have one sense."""
        return np.asarray(self.labels[:, None] == self.labels[None, :])

    @property
    def is_one(self) -> bool:
        """Whether all have one sense."""
        return not self.labels.any()


def known_sets(
    words: Sequence[WordUses], centres: Mapping[str, NDArray[np.floating]], times: int = 1
) -> list[KnownSet]:
    """Sets of uses of each collection and size, half of them in one sense, where the collection has sentences enough; so many times
    as many as :data:`SETS` and :data:`SETS_OF_MOST`, in the other views about centres ``[S]``.

    A set in one sense is as often of a word that has no other as of one that has; any other has two senses or three, of any shares.
    Those of one word stand together.
    """
    r = random.Random(1)
    collections = dict.fromkeys(word.collection for word in words)
    drawn: list[tuple[int, list[int]]] = []
    for collection in collections:
        mine = [k for k, word in enumerate(words) if word.collection == collection]
        for n in SIZES:
            n_sets = SETS if n < SIZES[-1] else SETS_OF_MOST
            for draw in (_in_one_sense, _in_several):
                drawn += draw(r, words, mine, n, times * n_sets // 2)
    drawn.sort(key=lambda chosen: chosen[0])
    matrices: dict[int, list[NDArray[np.float64]]] = {}
    return [_known_set(words[k], uses, matrices.setdefault(k, _views(words[k], centres))) for k, uses in drawn]


def _views(word: WordUses, centres: Mapping[str, NDArray[np.floating]]) -> list[NDArray[np.float64]]:
    around = [centred(word.others[view], centre) for view, centre in centres.items()]
    found = [*(cosine_matrix(vectors).numpy() for vectors in word.vectors), *(near @ near.T for near in around)]
    return [np.asarray(matrix, np.float64) for matrix in found]


def _known_set(word: WordUses, uses: Sequence[int], views: Sequence[NDArray[np.float64]]) -> KnownSet:
    names = {sense: k for k, sense in enumerate(word.senses)}
    labels = in_order(np.array([names[word.senses[k]] for k in uses]))
    places = np.ix_(uses, uses)
    told, density = (np.asarray(values)[list(uses)] for values in (word.told, word.density))
    return KnownSet(tuple(view[places] for view in views), labels, told, density, word.collection)


def _in_one_sense(
    r: random.Random, words: Sequence[WordUses], mine: Sequence[int], n: int, n_sets: int
) -> Iterator[tuple[int, list[int]]]:
    senses = {k: [uses for uses in places_of(words[k].senses).values() if len(uses) >= n] for k in mine}
    able = [k for k in mine if senses[k]]
    single = [k for k in able if len(set(words[k].senses)) == 1]
    several = [k for k in able if k not in single]
    for _ in range(n_sets if able else 0):
        k = r.choice(single if single and (not several or r.random() < 0.5) else several)
        yield k, r.sample(r.choice(senses[k]), n)


def _in_several(
    r: random.Random, words: Sequence[WordUses], mine: Sequence[int], n: int, n_sets: int
) -> Iterator[tuple[int, list[int]]]:
    able = [k for k in mine if len(places_of(words[k].senses)) > 1 and len(words[k].senses) >= n]
    for _ in range(n_sets if able else 0):
        k = r.choice(able)
        senses = places_of(words[k].senses)
        three = n > 2 and len(senses) > 2 and r.random() < _THREE_SENSES
        chosen = r.sample(sorted(senses), 3 if three else 2)
        uses = [r.choice(senses[sense]) for sense in chosen]  # one of each at least
        left = [use for sense in chosen for use in senses[sense] if use not in uses]
        uses += r.sample(left, min(n, len(uses) + len(left)) - len(uses))
        if len(uses) == n:
            r.shuffle(uses)
            yield k, uses

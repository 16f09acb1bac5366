"""The sense of a use is that of what is nearest to it by cosine: the mean of a sense's uses, or a single use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.views_of_uses import unit

_ROWS = 2048


def sense_means(
    vectors: NDArray[np.floating], senses: Sequence[Sequence[str]]
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Where the uses of each sense are on average (Peters et al., 2018, section 5.3; Loureiro et al., 2021).

    Args:
        vectors: ``[n, D]`` of uses.
        senses: of each use, one or more: it counts for all of them.

    Returns:
        ``[senses, D]`` of length 1, and the senses in the order in which they first come.
    """
    names = tuple(dict.fromkeys(sense for row in senses for sense in row))
    ids = {name: k for k, name in enumerate(names)}
    means = np.zeros((len(names), vectors.shape[1]), np.float32)
    for sense, uses in _uses_of(senses).items():
        means[ids[sense]] = vectors[uses].mean(axis=0)
    return unit(means), names


def nearest(wanted: NDArray[np.floating], known: NDArray[np.floating]) -> NDArray[np.int64]:
    """``[n]`` row of ``known [m, D]`` with the highest cosine to each row of ``wanted [n, D]``; the first of equals."""
    of_length_1 = unit(known)
    rows = range(0, len(wanted), _ROWS)
    return np.concatenate([(wanted[k : k + _ROWS] @ of_length_1.T).argmax(axis=1) for k in rows])


@dataclass(frozen=True)
class SenseScores:
    """How well senses were said."""

    accuracy: float  #: share of uses whose sense is right
    macro_f1: float  #: mean F1 over the senses there are


def sense_scores(said: Sequence[str], gold: Sequence[str]) -> SenseScores:
    """Score the senses that were said of the uses of one word."""
    from sklearn.metrics import f1_score

    right = float(np.mean([a == b for a, b in zip(said, gold, strict=True)]))
    labels = sorted(set(gold))
    return SenseScores(right, float(f1_score(gold, said, labels=labels, average="macro", zero_division=0)))


@dataclass(frozen=True)
class AllWordsScores:
    """How well the senses of all words of a text were said."""

    f1: float  #: of precision and recall; where something is said of every use it is the accuracy
    answered: float  #: share of uses of which something was said


def all_words_scores(said: Sequence[str | None], gold: Sequence[Sequence[str]]) -> AllWordsScores:
    """Score as Raganato et al. (2017) do: any of the gold senses is right, and silence costs recall only.

    Args:
        said: a sense of each use, or None.
        gold: the senses of each use that are right.
    """
    right = sum(sense in row for sense, row in zip(said, gold, strict=True))
    spoken = sum(sense is not None for sense in said)
    return AllWordsScores(2 * right / max(1, spoken + len(gold)), spoken / max(1, len(gold)))


def say_all_words(
    known: NDArray[np.floating],
    known_lemmas: Sequence[str],
    known_senses: Sequence[Sequence[str]],
    wanted: NDArray[np.floating],
    wanted_lemmas: Sequence[str],
    first_senses: Mapping[str, str] | None = None,
) -> list[str | None]:
    """The nearest mean of the senses that the lemma has in the training text.

    Args:
        known: ``[m, D]`` uses of the training text.
        known_lemmas: of each.
        known_senses: of each.
        wanted: ``[n, D]`` uses to speak of.
        wanted_lemmas: of each.
        first_senses: what to say of a lemma that is not in the training text.

    Returns:
        a sense of each use; None for a lemma that is in neither.
    """
    said: list[str | None] = [(first_senses or {}).get(lemma) for lemma in wanted_lemmas]
    rows, asked = _uses_of([(lemma,) for lemma in known_lemmas]), _uses_of([(lemma,) for lemma in wanted_lemmas])
    for lemma, uses in asked.items():
        if lemma in rows:
            means, names = sense_means(known[rows[lemma]], [known_senses[k] for k in rows[lemma]])
            for use, best in zip(uses, nearest(wanted[uses], means).tolist(), strict=True):
                said[use] = names[best]
    return said


def most_frequent(senses: Sequence[Sequence[str]]) -> str:
    """The sense that most of the uses have; the first of equals."""
    counts = {sense: len(uses) for sense, uses in _uses_of(senses).items()}
    return max(counts, key=lambda sense: counts[sense])


def _uses_of(labels: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    uses: dict[str, list[int]] = {}
    for k, row in enumerate(labels):
        for label in row:
            uses.setdefault(label, []).append(k)
    return uses

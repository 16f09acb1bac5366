"""How well the groups of uses match known senses, in each view, and from when on to name them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.calibration_fit import halves
from elmo_tasks.senses.clustering import FEWEST_USES, Split, SplitRule, agreement, labels_of, split_uses
from elmo_tasks.senses.partitions import places_of

#: Groups are named only where groups as clear as these had this share of pairs right, on the words that were fitted.
RIGHT_ON_MAP = 0.8
#: And so many sets of uses in one sense, which have no groups, may be split all the same.
MOST_SPLIT_WRONGLY = 0.05
_SETS_PER_WORD = 6
_NEVER = 1e9  # a score that no split has; JSON has no infinity
NEVER_NAMED = SplitRule(1.0, _NEVER)
ALWAYS_NAMED = SplitRule(0.0, -_NEVER)
_ON_NULL = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class ViewCalibration:
    """One view."""

    name: str  #: a layer, ``"mean"``, ``"words"`` or ``"both"``
    #: mean adjusted Rand index of groups and senses over all words; the groups are as many as the senses
    agreement: float = 0.0
    own_number: float = 0.0  #: the same where the number of groups is our own choice
    rule: SplitRule = NEVER_NAMED  #: from when on groups are named; fitted on half of the words
    #: share of sets of uses in several senses, of the other half of the words, whose groups are named
    named: float = 0.0
    named_of_one_sense: float = 0.0  #: the same of uses in one sense, which have no groups: named wrongly
    right: float = 0.0  #: share of pairs of uses, in the sets that are named, that are rightly put together or apart
    number_right: float = 0.0  #: share of the sets that are named whose number of groups is that of the senses


@dataclass(frozen=True)
class SenseMapCalibration:
    """All views of one model."""

    checksum: str  #: of what was measured: model, static vectors and gallery
    n_words: int  #: words of the gallery
    n_uses: int  #: their uses
    views: tuple[ViewCalibration, ...]  #: one entry a view
    best: str  #: name of the view whose groups match the senses best

    def view(self, name: str) -> ViewCalibration:
        """One of them."""
        return next(view for view in self.views if view.name == name)

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, raw: Mapping[str, object]) -> SenseMapCalibration:
        """What :meth:`to_dict` wrote."""
        views = tuple(ViewCalibration(**{**v, "rule": SplitRule(**v["rule"])}) for v in raw["views"])  # type: ignore[attr-defined]
        return cls(str(raw["checksum"]), int(raw["n_words"]), int(raw["n_uses"]), views, str(raw["best"]))  # type: ignore[call-overload]


@dataclass(frozen=True)
class KnownUses:
    """Uses of one word whose senses are known: in each view ``[n, D]`` vectors, and ``n`` names of senses."""

    views: Mapping[str, NDArray[np.float32]]
    senses: tuple[str, ...]


def calibrate_sense_map(words: Mapping[str, KnownUses], names: Iterable[str], checksum: str) -> SenseMapCalibration:
    """Fit when to name groups on half of the words, measure on the other half; a view takes a minute or two with 200 words of 24
    uses.
    """
    two = [[words[w] for w in half] for half in halves(list(words))]
    views = tuple(_calibrate(name, list(words.values()), two) for name in names)
    best = max(views, key=lambda view: view.own_number)
    return SenseMapCalibration(checksum, len(words), sum(len(w.senses) for w in words.values()), views, best.name)


@dataclass(frozen=True)
class _Outcome:
    split: Split
    right: float  # share of pairs rightly together or apart
    n_senses: int


def _calibrate(name: str, words: Sequence[KnownUses], two: Sequence[Sequence[KnownUses]]) -> ViewCalibration:
    known, own = [], []
    for word in words:
        vectors = word.views[name]
        known.append(agreement(split_uses(vectors, ALWAYS_NAMED, len(set(word.senses))).groups, word.senses))
        own.append(agreement(split_uses(vectors, ALWAYS_NAMED).groups, word.senses))
    fitted, held_out = ([_outcome(v, s) for v, s in _sets(half, name)] for half in two)
    worth_naming = [o for o in fitted if o.n_senses > 1]
    rule = max((_rule(fitted, on_null) for on_null in _ON_NULL), key=lambda r: _n_named(worth_naming, r))
    shown = [o for o in held_out if _named(o, rule)]
    several = [o for o in held_out if o.n_senses > 1]
    one = [o for o in held_out if o.n_senses == 1]
    return ViewCalibration(
        name,
        agreement=round(float(np.mean(known)), 4),
        own_number=round(float(np.mean(own)), 4),
        rule=rule,
        named=round(_n_named(several, rule) / max(1, len(several)), 4),
        named_of_one_sense=round(_n_named(one, rule) / max(1, len(one)), 4),
        right=round(float(np.mean([o.right for o in shown])), 4) if shown else 0.0,
        number_right=round(float(np.mean([len(o.split.groups) == o.n_senses for o in shown])), 4) if shown else 0.0,
    )


def _score(outcome: _Outcome, on_null: float) -> float:
    return outcome.split.silhouette - on_null * outcome.split.null if len(outcome.split.groups) > 1 else -_NEVER


def _named(outcome: _Outcome, rule: SplitRule) -> bool:
    return _score(outcome, rule.on_null) >= rule.least_score


def _n_named(outcomes: Sequence[_Outcome], rule: SplitRule) -> int:
    return sum(_named(o, rule) for o in outcomes)


def _rule(outcomes: Sequence[_Outcome], on_null: float) -> SplitRule:
    """The least score from which on groups are right as often, and uses in one sense split as seldom, as is asked."""
    ranked = sorted(((_score(o, on_null), o.right) for o in outcomes if len(o.split.groups) > 1), reverse=True)
    if not ranked:
        return SplitRule(on_null, _NEVER)
    so_far = np.cumsum([right for _, right in ranked]) / np.arange(1, len(ranked) + 1)
    # A handful of sets on top proves nothing.
    enough = [k for k in np.flatnonzero(so_far >= RIGHT_ON_MAP) if k >= len(ranked) // 40]
    if not enough:
        return SplitRule(on_null, _NEVER)
    wrongly = sorted((_score(o, on_null) for o in outcomes if o.n_senses == 1), reverse=True)
    allowed = int(MOST_SPLIT_WRONGLY * len(wrongly))
    # Just above the first one that may not be named.
    floor = wrongly[allowed] + 1e-5 if allowed < len(wrongly) else -_NEVER
    return SplitRule(on_null, round(max(ranked[int(enough[-1])][0], floor), 5))


def _outcome(vectors: NDArray[np.float32], senses: Sequence[str]) -> _Outcome:
    split = split_uses(vectors, ALWAYS_NAMED)
    found, column = np.array(labels_of(split.groups, len(senses))), np.array(senses)
    pairs = np.tril_indices(len(column), -1)
    same = (found[:, None] == found[None, :]) == (column[:, None] == column[None, :])
    return _Outcome(split, float(same[pairs].mean()), len(set(senses)))


def _sets(words: Sequence[KnownUses], name: str) -> Iterator[tuple[NDArray[np.float32], tuple[str, ...]]]:
    """Sets of uses as people bring them: in one, two or three senses, of which one may be rare."""
    draw = random.Random(1)
    for word in words:
        by_sense = places_of(word.senses)
        everything = [i for places in by_sense.values() for i in places]
        chosen = [everything, *by_sense.values()]
        for _ in range(_SETS_PER_WORD):
            senses = draw.sample(sorted(by_sense), min(draw.choice((2, 2, 3)), len(by_sense)))
            chosen.append(
                [i for s in senses for i in draw.sample(by_sense[s], min(draw.choice((3, 5, 8)), len(by_sense[s])))]
            )
        for places in chosen:
            if len(places) >= FEWEST_USES:
                yield word.views[name][places], tuple(word.senses[i] for i in places)

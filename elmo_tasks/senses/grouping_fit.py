"""How a :class:`~elmo_tasks.senses.grouping.GroupingModel` is fitted on sets whose senses are known, and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.senses.grouping import (
    LEAST_LEANING,
    LEAST_NAMED,
    RIGHT_WHEN_LEANING,
    RIGHT_WHEN_NAMED,
    SIZES,
    Decision,
    GroupingModel,
    OfSize,
    SizeResult,
    Voice,
    pair_features,
    surest_pair,
)
from elmo_tasks.senses.known_sets import KnownSet
from elmo_tasks.senses.partitions import groups_of, number_of, pairs_together, partitions

_STEPS = 40
_BINS = 10
# Ridges: a few hundred sets of a size are little, so its numbers stay near those that change nothing.
_ON_WEIGHTS, _ON_SHAPE, _ON_PRIOR = 1e-3, 3e-3, 3e-3
_NEVER = 1.01
# Of larger sets there are too few of each size to see from where on they are right.
_POOLED = ((2,), (3, 4), (5, 6, 8))
_FEWEST = 12  # so few sets show nothing


@dataclass(frozen=True)
class _Stack:
    """All sets of one size: ``[S, pairs, F]`` features, ``[S]`` the right grouping, ``[S]`` weights."""

    size: int
    features: Tensor
    right: Tensor
    weights: Tensor


def fit_grouping(sets: Sequence[KnownSet], chosen: Sequence[int]) -> GroupingModel:
    """The numbers under which the right groupings of the sets are most probable; of the cosines of a set those at the chosen places
    are read.
    """
    stacks = [_stack(n, sets, chosen) for n in SIZES if any(len(s.labels) == n for s in sets)]
    # Features at one scale, so that one ridge fits all.
    scale = torch.cat([stack.features.flatten(0, 1) for stack in stacks]).std(dim=0)
    scale = torch.where(scale > 1e-6, scale, 1.0)  # one that is the same for all pairs says nothing
    weights = torch.zeros(len(scale), dtype=torch.double, requires_grad=True)
    sharpness = torch.zeros(len(stacks), dtype=torch.double, requires_grad=True)  # its logarithm
    shift = torch.zeros(len(stacks), dtype=torch.double, requires_grad=True)
    priors = [torch.zeros(stack.size, dtype=torch.double, requires_grad=True) for stack in stacks]
    optimizer = torch.optim.LBFGS(
        [weights, sharpness, shift, *priors], max_iter=_STEPS, line_search_fn="strong_wolfe", tolerance_change=1e-7
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        total = _ON_WEIGHTS * weights.square().sum() + _ON_SHAPE * (sharpness.square().sum() + shift.square().sum())
        for k, (stack, prior) in enumerate(zip(stacks, priors, strict=True)):
            pairs = stack.features @ (weights / scale) * sharpness[k].exp() + shift[k]  # [S, pairs]
            chance = _log_probabilities(pairs, stack.size, prior).gather(1, stack.right.unsqueeze(1)).squeeze(1)
            total = total - (chance * stack.weights).sum() / len(stacks) + _ON_PRIOR * prior.square().sum()
        total.backward()
        return total

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    sizes = {
        stack.size: OfSize(
            round(sharpness[k].exp().item(), 6),
            round(shift[k].item(), 6),
            tuple(round(p, 6) for p in priors[k].tolist()),
        )
        for k, stack in enumerate(stacks)
    }
    model = GroupingModel(tuple(round(w, 6) for w in (weights / scale).tolist()), sizes)
    return _with_thresholds(model, sets, chosen)


def _stack(n: int, sets: Sequence[KnownSet], chosen: Sequence[int]) -> _Stack:
    mine = [s for s in sets if len(s.labels) == n]
    kinds = [(s.collection, s.is_one) for s in mine]
    # Each collection counts the same, and in it sets in one sense as much as those in several.
    weights = torch.tensor([1 / kinds.count(kind) / len(set(kinds)) for kind in kinds], dtype=torch.double)
    features = np.stack([pair_features([s.cosines[k] for k in chosen], s.told, s.density) for s in mine])
    return _Stack(n, torch.from_numpy(features), torch.tensor([number_of(s.labels) for s in mine]), weights)


def _log_probabilities(pairs: Tensor, n: int, prior: Tensor) -> Tensor:
    """``[S, pairs]`` -> ``[S, groupings]``; as :meth:`GroupingModel.posterior`, with gradients."""
    n_groups = torch.from_numpy(partitions(n).max(axis=1))
    by_number = prior[n_groups] - torch.bincount(n_groups).double().log()[n_groups]
    sides = torch.from_numpy(pairs_together(n)).double() - 0.5
    return (pairs @ sides.t() + by_number).log_softmax(dim=1)


def _decided(model: GroupingModel, sets: Sequence[KnownSet], chosen: Sequence[int]) -> list[tuple[KnownSet, Decision]]:
    return [(s, model.decide([s.cosines[k] for k in chosen], s.told, s.density)) for s in sets]


def _with_thresholds(model: GroupingModel, sets: Sequence[KnownSet], chosen: Sequence[int]) -> GroupingModel:
    """From where on what is said is right as often as it should be, on the sets that were fitted on; larger sets share theirs."""
    sizes = {}
    for pooled in _POOLED:
        decisions = _decided(model, [s for s in sets if len(s.labels) in pooled], chosen)
        whole = [(d.probability, d.groups == groups_of(s.labels)) for s, d in decisions]
        pairs = [(sure, bool(s.same[a, b]) == same) for s, d in decisions for a, b, same, sure in [surest_pair(d.same)]]
        named_at = max(LEAST_NAMED, threshold(whole, RIGHT_WHEN_NAMED))
        leaning_at = threshold([w for w in whole if w[0] < named_at], RIGHT_WHEN_LEANING)
        leaning_at = min(named_at, max(LEAST_LEANING, leaning_at))
        claim_at = max(LEAST_LEANING, threshold(pairs, RIGHT_WHEN_LEANING)) if min(pooled) > 2 else _NEVER
        for n in set(pooled) & set(model.sizes):
            sizes[n] = replace(model.sizes[n], named_at=named_at, leaning_at=leaning_at, claim_at=claim_at)
    return replace(model, sizes=sizes)


def threshold(outcomes: Sequence[tuple[float, bool]], right: float) -> float:
    """The least probability from which on claims, each with whether it is right, are right as often as asked, with those just at
    it: no luck of a few.
    """
    by_sureness = sorted(outcomes, reverse=True)
    n_right, least = 0, _NEVER
    for k, (sure, is_right) in enumerate(by_sureness, start=1):
        n_right += is_right
        is_last = k == len(by_sureness) or by_sureness[k][0] < sure  # claims that are as sure stand or fall together
        if is_last and k >= _FEWEST and n_right >= right * k:
            least = sure
    return round(least, 4)


def measure_grouping(model: GroupingModel, sets: Sequence[KnownSet], chosen: Sequence[int]) -> tuple[SizeResult, ...]:
    """How sets are decided, by collection and size, then all sizes together; nothing may have been fitted on their words."""
    decided = _decided(model, sets, chosen)
    found = []
    for collection in dict.fromkeys(s.collection for s in sets):
        of_collection = [(s, d) for s, d in decided if s.collection == collection]
        for n in SIZES:
            mine = [(s, d) for s, d in of_collection if len(s.labels) == n]
            if mine:
                found.append(_size_result(collection, n, mine))
        found.append(_size_result(collection, 0, of_collection))
    return tuple(found)


def _size_result(collection: str, n: int, decided: Sequence[tuple[KnownSet, Decision]]) -> SizeResult:
    several = [(s, d) for s, d in decided if not s.is_one]
    one = [d for s, d in decided if s.is_one]
    named = [d.groups == groups_of(s.labels) for s, d in several if d.voice is Voice.NAMED]
    leanings = [right for s, d in several if (right := _leaning_is_right(s, d)) is not None]
    of_grouping = [(d.probability, d.groups == groups_of(s.labels)) for s, d in decided]
    # Where a grouping is told, the probability of one meaning is not.
    of_one = [(d.one_meaning, s.is_one) for s, d in decided if not d.is_grouped]
    told = [d.if_several[0] == groups_of(s.labels) for s, d in several if d.if_several is not None]
    return SizeResult(
        collection,
        n,
        len(several),
        _share([d.voice is Voice.NAMED for _, d in several]),
        _share(named),
        _share([_leaning_is_right(s, d) is not None for s, d in several]),
        _share(leanings),
        len(one),
        _share([d.voice is Voice.NAMED and len(d.groups) > 1 for d in one]),
        _share([d.voice is Voice.NAMED and len(d.groups) == 1 for d in one]),
        _error(of_grouping),
        _error(of_one),
        round(len(told) / len(several), 4) if several else 0.0,
        _share(told),
    )


def _error(said: Sequence[tuple[float, bool]]) -> float:
    """Expected calibration error of probabilities, each with whether it came true."""
    return round(reliability_of(*np.array(said, float).T)[1], 4) if said else 0.0


def reliability_of(
    chance: NDArray[np.float64], labels: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
) -> tuple[tuple[tuple[float, float, int], ...], float]:
    """How ``[n]`` probabilities hold beside what is so, each weighed, or all the same: ``(mean probability, share that is so, n)``
    of each tenth of the scale that has any; and the expected calibration error, the mean distance of the two.
    """
    counts = np.ones(len(chance)) if weights is None else weights
    at = np.minimum((chance * _BINS).astype(int), _BINS - 1)
    bins, error = [], 0.0
    for k in range(_BINS):
        if (here := at == k).any():
            mean, share = (float(np.average(values[here], weights=counts[here])) for values in (chance, labels))
            bins.append((round(mean, 4), round(share, 4), int(here.sum())))
            error += float(counts[here].sum() / counts.sum()) * abs(mean - share)
    return tuple(bins), error


def _leaning_is_right(known: KnownSet, decision: Decision) -> bool | None:
    """Whether a leaning, or the pair that is all that is leaned to, is right; ``None`` where there is none."""
    if decision.voice is not Voice.LEANING:
        return None
    if decision.claim is None:
        return decision.groups == groups_of(known.labels)
    a, b, same, _ = decision.claim
    return bool(known.same[a, b]) == same


def _share(values: Sequence[bool]) -> float:
    return round(float(np.mean(values)), 4) if values else 0.0

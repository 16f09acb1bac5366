"""How a calibration is fitted on known uses of words, and measured on words that nothing was fitted on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.analysis.calibration import TOGETHER, Calibration, LayerCalibration, Matrices, Reading, centred
from elmo_tasks.analysis.senses import FEW, RIGHT_WHEN_NAMED, SameSense, contrast, group_uses
from elmo_tasks.analysis.similarity import cosine_matrix

_SETS_PER_WORD = 16
_NEVER = 2.0  # no claim is as sure
_EVEN_ODDS = 0.5 + 1e-6
_BINS = 10

Example = tuple[Matrices, NDArray[np.bool_]]  # [n, n] cosines in each view or more, and [n, n] same sense?


@dataclass(frozen=True)
class WordUses:
    """Uses of one word whose senses are known.

    Attributes:
        vectors: ``[L, n, D]``, the mean of the layers included.
        others: ``[n, S]`` what stands around each use, by view: the words
            (:func:`elmo_tasks.analysis.views_of_uses.surroundings`), and what the model expects
            (:class:`elmo_tasks.analysis.expected_words.ExpectedWords`).
        senses: ``n`` names.
    """

    vectors: Tensor
    others: Mapping[str, NDArray[np.floating]]
    senses: tuple[str, ...]


def halves(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words that are fitted on, and those that are held out."""
    order = sorted(words)
    random.Random(0).shuffle(order)
    return sorted(order[0::2]), sorted(order[1::2])


def calibrate(
    names: Sequence[str], words: Mapping[str, WordUses], random_pair: Sequence[float], checksum: str
) -> Calibration:
    """Fit on half of the words, measure on the other half.

    Sets of 2 to 8 uses, in one to three senses, are drawn from each word, as a person would type them; two uses have one sense
    or two with even odds. Which views are read together, and which reading speaks, is decided on the half that is fitted, by
    two-fold cross-validation.

    Args:
        names: of the layers and their mean.
        words: known uses of words.
        random_pair: mean cosine of two random words at each layer.
        checksum: of what is measured.
    """
    fitted, held_out = ([words[w] for w in half] for half in halves(list(words)))
    others, centres = tuple(fitted[0].others), _centres(fitted)
    fit_on, measure_on = (list(_sets(half, centres)) for half in (fitted, held_out))
    place = {view: k for k, view in enumerate((*names, *others))}
    losses = _losses(fit_on, names, others)
    alone = {views[0]: views for views in losses if len(views) == 1}
    several = [views for views in losses if len(views) > 1]  # none where the one layer does not read the sentence
    together = {TOGETHER: min(several, key=lambda views: losses[views])} if several else {}
    read_by = {**alone, **together}
    speaker = min(read_by, key=lambda name: losses[read_by[name]])
    found = {
        name: _measured(Reading(name, views), fit_on, measure_on, [place[view] for view in views])
        for name, views in read_by.items()
    }
    layers = [found.get(name, Reading(name)) for name in names]
    read = [name for name in found[speaker].views if name in names]
    best = min(names[1:], key=lambda name: losses[(name,)], default=names[0])
    return Calibration(
        checksum,
        tuple(LayerCalibration(**vars(layer), random_pair_cosine=random_pair[k]) for k, layer in enumerate(layers)),
        tuple(found[name] for name in (*others, *together)),
        place[read[0] if read else best],
        speaker,
        {view: tuple(round(float(value), 6) for value in centre) for view, centre in centres.items()},
    )


def losses(names: Sequence[str], words: Mapping[str, WordUses]) -> dict[tuple[str, ...], float]:
    """What is decided by: log-loss at even odds of every reading, by its views, cross-validated on the half that is fitted.

    Args:
        names: of the layers and their mean.
        words: known uses of words.
    """
    fitted = [words[w] for w in halves(list(words))[0]]
    return _losses(list(_sets(fitted, _centres(fitted))), names, tuple(fitted[0].others))


def _losses(fit_on: Sequence[Example], names: Sequence[str], others: Sequence[str]) -> dict[tuple[str, ...], float]:
    """The context-free layer is never asked; it is 1.00 whatever the sentences say."""
    place = {view: k for k, view in enumerate((*names, *others))}
    return {views: _cross_validated(fit_on, [place[view] for view in views]) for views in _readings(names[1:], others)}


def _readings(layers: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """At most one layer, and any of the others: two layers know much the same."""
    for some in range(len(others) + 1):
        for chosen in combinations(others, some):
            for layer in ((), *((name,) for name in layers)):
                if layer or chosen:
                    yield (*layer, *chosen)


def _centres(words: Sequence[WordUses]) -> dict[str, NDArray[np.floating]]:
    """``[S]`` the mean of each of the other views."""
    return {view: np.mean(np.concatenate([word.others[view] for word in words]), axis=0) for view in words[0].others}


def _fit(examples: Sequence[Example], chosen: Sequence[int]) -> SameSense:
    """Of more than few uses their sets teach; of few, any pair does, by its cosines alone."""
    more = [example for example in examples if len(example[1]) > FEW]
    intercept, weights = _regression(*_pairs(more, chosen, lambda c: (c, contrast(c))))
    intercept_of_few, weights_of_few = _regression(*_pairs(examples, chosen, lambda c: (c,)))
    by_view = tuple(zip(weights[0::2], weights[1::2], strict=True))
    return SameSense(intercept, by_view, intercept_of_few, weights_of_few)


def _pairs(
    examples: Sequence[Example],
    chosen: Sequence[int],
    columns: Callable[[NDArray[np.floating]], Sequence[NDArray[np.floating]]],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """``[pairs, V]`` what is known of each pair of uses in a set, and whether they have one sense."""
    features, labels = [], []
    for cosines, same in examples:
        lower = np.tril_indices(len(same), -1)
        features.append(np.stack([column[lower] for k in chosen for column in columns(cosines[k])], axis=-1))
        labels.append(same[lower])
    return np.concatenate(features), np.concatenate(labels)


def _regression(features: NDArray[np.float64], labels: NDArray[np.bool_]) -> tuple[float, tuple[float, ...]]:
    from sklearn.linear_model import LogisticRegression  # takes a second to import

    model = LogisticRegression(C=1e3, max_iter=1000).fit(features, labels, _even(labels) * len(labels))
    return float(model.intercept_[0]), tuple(float(weight) for weight in model.coef_[0])


def _cross_validated(examples: Sequence[Example], chosen: Sequence[int]) -> float:
    """Log-loss at even odds; the sets stand word by word, so the two folds share no word but one at most."""
    middle = len(examples) // 2
    folds = (examples[:middle], examples[middle:])
    losses = []
    for train, test in (folds, folds[::-1]):
        chance, labels, weights = _chances(test, chosen, _fit(train, chosen))
        losses.append(-float(np.average(np.log(np.where(labels, chance, 1 - chance)), weights=weights)))
    return float(np.mean(losses))


def _chances(
    examples: Sequence[Example], chosen: Sequence[int], same: SameSense
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """Of every pair: the probability of one sense, whether it has one, and a weight that makes the odds even."""
    found, labels = [], []
    for cosines, truth in examples:
        lower = np.tril_indices(len(truth), -1)
        found.append(np.clip(same.log_odds(*(cosines[k] for k in chosen)), -30, 30)[lower])
        labels.append(truth[lower])
    known = np.concatenate(labels)
    return 1 / (1 + np.exp(-np.concatenate(found))), known, _even(known)


def _even(labels: NDArray[np.bool_]) -> NDArray[np.float64]:
    """``[n]`` weights that make the odds even: how often two uses share a sense is up to what people type, not to the sets."""
    share = labels.mean()
    return np.where(labels, 0.5 / max(share, 1e-9), 0.5 / max(1 - share, 1e-9)) / len(labels)


def _measured(
    reading: Reading, fit_on: Sequence[Example], measure_on: Sequence[Example], chosen: Sequence[int]
) -> Reading:
    same = _fit(fit_on, chosen)
    fitted = [(len(example[1]), _outcome(example, chosen, same)) for example in fit_on]
    same = replace(same, least_sure=least_sure([outcome for n, outcome in fitted if n > FEW]))
    outcomes = [_outcome(example, chosen, same) for example in measure_on]
    needed = [same.least_sure_of(len(example[1])) for example in measure_on]
    named = [right for (sure, right), least in zip(outcomes, needed, strict=True) if sure >= least]
    reliability, error = reliability_of(*_chances(measure_on, chosen, same))
    return replace(
        reading,
        same_sense=same,
        named=round(len(named) / len(outcomes), 4),
        right=round(float(np.mean(named)), 4) if named else 0.0,
        right_of_all=round(float(np.mean([right for _, right in outcomes])), 4),
        error=round(error, 4),
        reliability=reliability,
    )


def reliability_of(
    chance: NDArray[np.float64], labels: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
) -> tuple[tuple[tuple[float, float, int], ...], float]:
    """How probabilities hold.

    Args:
        chance: ``[n]`` what was said.
        labels: ``[n]`` what is so.
        weights: ``[n]`` how much each counts; all the same by default.

    Returns:
        ``(mean probability, share that is so, n)`` of each tenth of the scale that has any; and the expected calibration error,
        the mean distance of the two.
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


def least_sure(outcomes: Sequence[tuple[float, float]]) -> float:
    """How sure a grouping must be for those as sure to be right as often as :data:`RIGHT_WHEN_NAMED` asks."""
    by_sureness = sorted(outcomes, reverse=True)
    so_far = np.cumsum([right for _, right in by_sureness]) / np.arange(1, len(by_sureness) + 1)
    enough = np.flatnonzero(so_far >= RIGHT_WHEN_NAMED)
    # Never a grouping with a claim that is more probably wrong than right, however often the others were right.
    return max(_EVEN_ODDS, by_sureness[int(enough[-1])][0]) if len(enough) else _NEVER


def _outcome(example: Example, chosen: Sequence[int], same: SameSense) -> tuple[float, float]:
    """How sure the grouping is, and the share of pairs that it has right."""
    cosines, truth = example
    grouping = group_uses(same.log_odds(*(cosines[k] for k in chosen)))
    label = {k: g for g, group in enumerate(grouping.groups) for k in group}
    found = np.array([label[k] for k in range(len(truth))])
    lower = np.tril_indices(len(truth), -1)
    return grouping.sure, float(((found[:, None] == found[None, :]) == truth)[lower].mean())


def _sets(words: Sequence[WordUses], centres: Mapping[str, NDArray[np.floating]]) -> Iterator[Example]:
    """Sets of uses of each word: cosines at each layer, then of what stands around them."""
    r = random.Random(1)
    for word in words:
        around = [centred(word.others[view], centre) for view, centre in centres.items()]
        views = [*(cosine_matrix(vectors).numpy() for vectors in word.vectors), *(near @ near.T for near in around)]
        by_sense: dict[str, list[int]] = {}
        for i, sense in enumerate(word.senses):
            by_sense.setdefault(sense, []).append(i)
        for _ in range(_SETS_PER_WORD):
            n = r.choice((2, 3, 4, 5, 5, 6, 6, 8))
            n_senses = r.choice((1, 2) if n == 2 else (1, 2, 2, 2, 3))
            senses = r.sample(sorted(by_sense), min(n_senses, len(by_sense)))
            counts = [len(range(k, n, len(senses))) for k in range(len(senses))]
            chosen = [
                i
                for sense, c in zip(senses, counts, strict=True)
                for i in r.sample(by_sense[sense], min(c, len(by_sense[sense])))
            ]
            column = np.array([word.senses[i] for i in chosen])
            places = np.ix_(chosen, chosen)
            yield tuple(np.asarray(view[places], np.float64) for view in views), column[:, None] == column[None, :]

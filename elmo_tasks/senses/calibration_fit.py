"""How a calibration is fitted on known uses of words, and measured on words that nothing was fitted on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.calibration import TOGETHER, Calibration, LayerCalibration, Reading
from elmo_tasks.senses.grouping_fit import fit_grouping, measure_grouping, reliability_of
from elmo_tasks.senses.known_sets import KnownSet, WordUses, known_sets
from elmo_tasks.senses.senses import FEW, SameSense, contrast

# Log-losses that differ by less say nothing: another draw of sets would order them otherwise.
_SAME = 0.001


def halves(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words that are fitted on, and those that are held out."""
    order = sorted(words)
    random.Random(0).shuffle(order)
    return sorted(order[0::2]), sorted(order[1::2])


def calibrate(
    names: Sequence[str], words: Mapping[str, WordUses], random_pair: Sequence[float], checksum: str, times: int = 1
) -> Calibration:
    """Fit on half of the words, measure on the other half.

    Sets of 2 to 8 uses are drawn as a person would type them (:func:`~elmo_tasks.senses.known_sets.known_sets`), half of them in
    one sense. Which views are read together, and which reading speaks, is decided on the half that is fitted, by two-fold
    cross-validation. The keys of the known uses begin with the word; those of one word in two collections stay together. What is
    said from which probability on is the surer, the more sets there are: ``times`` as many as usual.
    """
    fitted, held_out = _by_half(words)
    others, centres = tuple(fitted[0].others), _centres(fitted)
    fit_on, measure_on = (known_sets(half, centres, times) for half in (fitted, held_out))
    place = {view: k for k, view in enumerate((*names, *others))}
    losses = _losses(fit_on, names, others)
    alone = {views[0]: views for views in losses if len(views) == 1}
    # What is read together holds a layer and all that stands around the use: a layer adds little to these, but takes nothing.
    # There is none where the one layer does not read the sentence.
    several = [views for views in losses if len(views) == len(others) + 1]
    together = {TOGETHER: _topmost(several, losses)} if several else {}
    read_by = {**alone, **together}
    selected = min(read_by, key=lambda name: losses[read_by[name]])
    found = {
        name: _measured(Reading(name, views), fit_on, measure_on, [place[view] for view in views])
        for name, views in read_by.items()
    }
    layers = [found.get(name, Reading(name)) for name in names]
    read = [name for name in found[selected].views if name in names]
    best = min(names[1:], key=lambda name: losses[(name,)], default=names[0])
    return Calibration(
        checksum,
        tuple(LayerCalibration(**vars(layer), random_pair_cosine=random_pair[k]) for k, layer in enumerate(layers)),
        tuple(found[name] for name in (*others, *together)),
        place[read[0] if read else best],
        selected,
        {view: tuple(round(float(value), 6) for value in centre) for view, centre in centres.items()},
    )


def losses(names: Sequence[str], words: Mapping[str, WordUses]) -> dict[tuple[str, ...], float]:
    """What is decided by: log-loss at even odds of every reading, by its views, cross-validated on the half that is fitted."""
    fitted, _ = _by_half(words)
    return _losses(known_sets(fitted, _centres(fitted)), names, tuple(fitted[0].others))


def _by_half(words: Mapping[str, WordUses]) -> tuple[list[WordUses], list[WordUses]]:
    """What is fitted on and what is held out; a word that two collections have is in one half with both."""
    fitted, _ = halves(sorted({_word(key) for key in words}))
    ordered = sorted(words, key=lambda key: (_word(key), key))
    return [words[key] for key in ordered if _word(key) in fitted], [
        words[key] for key in ordered if _word(key) not in fitted
    ]


def _word(key: str) -> str:
    return key.partition("/")[0]


def _losses(fit_on: Sequence[KnownSet], names: Sequence[str], others: Sequence[str]) -> dict[tuple[str, ...], float]:
    """The context-free layer is never asked; it is 1.00 whatever the sentences say."""
    place = {view: k for k, view in enumerate((*names, *others))}
    return {views: _cross_validated(fit_on, [place[view] for view in views]) for views in _readings(names[1:], others)}


def _topmost(several: Sequence[tuple[str, ...]], losses: Mapping[tuple[str, ...], float]) -> tuple[str, ...]:
    """The best of the readings; of those as good the one of the highest layer, whose cosines spread most."""
    least = min(losses[views] for views in several)
    best = [views for views in several if losses[views] < least + _SAME]
    of_one_layer = [views for views in best if views[0].isdigit()]
    return max(of_one_layer, key=lambda views: int(views[0])) if of_one_layer else best[0]


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


def _fit(examples: Sequence[KnownSet], chosen: Sequence[int]) -> SameSense:
    """Of more than few uses their sets teach; of few, any pair does, by its cosines alone."""
    more = [known for known in examples if len(known.labels) > FEW]
    intercept, weights = _regression(*_pairs(more, chosen, lambda c: (c, contrast(c))))
    intercept_of_few, weights_of_few = _regression(*_pairs(examples, chosen, lambda c: (c,)))
    by_view = tuple(zip(weights[0::2], weights[1::2], strict=True))
    return SameSense(intercept, by_view, intercept_of_few, weights_of_few)


def _pairs(
    examples: Sequence[KnownSet],
    chosen: Sequence[int],
    columns: Callable[[NDArray[np.floating]], Sequence[NDArray[np.floating]]],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """``[pairs, V]`` what is known of each pair of uses in a set, and whether they have one sense."""
    features, labels = [], []
    for known in examples:
        lower = np.tril_indices(len(known.labels), -1)
        features.append(np.stack([column[lower] for k in chosen for column in columns(known.cosines[k])], axis=-1))
        labels.append(known.same[lower])
    return np.concatenate(features), np.concatenate(labels)


def _regression(features: NDArray[np.float64], labels: NDArray[np.bool_]) -> tuple[float, tuple[float, ...]]:
    from sklearn.linear_model import LogisticRegression  # takes a second to import

    model = LogisticRegression(C=1e3, max_iter=1000).fit(features, labels, _even(labels) * len(labels))
    return float(model.intercept_[0]), tuple(float(weight) for weight in model.coef_[0])


def _cross_validated(examples: Sequence[KnownSet], chosen: Sequence[int]) -> float:
    """Log-loss at even odds; the sets stand word by word, so the two folds share no word but one at most."""
    middle = len(examples) // 2
    folds = (examples[:middle], examples[middle:])
    losses = []
    for train, test in (folds, folds[::-1]):
        chance, labels, weights = _chances(test, chosen, _fit(train, chosen))
        losses.append(-float(np.average(np.log(np.where(labels, chance, 1 - chance)), weights=weights)))
    return float(np.mean(losses))


def _chances(
    examples: Sequence[KnownSet], chosen: Sequence[int], same: SameSense
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """Of every pair: the probability of one sense, whether it has one, and a weight that makes the odds even."""
    found, labels = [], []
    for known in examples:
        lower = np.tril_indices(len(known.labels), -1)
        found.append(np.clip(same.log_odds(*(known.cosines[k] for k in chosen)), -30, 30)[lower])
        labels.append(known.same[lower])
    truth = np.concatenate(labels)
    return 1 / (1 + np.exp(-np.concatenate(found))), truth, _even(truth)


def _even(labels: NDArray[np.bool_]) -> NDArray[np.float64]:
    """``[n]`` weights that make the odds even: how often two uses share a sense is up to what people type, not to the sets."""
    share = labels.mean()
    return np.where(labels, 0.5 / max(share, 1e-9), 0.5 / max(1 - share, 1e-9)) / len(labels)


def _measured(
    reading: Reading, fit_on: Sequence[KnownSet], measure_on: Sequence[KnownSet], chosen: Sequence[int]
) -> Reading:
    same = _fit(fit_on, chosen)
    grouping = fit_grouping(fit_on, chosen)
    reliability, error = reliability_of(*_chances(measure_on, chosen, same))
    return replace(
        reading,
        same_sense=same,
        grouping=grouping,
        by_size=measure_grouping(grouping, measure_on, chosen),
        error=round(error, 4),
        reliability=reliability,
    )

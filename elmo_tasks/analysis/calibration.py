"""What a cosine means at each layer of one model: two random words, two uses in the same sense, and when to say nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from torch import Tensor

from elmo_tasks.analysis.senses import SameSense, contrast, group_uses
from elmo_tasks.analysis.similarity import cosine_matrix

#: A grouping is named only where groupings as clear as it had this share of their pairs right, on the words that were fitted.
RIGHT_WHEN_NAMED = 0.8
_SETS_PER_WORD = 40
_NEVER = 1e9  # a margin that no grouping has; JSON has no infinity


@dataclass(frozen=True)
class LayerCalibration:
    """One layer.

    Attributes:
        name: ``"0"``, ``"1"``, ... or ``"mean"``.
        random_pair_cosine: mean cosine of two different words in different sentences.
        same_sense: how a cosine of two uses is read; ``None`` for the context-free layer, which cannot tell uses apart.
        named: share of the sets of uses, of words not fitted on, whose grouping is clear enough to be named.
        right: share of the pairs of uses in those sets that are put together or apart rightly.
        right_of_all: the same over all sets, were they all named.
    """

    name: str
    random_pair_cosine: float
    same_sense: SameSense | None = None
    named: float = 0.0
    right: float = 0.0
    right_of_all: float = 0.0


@dataclass(frozen=True)
class Calibration:
    """All layers of one model.

    Attributes:
        checksum: of the model's weights.
        layers: one entry per layer, then the mean.
        verdict_layer: position of the layer that tells uses apart best.
    """

    checksum: str
    layers: tuple[LayerCalibration, ...]
    verdict_layer: int

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, raw: Mapping[str, object]) -> Calibration:
        """What :meth:`to_dict` wrote."""
        layers = tuple(
            LayerCalibration(
                **{**layer, "same_sense": SameSense(**layer["same_sense"]) if layer["same_sense"] else None}
            )
            for layer in raw["layers"]  # type: ignore[attr-defined]
        )
        return cls(str(raw["checksum"]), layers, int(raw["verdict_layer"]))  # type: ignore[call-overload]


@dataclass(frozen=True)
class WordUses:
    """Uses of one word whose senses are known.

    Attributes:
        vectors: ``[L, n, D]``, the mean of the layers included.
        senses: ``n`` names.
    """

    vectors: Tensor
    senses: tuple[str, ...]


def calibrate(
    names: Sequence[str], words: Mapping[str, WordUses], random_pair: Sequence[float], checksum: str
) -> Calibration:
    """Fit on half of the words, measure on the other half.

    Sets of 2 to 8 uses, in one to three senses, are drawn from each word, as a person would type them.

    Args:
        names: of the layers and their mean.
        words: known uses of words.
        random_pair: mean cosine of two random words at each layer.
        checksum: of the model's weights.
    """
    order = sorted(words)
    random.Random(0).shuffle(order)
    halves = [[words[w] for w in sorted(order[k::2])] for k in (0, 1)]
    layers = [LayerCalibration(names[0], random_pair[0])]
    for k in range(1, len(names)):
        layers.append(_calibrate_layer(names[k], k, halves, random_pair[k]))
    # The context-free layer is never asked; it is 1.00 whatever the sentences say.
    best = max(range(1, len(layers)), key=lambda k: layers[k].named * (layers[k].right - 0.5))
    return Calibration(checksum, tuple(layers), best)


def _calibrate_layer(name: str, k: int, halves: Sequence[Sequence[WordUses]], random_pair: float) -> LayerCalibration:
    from sklearn.linear_model import LogisticRegression  # takes a second to import

    fitted_on = [(cosine_matrix(vectors[k]).numpy(), senses) for vectors, senses in _sets(halves[0])]
    features, labels = [], []
    for cosine, senses in fitted_on:
        pairs = np.tril_indices(len(cosine), -1)
        features.append(np.stack([cosine[pairs], contrast(cosine)[pairs]], axis=1))
        labels.append(_same(senses)[pairs])
    # Balanced: how often two uses share a sense is a matter of what people type, not of the gallery.
    model = LogisticRegression(C=1e3, class_weight="balanced").fit(np.concatenate(features), np.concatenate(labels))
    same = SameSense(float(model.intercept_[0]), *(float(w) for w in model.coef_[0]))
    margin = _least_margin([_outcome(cosine, senses, same) for cosine, senses in fitted_on])
    same = SameSense(same.intercept, same.on_cosine, same.on_contrast, margin)
    held_out = [_outcome(cosine_matrix(vectors[k]).numpy(), senses, same) for vectors, senses in _sets(halves[1])]
    named = [right for m, right in held_out if m >= margin]
    return LayerCalibration(
        name,
        random_pair,
        same,
        named=round(len(named) / len(held_out), 4),
        right=round(float(np.mean(named)), 4) if named else 0.0,
        right_of_all=round(float(np.mean([right for _, right in held_out])), 4),
    )


def _least_margin(outcomes: Sequence[tuple[float, float]]) -> float:
    """The smallest margin from which on the groupings are right as often as :data:`RIGHT_WHEN_NAMED` asks."""
    by_margin = sorted(outcomes, reverse=True)
    so_far = np.cumsum([right for _, right in by_margin]) / np.arange(1, len(by_margin) + 1)
    enough = np.flatnonzero((so_far >= RIGHT_WHEN_NAMED) & (np.array([margin for margin, _ in by_margin]) > 0))
    return by_margin[int(enough[-1])][0] if len(enough) else _NEVER


def _outcome(cosine: np.ndarray, senses: Sequence[str], same: SameSense) -> tuple[float, float]:
    """Margin of the grouping, and the share of pairs that it has right."""
    grouping = group_uses(cosine.tolist(), same)
    label = {k: g for g, group in enumerate(grouping.groups) for k in group}
    found = np.array([label[k] for k in range(len(cosine))])
    pairs = np.tril_indices(len(cosine), -1)
    return grouping.margin, float(((found[:, None] == found[None, :]) == _same(senses))[pairs].mean())


def _same(senses: Sequence[str]) -> np.ndarray:
    column = np.array(senses)
    return np.asarray(column[:, None] == column[None, :])


def _sets(words: Sequence[WordUses]) -> Iterator[tuple[Tensor, tuple[str, ...]]]:
    r = random.Random(1)
    for word in words:
        by_sense: dict[str, list[int]] = {}
        for i, sense in enumerate(word.senses):
            by_sense.setdefault(sense, []).append(i)
        for _ in range(_SETS_PER_WORD):
            n = r.choice((2, 3, 4, 5, 5, 6, 6, 8))
            senses = r.sample(sorted(by_sense), min(r.choice((1, 2, 2, 2, 3)), n, len(by_sense)))
            counts = [len(range(k, n, len(senses))) for k in range(len(senses))]
            chosen = [
                i
                for sense, c in zip(senses, counts, strict=True)
                for i in r.sample(by_sense[sense], min(c, len(by_sense[sense])))
            ]
            yield word.vectors[:, chosen], tuple(word.senses[i] for i in chosen)

"""What a cosine means: two random words, two uses in the same sense, when to say nothing, and what to say it by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.senses.grouping import GroupingModel, SizeResult
from elmo_tasks.senses.senses import SameSense
from elmo_tasks.senses.views_of_uses import unit

#: Several views together.
TOGETHER = "together"

Matrices = tuple[NDArray[np.floating], ...]


@dataclass(frozen=True)
class Reading:
    """One way to tell uses apart: by a layer, by what stands around the use, or by several of these together.

    Measured are sets of 2 to 8 uses of words that nothing was fitted on, half of them in one sense.
    """

    name: str  #: ``"0"``, ``"1"``, ..., ``"mean"``, ``"words"``, ``"expected"`` or ``"together"``
    views: tuple[str, ...] = ()  #: whose cosines are read, in the order of the weights of ``same_sense``
    #: how cosines of two uses are read; ``None`` for the context-free layer, which cannot tell uses apart
    same_sense: SameSense | None = None
    grouping: GroupingModel | None = None  #: how the pairs of a set make groupings; ``None`` likewise
    #: how sets were decided, by collection of sentences and size, and of all sizes together
    by_size: tuple[SizeResult, ...] = ()
    error: float = 0.0  #: expected calibration error of the probability that a pair has the same sense, at even odds
    #: ``(mean probability, share that have the same sense, pairs)`` of each tenth of the scale that has pairs
    reliability: tuple[tuple[float, float, int], ...] = ()

    @property
    def right(self) -> float:
        """Share of the groupings that were named that are right, over all sets."""
        return _over(
            self.by_size,
            lambda s: (
                s.named * s.several + (s.split + s.one_named) * s.one,
                s.named * s.right * s.several + s.one_named * s.one,
            ),
        )

    @property
    def named(self) -> float:
        """Share of all sets whose grouping was named."""
        return _over(self.by_size, lambda s: (s.several + s.one, s.named * s.several + (s.split + s.one_named) * s.one))


@dataclass(frozen=True)
class LayerCalibration(Reading):
    """One layer."""

    random_pair_cosine: float = 0.0  #: mean cosine of two different words in different sentences


@dataclass(frozen=True)
class Calibration:
    """All readings of one model."""

    #: of what was measured, and how: the model's weights, its output layer, the static vectors, the gallery
    checksum: str
    layers: tuple[LayerCalibration, ...]  #: one entry per layer, then the mean
    #: what stands around the use, without its vector: each alone; then what was best together
    others: tuple[Reading, ...]
    verdict_layer: int  #: position of the layer that speaks, or that speaks best
    selected: str  #: name of the reading that is behind the verdict, the one that fits the calibration words best
    centres: Mapping[str, tuple[float, ...]]  #: ``[S]`` mean of each of the others, which is taken away from each use's

    @classmethod
    def unmeasured(cls, names: Sequence[str], random_pair: Sequence[float], centres: Mapping[str, int]) -> Calibration:
        """Of a model whose cosines nobody measured: only the mean cosine of two random words at each layer and their mean is known,
        and the width ``S`` of each of the other views, about whose zero it is read.
        """
        layers = tuple(LayerCalibration(name, random_pair_cosine=random_pair[k]) for k, name in enumerate(names))
        top = max(0, len(names) - 2)
        return cls("", layers, (), top, names[top], {view: (0.0,) * width for view, width in centres.items()})

    @property
    def is_measured(self) -> bool:
        """Whether anything was measured."""
        return bool(self.checksum)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """All of them."""
        return (*self.layers, *self.others)

    def reading(self, name: str) -> Reading:
        """The reading of that name."""
        return next(reading for reading in self.readings if reading.name == name)

    @property
    def selected_reading(self) -> Reading:
        """The reading behind the verdict."""
        return self.reading(self.selected)

    def centred(self, view: str, vectors: NDArray[np.floating]) -> NDArray[np.float32]:
        """``[n, S]`` what stands around each use, about the centre of that view, of length 1; zero where nothing is known."""
        return centred(vectors, np.asarray(self.centres[view]))

    def cosines(self, view: str, vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        """``[n, S]`` -> ``[n, n]`` cosines about the centre."""
        found = self.centred(view, vectors)
        return np.asarray(found @ found.T, np.float64)

    def joined(self, vectors_in: Callable[[str], NDArray[np.floating]]) -> NDArray[np.float32]:
        """What the selected one reads of each use as one vector, ``[n, sum of D]`` of length 1, from ``[n, D]`` in each view: of
        two uses alone, a higher cosine is a higher probability.

        Its log-odds are a weighted sum of cosines, which is the dot product of the views side by side, each times the root of its
        weight. That holds where every view knows something of both uses; a view that speaks against one meaning where it is alike
        (a negative weight) is left out.
        """
        same = self.selected_reading.same_sense
        weights = same.weights_of_few if same is not None else ()
        found = []
        for view, weight in zip(self.selected_reading.views, weights, strict=True):
            vectors = vectors_in(view)
            found.append(max(weight, 0.0) ** 0.5 * (self.centred(view, vectors) if view in self.centres else vectors))
        return unit(np.concatenate(found, axis=1))

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Calibration:
        """What :meth:`to_dict` wrote."""
        return cls(
            str(raw["checksum"]),
            tuple(LayerCalibration(**_reading(layer)) for layer in raw["layers"]),
            tuple(Reading(**_reading(other)) for other in raw["others"]),
            int(raw["verdict_layer"]),
            str(raw["selected"]),
            {view: tuple(centre) for view, centre in raw["centres"].items()},
        )


def _over(by_size: Sequence[SizeResult], counts: Callable[[SizeResult], tuple[float, float]]) -> float:
    found = [counts(size) for size in by_size if size.size]
    return sum(part for _, part in found) / max(sum(whole for whole, _ in found), 1e-9)


def _reading(raw: Mapping[str, Any]) -> dict[str, Any]:
    same = raw["same_sense"]
    if isinstance(same, Mapping):
        weights = {"weights": tuple(map(tuple, same["weights"])), "weights_of_few": tuple(same["weights_of_few"])}
        same = SameSense(**{**same, **weights})
    grouping = raw["grouping"]
    if isinstance(grouping, Mapping):
        grouping = GroupingModel.from_dict(grouping)
    by_size = tuple(SizeResult(**size) for size in raw["by_size"])
    lists = {
        "grouping": grouping,
        "by_size": by_size,
        "views": tuple(raw["views"]),
        "reliability": tuple(tuple(bin_) for bin_ in raw["reliability"]),
    }
    return {**raw, "same_sense": same, **lists}


def centred(vectors: NDArray[np.floating], centre: NDArray[np.floating]) -> NDArray[np.float32]:
    """See :meth:`Calibration.centred`."""
    # The words around any use have much in common; what they have in common says nothing about the use.
    known = np.linalg.norm(vectors, axis=1, keepdims=True) > 0
    return unit(np.where(known, vectors - centre, 0.0))

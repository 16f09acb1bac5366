"""What a cosine means: two random words, two uses in the same sense, when to say nothing, and what to say it by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.analysis.senses import SameSense
from elmo_tasks.analysis.views_of_uses import WORDS, unit

#: A layer together with the words around the use.
TOGETHER = "together"

Matrices = tuple[NDArray[np.floating], ...]


@dataclass(frozen=True)
class Reading:
    """One way to tell uses apart: a layer, the mean of the layers, the words around the use, or a layer and those together.

    Measured are sets of 2 to 8 uses of words that nothing was fitted on, in one to three senses.

    Attributes:
        name: ``"0"``, ``"1"``, ..., ``"mean"``, ``"words"`` or ``"together"``.
        same_sense: how cosines of two uses are read; ``None`` for the context-free layer, which cannot tell uses apart.
        named: share of the sets whose grouping is clear enough to be named.
        right: share of the pairs of uses in those sets that are put together or apart rightly.
        right_of_all: the same over all sets, were they all named.
        error: expected calibration error of the probability that a pair has the same sense, at even odds.
        reliability: ``(mean probability, share that have the same sense, pairs)`` of each tenth of the scale that has pairs.
    """

    name: str
    same_sense: SameSense | None = None
    named: float = 0.0
    right: float = 0.0
    right_of_all: float = 0.0
    error: float = 0.0
    reliability: tuple[tuple[float, float, int], ...] = ()


@dataclass(frozen=True)
class LayerCalibration(Reading):
    """One layer.

    Attributes:
        random_pair_cosine: mean cosine of two different words in different sentences.
    """

    random_pair_cosine: float = 0.0


@dataclass(frozen=True)
class Calibration:
    """All readings of one model.

    Attributes:
        checksum: of what was measured: the model's weights, the static vectors, the gallery.
        layers: one entry per layer, then the mean.
        words: the words around the use, without the model.
        together: one layer and the words around the use.
        verdict_layer: position of that layer.
        speaker: name of the reading that is behind the verdict, the one that fits the calibration words best.
        centre: ``[S]`` the mean of the words around a use, which is taken away from each.
    """

    checksum: str
    layers: tuple[LayerCalibration, ...]
    words: Reading
    together: Reading
    verdict_layer: int
    speaker: str
    centre: tuple[float, ...]

    @property
    def readings(self) -> tuple[Reading, ...]:
        """All of them."""
        return (*self.layers, self.words, self.together)

    @property
    def speaks(self) -> Reading:
        """The reading behind the verdict."""
        return next(reading for reading in self.readings if reading.name == self.speaker)

    def around(self, words: NDArray[np.floating]) -> NDArray[np.float64]:
        """``[n, S]`` words around each use -> ``[n, n]`` cosines of them, about the centre."""
        centred = self.centred(words)
        return np.asarray(centred @ centred.T, np.float64)

    def centred(self, words: NDArray[np.floating]) -> NDArray[np.float32]:
        """``[n, S]`` words around each use, about the centre, of length 1; zero where no word is known."""
        return centred(words, np.asarray(self.centre))

    def cosines(self, layers: Sequence[NDArray[np.floating]], around: NDArray[np.floating]) -> Matrices:
        """``[n, n]`` cosines that the speaker reads, from those of all layers and of the words around the uses."""
        if self.speaker == WORDS:
            return (around,)
        beside = (layers[self.verdict_layer],)
        return (*beside, around) if self.speaker == TOGETHER else beside

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Calibration:
        """What :meth:`to_dict` wrote."""
        layers = tuple(LayerCalibration(**_reading(layer)) for layer in raw["layers"])
        words, together = (Reading(**_reading(raw[name])) for name in (WORDS, TOGETHER))
        return cls(
            str(raw["checksum"]),
            layers,
            words,
            together,
            int(raw["verdict_layer"]),
            str(raw["speaker"]),
            tuple(raw["centre"]),
        )


def _reading(raw: Mapping[str, Any]) -> dict[str, Any]:
    same = raw["same_sense"]
    if isinstance(same, Mapping):
        same = SameSense(**{**same, "weights": tuple(tuple(pair) for pair in same["weights"])})
    return {**raw, "same_sense": same, "reliability": tuple(tuple(bin_) for bin_ in raw["reliability"])}


def centred(around: NDArray[np.floating], centre: NDArray[np.floating]) -> NDArray[np.float32]:
    """See :meth:`Calibration.centred`."""
    # The words around any use have much in common; what they have in common says nothing about the use.
    known = np.linalg.norm(around, axis=1, keepdims=True) > 0
    return unit(np.where(known, around - centre, 0.0))

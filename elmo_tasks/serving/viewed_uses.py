"""The vectors of uses that a map is drawn from; they are kept, so that another view or number of groups takes no time.

The sentences are not: what a person pasted is known by its digest only, and is in memory no longer than the request.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.marked_vectors import MarkedVectors, marked_vectors
from elmo_tasks.senses.sense_map_calibration import SenseMapCalibration
from elmo_tasks.senses.views_of_uses import BOTH
from elmo_tasks.serving.map_calibrations import load_map_calibration
from elmo_tasks.uses import Use, told_as_share

_KEPT_USES = 4096

_Vectors = tuple[NDArray[np.float16], NDArray[np.float16]]  # [L, D] the layers, [S] the words around


def lowest_sees(view: str, encoder: Encoder) -> str:
    """What the layer of a view sees if that reads no other word; empty for all other views."""
    return encoder.layer_names[0] if view == "0" or (view == BOTH and encoder.n_layers == 1) else ""


class ViewedUses:
    """Vectors of uses from the model and from the words around them. Nothing is loaded before it is asked for."""

    def __init__(self, static: Callable[[], StaticVectors]) -> None:
        self._load_static = static
        self._calibrations: dict[str, SenseMapCalibration | None] = {}
        self._kept: OrderedDict[bytes, _Vectors] = OrderedDict()
        self._lock = threading.RLock()

    def calibration(self, encoder: Encoder) -> SenseMapCalibration | None:
        """How well groups of uses match known senses in this model, if that was measured."""
        with self._lock:
            if encoder.name not in self._calibrations:
                self._calibrations[encoder.name] = load_map_calibration(encoder, self.static)
            return self._calibrations[encoder.name]

    @property
    def static(self) -> StaticVectors:
        """Vectors of words alone."""
        return self._load_static()

    def in_view(
        self, encoder: Encoder, view: str, uses: Sequence[Use], progress: Callable[[float], None] | None = None
    ) -> NDArray[np.float32]:
        """The uses in a view; what was read before is not read again.

        Args:
            encoder: the model.
            view: one of :func:`elmo_tasks.senses.views_of_uses.view_names`.
            uses: ``n`` uses.
            progress: told the share that is read.

        Returns:
            ``[n, D]``.
        """
        keys = [_key(encoder.name, use) for use in uses]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        new = {key: k for k, key in enumerate(keys) if key not in known}
        asked = [uses[k] for k in new.values()]
        read = marked_vectors(encoder, self.static, asked, told_as_share(progress, len(asked)))
        fresh = {key: (read.layers[:, k], read.around[k]) for k, key in enumerate(new)}
        with self._lock:
            self._kept.update(fresh)
            while len(self._kept) > _KEPT_USES:
                self._kept.popitem(last=False)
        known |= fresh
        found = [known[key] for key in keys]
        layers = np.stack([of_layers for of_layers, _ in found], axis=1)
        return MarkedVectors(layers, None, np.stack([near for _, near in found])).view(view)


def _key(model: str, use: Use) -> bytes:
    return hashlib.sha256(repr((model, use.tokens, use.start)).encode("utf-8", "backslashreplace")).digest()

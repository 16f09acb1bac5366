"""The uses of a word in numbers: found, read, sorted and put on paper, once for all that is asked of one map.

Of a map that was drawn only numbers are kept: no sentence, and no vector that is not kept already.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.api import MapRequest, MapUse, Progress
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import layer_names
from elmo_tasks.senses.clustering import MOST_GROUPS, Groups, Split, SplitRule, directions, split_uses
from elmo_tasks.senses.layout import Paper, on_paper
from elmo_tasks.senses.sense_map_calibration import NEVER_NAMED, SenseMapCalibration
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.senses.uses import (
    MOST_USES,
    FoundUse,
    base_word,
    evenly,
    gallery_uses,
    index_uses,
    sentences_of,
    uses_in,
)
from elmo_tasks.senses.views_of_uses import BOTH, view_names
from elmo_tasks.serving.viewed_uses import ViewedUses
from elmo_tasks.wording.sense_maps import nothing_to_draw

_KEPT_MAPS = 32
_NEAREST = 8


@dataclass(frozen=True)
class DrawnMap:
    """A map in numbers."""

    encoder: Encoder  #: the model
    view: str  #: what the uses are compared by
    views: tuple[str, ...]  #: all that they could be compared by
    known: SenseMapCalibration | None  #: how well the views were measured to work, if they were
    uses: tuple[FoundUse, ...]  #: the uses
    n_own: int  #: how many a person's own text has; not all of them need be among ``uses``
    vectors: NDArray[np.float32]  #: ``[n, D]`` of length 1
    split: Split  #: the groups that were found
    named: Groups  #: those that are named; none where the model cannot tell
    paper: Paper  #: the drawing


class MapDrawer:
    """Draws maps. Nothing is loaded or computed before it is asked for.

    Args:
        encoder: gives a model by name, the default one for ``None``; raises :class:`InputError` for one that is not on offer.
        static: gives the vectors of words alone.
        own: an index of one's own text, if there is one.
    """

    def __init__(
        self, encoder: Callable[[str | None], Encoder], static: Callable[[], StaticVectors], own: UseIndex | None = None
    ) -> None:
        self.encoder, self.own, self.viewed = encoder, own, ViewedUses(static)
        self._kept: OrderedDict[bytes, tuple[Split, Paper]] = OrderedDict()
        self._lock = threading.Lock()

    def draw(self, asked: MapRequest, progress: Progress | None = None) -> DrawnMap:
        """Draw a map.

        Raises:
            InputError: there is no use of the word, no such view or model, or too much text.
        """
        n_groups, text = asked.n_groups, asked.text
        if n_groups is not None and not 1 <= n_groups <= MOST_GROUPS:
            raise InputError(f"Between 1 and {MOST_GROUPS} groups can be shown, not {n_groups}.", field="n_groups")
        base_word(asked.word)  # refuses what is not one word, before anything is loaded
        of_text, n_text = uses_in(asked.word, sentences_of(text, asked.name)) if text.strip() else ((), 0)
        of_index, n_index = index_uses(asked.word, self.own) if asked.index and self.own else ((), 0)
        own = evenly((*of_text, *of_index), MOST_USES)
        uses = (*(gallery_uses(asked.word) if asked.gallery else ()), *own)
        if not uses:
            raise InputError(
                nothing_to_draw(asked.word, bool(text.strip()), asked.gallery), field="text" if text.strip() else "word"
            )
        encoder = self.encoder(asked.model)
        names = view_names(layer_names(encoder.n_layers))
        known = self.viewed.calibration(encoder)
        view = asked.view or (known.best if known else BOTH)
        if view not in names:
            raise InputError(f"There is no view “{view[:40]}” here; there is {', '.join(names)}.", field="view")
        vectors = self.viewed.in_view(encoder, view, uses, part(progress, "Reading the sentences"))
        split, paper = self._sorted(vectors, rule_of(known, view), n_groups)
        clear = split.is_clear if n_groups is None else len(split.groups) > 1
        named = split.groups if clear else ()
        return DrawnMap(encoder, view, names, known, uses, n_text + n_index, vectors, split, named, paper)

    def _sorted(self, vectors: NDArray[np.float32], rule: SplitRule, n_groups: int | None) -> tuple[Split, Paper]:
        """The groups and the places, which take a moment to find: what lands on a map, or is asked of it again, finds them."""
        key = hashlib.sha256(np.ascontiguousarray(vectors).data)
        key.update(repr((vectors.shape, rule, n_groups)).encode())
        with self._lock:
            if (found := self._kept.get(key.digest())) is not None:
                return found
        found = split_uses(vectors, rule, n_groups), on_paper(directions(vectors))
        with self._lock:
            self._kept[key.digest()] = found
            while len(self._kept) > _KEPT_MAPS:
                self._kept.popitem(last=False)
        return found


def rule_of(known: SenseMapCalibration | None, view: str) -> SplitRule:
    """From when on groups are named in a view; never where that was not measured."""
    return next((v.rule for v in known.views if v.name == view), NEVER_NAMED) if known else NEVER_NAMED


def map_points(
    uses: Sequence[FoundUse], vectors: NDArray[np.float32], paper: Paper, group_of: Mapping[int, int]
) -> tuple[MapUse, ...]:
    """Uses as points of a map.

    Args:
        uses: ``n`` of them.
        vectors: ``[n, D]`` of length 1.
        paper: their drawing.
        group_of: the group of each use that is in one.
    """
    cosine = np.clip(vectors.astype(np.float64) @ vectors.T.astype(np.float64), -1.0, 1.0)
    np.fill_diagonal(cosine, -2.0)
    places: list[list[float]] = paper.places.round(4).tolist()
    near = [tuple(nearest_first(row, min(_NEAREST, len(uses) - 1))) for row in cosine]
    return tuple(
        MapUse(use.sentence, *use.place, use.own, use.sense, group_of.get(k), places[k][0], places[k][1], near[k])
        for k, use in enumerate(uses)
    )


def nearest_first(cosines: Sequence[float] | NDArray[np.floating], most: int) -> list[tuple[int, float]]:
    """The positions of the highest cosines, with these in four digits; of equal ones the first."""
    order = np.argsort(-np.asarray(cosines, np.float64), kind="stable")[:most]
    return [(int(k), round(float(cosines[k]), 4)) for k in order]


def part(progress: Progress | None, what: str, start: float = 0.0, stop: float = 1.0) -> Callable[[float], None] | None:
    """Progress of a part of the work, told as that of the whole."""
    if progress is None:
        return None
    return lambda share: progress(what, start + (stop - start) * share)

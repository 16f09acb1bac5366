"""The uses of a word in numbers: read, sorted, put on paper and named, once for all that is asked of one map.

Vectors and maps are kept, so that another view or number of groups takes no time; the sentences are not: what a person pasted is
known by its digest only, and is in memory no longer than the request.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.api import MapRequest, MapUse, Progress, SenseGroup
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import layer_names
from elmo_tasks.senses.characteristic_words import characteristic_words
from elmo_tasks.senses.clustering import MOST_GROUPS, Groups, Split, SplitRule, directions, split_uses
from elmo_tasks.senses.landing import Paper, on_paper
from elmo_tasks.senses.marked_vectors import MarkedVectors, marked_vectors
from elmo_tasks.senses.sense_map_calibration import NEVER_NAMED, SenseMapCalibration, ViewCalibration
from elmo_tasks.senses.stop_words import is_stop_word
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
from elmo_tasks.serving.loaded_models import LoadEncoder, LoadStatic
from elmo_tasks.serving.map_calibrations import load_map_calibration
from elmo_tasks.text.word_forms import are_inflections
from elmo_tasks.uses import Use, told_as_share
from elmo_tasks.wording.sense_maps import nothing_to_draw

_KEPT_USES, _KEPT_MAPS = 4096, 32
_NEAREST = 8
_LETTERS = "ABCDEF"


def lowest_sees(view: str, encoder: Encoder) -> str:
    """What the layer of a view sees if that reads no other word; empty for all other views."""
    return encoder.layer_names[0] if view == "0" or (view == BOTH and encoder.n_layers == 1) else ""


class ViewedUses:
    """Vectors of uses from the model and from the words around them. Nothing is loaded before it is asked for."""

    def __init__(self, static: LoadStatic) -> None:
        self._load_static = static
        self._calibrations: dict[str, SenseMapCalibration | None] = {}
        # [L, D] the layers and [S] the words around of each use
        self._kept: OrderedDict[bytes, tuple[NDArray[np.float16], NDArray[np.float16]]] = OrderedDict()
        self._lock = threading.RLock()

    def calibration(self, encoder: Encoder) -> SenseMapCalibration | None:
        """How well groups of uses match known senses in this model, if that was measured."""
        with self._lock:
            if encoder.name not in self._calibrations:
                self._calibrations[encoder.name] = load_map_calibration(encoder, self.static)
            return self._calibrations[encoder.name]

    def best_view(self, encoder: Encoder) -> str:
        """What tells senses apart best in this model, as far as that was measured."""
        known = self.calibration(encoder)
        return known.best if known else BOTH

    @property
    def static(self) -> StaticVectors:
        """Vectors of words alone."""
        return self._load_static()

    def in_view(
        self, encoder: Encoder, view: str, uses: Sequence[Use], progress: Callable[[float], None] | None = None
    ) -> NDArray[np.float32]:
        """``[n, D]`` the uses in one of :func:`~elmo_tasks.senses.views_of_uses.view_names`; none is read twice."""
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
    return hashlib.sha256(repr((model, use.tokens, use.token_start)).encode("utf-8", "backslashreplace")).digest()


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
    """Draws maps. Nothing is loaded or computed before it is asked for."""

    def __init__(self, encoder: LoadEncoder, static: LoadStatic, own: UseIndex | None = None) -> None:
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
        view = asked.view or self.viewed.best_view(encoder)
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
    found = measured(known, view)
    return found.rule if found else NEVER_NAMED


def measured(known: SenseMapCalibration | None, view: str) -> ViewCalibration | None:
    """What was measured of a view, if it was."""
    return next((v for v in known.views if v.name == view), None) if known else None


def map_points(
    uses: Sequence[FoundUse], vectors: NDArray[np.float32], paper: Paper, groups: Groups
) -> tuple[MapUse, ...]:
    """``n`` uses as points of a map, by their ``[n, D]`` vectors of length 1."""
    group_of = groups_by_use(groups)
    cosine = np.clip(vectors.astype(np.float64) @ vectors.T.astype(np.float64), -1.0, 1.0)
    np.fill_diagonal(cosine, -2.0)
    places: list[list[float]] = paper.places.round(4).tolist()
    near = [tuple(nearest_first(row, min(_NEAREST, len(uses) - 1))) for row in cosine]
    return tuple(
        MapUse(
            use.sentence,
            use.char_start,
            use.char_end,
            use.own,
            use.sense,
            group_of.get(k),
            places[k][0],
            places[k][1],
            near[k],
        )
        for k, use in enumerate(uses)
    )


def groups_by_use(groups: Groups) -> dict[int, int]:
    """The group of each use that is in one."""
    return {use: g for g, group in enumerate(groups) for use in group}


def nearest_first(cosines: Sequence[float] | NDArray[np.floating], most: int) -> list[tuple[int, float]]:
    """The positions of the highest cosines, with these in four digits; of equal ones the first."""
    order = np.argsort(-np.asarray(cosines, np.float64), kind="stable")[:most]
    return [(int(k), round(float(cosines[k]), 4)) for k in order]


def part(progress: Progress | None, what: str) -> Callable[[float], None] | None:
    """Progress as a share alone, told with what is being done."""
    if progress is None:
        return None
    return lambda share: progress(what, share)


def named_groups(static: StaticVectors, uses: Sequence[FoundUse], groups: Groups, word: str) -> tuple[SenseGroup, ...]:
    """Groups with a letter, how many there are, and the words around them; the word itself names none, nor do its inflections."""
    key = base_word(word)

    def leave_out(other: str) -> bool:
        return len(other) < 3 or is_stop_word(other) or are_inflections(key, other)

    around = [
        [[*uses[k].tokens[: uses[k].token_start], *uses[k].tokens[uses[k].token_end :]] for k in group]
        for group in groups
    ]
    words = characteristic_words(
        around, lambda found: static.vectors_of(found).cpu().numpy(), static.share_of, leave_out
    )
    return tuple(
        SenseGroup(_LETTERS[g], len(group), named) for g, (group, named) in enumerate(zip(groups, words, strict=True))
    )

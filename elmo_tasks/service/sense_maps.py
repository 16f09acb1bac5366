"""Sense maps, and further sentences placed on them.

The vectors of uses are cached, but no sentence is: the cache knows it by its digest.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elmo_tasks import api
from elmo_tasks.encoders.use_vectors import progress_fraction, use_batches
from elmo_tasks.errors import InputError
from elmo_tasks.layers import with_mean
from elmo_tasks.messages.meanings import map_verdict, nothing_to_draw, projected_answer
from elmo_tasks.senses.clustering import cluster_uses
from elmo_tasks.senses.disambiguation import senses_of
from elmo_tasks.senses.entries import Entry, Sense
from elmo_tasks.senses.features import WORDS, Vectors, unit, views_of
from elmo_tasks.senses.judging import ANOTHER_MEANING, MEANINGS, meanings_of_uses
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.projection import Projection, directions, fit_projection, project_use
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.senses.use_sources import (
    MAX_USES,
    base_word,
    evenly,
    example_uses,
    index_uses,
    sentences_of,
    use_to_project,
    uses_in,
)
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.validation import check_choice, check_size
from elmo_tasks.text.uses import Use

_MAX_CACHED = 4096
_N_NEAREST = 8
_NEAREST_PROJECTED = 5
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class _Points:
    """A map as arrays."""

    view: str
    views: tuple[str, ...]
    entries: tuple[Entry, ...]  # of the dictionary
    senses: tuple[tuple[str, Sense], ...]  # their meanings, each with its word
    uses: tuple[Use, ...]
    sources: tuple[str, ...]  # one per use
    # the position of the meaning of each use; len(senses) for an unlisted one
    labels: tuple[int | None, ...]
    predictions: tuple[api.UseMeaning | None, ...]  # one per use; None for an example
    n_own: int
    read_as: tuple[tuple[str, str], ...]  # source and description of each table
    vectors: Vectors  # [n, D] of length 1
    projection: Projection

    @property
    def members(self) -> dict[int, tuple[int, ...]]:
        """The uses of each meaning on the map, in the order of the dictionary."""
        by_label = api.group_by(self.labels)
        return {label: by_label[label] for label in sorted(by_label.keys() - {None})}


class UseCache:
    """Vectors of the most recent uses, in every view."""

    def __init__(self) -> None:
        self._views: dict[bytes, dict[str, NDArray[np.float16]]] = {}
        self._lock = threading.Lock()

    def read(
        self, loaded: LoadedModel, uses: Sequence[Use], progress: api.Progress | None = None
    ) -> Callable[[str], Vectors]:
        """Encode each distinct use once; return a function from a view to unit ``[n, D]``."""
        contents = (repr((loaded.encoder.name, use.tokens, use.token_start)) for use in uses)
        keys = [
            hashlib.sha256(content.encode("utf-8", "backslashreplace")).digest()
            for content in contents
        ]
        with self._lock:
            views = {key: self._views[key] for key in keys if key in self._views}
        missing = list({key: k for k, key in enumerate(keys) if key not in views}.values())
        new = [uses[k] for k in missing]
        step = progress_fraction(progress and partial(progress, "Reading the sentences"), len(new))
        for rows, read in use_batches(loaded.encoder, new):
            batch = [new[k] for k in rows]
            parts = dict(zip(loaded.names, with_mean(read.layers).numpy(), strict=True))
            parts[WORDS] = views_of(loaded.static, None, batch, read, ())[WORDS]
            if loaded.senses is not None:
                parts[MEANINGS] = loaded.senses.embed_read(batch, read)
            for row, k in enumerate(rows):
                views[keys[missing[k]]] = {
                    name: part[row].astype(np.float16) for name, part in parts.items()
                }
            step(len(rows))
        with self._lock:
            self._views.update(views)
            for key in list(self._views)[:-_MAX_CACHED]:
                del self._views[key]
        return lambda view: unit(np.stack([views[key][view] for key in keys]).astype(np.float32))


def sense_map(
    request: api.MapRequest,
    loaded: LoadedModel,
    cache: UseCache,
    index: UseIndex | None = None,
    progress: api.Progress | None = None,
) -> api.SenseMap:
    """Implement :meth:`elmo_tasks.api.Service.sense_map`."""
    points = _collect(request, loaded, cache, index, progress)
    word = request.word.strip()
    n = len(points.uses)
    has_one = bundled_lexicon().has_one_meaning(word)
    clusters = () if points.senses or has_one else cluster_uses(points.vectors)
    members = points.members if points.senses else dict(enumerate(clusters))
    groups = _groups(points, members)
    group_of = {use: g for g, uses in enumerate(members.values()) for use in uses}
    cosines = np.clip(points.vectors @ points.vectors.T, -1.0, 1.0)
    np.fill_diagonal(cosines, -2.0)
    places = points.projection.places.round(4).tolist()
    uses = []
    for k, (use, source, meant) in enumerate(
        zip(points.uses, points.sources, points.predictions, strict=True)
    ):
        x, y = places[k]
        point = api.MapUse(
            use=use,
            source=source,
            group=group_of.get(k),
            probability=meant.probability if meant else None,
            is_sure=source == api.EXAMPLES or bool(meant and meant.is_sure),
            x=x,
            y=y,
            nearest=tuple(_nearest(cosines[k], min(_N_NEAREST, n - 1))),
        )
        uses.append(point)
    are_meanings = bool(points.senses)
    return api.SenseMap(
        word=word,
        model=loaded.encoder.name,
        view=points.view,
        # Layer 0 reads no other word.
        views=tuple(
            api.MapView(name, loaded.encoder.layer_names[0] if name == "0" else "")
            for name in points.views
        ),
        uses=tuple(uses),
        groups=groups,
        are_meanings=are_meanings,
        message=map_verdict(
            word, uses, groups, are_meanings, loaded.senses is not None, has_one_meaning=has_one
        ),
        shown=round(points.projection.shown, 4),
        n_own=points.n_own,
        read_as=points.read_as,
        sources=tuple(dict.fromkeys(points.sources)),
        examples_of=tuple(entry.word for entry in points.entries)
        if api.EXAMPLES in points.sources
        else (),
    )


def project_on_map(
    sentence: str,
    request: api.MapRequest,
    loaded: LoadedModel,
    cache: UseCache,
    index: UseIndex | None = None,
) -> api.ProjectedUse:
    """Implement :meth:`elmo_tasks.api.Service.project_use`."""
    check_size(sentence, "sentence")
    use = use_to_project(request.word, sentence)
    check_size(use.tokens, "sentence")
    points = _collect(request, loaded, cache, index)
    vector = cache.read(loaded, [use])(points.view)[0]
    (meaning,) = _predict(loaded, cache, points.entries, [use])
    group_of: dict[int | None, int] = (
        {label: g for g, label in enumerate(points.members)} if points.senses else {}
    )
    names = [*(sense.gloss for _, sense in points.senses), ANOTHER_MEANING]
    shares = (*meaning.probabilities, meaning.other) if meaning else ()
    order = sorted(range(len(shares)), key=lambda k: -shares[k])
    meanings = tuple(api.ProjectedMeaning(names[k], shares[k], group_of.get(k)) for k in order)
    near = tuple(
        api.NearUse(
            use=points.uses[k], cosine=cosine, position=k, group=group_of.get(points.labels[k])
        )
        for k, cosine in _nearest(points.vectors @ vector, _NEAREST_PROJECTED)
    )
    is_sure = bool(meaning and meaning.is_sure)
    x, y = project_use(points.projection, points.vectors, vector)
    return api.ProjectedUse(
        use=use,
        x=x,
        y=y,
        group=meanings[0].group if meanings else None,
        is_sure=is_sure,
        meanings=meanings,
        nearest=near,
        message=projected_answer(meanings, is_sure=is_sure),
    )


def _collect(
    request: api.MapRequest,
    loaded: LoadedModel,
    cache: UseCache,
    index: UseIndex | None,
    progress: api.Progress | None = None,
) -> _Points:
    """Collect the uses of a map, encode them, and place them."""
    base_word(request.word)  # refuses what is not a word or phrase, before anything is read
    entries = bundled_lexicon().find(request.word.strip())
    examples = example_uses(entries) if request.examples else []
    collected, read_as = _own_uses(request, index)
    has_text = bool(request.text.strip() or request.text_b.strip())
    if has_text and not any(found.uses for found in collected):
        raise InputError(nothing_to_draw(request.word, has_text, request.examples), field="text")
    own = evenly([(use, found.source) for found in collected for use in found.uses], MAX_USES)
    uses = (*(use for use, _, _ in examples), *(use for use, _ in own))
    if not uses:
        raise InputError(nothing_to_draw(request.word, has_text, request.examples), field="word")
    views = (*([MEANINGS] if loaded.senses else []), *loaded.names, WORDS)
    view = request.view or views[0]
    check_choice(view, views, "view", "view")
    vectors = cache.read(loaded, uses, progress)(view)
    senses = tuple(senses_of(entries))
    positions = {(word, sense.key): k for k, (word, sense) in enumerate(senses)}
    meant = _predict(loaded, cache, entries, [use for use, _ in own])
    labels = (
        *(positions[word, sense.key] for _, word, sense in examples),
        *(_label_of(meaning, len(senses)) for meaning in meant),
    )
    sources = (*(api.EXAMPLES for _ in examples), *(source for _, source in own))
    predictions = (*(None for _ in examples), *meant)
    return _Points(
        view=view,
        views=views,
        entries=entries,
        senses=senses,
        uses=uses,
        sources=sources,
        labels=labels,
        predictions=predictions,
        n_own=sum(found.n for found in collected),
        read_as=read_as,
        vectors=vectors,
        projection=fit_projection(directions(vectors)),
    )


class _OwnUses(NamedTuple):
    """Uses from one of the user's sources; a long text gives only some of them."""

    source: str
    uses: tuple[Use, ...]
    n: int  #: number of uses in the source


def _own_uses(
    request: api.MapRequest, index: UseIndex | None
) -> tuple[list[_OwnUses], tuple[tuple[str, str], ...]]:
    """Collect the uses in the user's texts and index; return how tables were read, too."""
    collected: list[_OwnUses] = []
    read_as: list[tuple[str, str]] = []
    for source, text, name in (
        (api.TEXT_A, request.text, request.name),
        (api.TEXT_B, request.text_b, ""),
    ):
        if text.strip():
            sentences, description = sentences_of(text, name)
            if description != "text":
                read_as.append((source, description))
            collected.append(_OwnUses(source, *uses_in(request.word, sentences)))
    if request.index and index:
        collected.append(_OwnUses(api.INDEX, *index_uses(request.word, index)))
    return collected, tuple(read_as)


def _label_of(meaning: api.UseMeaning | None, n_listed: int) -> int | None:
    """Return the position of a predicted meaning; an unlisted one comes after the listed."""
    if meaning is None:
        return None
    return n_listed if meaning.best is None else meaning.best


def _predict(
    loaded: LoadedModel, cache: UseCache, entries: Sequence[Entry], uses: Sequence[Use]
) -> Sequence[api.UseMeaning | None]:
    if loaded.senses is None or not entries or not uses:
        return [None for _ in uses]
    return meanings_of_uses(loaded.senses, uses, cache.read(loaded, uses)(MEANINGS), entries)


def _groups(points: _Points, members: dict[int, tuple[int, ...]]) -> tuple[api.SenseGroup, ...]:
    sources = list(dict.fromkeys(points.sources))
    names = [*((sense.key, sense.gloss) for _, sense in points.senses), ("", ANOTHER_MEANING)]
    groups = []
    for g, (label, uses) in enumerate(members.items()):
        key, name = names[label] if points.senses else ("", f"cluster {g + 1}")
        own = points.vectors[list(uses)]
        typical = uses[int(np.argmax(own @ own.mean(axis=0)))]
        count = Counter(points.sources[k] for k in uses)
        group = api.SenseGroup(
            letter=_LETTERS[g],
            key=key,
            name=name,
            n_uses=len(uses),
            example=typical,
            by_source=tuple(count[source] for source in sources),
        )
        groups.append(group)
    return tuple(groups)


def _nearest(cosines: NDArray[np.floating], n: int) -> list[tuple[int, float]]:
    """Return the positions of the highest cosines, the first in a tie, and the cosines."""
    order = np.argsort(-np.asarray(cosines, np.float64), kind="stable")[:n]
    return [(int(k), round(float(cosines[k]), 4)) for k in order]

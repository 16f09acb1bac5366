"""Sense maps, and further sentences placed on them.

The vectors of uses are cached, so that another view takes no time. Sentences are not: the cache identifies a pasted
one by its digest, and its text stays in memory no longer than the request.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.api import (
    EXAMPLES,
    INDEX,
    TEXT_A,
    TEXT_B,
    LandedMeaning,
    LandedUse,
    MapRequest,
    MapUse,
    MapView,
    NearOnMap,
    Progress,
    SenseGroup,
    SenseMap,
    UseMeaning,
)
from elmo_tasks.errors import InputError
from elmo_tasks.messages.maps import map_verdict, nothing_to_draw, projected_answer
from elmo_tasks.senses.clustering import cluster_uses
from elmo_tasks.senses.disambiguation import senses_of
from elmo_tasks.senses.features import WORDS, Vectors, unit, views_of
from elmo_tasks.senses.lexicon import Entry, Sense
from elmo_tasks.senses.projection import Projection, directions, fit_projection, project_use
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.senses.uses import (
    MAX_USES,
    base_word,
    evenly,
    example_uses,
    index_uses,
    sentences_of,
    use_to_project,
    uses_in,
)
from elmo_tasks.service.asked_uses import check_length, check_words
from elmo_tasks.service.loaded_models import LoadedModel, LoadModel
from elmo_tasks.service.meanings import ANOTHER, dictionary, meanings_of_uses
from elmo_tasks.uses import Use, progress_fraction, use_batches

#: View that meanings are predicted from.
MEANINGS = "meanings"
_MAX_KEPT = 4096
_NEAREST, _NEAREST_LANDED = 8, 5
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class _Drawn:
    """A map as arrays."""

    loaded: LoadedModel
    view: str
    views: tuple[str, ...]
    entries: tuple[Entry, ...]  # of the dictionary
    senses: tuple[tuple[str, Sense], ...]  # their meanings, each with its word
    uses: tuple[Use, ...]
    sources: tuple[str, ...]  # one per use
    labels: tuple[int | None, ...]  # the position of the meaning of each use; len(senses) for an unlisted one
    found: tuple[UseMeaning | None, ...]  # the prediction for each use; None for an example
    n_own: int
    vectors: Vectors  # [n, D] of length 1
    projection: Projection


class SenseMaps:
    """Implements :class:`elmo_tasks.api.MapService`; loads nothing before first use."""

    def __init__(self, load: LoadModel, own: UseIndex | None = None) -> None:
        self._load, self._index = load, own
        self._kept: OrderedDict[bytes, dict[str, NDArray[np.float16]]] = OrderedDict()
        self._lock = threading.Lock()

    def index_title(self) -> str:
        """Implement :meth:`elmo_tasks.api.MapService.index_title`."""
        return self._index.description.title if self._index else ""

    def words(self) -> tuple[str, ...]:
        """Implement :meth:`elmo_tasks.api.MapService.words`."""
        return tuple(entry.word for entry in dictionary().ambiguous)

    def sense_map(self, asked: MapRequest, progress: Progress | None = None) -> SenseMap:
        """Implement :meth:`elmo_tasks.api.MapService.sense_map`."""
        drawn = self._draw(asked, progress)
        word, n = asked.word.strip(), len(drawn.uses)
        has_one = dictionary().has_one_meaning(word)
        clusters = () if drawn.senses or has_one else cluster_uses(drawn.vectors)
        members = _members(drawn.labels) if drawn.senses else dict(enumerate(clusters))
        groups = _groups(drawn, members)
        group_of = {use: g for g, uses in enumerate(members.values()) for use in uses}
        cosines = np.clip(drawn.vectors @ drawn.vectors.T, -1.0, 1.0)
        np.fill_diagonal(cosines, -2.0)
        places = drawn.projection.places.round(4).tolist()
        uses = tuple(
            MapUse(
                use.sentence,
                use.char_start,
                use.char_end,
                drawn.sources[k],
                group_of.get(k),
                found.probability if found else None,
                drawn.sources[k] == EXAMPLES or bool(found and found.is_sure),
                places[k][0],
                places[k][1],
                tuple(_nearest(cosines[k], min(_NEAREST, n - 1))),
            )
            for k, (use, found) in enumerate(zip(drawn.uses, drawn.found, strict=True))
        )
        views = tuple(MapView(name, _sees(name, drawn.loaded)) for name in drawn.views)
        is_calibrated = drawn.loaded.senses is not None
        return SenseMap(
            word=word,
            model=drawn.loaded.encoder.name,
            view=drawn.view,
            views=views,
            uses=uses,
            groups=groups,
            are_meanings=bool(drawn.senses),
            said=map_verdict(word, uses, groups, bool(drawn.senses), is_calibrated, has_one_meaning=has_one),
            shown=round(drawn.projection.shown, 4),
            n_own=drawn.n_own,
            sources=tuple(dict.fromkeys(drawn.sources)),
            examples_of=tuple(entry.word for entry in drawn.entries) if EXAMPLES in drawn.sources else (),
        )

    def land(self, sentence: str, on: MapRequest) -> LandedUse:
        """Implement :meth:`elmo_tasks.api.MapService.land`."""
        base_word(on.word)
        check_length(sentence, "sentence")
        use = use_to_project(on.word, sentence)
        check_words(use.tokens, "sentence")
        drawn = self._draw(on)
        vector = self._read(drawn.loaded, [use], None)(drawn.view)[0]
        meaning = self._meanings(drawn.loaded, drawn.entries, [use])[0]
        x, y = project_use(drawn.projection, drawn.vectors, vector)
        at = {label: g for g, label in enumerate(_members(drawn.labels))} if drawn.senses else {}
        names = [*(sense.gloss for _, sense in drawn.senses), ANOTHER]
        shares = (*meaning.probabilities, meaning.other) if meaning else ()
        order = sorted(range(len(shares)), key=lambda k: -shares[k])
        meanings = tuple(LandedMeaning(names[k], shares[k], at.get(k)) for k in order)
        group_of = [None if label is None else at.get(label) for label in drawn.labels]
        near = tuple(
            NearOnMap(k, cosine, drawn.uses[k].sentence, drawn.uses[k].char_start, drawn.uses[k].char_end, group_of[k])
            for k, cosine in _nearest(drawn.vectors @ vector, _NEAREST_LANDED)
        )
        is_sure = bool(meaning and meaning.is_sure)
        group = meanings[0].group if meanings else None
        said = projected_answer(meanings, is_sure=is_sure)
        return LandedUse(use.sentence, use.char_start, use.char_end, x, y, group, is_sure, meanings, near, said)

    def _draw(self, asked: MapRequest, progress: Progress | None = None) -> _Drawn:
        """Collect the uses of a map, encode them, and place them.

        Raises:
            InputError: there is no use of the word, no such view or model, or too much text.
        """
        base_word(asked.word)  # refuses input that is not one word, before anything is loaded
        entries = dictionary().find(asked.word.strip())
        examples = example_uses(entries) if asked.examples else []
        rows = [(use, EXAMPLES) for use, _, _ in examples]
        n_own = 0
        for source, text, name in ((TEXT_A, asked.text, asked.name), (TEXT_B, asked.text_b, "")):
            if text.strip():
                found, n = uses_in(asked.word, sentences_of(text, name))
                rows += [(use, source) for use in found]
                n_own += n
        if asked.index and self._index:
            found, n = index_uses(asked.word, self._index)
            rows += [(use, INDEX) for use in found]
            n_own += n
        own = evenly(rows[len(examples) :], MAX_USES)
        rows = [*rows[: len(examples)], *own]
        if not rows:
            has_text = bool(asked.text.strip() or asked.text_b.strip())
            message = nothing_to_draw(asked.word, has_text, asked.examples)
            raise InputError(message, field="text" if has_text else "word")
        loaded = self._load(asked.model)
        views = (*((MEANINGS,) if loaded.senses else ()), *loaded.names, WORDS)
        view = asked.view or views[0]
        if view not in views:
            raise InputError(f"There is no view “{view[:40]}” here; there is {', '.join(views)}.", field="view")
        uses = [use for use, _ in rows]
        vectors = self._read(loaded, uses, progress)(view)
        senses = senses_of(entries)
        positions = {(word, sense.key): k for k, (word, sense) in enumerate(senses)}
        computed = self._meanings(loaded, entries, [use for use, _ in own])
        labels = [
            *(positions[word, sense.key] for _, word, sense in examples),
            *(None if m is None else len(senses) if m.best is None else m.best for m in computed),
        ]
        return _Drawn(
            loaded,
            view,
            views,
            entries,
            tuple(senses),
            tuple(uses),
            tuple(source for _, source in rows),
            tuple(labels),
            (*(None for _ in examples), *computed),
            n_own,
            vectors,
            fit_projection(directions(vectors)),
        )

    def _meanings(
        self, loaded: LoadedModel, entries: Sequence[Entry], uses: Sequence[Use]
    ) -> Sequence[UseMeaning | None]:
        if loaded.senses is None or not entries or not uses:
            return [None for _ in uses]
        return meanings_of_uses(loaded.senses, uses, self._read(loaded, uses, None)(MEANINGS), entries)

    def _read(self, loaded: LoadedModel, uses: Sequence[Use], progress: Progress | None) -> Callable[[str], Vectors]:
        """Encode uses, none of them twice; return a function from a view to unit ``[n, D]``."""
        keys = [_key(loaded.encoder.name, use) for use in uses]
        with self._lock:
            read = {key: self._kept[key] for key in keys if key in self._kept}
        missing = list({key: k for k, key in enumerate(keys) if key not in read}.values())
        new = [uses[k] for k in missing]
        step = progress_fraction(progress and (lambda share: progress("Reading the sentences", share)), len(new))
        for rows, found in use_batches(loaded.encoder, new):
            batch = [new[k] for k in rows]
            parts = {str(at): layer.numpy() for at, layer in enumerate(found.layers)}
            if len(parts) > 1:
                parts["mean"] = found.layers.mean(dim=0).numpy()
            parts[WORDS] = views_of(loaded.static, None, batch, found, ())[WORDS]
            if loaded.senses is not None:
                parts[MEANINGS] = loaded.senses.embed_read(batch, found)
            for row, k in enumerate(rows):
                read[keys[missing[k]]] = {name: part[row].astype(np.float16) for name, part in parts.items()}
            step(len(rows))
        with self._lock:
            self._kept.update(read)
            while len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)
        return lambda view: unit(np.stack([read[key][view] for key in keys]).astype(np.float32))


def _key(model: str, use: Use) -> bytes:
    return hashlib.sha256(repr((model, use.tokens, use.token_start)).encode("utf-8", "backslashreplace")).digest()


def _members(labels: Sequence[int | None]) -> dict[int, tuple[int, ...]]:
    """Return the uses of each meaning that occurs, in the order of the dictionary."""
    present = sorted({label for label in labels if label is not None})
    return {label: tuple(k for k, other in enumerate(labels) if other == label) for label in present}


def _groups(drawn: _Drawn, members: dict[int, tuple[int, ...]]) -> tuple[SenseGroup, ...]:
    sources = list(dict.fromkeys(drawn.sources))
    groups = []
    for g, (label, uses) in enumerate(members.items()):
        if not drawn.senses:
            key, name = "", f"cluster {g + 1}"
        elif label == len(drawn.senses):
            key, name = "", ANOTHER
        else:
            key, name = drawn.senses[label][1].key, drawn.senses[label][1].gloss
        own = drawn.vectors[list(uses)]
        typical = uses[int(np.argmax(own @ own.mean(axis=0)))]
        count = Counter(drawn.sources[k] for k in uses)
        groups.append(SenseGroup(_LETTERS[g], key, name, len(uses), typical, tuple(count[s] for s in sources)))
    return tuple(groups)


def _sees(view: str, loaded: LoadedModel) -> str:
    """Return the input of a view's layer if it reads no other word; else nothing."""
    return loaded.encoder.layer_names[0] if view == "0" else ""


def _nearest(cosines: NDArray[np.floating], n: int) -> list[tuple[int, float]]:
    """Return the positions of the highest cosines, with these in four digits.

    Of equal ones, the first counts.
    """
    order = np.argsort(-np.asarray(cosines, np.float64), kind="stable")[:n]
    return [(int(k), round(float(cosines[k]), 4)) for k in order]

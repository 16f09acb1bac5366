"""Sense maps, and the words of a text that have two lives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.api import MapUse, MapView, Progress, SenseGroup, SenseMap, SplitWord, TwoLives
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import layer_names
from elmo_tasks.senses.characteristic_words import characteristic_words
from elmo_tasks.senses.clustering import FEWEST_USES, MOST_GROUPS, Split, SplitRule, agreement, directions, split_uses
from elmo_tasks.senses.content_words import content_words, is_stop_word
from elmo_tasks.senses.gallery import gallery_words
from elmo_tasks.senses.layout import on_paper
from elmo_tasks.senses.sense_map_calibration import NEVER_NAMED, SenseMapCalibration
from elmo_tasks.senses.standing_out import STANDS_OUT, standing_out
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
    words_like,
)
from elmo_tasks.senses.views_of_uses import BOTH, view_names
from elmo_tasks.serving.sense_map_words import lives_verdict, nothing, verdict
from elmo_tasks.serving.viewed_uses import ViewedUses
from elmo_tasks.text.word_forms import are_inflections

MOST_CHAPTER = 200_000
MOST_CANDIDATES = 60
MOST_USES_EACH = 40
_NEAREST = 8
_LETTERS = "ABCDEF"


class SenseMaps:
    """Answers for the Sense map tab. Nothing is loaded or computed before it is asked for.

    Args:
        encoder: gives a model by name, the default one for ``None``; raises :class:`InputError` for one that is not on offer.
        static: gives the vectors of words alone.
        own: an index of one's own text, if there is one.
    """

    def __init__(
        self, encoder: Callable[[str | None], Encoder], static: Callable[[], StaticVectors], own: UseIndex | None = None
    ) -> None:
        self._encoder, self._own, self._uses = encoder, own, ViewedUses(static)

    def index_title(self) -> str:
        """See :meth:`elmo_tasks.api.MapService.index_title`."""
        return self._own.description.title if self._own else ""

    def words(self) -> tuple[str, ...]:
        """See :meth:`elmo_tasks.api.MapService.words`."""
        return gallery_words()

    def sense_map(
        self,
        word: str,
        text: str = "",
        view: str | None = None,
        n_groups: int | None = None,
        gallery: bool = True,
        name: str = "",
        model: str | None = None,
        progress: Progress | None = None,
        index: bool = False,
    ) -> SenseMap:
        """See :meth:`elmo_tasks.api.MapService.sense_map`."""
        if n_groups is not None and not 1 <= n_groups <= MOST_GROUPS:
            raise InputError(f"Between 1 and {MOST_GROUPS} groups can be shown, not {n_groups}.", field="n_groups")
        base_word(word)  # refuses what is not one word, before anything is loaded
        of_text, n_text = uses_in(word, sentences_of(text, name)) if text.strip() else ((), 0)
        of_index, n_index = index_uses(word, self._own) if index and self._own else ((), 0)
        own, n_own = evenly((*of_text, *of_index), MOST_USES), n_text + n_index
        examples = gallery_uses(word) if gallery else ()
        uses = (*examples, *own)
        if not uses:
            raise InputError(nothing(word, bool(text.strip()), gallery), field="text" if text.strip() else "word")
        encoder = self._encoder(model)
        names = view_names(layer_names(encoder.n_layers))
        known = self._uses.calibration(encoder)
        view = view or (known.best if known else BOTH)
        if view not in names:
            raise InputError(f"There is no view “{view[:40]}” here; there is {', '.join(names)}.", field="view")
        vectors = self._uses.in_view(encoder, view, uses, _part(progress, "Reading the sentences"))
        split = split_uses(vectors, _rule(known, view), n_groups)
        named = split.is_clear if n_groups is None else len(split.groups) > 1
        groups = self._named(uses, split, word) if named else ()
        places, shown = on_paper(directions(vectors))
        of = {use: g for g, group in enumerate(split.groups) for use in group} if named else {}
        mostly_own = 2 * sum(use.own for use in uses) > len(uses)
        unread = encoder.layer_names[0] if view == "0" else ""  # the context-free layer
        known_uses = [k for k, use in enumerate(uses) if use.sense is not None]
        senses = [uses[k].sense or "" for k in known_uses]
        return SenseMap(
            word=word.strip(),
            model=encoder.name,
            view=view,
            views=tuple(_measured(name, known) for name in names),
            uses=_points(uses, vectors, places, of),
            groups=groups,
            asked_groups=n_groups,
            is_clear=split.is_clear,
            verdict=verdict(word.strip(), len(uses), groups, split, n_groups, known is not None, unread, mostly_own),
            shown=round(shown, 4),
            agreement=(
                round(agreement(_labels(known_uses, of), senses), 4) if groups and len(set(senses)) > 1 else None
            ),
            n_own=n_own,
            n_measured_words=known.n_words if known else 0,
            examples_of=words_like(word) if examples else (),
        )

    def two_lives(self, text: str, model: str | None = None, progress: Progress | None = None) -> TwoLives:
        """See :meth:`elmo_tasks.api.MapService.two_lives`."""
        if not text.strip():
            raise InputError("Paste a text first: a chapter, an article, or many messages.", field="text")
        if len(text) > MOST_CHAPTER:
            raise InputError(
                f"The text has {len(text):,} characters; the most is {MOST_CHAPTER:,} here. Paste one chapter of it.",
                field="text",
            )
        sentences = sentences_of(text)
        found = content_words(sentences, FEWEST_USES)
        if not found:
            raise InputError(
                f"No content word comes {FEWEST_USES} times in this text. Paste a longer one.", field="text"
            )
        encoder = self._encoder(model)
        known = self._uses.calibration(encoder)
        view = known.best if known else BOTH
        chosen = [(word.word, evenly(word.uses, MOST_USES_EACH)) for word in found[:MOST_CANDIDATES]]
        vectors = self._uses.in_view(
            encoder, view, [u for _, uses in chosen for u in uses], _part(progress, "Reading", 0.0, 0.6)
        )
        splits, start = [], 0
        for k, (word, uses) in enumerate(chosen):
            splits.append(split_uses(vectors[start : start + len(uses)], _rule(known, view)))
            start += len(uses)
            if progress is not None:
                progress(f"Sorting the uses of “{word}”", 0.6 + 0.4 * (k + 1) / len(chosen))
        apart = standing_out([split.score for split in splits], [len(uses) for _, uses in chosen])
        words = [
            SplitWord(
                word,
                len(found[k].uses),
                round(float(apart[k]), 2),
                split.is_clear and float(apart[k]) >= STANDS_OUT,
                self._named(uses, split, word),
            )
            for k, ((word, uses), split) in enumerate(zip(chosen, splits, strict=True))
            if len(split.groups) > 1
        ]
        words.sort(key=lambda w: (-w.is_clear, -w.score))
        return TwoLives(
            encoder.name, view, tuple(words), len(sentences), len(found), lives_verdict(words, len(chosen), len(found))
        )

    def _named(self, uses: Sequence[FoundUse], split: Split, word: str) -> tuple[SenseGroup, ...]:
        static = self._uses.static
        key = base_word(word)

        def leave_out(other: str) -> bool:
            return len(other) < 3 or is_stop_word(other) or are_inflections(key, other)

        around = [
            [[*uses[k].tokens[: uses[k].start], *uses[k].tokens[uses[k].end :]] for k in group]
            for group in split.groups
        ]
        words = characteristic_words(
            around, lambda found: static.vectors_of(found).cpu().numpy(), static.share_of, leave_out
        )
        return tuple(
            SenseGroup(_LETTERS[g], len(group), named)
            for g, (group, named) in enumerate(zip(split.groups, words, strict=True))
        )


def _rule(known: SenseMapCalibration | None, view: str) -> SplitRule:
    return next((v.rule for v in known.views if v.name == view), NEVER_NAMED) if known else NEVER_NAMED


def _measured(name: str, known: SenseMapCalibration | None) -> MapView:
    found = next((v for v in known.views if v.name == name), None) if known else None
    return MapView(name, found.own_number, found.named, found.right) if found else MapView(name)


def _labels(known: Sequence[int], of: dict[int, int]) -> tuple[tuple[int, ...], ...]:
    groups: dict[int, list[int]] = {}
    for place, use in enumerate(known):
        groups.setdefault(of[use], []).append(place)
    return tuple(tuple(group) for group in groups.values())


def _points(
    uses: Sequence[FoundUse], vectors: NDArray[np.float32], places: NDArray[np.float64], of: dict[int, int]
) -> tuple[MapUse, ...]:
    cosine = np.clip(vectors.astype(np.float64) @ vectors.T.astype(np.float64), -1.0, 1.0)
    np.fill_diagonal(cosine, -2.0)
    points = []
    for k, use in enumerate(uses):
        near = np.argsort(-cosine[k], kind="stable")[: min(_NEAREST, len(uses) - 1)]
        points.append(
            MapUse(
                use.sentence,
                *use.place,
                use.own,
                use.sense,
                of.get(k),
                round(float(places[k, 0]), 4),
                round(float(places[k, 1]), 4),
                tuple((int(other), round(float(cosine[k, other]), 4)) for other in near),
            )
        )
    return tuple(points)


def _part(
    progress: Progress | None, what: str, start: float = 0.0, stop: float = 1.0
) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda share: progress(what, start + (stop - start) * share)

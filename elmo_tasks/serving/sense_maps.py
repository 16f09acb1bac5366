"""Sense maps, and the words of a text that have two lives."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.analysis.characteristic_words import characteristic_words
from elmo_tasks.analysis.clustering import FEWEST_USES, MOST_GROUPS, Split, SplitRule, agreement, directions, split_uses
from elmo_tasks.analysis.layout import on_paper
from elmo_tasks.analysis.sense_map_calibration import NEVER_NAMED, SenseMapCalibration
from elmo_tasks.analysis.standing_out import STANDS_OUT, standing_out
from elmo_tasks.analysis.views_of_uses import BOTH, view_names, view_of
from elmo_tasks.api import MapUse, MapView, Progress, SenseGroup, SenseMap, SplitWord, TwoLives
from elmo_tasks.corpus.content_words import content_words, is_stop_word
from elmo_tasks.corpus.gallery import gallery_words
from elmo_tasks.corpus.uses import Use, base_word, gallery_uses, sentences_of, uses_in
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import InputError
from elmo_tasks.layers.views import layer_names
from elmo_tasks.serving.map_calibrations import load_map_calibration, use_vectors
from elmo_tasks.text.mentions import quoted
from elmo_tasks.text.word_forms import are_inflections

MOST_CHAPTER = 200_000
MOST_CANDIDATES = 60
MOST_USES_EACH = 40
_KEPT_USES = 4096
_NEAREST = 8
_LETTERS = "ABCDEF"

_Key = tuple[str, tuple[str, ...], int]
_Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]


class SenseMaps:
    """Answers for the Sense map tab. Nothing is loaded or computed before it is asked for.

    Args:
        encoder: gives a model by name, the default one for ``None``; raises :class:`InputError` for one that is not on offer.
    """

    def __init__(self, encoder: Callable[[str | None], Elmo]) -> None:
        self._encoder = encoder
        self._static: StaticVectors | None = None
        self._calibrations: dict[str, SenseMapCalibration | None] = {}
        self._kept: OrderedDict[_Key, _Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def words(self) -> tuple[str, ...]:
        """See :meth:`elmo_tasks.api.Service.gallery_words`."""
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
    ) -> SenseMap:
        """See :meth:`elmo_tasks.api.Service.sense_map`."""
        if n_groups is not None and not 1 <= n_groups <= MOST_GROUPS:
            raise InputError(f"Between 1 and {MOST_GROUPS} groups can be shown, not {n_groups}.", field="n_groups")
        base_word(word)  # refuses what is not one word, before anything is loaded
        own, n_own = uses_in(word, sentences_of(text, name)) if text.strip() else ((), 0)
        uses = (*(gallery_uses(word) if gallery else ()), *own)
        if not uses:
            raise InputError(_nothing(word, bool(text.strip()), gallery), field="text" if text.strip() else "word")
        elmo = self._encoder(model)
        names = view_names(layer_names(elmo.n_layers))
        known = self._calibration(elmo)
        view = view or (known.best if known else BOTH)
        if view not in names:
            raise InputError(f"There is no view “{view[:40]}” here; there is {', '.join(names)}.", field="view")
        vectors = self._view(elmo, view, uses, _part(progress, "Reading the sentences"))
        split = split_uses(vectors, _rule(known, view), n_groups)
        named = split.is_clear if n_groups is None else len(split.groups) > 1
        groups = self._named(uses, split, word) if named else ()
        places, shown = on_paper(directions(vectors))
        of = {use: g for g, group in enumerate(split.groups) for use in group} if named else {}
        mostly_own = 2 * sum(use.own for use in uses) > len(uses)
        known_uses = [k for k, use in enumerate(uses) if use.sense is not None]
        senses = [uses[k].sense or "" for k in known_uses]
        return SenseMap(
            word=word.strip(),
            model=elmo.name,
            view=view,
            views=tuple(_measured(name, known) for name in names),
            uses=_points(uses, vectors, places, of),
            groups=groups,
            asked_groups=n_groups,
            is_clear=split.is_clear,
            verdict=_verdict(word.strip(), len(uses), groups, split, n_groups, known is not None, view, mostly_own),
            shown=round(shown, 4),
            agreement=(
                round(agreement(_labels(known_uses, of), senses), 4) if groups and len(set(senses)) > 1 else None
            ),
            n_own=n_own,
            n_measured_words=known.n_words if known else 0,
        )

    def two_lives(self, text: str, model: str | None = None, progress: Progress | None = None) -> TwoLives:
        """See :meth:`elmo_tasks.api.Service.two_lives`."""
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
        elmo = self._encoder(model)
        known = self._calibration(elmo)
        view = known.best if known else BOTH
        chosen = [(word.word, _spread(word.uses, MOST_USES_EACH)) for word in found[:MOST_CANDIDATES]]
        vectors = self._view(elmo, view, [u for _, uses in chosen for u in uses], _part(progress, "Reading", 0.0, 0.6))
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
            elmo.name, view, tuple(words), len(sentences), len(found), _lives_verdict(words, len(chosen), len(found))
        )

    def _calibration(self, elmo: Elmo) -> SenseMapCalibration | None:
        with self._lock:
            if elmo.name not in self._calibrations:
                self._calibrations[elmo.name] = load_map_calibration(elmo, self._vectors())
            return self._calibrations[elmo.name]

    def _vectors(self) -> StaticVectors:
        if self._static is None:
            self._static = StaticVectors.load()
        return self._static

    def _view(
        self, elmo: Elmo, view: str, uses: Sequence[Use], progress: Callable[[float], None] | None
    ) -> NDArray[np.float32]:
        """``[n, D]`` the uses in a view; what was read before is not read again."""
        with self._lock:
            static = self._vectors()
            keys = [(elmo.name, use.tokens, use.index) for use in uses]
            new = {key: k for k, key in enumerate(keys) if key not in self._kept}
        layers, around = use_vectors(elmo, static, [uses[k] for k in new.values()], progress)
        fresh = {key: (layers[:, k], around[k]) for k, key in enumerate(new)}
        with self._lock:
            found = [fresh[key] if key in fresh else self._kept[key] for key in keys]
            self._kept.update(fresh)
            while len(self._kept) > _KEPT_USES:
                self._kept.popitem(last=False)
        return view_of(
            view,
            np.stack([of_layers for of_layers, _ in found], axis=1),
            layer_names(elmo.n_layers),
            np.stack([near for _, near in found]),
        )

    def _named(self, uses: Sequence[Use], split: Split, word: str) -> tuple[SenseGroup, ...]:
        static = self._vectors()
        key = base_word(word)

        def leave_out(other: str) -> bool:
            return len(other) < 3 or is_stop_word(other) or are_inflections(key, other)

        around = [
            [[t for i, t in enumerate(uses[k].tokens) if i != uses[k].index] for k in group] for group in split.groups
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
    uses: Sequence[Use], vectors: NDArray[np.float32], places: NDArray[np.float64], of: dict[int, int]
) -> tuple[MapUse, ...]:
    cosine = np.clip(vectors.astype(np.float64) @ vectors.T.astype(np.float64), -1.0, 1.0)
    np.fill_diagonal(cosine, -2.0)
    points = []
    for k, use in enumerate(uses):
        near = np.argsort(-cosine[k], kind="stable")[: min(_NEAREST, len(uses) - 1)]
        points.append(
            MapUse(
                use.sentence,
                use.start,
                use.end,
                use.own,
                use.sense,
                of.get(k),
                round(float(places[k, 0]), 4),
                round(float(places[k, 1]), 4),
                tuple((int(other), round(float(cosine[k, other]), 4)) for other in near),
            )
        )
    return tuple(points)


def _spread(uses: Sequence[Use], most: int) -> list[Use]:
    return [uses[k * len(uses) // most] for k in range(most)] if len(uses) > most else list(uses)


def _part(
    progress: Progress | None, what: str, start: float = 0.0, stop: float = 1.0
) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda share: progress(what, start + (stop - start) * share)


def _nothing(word: str, has_text: bool, gallery: bool) -> str:
    if has_text:
        return f"Your text has no use of {quoted(word)}. Type another word, or paste a text that has it."
    if not gallery:
        return f"Paste a text that uses {quoted(word)}, or let the example sentences count."
    return (
        f"There are no example sentences for {quoted(word)}. Paste your own text that uses it, or choose another word."
    )


def _listed(groups: Sequence[SenseGroup]) -> str:
    named = [f"{g.letter} ({', '.join(g.words[:3])} …)" if g.words else g.letter for g in groups]
    return ", ".join(named)


def _verdict(
    word: str,
    n: int,
    groups: Sequence[SenseGroup],
    split: Split,
    asked: int | None,
    measured: bool,
    view: str,
    mostly_own: bool,
) -> str:
    uses = f"{n} use{'' if n == 1 else 's'} of “{word}”"
    if asked is not None:
        if not groups:
            return f"{uses}, all in one group, as you asked."
        clear = (
            "They are clear groups."
            if split.is_clear
            else "That they are groups of meaning is not sure: the gaps between them are no clearer than chance may make them."
        )
        return f"{uses} in {len(groups)} groups, as you asked: {_listed(groups)}. {clear}"
    if groups and mostly_own:
        return (
            f"{uses} fall into {len(groups)} groups: {_listed(groups)}. In a running text groups are often its topics, not "
            "meanings of the word: judge them by their sentences."
        )
    if groups:
        return f"{uses}, probably {len(groups)} meanings: {_listed(groups)}."
    if view == "0":
        return f"This view cannot tell the {uses} apart. It looks at the letters of the word and at nothing around it."
    if n < FEWEST_USES:
        return (
            f"Too few uses to find groups: {uses}. At least {FEWEST_USES} are needed; paste text of your own for more."
        )
    if not measured:
        return (
            f"No groups are named for these {uses}. How well this model’s groups match meanings was not measured yet: "
            "python -m benchmarks.sense_map --model NAME --keep cache does that."
        )
    return (
        f"The model is not sure whether these {uses} have one meaning or several. There are no gaps between them that are "
        "clearer than chance may make them. You can ask for a number of groups, and judge them by their sentences."
    )


def _lives_verdict(words: Sequence[SplitWord], n_sorted: int, n_found: int) -> str:
    clear = [f"“{w.word}”" for w in words if w.is_clear]
    looked = f"the {n_sorted} most frequent of {n_found}" if n_sorted < n_found else f"all {n_found}"
    about = (
        f"Looked at {looked} content words that come {FEWEST_USES} times or more. The list says where to look, not what is so: "
        "in tests with long texts, words made to have two lives did not reliably come to its top."
    )
    if not clear:
        return f"No word of this text stands out: none splits much more clearly than the others. {about}"
    if len(clear) == 1:
        return f"{clear[0]} stands out: its uses split more clearly than those of the other words. {about}"
    first = ", ".join(clear[:4]) + (f" and {len(clear) - 4} more" if len(clear) > 4 else "")
    return (
        f"{len(clear)} words stand out: {first}. Their uses split more clearly than those of the other words. {about}"
    )

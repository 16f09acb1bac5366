"""Sense maps, and sentences that land on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from elmo_tasks.api import (
    LandedUse,
    MapRequest,
    MapView,
    NearOnMap,
    Progress,
    SenseGroup,
    SenseMap,
)
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.senses.clustering import FEWEST_USES, agreement, typical_first
from elmo_tasks.senses.gallery import gallery_words
from elmo_tasks.senses.landing import land
from elmo_tasks.senses.sense_map_calibration import SenseMapCalibration
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.senses.uses import FoundUse, base_word, landing_use, words_like
from elmo_tasks.serving.asked_uses import check_length, check_words
from elmo_tasks.serving.drawn_maps import (
    DrawnMap,
    MapDrawer,
    groups_by_use,
    lowest_sees,
    map_points,
    measured,
    named_groups,
    nearest_first,
)
from elmo_tasks.serving.loaded_models import LoadEncoder, LoadStatic
from elmo_tasks.text.word_forms import folded
from elmo_tasks.wording.sense_maps import Meanings, landed, map_verdict, uses_of

_NEAREST_LANDED = 5


class SenseMaps:
    """Answers for the Sense map tab. Nothing is loaded or computed before it is asked for."""

    def __init__(self, encoder: LoadEncoder, static: LoadStatic, own: UseIndex | None = None) -> None:
        self.drawer = MapDrawer(encoder, static, own)
        self._uses = self.drawer.viewed

    def index_title(self) -> str:
        """See :meth:`elmo_tasks.api.MapService.index_title`."""
        return self.drawer.own.description.title if self.drawer.own else ""

    def words(self) -> tuple[str, ...]:
        """See :meth:`elmo_tasks.api.MapService.words`."""
        return gallery_words()

    def sense_map(self, asked: MapRequest, progress: Progress | None = None) -> SenseMap:
        """See :meth:`elmo_tasks.api.MapService.sense_map`."""
        drawn = self.drawer.draw(asked, progress)
        uses, split = drawn.uses, drawn.split
        groups = self._of_map(drawn, asked.word)
        of = groups_by_use(drawn.named)
        mostly_own = 2 * sum(use.own for use in uses) > len(uses)
        views = tuple(_view(name, drawn.known, drawn.encoder) for name in drawn.views)
        unread = next(v.sees for v in views if v.name == drawn.view) if drawn.view == "0" else ""
        known_uses = [k for k, use in enumerate(uses) if use.sense is not None]
        senses = [uses[k].sense or "" for k in known_uses]
        known, word = drawn.known, asked.word.strip()
        examples_of = words_like(word) if any(not use.own for use in uses) else ()
        rand = round(agreement(_labels(known_uses, of), senses), 4) if groups and len(set(senses)) > 1 else None
        calibrated = measured(known, drawn.view)
        meanings = Meanings(rand, len(set(senses)), calibrated.number_right if calibrated else 0.0, _forms_differ(uses))
        called = uses_of(word, len(uses), sum(use.own for use in uses), examples_of)
        return SenseMap(
            word=word,
            model=drawn.encoder.name,
            view=drawn.view,
            views=views,
            uses=map_points(drawn.uses, drawn.vectors, drawn.paper, drawn.named),
            groups=groups,
            asked_groups=asked.n_groups,
            is_clear=split.is_clear,
            said=map_verdict(
                called,
                len(uses),
                groups,
                FEWEST_USES,
                split.is_clear,
                asked.n_groups,
                known is not None,
                unread,
                mostly_own,
                meanings,
            ),
            shown=round(drawn.paper.shown, 4),
            agreement=rand,
            n_own=drawn.n_own,
            n_measured_words=known.n_words if known else 0,
            examples_of=examples_of,
        )

    def land(self, sentence: str, on: MapRequest) -> LandedUse:
        """See :meth:`elmo_tasks.api.MapService.land`."""
        base_word(on.word)
        check_length(sentence, "sentence")
        use = landing_use(on.word, sentence)
        check_words(use.tokens, "sentence")
        drawn = self.drawer.draw(on)
        vector = self._uses.in_view(drawn.encoder, drawn.view, [use])[0]
        found = land(drawn.vectors, drawn.named, vector, drawn.paper)
        groups = self._of_map(drawn, on.word)
        of = groups_by_use(drawn.named)
        nearest = tuple(
            NearOnMap(k, cosine, drawn.uses[k].sentence, drawn.uses[k].char_start, drawn.uses[k].char_end, of.get(k))
            for k, cosine in nearest_first(found.cosines, _NEAREST_LANDED)
        )
        return LandedUse(
            use.sentence,
            use.char_start,
            use.char_end,
            round(float(found.place[0]), 4),
            round(float(found.place[1]), 4),
            found.group,
            groups,
            tuple(round(value, 4) for value in found.nearness),
            nearest,
            landed(groups, found.group, found.order, by_meaning=on.by_meaning),
        )

    def _of_map(self, drawn: DrawnMap, word: str) -> tuple[SenseGroup, ...]:
        groups = named_groups(self._uses.static, drawn.uses, drawn.named, word)
        typical = [typical_first(drawn.vectors, group) for group in drawn.named]
        meant = [_meant([drawn.uses[k].sense for k in group]) for group in drawn.named]
        return tuple(
            replace(group, typical=order, meant=sense)
            for group, order, sense in zip(groups, typical, meant, strict=True)
        )


def _view(name: str, known: SenseMapCalibration | None, encoder: Encoder) -> MapView:
    sees = lowest_sees(name, encoder)
    found = measured(known, name)
    return MapView(name, found.own_number, found.named, found.right, sees) if found else MapView(name, sees=sees)


def _meant(senses: Sequence[str | None]) -> str:
    """The sense that more than half of the known ones are."""
    known = [sense for sense in senses if sense]
    most = max(known, key=known.count, default="")
    return most if 2 * known.count(most) > len(known) else ""


def _forms_differ(uses: Sequence[FoundUse]) -> bool:
    """Whether own sentences and examples are both there, and each spell the word in forms that the others do not have."""
    own, examples = ({folded(use.word) for use in uses if use.own is kind} for kind in (True, False))
    return bool(own - examples and examples - own)


def _labels(known: Sequence[int], of: dict[int, int]) -> tuple[tuple[int, ...], ...]:
    groups: dict[int, list[int]] = {}
    for place, use in enumerate(known):
        groups.setdefault(of[use], []).append(place)
    return tuple(tuple(group) for group in groups.values())

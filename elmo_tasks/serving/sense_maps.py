"""Sense maps, and the words of a text that have two lives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from elmo_tasks.api import (
    LandedUse,
    MapRequest,
    MapView,
    NearOnMap,
    PolysemyRanking,
    Progress,
    RankedWord,
    SenseGroup,
    SenseMap,
)
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.errors import InputError
from elmo_tasks.senses.clustering import FEWEST_USES, agreement, split_uses, typical_first
from elmo_tasks.senses.content_words import content_words
from elmo_tasks.senses.gallery import gallery_words
from elmo_tasks.senses.landing import land
from elmo_tasks.senses.outlier_scores import OUTLIER, outlier_scores
from elmo_tasks.senses.sense_map_calibration import SenseMapCalibration
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.senses.uses import FoundUse, base_word, evenly, landing_use, sentences_of, words_like
from elmo_tasks.serving.asked_uses import check_length, check_words
from elmo_tasks.serving.drawn_maps import (
    DrawnMap,
    MapDrawer,
    cut,
    groups_by_use,
    lowest_sees,
    map_points,
    measured,
    named_groups,
    nearest_first,
    part,
    rule_of,
)
from elmo_tasks.serving.loaded_models import LoadEncoder, LoadStatic
from elmo_tasks.text.word_forms import folded
from elmo_tasks.wording.sense_maps import Meanings, landed, map_verdict, ranking_verdict, uses_of

MOST_CHAPTER = 200_000
MOST_CANDIDATES = 60
MOST_USES_EACH = 40
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
            NearOnMap(k, cosine, drawn.uses[k].sentence, *drawn.uses[k].place, of.get(k))
            for k, cosine in nearest_first(found.cosines, _NEAREST_LANDED)
        )
        return LandedUse(
            use.sentence,
            *use.place,
            round(float(found.place[0]), 4),
            round(float(found.place[1]), 4),
            found.group,
            groups,
            tuple(round(value, 4) for value in found.nearness),
            nearest,
            landed(groups, found.group, found.order, by_meaning=on.by_meaning),
        )

    def polysemy_ranking(
        self, text: str, model: str | None = None, progress: Progress | None = None
    ) -> PolysemyRanking:
        """See :meth:`elmo_tasks.api.MapService.polysemy_ranking`."""
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
        encoder = self.drawer.encoder(model)
        known = self._uses.calibration(encoder)
        view = self._uses.best_view(encoder)
        chosen = [(word.word, evenly(word.uses, MOST_USES_EACH)) for word in found[:MOST_CANDIDATES]]
        # All words are read at once: the batches of one alone would be small.
        vectors = self._uses.in_view(
            encoder, view, [u for _, uses in chosen for u in uses], part(progress, "Reading", 0.0, 0.6)
        )
        splits = []
        for k, ((word, _), of_word) in enumerate(zip(chosen, cut(vectors, [uses for _, uses in chosen]), strict=True)):
            splits.append(split_uses(of_word, rule_of(known, view)))
            if progress is not None:
                progress(f"Sorting the uses of “{word}”", 0.6 + 0.4 * (k + 1) / len(chosen))
        apart = outlier_scores([split.score for split in splits], [len(uses) for _, uses in chosen])
        words = [
            RankedWord(
                word,
                len(found[k].uses),
                round(float(apart[k]), 2),
                split.is_clear and float(apart[k]) >= OUTLIER,
                named_groups(self._uses.static, uses, split.groups, word),
            )
            for k, ((word, uses), split) in enumerate(zip(chosen, splits, strict=True))
            if len(split.groups) > 1
        ]
        words.sort(key=lambda w: (-w.is_clear, -w.score))
        return PolysemyRanking(
            encoder.name,
            view,
            tuple(words),
            len(sentences),
            len(found),
            ranking_verdict(words, len(chosen), len(found), FEWEST_USES),
            lowest_sees(view, encoder),
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

"""The uses of a word as points on a map, and the words of a text that have two lives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Said


@dataclass(frozen=True)
class MapUse:
    """One use of a word on its map.

    Attributes:
        sentence: the sentence.
        start: character offset of the word in it.
        end: character offset one past its end.
        own: from a person's own text, not from the gallery of example sentences.
        sense: the sense the gallery knows it in.
        group: position of its group in :attr:`SenseMap.groups`; ``None`` if no groups are named.
        x: place on the map, -1 to 1, to the right.
        y: place on the map, -1 to 1, upwards.
        nearest: the nearest other uses of the map, nearest first, as ``(position, cosine)``.
    """

    sentence: str
    start: int
    end: int
    own: bool
    sense: str | None
    group: int | None
    x: float
    y: float
    nearest: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class SenseGroup:
    """Uses that go together.

    Attributes:
        letter: ``"A"``, ``"B"``, ...
        n_uses: how many there are.
        words: words around them that are characteristic of the group; may be none.
        typical: positions of its uses in the map, the most typical first: those most like all others of the group.
        meant: the sense that more than half of its example sentences were written for; empty where there is none.
    """

    letter: str
    n_uses: int
    words: tuple[str, ...]
    typical: tuple[int, ...] = ()
    meant: str = ""


@dataclass(frozen=True)
class MapView:
    """What uses can be compared by, and how well that was measured to tell senses apart.

    Attributes:
        name: a layer, ``"mean"``, ``"words"`` (the words around a use) or ``"both"`` (these and layer 1).
        agreement: adjusted Rand index of groups and known senses, averaged over the gallery's words; ``None`` if not measured.
        named: share of sets of uses in several senses whose groups are clear enough to be named; ``None`` if not measured.
        right: share of pairs of uses, where groups are named, that are rightly together or apart; ``None`` if not measured.
        sees: what its layer sees if that reads no other word; else empty.
    """

    name: str
    agreement: float | None = None
    named: float | None = None
    right: float | None = None
    sees: str = ""


@dataclass(frozen=True)
class SenseMap:
    """The uses of a word as points, sorted into groups where the numbers carry that.

    Attributes:
        word: as asked.
        model: name of the model.
        view: what the uses are compared by.
        views: all views on offer, each with what was measured.
        uses: the points.
        groups: the groups, the largest first; empty when the model cannot tell.
        asked_groups: the number of groups that was asked for; ``None`` if it was left to the data.
        is_clear: whether the data say that there are these groups.
        said: the answer: a headline and its reasons.
        shown: share of all differences between the uses that the map shows, 0 to 1.
        agreement: adjusted Rand index of the groups and the known senses of this word's uses; ``None`` if there are none.
        n_own: how many uses the person's own text has; not all of them need be on the map.
        n_measured_words: words of the gallery that the views were measured on.
        examples_of: words of the gallery whose example sentences are on the map.
    """

    word: str
    model: str
    view: str
    views: tuple[MapView, ...]
    uses: tuple[MapUse, ...]
    groups: tuple[SenseGroup, ...]
    asked_groups: int | None
    is_clear: bool
    said: Said
    shown: float
    agreement: float | None
    n_own: int
    n_measured_words: int
    examples_of: tuple[str, ...] = ()

    @property
    def shown_view(self) -> MapView:
        """What the uses are compared by, with what was measured of it."""
        return next((view for view in self.views if view.name == self.view), MapView(self.view))

    @property
    def verdict(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/sense_map``."""
        return self.said.within(asdict(self), "verdict")


@dataclass(frozen=True)
class MapRequest:
    """Which map is meant: what :meth:`MapService.sense_map` draws it from.

    Attributes:
        word: the word.
        text: a person's own text.
        view: what the uses are compared by; what measures best if ``None``.
        n_groups: how many groups, 1 to 6; left to the data if ``None``.
        gallery: whether the example sentences count.
        name: of the file that the text came from.
        model: name of the model; the default one if ``None``.
        index: whether the index of one's own text counts.
        by_meaning: whether the groups of what lands are called by what most of their example sentences were written for.
    """

    word: str
    text: str = ""
    view: str | None = None
    n_groups: int | None = None
    gallery: bool = True
    name: str = ""
    model: str | None = None
    index: bool = False
    by_meaning: bool = False


@dataclass(frozen=True)
class NearOnMap:
    """A use of a map that is near to one that landed there.

    Attributes:
        position: in :attr:`SenseMap.uses`.
        cosine: of the two uses.
        sentence: its sentence.
        start: character offset of the word in it.
        end: character offset one past its end.
        group: position of its group; ``None`` if no groups are named.
    """

    position: int
    cosine: float
    sentence: str
    start: int
    end: int
    group: int | None


@dataclass(frozen=True)
class LandedUse:
    """A further use of the word, put on its map; the map itself stays as it is.

    Attributes:
        sentence: as typed, without brackets.
        start: character offset of the word in it.
        end: character offset one past its end.
        x: place on the map, to the right; beyond -1 or 1 where it lies farther out than all uses of the map.
        y: place on the map, upwards.
        group: the group it lands in; ``None`` between groups, or where none are named.
        groups: the groups of the map.
        nearness: for each group the mean cosine to its uses, seen from the middle of the map.
        nearest: the nearest uses of the map, nearest first.
        verdict: the answer in one or two plain sentences.
    """

    sentence: str
    start: int
    end: int
    x: float
    y: float
    group: int | None
    groups: tuple[SenseGroup, ...]
    nearness: tuple[float, ...]
    nearest: tuple[NearOnMap, ...]
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/land``."""
        return asdict(self)


@dataclass(frozen=True)
class RankedWord:
    """A word of a text, and how clearly its uses there split.

    Attributes:
        word: the spelling that the text has most.
        n_uses: its uses in the text, in all inflections.
        score: how far the split is clearer than those of the text's other words of like frequency, in usual distances.
        is_clear: whether the split is clear, and stands out from those of the other words.
        groups: the groups the uses fall into.
    """

    word: str
    n_uses: int
    score: float
    is_clear: bool
    groups: tuple[SenseGroup, ...]


@dataclass(frozen=True)
class PolysemyRanking:
    """The words of a text, those whose uses split most clearly first.

    Attributes:
        model: name of the model.
        view: what the uses were compared by.
        words: the words.
        n_sentences: sentences of the text.
        n_candidates: content words with enough uses; ``words`` may be fewer.
        said: the answer: a headline and its reasons.
        sees: what the layer of the view sees if that reads no other word; else empty.
    """

    model: str
    view: str
    words: tuple[RankedWord, ...]
    n_sentences: int
    n_candidates: int
    said: Said
    sees: str = ""

    @property
    def verdict(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/polysemy_ranking``."""
        return self.said.within(asdict(self), "verdict")


class MapService(Protocol):
    """Maps the uses of words."""

    def words(self) -> tuple[str, ...]:
        """The words that the gallery of example sentences has uses of."""
        ...

    def index_title(self) -> str:
        """The index of one's own text that the app was started with; empty without one."""
        ...

    def sense_map(self, asked: MapRequest, progress: Progress | None = None) -> SenseMap:
        """Map the uses of a word."""
        ...

    def land(self, sentence: str, on: MapRequest) -> LandedUse:
        """Put the use of the word in ``sentence`` on a map that was drawn, without moving anything there.

        Where the word comes several times in it, ``[brackets]`` mark the one that is meant.
        """
        ...

    def polysemy_ranking(
        self, text: str, model: str | None = None, progress: Progress | None = None
    ) -> PolysemyRanking:
        """Rank the content words of a text by how clearly their uses split into groups."""
        ...

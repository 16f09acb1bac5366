"""The uses of a word as points on a map, and sentences that land on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Result, Said, Verdict


@dataclass(frozen=True)
class MapUse:
    """One use of a word on its map."""

    sentence: str  #: the sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    own: bool  #: from a person's own text, not from the gallery of example sentences
    sense: str | None  #: the sense the gallery knows it in
    group: int | None  #: position of its group in :attr:`SenseMap.groups`; ``None`` if no groups are named
    x: float  #: place on the map, -1 to 1, to the right
    y: float  #: place on the map, -1 to 1, upwards
    #: the nearest other uses of the map, nearest first, as ``(position, cosine)``
    nearest: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class SenseGroup:
    """Uses that go together."""

    letter: str  #: ``"A"``, ``"B"``, ...
    n_uses: int  #: how many there are
    words: tuple[str, ...]  #: words around them that are characteristic of the group; may be none
    #: positions of its uses in the map, the most typical first: those most like all others of the group
    typical: tuple[int, ...] = ()
    #: the sense that more than half of its example sentences were written for; empty where there is none
    meant: str = ""


@dataclass(frozen=True)
class MapView:
    """What uses can be compared by, and how well that was measured to tell senses apart."""

    name: str  #: a layer, ``"mean"``, ``"words"`` (the words around a use) or ``"both"`` (these and layer 1)
    #: adjusted Rand index of groups and known senses, averaged over the gallery's words; ``None`` if not measured
    agreement: float | None = None
    #: share of sets of uses in several senses whose groups are clear enough to be named; ``None`` if not measured
    named: float | None = None
    #: share of pairs of uses, where groups are named, that are rightly together or apart; ``None`` if not measured
    right: float | None = None
    sees: str = ""  #: what its layer sees if that reads no other word; else empty


@dataclass(frozen=True)
class SenseMap(Verdict):
    """The uses of a word as points, sorted into groups where the numbers carry that."""

    word: str  #: as asked
    model: str  #: name of the model
    view: str  #: what the uses are compared by
    views: tuple[MapView, ...]  #: all views on offer, each with what was measured
    uses: tuple[MapUse, ...]  #: the points
    groups: tuple[SenseGroup, ...]  #: the groups, the largest first; empty when the model cannot tell
    asked_groups: int | None  #: the number of groups that was asked for; ``None`` if it was left to the data
    is_clear: bool  #: whether the data say that there are these groups
    said: Said  #: the answer: a headline and its reasons
    shown: float  #: share of all differences between the uses that the map shows, 0 to 1
    #: adjusted Rand index of the groups and the known senses of this word's uses; ``None`` if there are none
    agreement: float | None
    n_own: int  #: how many uses the person's own text has; not all of them need be on the map
    n_measured_words: int  #: words of the gallery that the views were measured on
    examples_of: tuple[str, ...] = ()  #: words of the gallery whose example sentences are on the map

    @property
    def shown_view(self) -> MapView:
        """What the uses are compared by, with what was measured of it."""
        return next((view for view in self.views if view.name == self.view), MapView(self.view))


@dataclass(frozen=True)
class MapRequest:
    """Which map is meant: what :meth:`MapService.sense_map` draws it from."""

    word: str  #: the word
    text: str = ""  #: a person's own text
    view: str | None = None  #: what the uses are compared by; what measures best if ``None``
    n_groups: int | None = None  #: how many groups, 1 to 6; left to the data if ``None``
    gallery: bool = True  #: whether the example sentences count
    name: str = ""  #: of the file that the text came from
    model: str | None = None  #: name of the model; the default one if ``None``
    index: bool = False  #: whether the index of one's own text counts
    #: whether the groups of what lands are called by what most of their example sentences were written for
    by_meaning: bool = False


@dataclass(frozen=True)
class NearOnMap:
    """A use of a map that is near to one that landed there."""

    position: int  #: in :attr:`SenseMap.uses`
    cosine: float  #: of the two uses
    sentence: str  #: its sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    group: int | None  #: position of its group; ``None`` if no groups are named


@dataclass(frozen=True)
class LandedUse(Result):
    """A further use of the word, put on its map; the map itself stays as it is."""

    sentence: str  #: as typed, without brackets
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    x: float  #: place on the map, to the right; beyond -1 or 1 where it lies farther out than all uses of the map
    y: float  #: place on the map, upwards
    group: int | None  #: the group it lands in; ``None`` between groups, or where none are named
    groups: tuple[SenseGroup, ...]  #: the groups of the map
    nearness: tuple[float, ...]  #: for each group the mean cosine to its uses, seen from the middle of the map
    nearest: tuple[NearOnMap, ...]  #: the nearest uses of the map, nearest first
    verdict: str  #: the answer in one or two plain sentences


class MapService(Protocol):
    """Maps the uses of words."""

    def words(self) -> tuple[str, ...]:
        """The words that the gallery of example sentences has uses of."""

    def index_title(self) -> str:
        """The index of one's own text that the app was started with; empty without one."""

    def sense_map(self, asked: MapRequest, progress: Progress | None = None) -> SenseMap:
        """Map the uses of a word."""

    def land(self, sentence: str, on: MapRequest) -> LandedUse:
        """Put the use of the word in ``sentence`` on a map that was drawn, without moving anything there.

        Where the word comes several times in it, ``[brackets]`` mark the one that is meant.
        """

"""The uses of a word as points on a map, and sentences that land on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Result, Said, Verdict

#: Where a use of a map comes from: the dictionary, a first and a second pasted text, an index of one's own text.
EXAMPLES, TEXT_A, TEXT_B, INDEX = "dictionary", "text A", "text B", "index"


@dataclass(frozen=True)
class MapUse:
    """One use of a word on its map."""

    sentence: str  #: the sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    source: str  #: ``"dictionary"``, ``"text A"``, ``"text B"`` or ``"index"``
    group: int | None  #: position of its group in :attr:`SenseMap.groups`; ``None`` if it is in none
    #: of the meaning that was found; ``None`` where the meaning is known (an example) or nothing is said of meanings
    probability: float | None
    is_sure: bool  #: whether its meaning is known, or found with enough certainty to be stated plainly
    x: float  #: place on the map, -1 to 1, to the right
    y: float  #: place on the map, -1 to 1, upwards
    #: the nearest other uses of the map, nearest first, as ``(position, cosine)``
    nearest: tuple[tuple[int, float], ...]

    @property
    def own(self) -> bool:
        """Whether it is from a person's own text."""
        return self.source != EXAMPLES


@dataclass(frozen=True)
class SenseGroup:
    """The uses in one meaning; of a word that is in no list, one cluster of uses."""

    letter: str  #: ``"A"``, ``"B"``, ...
    key: str  #: short name of the meaning in the dictionary; empty for another meaning, and for a cluster
    name: str  #: its gloss, ``"another meaning"``, or ``"cluster 1"``
    n_uses: int  #: how many there are
    example: int  #: position of a use that is typical of it
    by_source: tuple[int, ...] = ()  #: its number of uses from each of :attr:`SenseMap.sources`


@dataclass(frozen=True)
class MapView:
    """What uses can be compared by."""

    name: str  #: ``"meanings"`` (what meanings are read from), a layer, ``"mean"`` or ``"words"`` (the words around a use)
    sees: str = ""  #: what its layer sees if that reads no other word; else empty


@dataclass(frozen=True)
class SenseMap(Verdict):
    """The uses of a word as points, by meaning."""

    word: str  #: as asked
    model: str  #: name of the model
    view: str  #: what the uses are compared by
    views: tuple[MapView, ...]  #: all views on offer
    uses: tuple[MapUse, ...]  #: the points
    groups: tuple[SenseGroup, ...]  #: the meanings in the order of the dictionary, or clusters, the largest first
    are_meanings: bool  #: whether the groups are meanings of the dictionary; else they are clusters without names
    said: Said  #: the answer: a headline and its reasons
    shown: float  #: share of all differences between the uses that the map shows, 0 to 1
    n_own: int  #: how many uses the person's own texts have; not all of them need be on the map
    sources: tuple[str, ...] = ()  #: where the uses come from
    examples_of: tuple[str, ...] = ()  #: words of the dictionary whose examples are on the map

    @property
    def shown_view(self) -> MapView:
        """What the uses are compared by."""
        return next((view for view in self.views if view.name == self.view), MapView(self.view))


@dataclass(frozen=True)
class MapRequest:
    """Which map is meant: what :meth:`MapService.sense_map` draws it from."""

    word: str  #: the word
    text: str = ""  #: a person's own text
    view: str | None = None  #: what the uses are compared by; what meanings are read from if ``None``
    examples: bool = True  #: whether the examples of the dictionary count
    name: str = ""  #: of the file that the text came from
    model: str | None = None  #: name of the model; the default one if ``None``
    index: bool = False  #: whether the index of one's own text counts
    text_b: str = ""  #: a second text, to compare the first with


@dataclass(frozen=True)
class NearOnMap:
    """A use of a map that is near to one that landed there."""

    position: int  #: in :attr:`SenseMap.uses`
    cosine: float  #: of the two uses
    sentence: str  #: its sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    group: int | None  #: position of its group; ``None`` if it is in none


@dataclass(frozen=True)
class LandedMeaning:
    """How likely a landed sentence has one meaning."""

    name: str  #: the gloss, or ``"another meaning"``
    probability: float
    group: int | None  #: position of its group on the map; ``None`` if no use there has the meaning


@dataclass(frozen=True)
class LandedUse(Result):
    """A further use of the word, put on its map; the map itself stays as it is."""

    sentence: str  #: as typed, without brackets
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    x: float  #: place on the map, to the right; beyond -1 or 1 where it lies farther out than all uses of the map
    y: float  #: place on the map, upwards
    group: int | None  #: the group of its meaning; ``None`` if that is not on the map, or nothing is said of meanings
    is_sure: bool  #: whether its meaning is stated plainly
    meanings: tuple[LandedMeaning, ...]  #: the likeliest first; empty where nothing is said of meanings
    nearest: tuple[NearOnMap, ...]  #: the nearest uses of the map, nearest first
    verdict: str  #: the answer in one or two plain sentences


class MapService(Protocol):
    """Maps the uses of words."""

    def words(self) -> tuple[str, ...]:
        """The words of the dictionary that have several meanings."""

    def index_title(self) -> str:
        """The index of one's own text that the app was started with; empty without one."""

    def sense_map(self, asked: MapRequest, progress: Progress | None = None) -> SenseMap:
        """Map the uses of a word."""

    def land(self, sentence: str, on: MapRequest) -> LandedUse:
        """Put the use of the word in ``sentence`` on a map that was drawn, without moving anything there.

        Where the word comes several times in it, ``[brackets]`` mark the one that is meant.
        """

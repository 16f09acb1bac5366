"""Sense maps: the uses of a word as points, and further sentences placed among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Result, Said, Verdict

#: Origins of the uses on a map: the dictionary, a first and a second pasted text, the user's index.
EXAMPLES, TEXT_A, TEXT_B, INDEX = "dictionary", "text A", "text B", "index"


@dataclass(frozen=True)
class MapUse:
    """One use of a word on its map."""

    sentence: str  #: the sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    source: str  #: ``"dictionary"``, ``"text A"``, ``"text B"`` or ``"index"``
    group: int | None  #: position of its group in :attr:`SenseMap.groups`; ``None`` if it is in none
    #: probability of the predicted meaning; ``None`` if the meaning is known (an example) or none is predicted
    probability: float | None
    is_sure: bool  #: whether its meaning is known, or predicted with enough certainty to be stated without reservation
    x: float  #: x coordinate, -1 to 1
    y: float  #: y coordinate, -1 to 1
    #: the nearest other uses on the map, nearest first, as ``(position, cosine)``
    nearest: tuple[tuple[int, float], ...]

    @property
    def own(self) -> bool:
        """True if the use comes from the user's own text."""
        return self.source != EXAMPLES


@dataclass(frozen=True)
class SenseGroup:
    """The uses with one meaning or, for an unlisted word, one cluster of uses."""

    letter: str  #: ``"A"``, ``"B"``, ...
    key: str  #: short name of the meaning in the dictionary; empty for an unlisted meaning and for a cluster
    name: str  #: its gloss, ``"another meaning"``, or ``"cluster 1"``
    n_uses: int  #: number of uses
    example: int  #: position of a typical use
    by_source: tuple[int, ...] = ()  #: its number of uses from each of :attr:`SenseMap.sources`


@dataclass(frozen=True)
class MapView:
    """A representation by which uses can be compared."""

    name: str  #: ``"meanings"`` (the sense embedding), a layer, ``"mean"`` or ``"words"`` (the words around a use)
    sees: str = ""  #: for a layer that reads no other word, its input; else empty


@dataclass(frozen=True)
class SenseMap(Verdict):
    """The uses of a word as points, by meaning."""

    word: str  #: as requested
    model: str  #: name of the model
    view: str  #: the view by which the uses are compared
    views: tuple[MapView, ...]  #: all available views
    uses: tuple[MapUse, ...]  #: the points
    groups: tuple[SenseGroup, ...]  #: the meanings in the order of the dictionary, or clusters, the largest first
    are_meanings: bool  #: whether the groups are meanings of the dictionary; else they are unnamed clusters
    said: Said  #: the answer: a headline and its reasons
    shown: float  #: share of the variance of the uses that the map shows, 0 to 1
    n_own: int  #: number of uses in the user's own texts; the map may leave some out
    sources: tuple[str, ...] = ()  #: origins of the uses
    examples_of: tuple[str, ...] = ()  #: words of the dictionary whose examples are on the map

    @property
    def shown_view(self) -> MapView:
        """View by which the uses are compared."""
        return next((view for view in self.views if view.name == self.view), MapView(self.view))


@dataclass(frozen=True)
class MapRequest:
    """Arguments of :meth:`MapService.sense_map`."""

    word: str  #: the word
    text: str = ""  #: the user's own text
    view: str | None = None  #: the view; the sense embedding if ``None``
    examples: bool = True  #: whether to include the examples of the dictionary
    name: str = ""  #: name of the file that the text came from
    model: str | None = None  #: name of the model; the default one if ``None``
    index: bool = False  #: whether to include the user's index
    text_b: str = ""  #: a second text, to compare with the first


@dataclass(frozen=True)
class NearOnMap:
    """A use on the map near a sentence that was placed there."""

    position: int  #: position in :attr:`SenseMap.uses`
    cosine: float  #: cosine of the two uses
    sentence: str  #: its sentence
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    group: int | None  #: position of its group; ``None`` if it is in none


@dataclass(frozen=True)
class LandedMeaning:
    """Probability of one meaning for a placed sentence."""

    name: str  #: the gloss, or ``"another meaning"``
    probability: float
    group: int | None  #: position of its group on the map; ``None`` if no use there has the meaning


@dataclass(frozen=True)
class LandedUse(Result):
    """A further use of the word, placed on its map without changing the map."""

    sentence: str  #: as typed, without brackets
    start: int  #: character offset of the word in it
    end: int  #: character offset one past its end
    x: float  #: x coordinate; beyond -1 or 1 if it lies farther out than all uses on the map
    y: float  #: y coordinate
    group: int | None  #: group of its meaning; ``None`` if the map lacks that meaning, or none is predicted
    is_sure: bool  #: whether its meaning is stated without reservation
    meanings: tuple[LandedMeaning, ...]  #: the most probable first; empty if no meanings are predicted
    nearest: tuple[NearOnMap, ...]  #: the nearest uses on the map, nearest first
    verdict: str  #: the answer in one or two sentences


class MapService(Protocol):
    """Service that maps the uses of words."""

    def words(self) -> tuple[str, ...]:
        """Return the words of the dictionary that have several meanings."""

    def index_title(self) -> str:
        """Return the title of the index that the app was started with; empty without one."""

    def sense_map(self, asked: MapRequest, progress: Progress | None = None) -> SenseMap:
        """Map the uses of a word."""

    def land(self, sentence: str, on: MapRequest) -> LandedUse:
        """Place the use of the word in ``sentence`` on an existing map.

        Where the word comes several times in it, ``[brackets]`` mark the one that is meant.
        """

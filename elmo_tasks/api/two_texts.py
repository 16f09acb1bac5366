"""A word in one text against the same word in another: two authors, two periods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from elmo_tasks.api.maps import SenseMap
from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Said, Verdict


@dataclass(frozen=True)
class MovedWord:
    """A word that both texts use."""

    word: str  #: the spelling that they have most
    n_first: int  #: its uses in the first text
    n_second: int  #: its uses in the second one
    distance: float  #: mean cosine distance of a use in one text and a use in the other (average pair distance)
    chance: float  #: its mean when the same uses are dealt to the texts at random
    p: float  #: share of random deals with a distance as large
    score: float  #: how many standard deviations of chance it lies above it
    stands_out: bool  #: whether it moved much more than the other words of these texts


@dataclass(frozen=True)
class TwoTexts(Verdict):
    """What two texts make of a word, or of all words that both use."""

    model: str  #: name of the model
    view: str  #: what the uses were compared by
    names: tuple[str, str]  #: what the texts are called
    n_sentences: tuple[int, int]  #: of each text
    words: tuple[MovedWord, ...]  #: the words, those that moved most first; the one that was asked for, if one was
    n_candidates: int  #: content words that both use often enough; ``words`` may be fewer
    map: SenseMap | None  #: the uses of the word that was asked for, its groups the two texts; ``None`` if none was
    said: Said  #: the answer: a headline and its reasons
    sees: str = ""  #: what the layer of the view sees if that reads no other word; else empty

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/two_texts``."""
        drawn = None if self.map is None else self.map.to_dict()
        return {**super().to_dict(), "map": drawn}


class TwoTextService(Protocol):
    """Sets texts against each other."""

    def set_against(
        self,
        first: str,
        second: str,
        word: str = "",
        names: tuple[str, str] = ("", ""),
        model: str | None = None,
        progress: Progress | None = None,
    ) -> TwoTexts:
        """How far the use of ``word`` moved from the first text to the second, with its map.

        Without a word, which words moved most.
        """

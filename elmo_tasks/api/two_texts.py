"""A word in one text against the same word in another: two authors, two periods."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.maps import SenseMap
from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Said


@dataclass(frozen=True)
class MovedWord:
    """A word that both texts use.

    Attributes:
        word: the spelling that they have most.
        n_first: its uses in the first text.
        n_second: its uses in the second one.
        distance: mean cosine distance of a use in one text and a use in the other (average pair distance).
        chance: its mean when the same uses are dealt to the texts at random.
        p: share of random deals with a distance as large.
        score: how many standard deviations of chance it lies above it.
        stands_out: whether it moved much more than the other words of these texts.
    """

    word: str
    n_first: int
    n_second: int
    distance: float
    chance: float
    p: float
    score: float
    stands_out: bool


@dataclass(frozen=True)
class TwoTexts:
    """What two texts make of a word, or of all words that both use.

    Attributes:
        model: name of the model.
        view: what the uses were compared by.
        names: what the texts are called.
        n_sentences: of each text.
        words: the words, those that moved most first; the one that was asked for, if one was.
        n_candidates: content words that both use often enough; ``words`` may be fewer.
        map: the uses of the word that was asked for, its groups the two texts; ``None`` if none was.
        said: the answer: a headline and its reasons.
        sees: what the layer of the view sees if that reads no other word; else empty.
    """

    model: str
    view: str
    names: tuple[str, str]
    n_sentences: tuple[int, int]
    words: tuple[MovedWord, ...]
    n_candidates: int
    map: SenseMap | None
    said: Said
    sees: str = ""

    @property
    def verdict(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/two_texts``."""
        drawn = None if self.map is None else self.map.to_dict()
        return {**self.said.within(asdict(self), "verdict"), "map": drawn}


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
        ...

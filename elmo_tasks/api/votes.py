"""A room of people who say, with their phones, whether two uses mean the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class VoteRoom:
    """A vote that was opened."""

    code: str  #: what phones name it by
    key: str  #: what only the one who opened it knows, and steers it with
    address: str  #: of the page for phones; empty if no phone can reach it
    qr: str  #: the address as a picture to be scanned: SVG; empty if there is none
    hint: str  #: why no phone can reach it, and what to do; else empty


@dataclass(frozen=True)
class VoteCount:
    """What people said of one pair."""

    same: int = 0  #: how many said that the two uses mean the same
    different: int = 0  #: how many said that they do not

    @property
    def majority(self) -> bool | None:
        """Whether more said "same" than "different"; ``None`` if neither did."""
        return None if self.same == self.different else self.same > self.different


@dataclass(frozen=True)
class VoteState:
    """Where a vote stands."""

    people: int  #: how many have voted, at least once
    counts: dict[int, VoteCount]  #: of each pair that was shown, by its number from 0
    agreement: float | None  #: Krippendorff's alpha among the people; ``None`` where it cannot be told


class VoteService(Protocol):
    """Votes that go on in this program; each belongs to the page that opened it."""

    def open(self, page: str) -> VoteRoom:
        """Open a vote; ``page`` is the address of the page that asks, as its browser sees it."""

    def show(self, code: str, key: str, number: int, word: str, sentences: tuple[str, str], told: str | None) -> None:
        """Show a pair on the phones; with what is ``told`` of it nobody can vote any more.

        Raises:
            InputError: there is no such vote, or it is not yours.
        """

    def state(self, code: str, key: str) -> VoteState:
        """Where the vote stands; raises as :meth:`show`."""

    def close(self, code: str, key: str) -> None:
        """End the vote and forget it; raises as :meth:`show`."""

"""A room of people who say, with their phones, whether two uses mean the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class VoteRoom:
    """A vote that was opened.

    Attributes:
        code: what phones name it by.
        key: what only the one who opened it knows, and steers it with.
        address: of the page for phones; empty if no phone can reach it.
        qr: the address as a picture to be scanned: SVG; empty if there is none.
        hint: why no phone can reach it, and what to do; else empty.
    """

    code: str
    key: str
    address: str
    qr: str
    hint: str


@dataclass(frozen=True)
class VoteCount:
    """What people said of one pair.

    Attributes:
        same: how many said that the two uses mean the same.
        different: how many said that they do not.
    """

    same: int = 0
    different: int = 0

    @property
    def majority(self) -> bool | None:
        """Whether more said "same" than "different"; ``None`` if neither did."""
        return None if self.same == self.different else self.same > self.different


@dataclass(frozen=True)
class VoteState:
    """Where a vote stands.

    Attributes:
        people: how many have voted, at least once.
        counts: of each pair that was shown, by its number from 0.
        agreement: Krippendorff's alpha among the people; ``None`` where it cannot be told.
    """

    people: int
    counts: dict[int, VoteCount]
    agreement: float | None


class VoteService(Protocol):
    """Votes that go on in this program; each belongs to the page that opened it."""

    def open(self, page: str) -> VoteRoom:
        """Open a vote; ``page`` is the address of the page that asks, as its browser sees it."""
        ...

    def show(self, code: str, key: str, number: int, word: str, sentences: tuple[str, str], told: str | None) -> None:
        """Show a pair on the phones; with what is ``told`` of it nobody can vote any more.

        Raises:
            InputError: there is no such vote, or it is not yours.
        """
        ...

    def state(self, code: str, key: str) -> VoteState:
        """Where the vote stands; raises as :meth:`show`."""
        ...

    def close(self, code: str, key: str) -> None:
        """End the vote and forget it; raises as :meth:`show`."""
        ...

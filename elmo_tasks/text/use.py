"""A use of a word: where it stands in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elmo_tasks.errors import DataError


@dataclass(frozen=True)
class Use:
    """A word, or a few words that make one unit (``take place``), in its sentence.

    Attributes:
        tokens: of the sentence.
        start: the first token of the word, from 0.
        end: one past its last token.
        sentence: as it was written.
        place: where the word stands in ``sentence``: its first character, and one past its last.

    Raises:
        DataError: these are not tokens of the sentence.
    """

    tokens: tuple[str, ...]
    start: int
    end: int
    sentence: str
    place: tuple[int, int]

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= len(self.tokens):
            raise DataError(
                f"expected a word among {len(self.tokens)} tokens, found tokens {self.start} to {self.end - 1}"
            )

    @classmethod
    def of_tokens(cls, tokens: Sequence[str], start: int, end: int | None = None) -> Use:
        """A use of which only the tokens are known; the word is one of them if there is no ``end``.

        Raises:
            DataError: these are not tokens of the sentence.
        """
        end = start + 1 if end is None else end
        before = sum(len(token) + 1 for token in tokens[:start])
        place = (before, before + len(" ".join(tokens[start:end])))
        return Use(tuple(tokens), start, end, " ".join(tokens), place)

    @property
    def word(self) -> str:
        """The word as it is written there."""
        return self.sentence[slice(*self.place)]

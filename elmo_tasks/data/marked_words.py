"""Words marked in sentences: what tests of word meaning are made of."""

from __future__ import annotations

from dataclasses import dataclass

from elmo_tasks.errors import DataError


@dataclass(frozen=True)
class MarkedWord:
    """A word, or a few words that make one unit (``take place``), in its sentence.

    Attributes:
        tokens: of the sentence.
        start: the first token of the word, from 0.
        end: one past its last token.

    Raises:
        DataError: these are not tokens of the sentence.
    """

    tokens: tuple[str, ...]
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= len(self.tokens):
            raise DataError(
                f"expected a word among {len(self.tokens)} tokens, found tokens {self.start} to {self.end - 1}"
            )

    @classmethod
    def at(cls, tokens: tuple[str, ...], index: int) -> MarkedWord:
        """One token of a sentence."""
        return cls(tokens, index, index + 1)


@dataclass(frozen=True)
class WordPair:
    """Two uses of one word.

    Attributes:
        a: the one.
        b: the other.
        same: whether they have one meaning.
    """

    a: MarkedWord
    b: MarkedWord
    same: bool


@dataclass(frozen=True)
class SenseUse:
    """A use with its sense.

    Attributes:
        word: where it stands.
        lemma: what its senses are senses of; uses of one lemma compare.
        senses: any of these is right; at least one.
        group: the part of the collection that it belongs to.
    """

    word: MarkedWord
    lemma: str
    senses: tuple[str, ...]
    group: str = ""

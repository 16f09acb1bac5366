"""A word in its sentence: the type that every part of the program works on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from elmo_tasks.errors import Choice, DataError
from elmo_tasks.text.tokens import Token

Kind = TypeVar("Kind", bound="Use")
#: What the tokenizer leaves of can't, won't and shan't, and what it cuts off.
_CUT_SHORT = ("ca", "wo", "sha")
_NEGATION = re.compile("n['’]t", re.IGNORECASE)


@dataclass(frozen=True)
class Use:
    """A word, or a few words that make one unit (``take place``), in its sentence."""

    tokens: tuple[str, ...]  #: of the sentence
    token_start: int  #: index of the first token of the word
    token_end: int  #: index after its last token
    sentence: str  #: as it was written, without brackets
    char_start: int  #: offset of the word's first character in the sentence
    char_end: int  #: offset after its last character

    def __post_init__(self) -> None:
        if not 0 <= self.token_start < self.token_end <= len(self.tokens):
            raise DataError(
                f"expected a word among {len(self.tokens)} tokens, found tokens {self.token_start}"
                f" to {self.token_end - 1}"
            )

    @classmethod
    def of_tokens(
        cls: type[Kind], tokens: Sequence[str], token_start: int, token_end: int | None = None
    ) -> Kind:
        """Build a use from tokens only; without ``token_end``, of one token."""
        token_end = token_start + 1 if token_end is None else token_end
        char_start = sum(len(token) + 1 for token in tokens[:token_start])
        char_end = char_start + len(" ".join(tokens[token_start:token_end]))
        return cls(
            tokens=tuple(tokens),
            token_start=token_start,
            token_end=token_end,
            sentence=" ".join(tokens),
            char_start=char_start,
            char_end=char_end,
        )

    @classmethod
    def in_sentence(
        cls: type[Kind],
        sentence: str,
        tokens: Sequence[Token],
        token_start: int,
        token_end: int | None = None,
    ) -> Kind:
        """Build a use from a sentence and its tokens, by default of one token."""
        token_end = token_start + 1 if token_end is None else token_end
        return cls(
            tokens=tuple(token.text for token in tokens),
            token_start=token_start,
            token_end=token_end,
            sentence=sentence,
            char_start=tokens[token_start].start,
            char_end=tokens[token_end - 1].end,
        )

    @property
    def word(self) -> str:
        """The word as it is written in the sentence."""
        return self.sentence[self.char_start : self.char_end]

    @property
    def token(self) -> str:
        """The word's token, or the phrase as it is written."""
        return (
            self.tokens[self.token_start] if self.token_end - self.token_start == 1 else self.word
        )

    @property
    def shown_end(self) -> int:
        """Offset after the word as a reader sees it: ``can't`` whole, since ``ca`` is no word."""
        negation = _NEGATION.match(self.sentence, self.char_end)
        return negation.end() if negation and self.word.lower() in _CUT_SHORT else self.char_end

    @property
    def shown(self) -> str:
        """The word as a reader sees it."""
        return self.sentence[self.char_start : self.shown_end]

    @property
    def parts(self) -> tuple[str, str, str]:
        """The sentence before the word, the word as a reader sees it, and the rest."""
        return self.sentence[: self.char_start], self.shown, self.sentence[self.shown_end :]


@dataclass(frozen=True)
class Mention(Use):
    """The use of a word in a sentence, with its other occurrences as choices."""

    #: the first 20 other occurrences of the word, each as the sentence with [brackets] around it
    choices: tuple[Choice, ...] = ()

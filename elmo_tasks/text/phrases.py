"""Words and phrases in tokenized sentences.

A pattern is what a dictionary lists: ``bank``, ``run out``, ``make up one's mind``, ``give … a
hand``. Its words match inflected forms (``ran out``); ``one's`` matches any possessive, ``oneself``
any reflexive pronoun, and ``…`` up to four words. A phrasal verb that may be split also matches
around its object (``made the whole story up``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.word_forms import are_inflections, folded

#: Longest phrase that can be compared, in tokens.
MAX_PHRASE = 8
POSSESSIVE = "one's"
#: How people type it.
_TYPED_POSSESSIVES = (POSSESSIVE, "someone's", "somebody's")
ANY_WORDS = "…"
_MAX_GAP = 4


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_POSSESSIVES = _words("my your his her its our their one's whose")
_ARTICLES = _words("a an")
_DETERMINERS = _words("a an the no any some another this that every")
_REFLEXIVES = _words(
    "myself yourself himself herself itself ourselves yourselves themselves oneself"
)
_SUBJECTS = _words("i you he she it we they one")
#: A phrase that begins with one of these is not inflected: "in time" is not "in times".
_FUNCTION_WORDS = _words(
    "a all an and as at because by down each every for from how i if in into just more most no not"
    " of off on once one or other out over so some such than that the this to too under up what"
    " when with you"
)
#: Words that cannot begin or be in the object of a split verb.
_NO_OBJECT = _words(
    "and but or nor so that which who because if when while although to of for with from at by in"
    " on into onto up down out off away back over through around along forward not n't ever never"
    ' always then again . , ; : ! ? -- ( ) "'
)
#: Nouns and pronouns of an object; other words in -ing begin a clause.
_NOUNS_IN_ING = _words(
    "anything building clothing dressing evening everything king living meeting morning nothing"
    " painting ring something string thing wedding wing"
)
_INSIDE_OBJECT = _words("of and 's")


@dataclass(frozen=True)
class TokenRange:
    """Tokens from ``start`` up to, but not including, ``end`` that match a pattern."""

    start: int
    end: int


@dataclass(frozen=True)
class Pattern:
    """A word or phrase to look for.

    Args:
        words: in lower case; ``one's`` and ``…`` stand for others.
        splits: the last word may follow an object.
    """

    words: tuple[str, ...]
    splits: bool = False

    @classmethod
    def of(cls, phrase: str, splits: bool = False) -> Pattern:
        """Build a pattern from a word or phrase as it is typed."""
        return cls(tuple(_pattern_words(phrase)), splits)

    def places(self, tokens: Sequence[str]) -> Iterator[TokenRange]:
        """Yield the places where it occurs in tokens in lower case, from the left."""
        for start in range(len(tokens)):
            end = self.end_at(tokens, start)
            if end is not None:
                yield TokenRange(start, end)

    def end_at(self, tokens: Sequence[str], start: int) -> int | None:
        """Return the index after the last token if the pattern begins at ``start``, else
        ``None``.
        """
        return self._match(tokens, start, 0)

    def has(self, token: str) -> bool:
        """Return whether a token may be one of its words, rather than stand between them."""
        return any(self._is_form(token, word) for word in range(len(self.words)))

    def _match(self, tokens: Sequence[str], at: int, word: int) -> int | None:
        if word == len(self.words):
            return at
        if at >= len(tokens):
            return None
        wanted = self.words[word]
        if wanted == ANY_WORDS:
            ends = (self._match(tokens, at + n, word + 1) for n in range(_MAX_GAP + 1))
            return next((end for end in ends if end is not None), None)
        if wanted == POSSESSIVE:
            after = self._after_possessive(tokens, at)
            return None if after is None else self._match(tokens, after, word + 1)
        if word and wanted in _ARTICLES:  # "make no difference", "make mistakes"
            return self._match(tokens, at + (tokens[at] in _DETERMINERS), word + 1)
        if self._is_form(tokens[at], word):
            return self._match(tokens, at + 1, word + 1)
        if self.splits and word in (1, len(self.words) - 1):
            return self._after_object(tokens, at, word)
        return None

    def _is_form(self, token: str, word: int) -> bool:
        wanted = self.words[word]
        if token == wanted:
            return True
        if wanted == "oneself":
            return token in _REFLEXIVES
        if wanted == "one" and word:
            return token in _SUBJECTS
        may_inflect = self.words[0] not in _FUNCTION_WORDS and wanted not in _FUNCTION_WORDS
        return may_inflect and are_inflections(token, wanted)

    def _after_object(self, tokens: Sequence[str], at: int, word: int) -> int | None:
        for k in range(at, min(at + _MAX_GAP + 1, len(tokens))):
            if k > at and self._is_form(tokens[k], word):
                return self._match(tokens, k + 1, word + 1)
            is_inside = k > at and tokens[k] in _INSIDE_OBJECT
            is_alone = tokens[k] == "that" and k == at  # "keep that in mind"
            if tokens[k] in _NO_OBJECT and not is_inside and not is_alone:
                return None
            if tokens[k].endswith("ing") and tokens[k] not in _NOUNS_IN_ING:
                return None
        return None

    @staticmethod
    def _after_possessive(tokens: Sequence[str], at: int) -> int | None:
        if tokens[at] in _POSSESSIVES:
            return at + 1
        for k in range(at + 1, min(at + _MAX_GAP, len(tokens))):
            if tokens[k] == "'s":
                return k + 1
        return None


def phrase_tokens(phrase: str) -> list[Token]:
    """Tokenize a word or phrase; a stop at its end (``etc.``) belongs to its last word."""
    tokens = tokenize(phrase)
    while len(tokens) > 1 and tokens[-1].text == ".":
        tokens.pop()
    return tokens


def _pattern_words(phrase: str) -> list[str]:
    words: list[str] = []
    for part in phrase.replace("...", ANY_WORDS).split():
        key = folded(part)
        if key in _TYPED_POSSESSIVES:
            words.append(POSSESSIVE)
        elif key == ANY_WORDS:
            words.append(key)
        else:
            words += [folded(token.text) for token in phrase_tokens(part)]
    return words

"""Forms of English words: banks and banked, ran and run, happier and happy."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

import snowballstemmer

_ANY_ENDING = re.compile(r"(?:e?s|ed|ing|ers?|ors?|est)")
_SHORT = re.compile(r"[^aeiou]?[aeiou][^aeiouwxy]")
_LONG_ENDING = re.compile(
    r"(?:ly|less|ness|fully?|i?fully?|ments?|able|ible|al|ally|i?ty|ies|y|ship|hood|ists?|ism|a?t?ions?|ish|like|en|ic)"
)
#: How the second part of a compound begins whose first part is inflected: mothers-in-law.
_AFTER_INFLECTED = frozenset({"at", "by", "in", "of", "off", "on", "out", "up"})
#: Longer strings are not English words.
_MAX_LETTERS = 60


@cache
def _irregular_bases() -> dict[str, set[str]]:
    """Return the bases of each irregular form; regular forms are derived."""
    bases: dict[str, set[str]] = {}
    for base, *forms in _read_words("irregular_forms.txt"):
        for form in (base, *forms):
            bases.setdefault(form, set()).add(base)
    return bases


@cache
def _compared_adjectives() -> frozenset[str]:
    return frozenset(word for line in _read_words("compared_adjectives.txt") for word in line)


def _read_words(name: str) -> list[list[str]]:
    """Read the words of each line of a file beside this one; its first line is a comment."""
    return [
        line.split() for line in Path(__file__).with_name(name).read_text("utf-8").splitlines()[1:]
    ]


def stem(word: str) -> str:
    """Return the stem of a word in lower case (Porter, 2001)."""
    # A new stemmer for each call: it holds the word as state, and the app calls from several
    # threads.
    return str(snowballstemmer.stemmer("english").stemWord(word))


def _is_built_on(longer: str, shorter: str) -> bool:
    """Check whether ``longer`` is ``shorter`` and an ending, as runner and run."""
    bases = [shorter]
    if len(shorter) > 3 and shorter[-1] in "ey":
        bases += [shorter[:-1], shorter[:-1] + "i"]
    for base in bases:
        if longer.startswith(base) and len(base) > 2:
            ending = longer[len(base) :]
            # runner doubles its n
            if _ANY_ENDING.fullmatch(ending.removeprefix(base[-1])) or (
                len(base) > 3 and _LONG_ENDING.fullmatch(ending)
            ):
                return True
    return False


def may_be_forms_of_one_word(first: str, second: str) -> bool:
    """Check whether two lower-case words look inflected or derived from one word.

    Good enough to offer a form, not to take it without asking.
    """
    if are_inflections(first, second):
        return True
    shorter, longer = sorted((first, second), key=len)
    are_words = first.isalpha() and second.isalpha()
    if not are_words or len(shorter) < 2 or len(longer) > _MAX_LETTERS:
        return False
    return stem(first) == stem(second) or _is_built_on(longer, shorter)


def are_inflections(first: str, second: str) -> bool:
    """Check whether two lower-case words are inflections of one English word.

    Stricter than :func:`may_be_forms_of_one_word`: banker and organic are other words than bank and
    organ.
    """
    if first == second:
        return True
    are_words = all(word.replace("-", "").isalpha() for word in (first, second))
    if not are_words or max(len(first), len(second)) > _MAX_LETTERS:
        return False
    return bool(lemmas(first) & lemmas(second))


def differ_in_hyphens_or_accents(first: str, second: str) -> bool:
    """Check whether two words or phrases are one, in any inflection, but for these marks.

    So are e-mails and email, ice cream and ice-cream, café and cafe; *everyday* and *every day* are
    not.
    """
    first, second = _without_accents(first), _without_accents(second)
    return are_inflections(first.replace(" ", "-"), second.replace(" ", "-")) or are_inflections(
        first.replace("-", ""), second.replace("-", "")
    )


def _without_accents(text: str) -> str:
    letters = unicodedata.normalize("NFD", folded(text))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def lemmas(word: str) -> set[str]:
    """Return the words of which a lower-case word may be an inflection, itself included.

    ``hoping`` gives hop and hope, ``studies`` study, ``happier`` happy, ``rose`` rise,
    ``passers-by`` passer-by.
    """
    bases = {word}
    first, hyphen, rest = word.partition("-")
    if rest.split("-")[0] in _AFTER_INFLECTED:
        bases |= {base + hyphen + rest for base in lemmas(first)}
    for ending in ("s", "es", "ed", "ing"):
        base = word.removesuffix(ending)
        if base == word or len(base) < 2 or (ending == "s" and base.endswith("s")):
            continue
        # A short word doubles its last letter before these endings: "noted" is not from "not".
        # Words with a doubled letter are covered below.
        if ending not in ("ed", "ing") or not _SHORT.fullmatch(base):
            bases.add(base)
        if ending in ("ed", "ing"):
            if base[1:] != "e":  # "seed" is not a form of "see"
                bases.add(base + "e")
            if len(base) > 2 and base[-1] == base[-2]:
                bases.add(base[:-1])
        if ending in ("es", "ed") and base.endswith("i"):
            bases.add(base[:-1] + "y")
    return (
        bases
        | _irregular_bases().get(word, set())
        | (comparative_bases(word) & _compared_adjectives())
    )


def first_letters(word: str) -> set[str]:
    """Return the first letters of all inflections of a word in lower case.

    ``go`` gives g and w, from went: a cheap test before :func:`are_inflections`, since regular
    endings leave the first letter as it is.
    """
    bases = lemmas(word)
    irregular = (form for form, of in _irregular_bases().items() if of & bases)
    return {form[:1] for form in (*bases, *irregular)}


def comparative_bases(word: str) -> set[str]:
    """Return the words of which a lower-case word may be the comparative or superlative.

    Not all of them are words: ``hotter`` gives hot, hott and hotte.
    """
    for ending in ("er", "est"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            undoubled = stem[:-1] if stem[-1] == stem[-2] else stem
            return {stem, stem + "e", undoubled, stem[:-1] + "y" if stem[-1] == "i" else stem}
    return set()


def folded(text: str) -> str:
    """Normalize case, apostrophes and the encoding of accents, to compare spellings."""
    return unicodedata.normalize("NFC", text).casefold().replace("’", "'")

"""Near-duplicate sentences: two that share two thirds of their content words.

Labelled data must not hold them: a test sentence with a twin among the examples measures memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from elmo_tasks.text.word_forms import folded, stem

_MIN_SHARED = 2
_MIN_SHARE = 2 / 3
# the word of a dictionary example; "[Oslo](LOC)" is a name of the text
_MARK = re.compile(r"\[[^\[\]]*\](?!\()")
_NAME = re.compile(r"\[([^\[\]]*)\]\([A-Z]+\)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_FUNCTION_WORDS = _words(
    """
    a about after again all also an and any are as at be because been before being but by can
    could did do does for from get got had has have he her here him his how i if in into is it
    its just me more most much my no not now of off on one only or our out over she so some than
    that the their them then there these they this those to too up us very was we were what when
    where which who will with would you your i'm it's don't didn't can't he's she's that's we're
    they're i've
    """
)
_cached_stem = lru_cache(100_000)(stem)


def content_words(sentence: str) -> frozenset[str]:
    """Return the stems of the content words of a sentence.

    Function words and the word in [brackets] are left out.
    """
    plain = _MARK.sub(" ", _NAME.sub(r"\1", sentence))
    words = (word for word in _WORD.findall(folded(plain)) if word not in _FUNCTION_WORDS)
    return frozenset(map(_cached_stem, words))


def are_twins(first: frozenset[str], second: frozenset[str]) -> bool:
    """Check if two sentences, given by their content words, are twins."""
    shared = len(first & second)
    return shared >= _MIN_SHARED and shared >= _MIN_SHARE * min(len(first), len(second))


def twins(sentences: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of twins, each sentence with the first earlier one that it repeats."""
    seen: dict[str, list[tuple[frozenset[str], str]]] = {}
    found = []
    for sentence in sentences:
        words = content_words(sentence)
        candidates = (pair for word in words for pair in seen.get(word, ()))
        twin = next((other for others, other in candidates if are_twins(words, others)), None)
        if twin is not None:
            found.append((sentence, twin))
        for word in words:
            seen.setdefault(word, []).append((words, sentence))
    return found

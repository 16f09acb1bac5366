"""Words that say nothing about a topic."""

from __future__ import annotations

from functools import cache


@cache
def _stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # takes a second to import

    return frozenset(ENGLISH_STOP_WORDS) | frozenset(_MORE_LISTED.split())


# What people say in every text, and the list leaves out.
_MORE_LISTED = """
said say says saying did does doing done got get gets getting went going goes come came comes coming like just
let lets know knew think thought make made makes making take took taken want wanted look looked yes oh shall
unto thou thee thy mr mrs ms dr sir one two three four five six seven eight nine ten used use using didn don
doesn isn wasn won ve ll
"""


def is_stop_word(word: str) -> bool:
    """Whether a word, in lower case, says nothing about a topic: the, would, said."""
    return word in _stop_words()

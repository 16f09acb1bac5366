"""The words of a text that say what it is about, and where they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from elmo_tasks.senses.uses import MOST_TOKENS, FoundUse
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import folded, inflection_bases

_SHORTEST = 3
_NAME = 0.8  # a word with a capital this often is a name


@dataclass(frozen=True)
class ContentWord:
    """A word of a text in all its inflections."""

    word: str  #: the spelling that the text has most, in lower case
    uses: tuple[FoundUse, ...]  #: where it stands, in order


def content_words(sentences: Sequence[str], fewest: int) -> list[ContentWord]:
    """The words that come at least so often, the most frequent first; no stop words, no names, no numbers."""
    rows = [tokenize(sentence)[:MOST_TOKENS] for sentence in sentences]
    texts = [tuple(token.text for token in row) for row in rows]
    counts = Counter(folded(word) for row in texts for word in row)
    bases: dict[str, str] = {}
    for word in counts:
        if word.isalpha() and len(word) >= _SHORTEST and not is_stop_word(word):
            there = [base for base in inflection_bases(word) if base in counts and len(base) >= _SHORTEST]
            bases[word] = min(there, key=lambda base: (len(base), base))
    places: dict[str, list[tuple[int, int]]] = {}
    for k, row in enumerate(texts):
        for i, word in enumerate(row):
            if (base := bases.get(folded(word))) is not None:
                places.setdefault(base, []).append((k, i))
    found = []
    for base, where in places.items():
        spelled = Counter(texts[k][i] for k, i in where)
        capitals = sum(n for word, n in spelled.items() if word[:1].isupper())
        if len(where) < fewest or capitals >= _NAME * len(where) or is_stop_word(base):
            continue
        uses = tuple(FoundUse.at(sentences[k], rows[k], i) for k, i in where)
        found.append(ContentWord(Counter(map(folded, spelled.elements())).most_common(1)[0][0], uses))
    return sorted(found, key=lambda word: (-len(word.uses), word.word))


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

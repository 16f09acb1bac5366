"""Uses of words with what is known of their meaning: what tests of word meaning are made of."""

from __future__ import annotations

from dataclasses import dataclass

from elmo_tasks.uses import Use


@dataclass(frozen=True)
class WordPair:
    """Two uses of one word.

    Attributes:
        a: the one.
        b: the other.
        same: whether they have one meaning.
    """

    a: Use
    b: Use
    same: bool


@dataclass(frozen=True)
class GradedPair:
    """Two words that stand together in two texts, and how alike people found them in each.

    Attributes:
        words: the two, in their dictionary forms.
        uses: both words in the first text, and both in the second.
        likeness: in the first text and in the second, from 0 (nothing in common) to 10.
    """

    words: tuple[str, str]
    uses: tuple[tuple[Use, Use], tuple[Use, Use]]
    likeness: tuple[float, float]


@dataclass(frozen=True)
class SenseUse:
    """A use with its sense.

    Attributes:
        use: where the word stands.
        lemma: what its senses are senses of; uses of one lemma compare.
        senses: any of these is right; at least one.
        group: the part of the collection that it belongs to.
    """

    use: Use
    lemma: str
    senses: tuple[str, ...]
    group: str = ""

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

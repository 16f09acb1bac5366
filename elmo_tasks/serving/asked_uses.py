"""The uses of a word that a request asks about: found, and refused in plain words where they are too long or missing."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ComparisonItem, Limits
from elmo_tasks.errors import InputError
from elmo_tasks.text.mentions import Mention, check_word, find_mention
from elmo_tasks.uses import Use
from elmo_tasks.wording.text import whole


def find_uses(word: str, sentences: Sequence[str], limits: Limits, fewest: int | None = None) -> list[Mention]:
    """One use of the word in each sentence.

    Args:
        word: as typed; not needed where every sentence has ``[brackets]``.
        sentences: as typed.
        limits: how much one request may hold.
        fewest: how many sentences it takes; ``limits.min_sentences`` if ``None``.

    Raises:
        InputError: there are too few or too many, one is too long, or the word is not in it.
    """
    word, sentences = whole(word), [whole(sentence) for sentence in sentences]
    if any("[" not in sentence for sentence in sentences) or not sentences:
        check_word(word)
    fewest = limits.min_sentences if fewest is None else fewest
    if not fewest <= len(sentences) <= limits.max_sentences:
        had = {0: "is no sentence", 1: "is one sentence"}.get(len(sentences), f"are {len(sentences)} sentences")
        raise InputError(
            f"Comparing takes {fewest} to {limits.max_sentences} sentences; there {had}.", field="sentences"
        )
    return [
        find_use(word, sentence, limits, f"sentence {k}", f"Sentence {k}") for k, sentence in enumerate(sentences, 1)
    ]


def find_use(word: str, sentence: str, limits: Limits, field: str, what: str = "The sentence") -> Mention:
    """The use of the word in a sentence.

    Args:
        word: as typed; ``[brackets]`` in the sentence mark another one.
        sentence: as typed.
        limits: how much one request may hold.
        field: of the form, for messages.
        what: to call the sentence in messages.

    Raises:
        InputError: it is too long, or the word is not in it.
    """
    word, sentence = whole(word), whole(sentence)
    check_length(sentence, limits, field, what)
    mention = find_mention(word, sentence, field=field)
    if len(mention.tokens) > limits.max_tokens:
        raise InputError(
            f"{what} has {len(mention.tokens):,} words; the most is {limits.max_tokens}. Shorten it.", field=field
        )
    return mention


def check_length(sentence: str, limits: Limits, field: str, what: str = "The sentence") -> None:
    """Refuse what is too long to be read at all.

    Raises:
        InputError: it has more than ``limits.max_characters``.
    """
    if len(sentence) > limits.max_characters:
        raise InputError(
            f"{what} has {len(sentence):,} characters; the most is {limits.max_characters:,}. Shorten it.", field=field
        )


def item_of(mention: Mention) -> ComparisonItem:
    """A use as the screen shows it."""
    use = mention.use
    return ComparisonItem(use.sentence, use.tokens, use.start, use.tokens[use.start], *use.place, mention.choices)


def use_of(item: ComparisonItem) -> Use:
    """The use that an item of a comparison shows."""
    return Use(item.tokens, item.index, item.index + 1, item.sentence, (item.start, item.end))

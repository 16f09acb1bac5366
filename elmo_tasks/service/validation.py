"""Find the uses of a word that a request names, and check the limits of the request."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Sized

from elmo_tasks.api import LIMITS
from elmo_tasks.encoders.sentences import checked_text, checked_texts
from elmo_tasks.errors import InputError
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.uses import Mention
from elmo_tasks.wording import replace_surrogates


def find_uses(word: str, sentences: Iterable[str]) -> list[Mention]:
    """Find one use of the word, or what ``[brackets]`` mark, in each sentence."""
    word = checked_text(word, "The word", "word")
    sentences = checked_texts(sentences)
    if any("[" not in sentence for sentence in sentences) or not sentences:
        check_word(replace_surrogates(word))
    check_number(sentences)
    return [
        find_use(word, sentence, f"sentence {k}", f"Sentence {k}")
        for k, sentence in enumerate(sentences, 1)
    ]


def find_use(word: str, sentence: str, field: str, what: str = "The sentence") -> Mention:
    """Find the use of the word in a sentence; ``[brackets]`` mark another word."""
    word = replace_surrogates(checked_text(word, "The word", "word"))
    sentence = replace_surrogates(checked_text(sentence, what, field))
    check_size(sentence, field, what)
    mention = find_mention(word, sentence, field=field)
    check_size(mention.tokens, field, what)
    return mention


def check_number(sentences: Sequence[str]) -> None:
    """Raise an :class:`InputError` for too few or too many sentences."""
    if not LIMITS.min_sentences <= len(sentences) <= LIMITS.max_sentences:
        had = {0: "is no sentence", 1: "is one sentence"}.get(
            len(sentences), f"are {len(sentences)} sentences"
        )
        raise InputError(
            f"Comparing takes {LIMITS.min_sentences} to {LIMITS.max_sentences} sentences; there"
            f" {had}.",
            field="sentences",
        )


def check_size(
    content: Sized, field: str, what: str = "The sentence", maximum: int | None = None
) -> None:
    """Raise an :class:`InputError` for more than ``maximum``; ``what`` names the input."""
    unit, limit = (
        ("characters", LIMITS.max_characters)
        if isinstance(content, str)
        else ("words", LIMITS.max_tokens)
    )
    maximum = maximum or limit
    if len(content) > maximum:
        raise InputError(
            f"{what} has {len(content):,} {unit}; the most is {maximum:,}. Shorten it.", field=field
        )


def checked_tokens(text: str, field: str, what: str, empty: str) -> list[Token]:
    """Tokenize a text that is neither too long nor, as the words of ``empty`` say, empty."""
    check_size(text, field, what)
    tokens = tokenize(text)
    if not tokens:
        raise InputError(f"{what} {empty}", field=field)
    check_size(tokens, field, what)
    return tokens


def check_choice(name: str, known: Collection[str], what: str, field: str) -> None:
    """Raise an :class:`InputError` unless ``name`` is known; ``what`` is the kind of name."""
    if name not in known:
        raise InputError(
            f"There is no {what} “{name[:40]}” here; there is {', '.join(known)}.", field=field
        )


def checked_rows(texts: Sequence[str], what: str) -> list[list[Token]]:
    """Check the texts of a request, each ``what`` it is called, and tokenize them."""
    texts = checked_texts(texts)
    if not 1 <= len(texts) <= LIMITS.max_texts:
        found = f"there are {len(texts)}" if texts else "there is none"
        raise InputError(
            f"Type 1 to {LIMITS.max_texts} {what}s, one per line; {found}.", field="sentences"
        )
    empty = "has no words. Type some, or delete the line."
    return [
        checked_tokens(text, f"sentence {k}", f"{what.capitalize()} {k}", empty)
        for k, text in enumerate(texts, 1)
    ]


def check_count(n: int, maximum: int, field: str, what: str) -> None:
    """Raise an :class:`InputError` unless ``n`` is between 1 and ``maximum``."""
    if not 1 <= n <= maximum:
        raise InputError(f"Between 1 and {maximum} {what} can be shown, not {n}.", field=field)

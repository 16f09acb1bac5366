"""Validation of input sentences, with uniform errors, and tokenization."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elmo_tasks.errors import InputError
from elmo_tasks.layers.layers import Offsets
from elmo_tasks.text.tokens import tokenize

Sentence = str | Sequence[str]
Tokens = tuple[str, ...]


@dataclass(frozen=True)
class TokenizedSentences:
    """Sentences in tokens."""

    tokens: tuple[Tokens, ...]
    offsets: tuple[Offsets, ...] | None  # as in Layers: None if not all of the sentences were text


class OneSentenceWarning(UserWarning):
    """Warning about a list of strings that looks like the words of one sentence."""


def checked_sentences(sentences: Any, first: int = 1) -> list[str | Tokens]:
    """Validate sentences of any iterable, each a text or a tuple of tokens.

    ``first`` is the number of the first one in messages.

    Raises:
        InputError: one string in place of a list, or something that is neither text nor tokens, such as a missing value.
    """
    return [checked_sentence(sentence, number) for number, sentence in enumerate(_listed(sentences, "sentence"), first)]


def checked_sentence(sentence: Any, number: int) -> str | Tokens:
    """Validate one sentence; see :func:`checked_sentences`."""
    if isinstance(sentence, str):
        return sentence
    words = None
    if isinstance(sentence, Iterable) and not isinstance(sentence, bytes | Mapping):
        try:
            words = tuple(sentence)
        except TypeError:  # an array of no dimensions
            words = None
    if words is None or not all(isinstance(word, str) for word in words):
        raise InputError(
            f"sentence {number}: expected a sentence as text or as a list of tokens, found {_described(sentence)}",
            field=f"sentence {number}",
        )
    return words


def checked_token_lists(sentences: Any) -> list[Tokens]:
    """Validate one or more sentences in tokens.

    Raises:
        InputError: as :func:`checked_sentences`, or one of them is text.
    """
    found = checked_sentences(sentences)
    if not found:
        raise InputError("expected at least one sentence, found none", field="sentences")
    for number, sentence in enumerate(found, 1):
        if isinstance(sentence, str):
            raise InputError(
                f"sentence {number}: expected a list of tokens, found text: {sentence!r:.60}; cut it with tokenize()",
                field=f"sentence {number}",
            )
    return [tuple(sentence) for sentence in found]


def checked_texts(texts: Any, what: str = "sentence") -> list[str]:
    """Validate texts of any iterable; ``what`` names them in messages.

    Raises:
        InputError: as :func:`checked_sentences`, or one is in tokens.
    """
    found = _listed(texts, what)
    return [checked_text(text, f"{what} {number}") for number, text in enumerate(found, 1)]


def checked_text(text: Any, what: str, field: str | None = None) -> str:
    """Validate one text; ``what`` names it in messages.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(text, str):
        raise InputError(f"{what}: expected text, found {_described(text)}", field=what if field is None else field)
    return text


def tokenized(sentences: Any) -> TokenizedSentences:
    """Tokenize the texts of a batch; lists of tokens are unchanged.

    Raises:
        InputError: see :func:`checked_sentences`; or there is no sentence.
    """
    found = checked_sentences(sentences)
    if not found:
        raise InputError("expected at least one sentence, found none", field="sentences")
    _warn_if_one_tokenized_sentence(found)
    tokens: list[Tokens] = []
    offsets: list[Offsets] = []
    for sentence in found:
        if isinstance(sentence, str):
            cut = tokenize(sentence)
            tokens.append(tuple(token.text for token in cut))
            offsets.append(tuple((token.start, token.end) for token in cut))
        else:
            tokens.append(sentence)
    return TokenizedSentences(tuple(tokens), tuple(offsets) if len(offsets) == len(tokens) else None)


def _listed(values: Any, what: str) -> list[Any]:
    if isinstance(values, str):
        raise InputError(f"expected a list of {what}s, found one string; put it in a list: [{what}]", field="sentences")
    if not isinstance(values, Iterable) or isinstance(values, bytes | Mapping):
        raise InputError(f"expected a list of {what}s, found {type(values).__name__}", field="sentences")
    return list(values)


def _described(value: Any) -> str:
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        return f"a missing value ({value}); leave it out, or put an empty text in its place"
    return f"{type(value).__name__}: {value!r:.80}"


def _warn_if_one_tokenized_sentence(sentences: Sequence[str | Tokens]) -> None:
    if len(sentences) > 2 and all(isinstance(s, str) and s and not any(c.isspace() for c in s) for s in sentences):
        warnings.warn(
            f"{len(sentences)} strings of one word each look like the words of one sentence, and are encoded as "
            f"{len(sentences)} sentences; to encode them as one, pass a list with that list in it",
            OneSentenceWarning,
            stacklevel=4,
        )

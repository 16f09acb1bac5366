"""Validation of input sentences, with uniform errors, and tokenization."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elmo_tasks.errors import InputError
from elmo_tasks.layers import Offsets
from elmo_tasks.text.tokens import tokenize

TextOrTokens = str | Sequence[str]
Tokens = tuple[str, ...]


class OneSentenceWarning(UserWarning):
    """Warning about a list of strings that looks like the words of one sentence."""


def checked_sentences(sentences: Any, first: int = 1) -> list[str | Tokens]:
    """Validate sentences, each a text or tokens; messages number them from ``first``."""
    return [
        _checked_sentence(sentence, number)
        for number, sentence in enumerate(_listed(sentences, "sentence"), first)
    ]


def _checked_sentence(sentence: Any, number: int) -> str | Tokens:
    if isinstance(sentence, str):
        return sentence
    is_list = isinstance(sentence, Iterable) and not isinstance(sentence, bytes | Mapping)
    words = tuple(sentence) if is_list else (None,)
    if not all(isinstance(word, str) for word in words):
        raise InputError(
            f"sentence {number}: expected a sentence as text or as a list of tokens, found"
            f" {_described(sentence)}",
            field=f"sentence {number}",
        )
    return words


def checked_token_lists(sentences: Any) -> list[Tokens]:
    """Validate one or more sentences; texts are tokenized, lists of tokens taken as they are."""
    return [
        tuple(token.text for token in tokenize(sentence)) if isinstance(sentence, str) else sentence
        for sentence in _at_least_one(sentences)
    ]


def checked_texts(texts: Any, what: str = "sentence") -> list[str]:
    """Validate texts of any iterable; ``what`` names them in messages."""
    return [
        checked_text(text, f"{what} {number}")
        for number, text in enumerate(_listed(texts, what), 1)
    ]


def checked_text(text: Any, what: str, field: str | None = None) -> str:
    """Validate one text; ``what`` names it in messages."""
    if not isinstance(text, str):
        raise InputError(
            f"{what}: expected text, found {_described(text)}",
            field=what if field is None else field,
        )
    return text


def tokenized(sentences: Any) -> tuple[tuple[Tokens, ...], tuple[Offsets, ...] | None]:
    """Tokenize the texts of a batch; lists of tokens are unchanged, and have no offsets."""
    checked = _at_least_one(sentences)
    _warn_if_one_tokenized_sentence(checked)
    tokens: list[Tokens] = []
    offsets: list[Offsets] = []
    for sentence in checked:
        if isinstance(sentence, str):
            cut = tokenize(sentence)
            tokens.append(tuple(token.text for token in cut))
            offsets.append(tuple((token.start, token.end) for token in cut))
        else:
            tokens.append(sentence)
    return tuple(tokens), tuple(offsets) if len(offsets) == len(tokens) else None


def _at_least_one(sentences: Any) -> list[str | Tokens]:
    if not (checked := checked_sentences(sentences)):
        raise InputError("expected at least one sentence, found none", field="sentences")
    return checked


def _listed(values: Any, what: str) -> list[Any]:
    if isinstance(values, str):
        raise InputError(
            f"expected a list of {what}s, found one string; put it in a list: [{what}]",
            field="sentences",
        )
    if not isinstance(values, Iterable) or isinstance(values, bytes | Mapping):
        raise InputError(
            f"expected a list of {what}s, found {type(values).__name__}", field="sentences"
        )
    if isinstance(values, set | frozenset):
        raise InputError(
            f"expected a list of {what}s, found a set, which has no order; sort it first",
            field="sentences",
        )
    # The items of PyArrow are not strings.
    if callable(to_list := getattr(values, "to_pylist", None)):
        return list(to_list())
    # Iterating over a DataFrame gives its column names, and over an array its rows.
    if getattr(values, "ndim", 1) != 1:
        found = f"found {type(values).__name__} of {values.ndim} dimensions"  # type: ignore[attr-defined]
        raise InputError(
            f"expected a list of {what}s, {found}; give one column, such as df['text']",
            field="sentences",
        )
    return list(values)


def _described(value: Any) -> str:
    if (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and value != value)
    ):
        return f"a missing value ({value}); leave it out, or put an empty text in its place"
    return f"{type(value).__name__}: {value!r:.80}"


def _warn_if_one_tokenized_sentence(sentences: Sequence[str | Tokens]) -> None:
    if len(sentences) > 2 and all(
        isinstance(text, str) and text and not any(map(str.isspace, text)) for text in sentences
    ):
        warnings.warn(
            f"{len(sentences)} strings of one word each look like the words of one sentence, and"
            f" are encoded as {len(sentences)} sentences; to encode them as one, pass a list with"
            " that list in it",
            OneSentenceWarning,
            stacklevel=4,
        )

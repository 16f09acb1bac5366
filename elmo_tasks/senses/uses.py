"""Occurrences of a word in the dictionary's examples and in the user's own text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from elmo_tasks.data.tables import Table, TextColumns, find_columns, form_of, parse_table, read_table, texts_of
from elmo_tasks.data.text_lines import plain_lines, read_text
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.messages.text import quoted
from elmo_tasks.senses.lexicon import Entry, Sense
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.sentences import split_sentences
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.word_forms import are_inflections, folded
from elmo_tasks.uses import Use

if TYPE_CHECKING:
    from elmo_tasks.senses.use_index import UseIndex

MAX_USES = 300
MAX_TOKENS = 200
MAX_CHARACTERS = 2_000_000
Found = TypeVar("Found")
_WORD = re.compile(r"\w+")


def use_at(sentence: str, tokens: Sequence[Token], index: int) -> Use:
    """Return the use of one token of a sentence."""
    return Use.in_sentence(sentence, tokens, index)


def base_word(word: str) -> str:
    """Return the key that identifies the uses of one word as typed.

    Raises:
        InputError: it is not one word.
    """
    return folded(check_word(word)[0].text)


def example_uses(entries: Iterable[Entry]) -> list[tuple[Use, str, Sense]]:
    """Return all sentences of entries as uses, each with its word and its meaning.

    Test sentences are included.
    """
    return [
        (find_mention(entry.word, sentence), entry.word, sense)
        for entry in entries
        for sense in entry.senses
        for sentence in sense.sentences
    ]


def uses_in(word: str, sentences: Iterable[str], most: int = MAX_USES) -> tuple[tuple[Use, ...], int]:
    """Return the uses of a word, in any inflection and case, and their number.

    Of more than ``most`` uses, keep ``most`` at even distances.
    """
    key = base_word(word)
    found = []
    known: dict[str, bool] = {}
    for sentence in sentences:
        # A quick filter first: tokenizing a long text takes most of the time.
        words = set(_WORD.findall(folded(sentence)))
        known |= {word: are_inflections(word, key) for word in words - known.keys()}
        if not any(known[word] for word in words) and key not in folded(sentence):
            continue
        tokens = tokenize(sentence)[:MAX_TOKENS]
        found += [
            use_at(sentence, tokens, k) for k, token in enumerate(tokens) if are_inflections(folded(token.text), key)
        ]
    return tuple(evenly(found, most)), len(found)


def landing_use(word: str, sentence: str) -> Use:
    """Return the use of a word in a sentence that is to be placed on its map.

    Args:
        word: one word.
        sentence: as typed; ``[brackets]`` mark the use that is meant, where there are several; else it is the first one.

    Raises:
        InputError: with ``field="sentence"`` where the word is not in it, or the brackets mark another one.
    """
    if not sentence.strip():
        raise InputError(f"Type a sentence that uses {quoted(word)}.", field="sentence")
    if "[" in sentence:
        use = find_mention(word, sentence, field="sentence")
        if are_inflections(folded(use.tokens[use.token_start]), base_word(word)):
            return use
        raise InputError(f"The brackets mark {quoted(use.word)}; this is the map of {quoted(word)}.", field="sentence")
    tokens, key = tokenize(sentence), base_word(word)
    places = [k for k, token in enumerate(tokens) if are_inflections(folded(token.text), key)]
    if not places:
        raise InputError(
            f"The sentence does not use {quoted(word)}. Type one that does: it can only land on the map of its word.",
            field="sentence",
        )
    return use_at(sentence, tokens, places[0])


def index_uses(word: str, index: UseIndex, most: int = MAX_USES) -> tuple[tuple[Use, ...], int]:
    """Return the uses of a word in an index, as :func:`uses_in` does for a text."""
    found, total = index.uses_of(base_word(word), most)
    return tuple(use_at(sentence, tokenize(sentence), k) for sentence, k in found), total


def evenly(found: Sequence[Found], n: int) -> list[Found]:
    """Return at most ``n`` items, at even distances."""
    return list(found) if len(found) <= n else [found[k * len(found) // n] for k in range(n)]


def sentences_of(text: str, name: str = "", most: int | None = MAX_CHARACTERS) -> list[str]:
    """Split the user's text into sentences.

    The text is running text, a list of texts, or a table with a column of texts.

    Args:
        text: pasted, or what a file holds.
        name: of the file, if it was one.
        most: characters that it may have.

    Raises:
        InputError: it is too long, or a table that cannot be read.
    """
    if most is not None and len(text) > most:
        raise InputError(
            f"The text has {len(text):,} characters; the most is {most:,}. Use a part of it.", field="text"
        )
    if not text.strip():
        if name:
            raise InputError(f"The file {name[:60]} has no rows.", field="text")
        return []
    path, text = Path(name[-60:] or "pasted text"), plain_lines(text)
    try:
        table = parse_table(text, path, form_of(path))
        return _sentences_of(table, text)[0]
    except DataError as error:
        raise InputError(f"{error}.", field="text") from None


def _sentences_of(table: Table, text: str, column: str | None = None) -> tuple[list[str], str]:
    """Split a table or running text into sentences, and describe the input."""
    if table.names is None and not table.delimiter and table.form == "txt":
        # In a list, each line is split by itself.
        return split_sentences(text if _is_running(text) else text.replace("\n", "\n\n"), MAX_TOKENS), "text"
    found = find_columns(table, TextColumns(text=column), labelled=False)
    texts = texts_of(table, found)
    return [sentence for _, cell in texts for sentence in split_sentences(cell, MAX_TOKENS)], found.describe()


def _is_running(text: str) -> bool:
    """Return True if lines break inside sentences, as in a book.

    In such a text many lines end without an end of a sentence.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    broken = sum(line[-1] not in ".!?\"'”’)…:" for line in lines[:-1])
    return broken > 0.5 * max(1, len(lines) - 1)


def read_corpus(paths: Sequence[Path], column: str | None = None) -> Iterator[tuple[list[str], str]]:
    """Read files of text or tables; yield the sentences and a description of each.

    Raises:
        DataError: a file is missing, no text, or a table that cannot be read.
    """
    for path in paths:
        given = TextColumns(text=column)
        form = form_of(path)
        if form in ("parquet", "xlsx"):
            yield _sentences_of(read_table(path, form, given), "", column)
            continue
        text, encoding = read_text(path)
        table = parse_table(text, path, form, given, encoding)
        sentences, said = _sentences_of(table, text, column)
        yield sentences, said if encoding in ("utf-8", "ascii") or said != "text" else f"text, encoding {encoding}"

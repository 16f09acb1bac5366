"""Occurrences of a word in the dictionary's examples and in the user's own text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from elmo_tasks.corpus.blocks import TextRow
from elmo_tasks.data.tables import Table, find_columns, form_of, parse_table, texts_of
from elmo_tasks.data.text_lines import plain_lines
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.entries import Entry, Sense
from elmo_tasks.text.mentions import check_word, find_mention, is_phrase
from elmo_tasks.text.phrases import Pattern
from elmo_tasks.text.sentences import split_sentences
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.uses import Use
from elmo_tasks.text.word_forms import are_inflections, folded
from elmo_tasks.wording import quoted

if TYPE_CHECKING:
    from elmo_tasks.senses.use_index import UseIndex

MAX_USES = 300
MAX_TOKENS = 200
MAX_CHARACTERS = 2_000_000
Item = TypeVar("Item")
_WORD = re.compile(r"\w+")
#: Maximum lines read to detect how a file breaks lines, and maximum lines of a paragraph.
_LOOKED_AT = 500
_LONGEST_PARAGRAPH = 1_000
# A wrapped line and the next word fill this share of the width; this share of lines must do so.
_FULL_LINE_SHARE = 0.85
_FULL_LINES = 0.7


def base_word(word: str) -> str:
    """Return the key that identifies the uses of a word or phrase as typed.

    Raises:
        InputError: the text is neither a word nor a phrase.
    """
    tokens = check_word(word)
    return folded(" ".join(token.text for token in tokens) if is_phrase(tokens) else tokens[0].text)


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


def uses_in(
    word: str, sentences: Iterable[str], max_uses: int = MAX_USES
) -> tuple[tuple[Use, ...], int]:
    """Return the uses of a word, in any inflection and case, and their number.

    Of more than ``max_uses`` uses, keep ``max_uses`` at even distances.
    """
    key = base_word(word)
    uses: list[Use] = []
    is_form: dict[str, bool] = {}
    first = key.split()[0]
    for sentence in sentences:
        # A quick filter first: tokenizing a long text takes most of the time.
        words = set(_WORD.findall(folded(sentence)))
        is_form |= {word: are_inflections(word, first) for word in words - is_form.keys()}
        if any(is_form[word] for word in words) or first in folded(sentence):
            uses += _uses_of(key, sentence, tokenize(sentence)[:MAX_TOKENS])
    return tuple(evenly(uses, max_uses)), len(uses)


def _uses_of(key: str, sentence: str, tokens: Sequence[Token]) -> list[Use]:
    keys = [folded(token.text) for token in tokens]
    if " " in key:
        places = Pattern.of(key, splits=True).places(keys)
        return [Use.in_sentence(sentence, tokens, place.start, place.end) for place in places]
    return [
        Use.in_sentence(sentence, tokens, k)
        for k, form in enumerate(keys)
        if are_inflections(form, key)
    ]


def use_to_project(word: str, sentence: str) -> Use:
    """Return the use of a word in a sentence that is to be placed on its map.

    Args:
        word: one word.
        sentence: as typed; ``[brackets]`` may mark the use that is meant, else it is the first one.

    Raises:
        InputError: with ``field="sentence"`` where the word is not in it, or the brackets mark
            another one.
    """
    if not sentence.strip():
        raise InputError(f"Type a sentence that uses {quoted(word)}.", field="sentence")
    if "[" in sentence:
        use = find_mention(word, sentence, field="sentence")
        if _uses_of(base_word(word), use.word, tokenize(use.word)):
            return use
        raise InputError(
            f"The brackets mark {quoted(use.word)}; this is the map of {quoted(word)}.",
            field="sentence",
        )
    uses = _uses_of(base_word(word), sentence, tokenize(sentence))
    if not uses:
        raise InputError(
            f"The sentence does not use {quoted(word)}. Type one that does: it can only land on the"
            " map of its word.",
            field="sentence",
        )
    return uses[0]


def index_uses(word: str, index: UseIndex) -> tuple[tuple[Use, ...], int]:
    """Return the uses of a word in an index, as :func:`uses_in` does for a text."""
    return index.uses_of(base_word(word), MAX_USES)


def evenly(items: Sequence[Item], n: int) -> list[Item]:
    """Return at most ``n`` items, at even distances."""
    return list(items) if len(items) <= n else [items[k * len(items) // n] for k in range(n)]


def sentences_of(text: str, name: str = "") -> tuple[list[str], str]:
    """Split the user's text into sentences, and describe how it was read.

    The text is running text, a list of texts, or a table with a column of texts.

    Args:
        text: pasted, or the content of a file.
        name: of the file, if there is one.

    Raises:
        InputError: it is too long, or a table that cannot be read.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The text has {len(text):,} characters; the most is {MAX_CHARACTERS:,}. Use a part"
            " of it.",
            field="text",
        )
    if not text.strip():
        if name:
            raise InputError(f"The file {name[:60]} has no rows.", field="text")
        return [], "text"
    path, text = Path(name[-60:] or "pasted text"), plain_lines(text)
    try:
        table = parse_table(text, path, form_of(path))
        return _sentences_of(table, text)
    except DataError as error:
        raise InputError(f"{error}.", field="text") from None


def _sentences_of(table: Table, text: str) -> tuple[list[str], str]:
    """Split a table or running text into sentences, and describe the input."""
    if table.names is None and not table.delimiter and table.form == "txt":
        # In a list, each line is split by itself.
        return split_sentences(
            text if _is_running(text) else text.replace("\n", "\n\n"), MAX_TOKENS
        ), "text"
    columns = find_columns(table, labelled=False)
    cells = [cell for _, cell in texts_of(table, columns)]
    return [
        sentence for cell in cells for sentence in split_sentences(cell, MAX_TOKENS)
    ], columns.describe()


def _is_running(text: str) -> bool:
    """Return True if lines break inside sentences, as in a book.

    In such a text many lines end without an end of a sentence, where the next word would not fit
    into the width.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    broken = [pair for pair in pairwise(lines) if pair[0][-1] not in ".!?\"'”’)…:"]
    if len(broken) <= 0.5 * max(1, len(lines) - 1):
        return False
    width = max(map(len, lines))
    full = sum(
        len(line) + 1 + len(following.split()[0]) > _FULL_LINE_SHARE * width
        for line, following in broken
    )
    return full >= _FULL_LINES * len(broken)


def sentences_of_rows(rows: Iterable[TextRow]) -> Iterator[str]:
    """Split the rows of a corpus into sentences, and join lines that break inside one.

    The first lines of each file show whether they do; no file is read whole into memory.
    """
    for _, of_source in groupby(rows, key=lambda row: row.source):
        texts = (row.text if row.tokens is None else " ".join(row.tokens) for row in of_source)
        head = list(islice(texts, _LOOKED_AT))
        if not _is_running("\n".join(head)):
            for text in chain(head, texts):
                yield from split_sentences(text, MAX_TOKENS)
            continue
        paragraph: list[str] = []
        for text in chain(head, texts, [""]):
            # An empty line ends a paragraph; one without an end is cut at a fixed length.
            if text.strip() and len(paragraph) < _LONGEST_PARAGRAPH:
                paragraph.append(text)
            elif paragraph:
                yield from split_sentences("\n".join(paragraph), MAX_TOKENS)
                paragraph = [text] if text.strip() else []

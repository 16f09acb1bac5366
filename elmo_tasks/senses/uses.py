"""Where a word occurs: in the examples of the dictionary, and in a person's own text, pasted or in files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.lexicon import Entry, Sense
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.sentences import split_sentences
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.word_forms import are_inflections, folded
from elmo_tasks.uses import Use
from elmo_tasks.wording.text import quoted

if TYPE_CHECKING:
    from elmo_tasks.senses.use_index import UseIndex

MAX_USES = 300
MAX_TOKENS = 200
MAX_CHARACTERS = 2_000_000
Found = TypeVar("Found")
_WORD = re.compile(r"\w+")
_TEXT_COLUMNS = ("sentence", "text", "quote", "content")


def use_at(sentence: str, tokens: Sequence[Token], index: int) -> Use:
    """The use of one of the tokens of a sentence."""
    token = tokens[index]
    return Use(tuple(t.text for t in tokens), index, index + 1, sentence, (token.start, token.end))


def base_word(word: str) -> str:
    """One word as typed -> the key by which its uses are found.

    Raises:
        InputError: it is not one word.
    """
    return folded(check_word(word)[0].text)


def example_uses(entries: Iterable[Entry]) -> list[tuple[Use, str, Sense]]:
    """All sentences of entries as uses, test sentences included, each with its word and its meaning."""
    return [
        (find_mention(entry.word, sentence).use, entry.word, sense)
        for entry in entries
        for sense in entry.senses
        for sentence in sense.sentences
    ]


def uses_in(word: str, sentences: Iterable[str], most: int = MAX_USES) -> tuple[tuple[Use, ...], int]:
    """The uses of a word, in any inflection and case, in one's own sentences, and how many there are: where there are more than
    ``most``, so many are kept at even distances.
    """
    key = base_word(word)
    found = []
    known: dict[str, bool] = {}
    for sentence in sentences:
        # A rough look first: cutting a long text into tokens takes most of the time.
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
    """The use of a word, in any inflection, in a sentence that is to be put on the map of the word.

    Args:
        word: one word.
        sentence: as typed; ``[brackets]`` mark the use that is meant, where there are several; else it is the first one.

    Raises:
        InputError: with ``field="sentence"`` where the word is not in it, or the brackets mark another one.
    """
    if not sentence.strip():
        raise InputError(f"Type a sentence that uses {quoted(word)}.", field="sentence")
    if "[" in sentence:
        use = find_mention(word, sentence, field="sentence").use
        if are_inflections(folded(use.tokens[use.start]), base_word(word)):
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
    """The uses of a word in an index of one's own text, as :func:`uses_in` gives those of a text."""
    found, total = index.uses_of(base_word(word), most)
    return tuple(use_at(sentence, tokenize(sentence), k) for sentence, k in found), total


def evenly(found: Sequence[Found], n: int) -> list[Found]:
    """At most ``n`` of them, at even distances."""
    return list(found) if len(found) <= n else [found[k * len(found) // n] for k in range(n)]


def sentences_of(text: str, name: str = "", most: int | None = MAX_CHARACTERS) -> list[str]:
    """A person's own text as sentences.

    Args:
        text: pasted, or what a .txt or .csv file holds. In a .csv file each row is one text: the column named sentence, text,
            quote or content, else the first one.
        name: of the file, if it was one.
        most: characters that it may have.

    Raises:
        InputError: it is too long, or a table without text.
    """
    if most is not None and len(text) > most:
        raise InputError(
            f"The text has {len(text):,} characters; the most is {most:,}. Use a part of it.", field="text"
        )
    if not name.lower().endswith(".csv"):
        # Lines of their own are sentences of their own where the text is a list.
        return split_sentences(text if _is_running(text) else text.replace("\n", "\n\n"), MAX_TOKENS)
    try:
        rows = [row for row in csv.reader(io.StringIO(text.lstrip("\ufeff"), newline="")) if any(row)]
    except csv.Error as error:
        raise InputError(f"The file {name[:60]} cannot be read as a table ({error}).", field="text") from None
    if not rows:
        raise InputError(f"The file {name[:60]} has no rows.", field="text")
    header = [cell.strip().lower() for cell in rows[0]]
    column = next((header.index(title) for title in _TEXT_COLUMNS if title in header), None)
    cells = [row[column or 0] for row in (rows if column is None else rows[1:]) if len(row) > (column or 0)]
    return [sentence for cell in cells for sentence in split_sentences(cell, MAX_TOKENS)]


def _is_running(text: str) -> bool:
    """Whether lines are broken inside sentences, as in a book: many lines end without an end of a sentence."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    broken = sum(line[-1] not in ".!?\"'”’)…:" for line in lines[:-1])
    return broken > 0.5 * max(1, len(lines) - 1)


def read_corpus(paths: Sequence[Path]) -> list[str]:
    """The sentences of text files (UTF-8; .csv as a table, anything else as text), in order.

    Raises:
        DataError: a file is missing, no text, or a table that cannot be read.
    """
    found: list[str] = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: expected a text file in UTF-8 ({error})") from None
        try:
            # In pieces that end with a line: what a request may hold is no limit here.
            for piece in [text] if path.suffix.lower() == ".csv" else _pieces(text):
                found += sentences_of(piece, path.name, None)
        except InputError as error:
            raise DataError(f"{path}: {error}") from None
    return found


def _pieces(text: str) -> list[str]:
    pieces, start = [], 0
    while start < len(text):
        stop = len(text) if len(text) - start <= MAX_CHARACTERS else text.rfind("\n", start, start + MAX_CHARACTERS) + 1
        stop = stop if stop > start else min(len(text), start + MAX_CHARACTERS)
        pieces.append(text[start:stop])
        start = stop
    return pieces

"""Meanings that a person gives: one line each, or entries of a dictionary."""

from __future__ import annotations

import re
from pathlib import Path

from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.entries import Entry, check_marks, parse_entries, read_entries
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.validation import check_size
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.wording import first_capital, replace_surrogates

_MAX_CHARACTERS = 20_000
_MAX_SENTENCES = 60
#: Sentences of each meaning in the entry that a person starts from.
_EXAMPLES_A_MEANING = 3
#: ``player = Jordan scored forty points``
_LINE = re.compile(r"\s*(?P<name>[^=\[\]:]{1,40}?)\s*=\s*(?P<text>.+?)\s*")


def entry_text(word: str) -> str:
    """Implement :meth:`elmo_tasks.api.Service.entry_text`."""
    entry = next(
        (entry for entry in bundled_lexicon().find(word.strip()) if len(entry.senses) > 1), None
    )
    if entry is None:
        return ""
    lines = [entry.word]
    for sense in entry.senses:
        lines.append(f"  {sense.key}, {sense.part_of_speech or 'noun'}: {sense.gloss}")
        lines += [
            f"    {sentence}"
            for sentence in (sense.examples or sense.sentences)[:_EXAMPLES_A_MEANING]
        ]
    return "\n".join(lines)


def own_entries(text: str) -> list[Entry]:
    """Parse the user's own meanings; an :class:`InputError` names what breaks the format."""
    if not text.strip():
        return []
    check_size(text, "own_meanings", "Own meanings: the text", _MAX_CHARACTERS)
    try:
        entries = parse_entries(replace_surrogates(text), "own meanings")
        check_marks(entries, "own meanings")
    except DataError as error:
        raise InputError(
            f"{first_capital(str(error)).removesuffix('.')}.", field="own_meanings"
        ) from None
    n = sum(len(sense.sentences) for entry in entries for sense in entry.senses)
    if n > _MAX_SENTENCES:
        raise InputError(
            f"Own meanings: {n} sentences; the most is {_MAX_SENTENCES}.", field="own_meanings"
        )
    if one := next((entry.word for entry in entries if len(entry.senses) < 2), None):
        message = (
            f"Own meanings: “{one}” has one meaning; give at least two, each with a sentence or"
            " more."
        )
        raise InputError(message, field="own_meanings")
    return entries


def expanded(text: str, word: str) -> str:
    """Rewrite lines ``name = sentence`` as an entry of ``word``; other text stays as it is.

    Text without the word gets it as a prefix in brackets: ``player = basketball`` becomes
    ``[Jordan]: basketball``.

    Raises:
        InputError: only some lines have this form, or the word is missing.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    found = [_LINE.fullmatch(line) for line in lines]
    if not any(found):
        return text
    if wrong := next(
        (line for line, match in zip(lines, found, strict=True) if match is None), None
    ):
        expected = (
            "expected a name, “=” and a sentence on every line, as in “player = Jordan scored”"
        )
        raise InputError(
            f"Own meanings: {expected}; found “{wrong.strip()[:40]}”.", field="own_meanings"
        )
    if not word.strip():
        raise InputError("Type the word that has these meanings.", field="word")
    senses: dict[str, list[str]] = {}
    for match in filter(None, found):
        senses.setdefault(match["name"], []).append(_with_word(match["text"], word.strip()))
    rows = [word.strip()]
    for name, sentences in senses.items():
        rows += [f"  {name}, noun: {name}", *(f"    {sentence}" for sentence in sentences)]
    return "\n".join(rows)


def _with_word(text: str, word: str) -> str:
    """Mark the word in a sentence, or put it before words that go with it."""
    if "[" in text:
        return text
    try:
        use = find_mention(word, text)
    except (InputError, DataError):
        return f"[{word}]: {text}"
    before, used, after = use.parts
    return f"{before}[{used}]{after}"


def lexicon_entries(lexicon: str | Path | None) -> list[Entry]:
    """Read the entries of the user's dictionary file; none for ``None``."""
    if lexicon is None:
        return []
    entries = read_entries(Path(lexicon))
    check_marks(entries, str(lexicon))
    return entries

"""Entries of the dictionary, and the text files that hold them.

A word is at the left margin; its meanings are indented by two spaces, the example sentences of a
meaning by four::

    bank
      money, noun: a firm that keeps and lends money
        She opened an account at the [bank] today.
      river, noun: the land along the side of a river
        Ducks were sleeping on the grassy [bank].

Lines that begin with ``#`` are comments. ``docs/dictionary.md`` describes the format for people.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elmo_tasks.errors import DataError, InputError
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.phrases import Pattern
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import folded
from elmo_tasks.wording import quoted

#: One in this many sentences of a meaning is a test sentence: the sixth, the twelfth, …
TEST_EVERY = 6
#: One in this many examples of a meaning is a development sentence: the third, the eighth, …
DEVELOPMENT_EVERY = 5
#: One in this many words is held out: nothing is fitted or trained on it.
HELD_OUT_EVERY = 10
#: One idea that is named by both, as in *a crash* and *to crash*.
NOUN_AND_VERB = "noun and verb"
PARTS_OF_SPEECH = (
    "noun",
    "verb",
    NOUN_AND_VERB,
    "adjective",
    "adverb",
    "preposition",
    "conjunction",
    "interjection",
    "determiner",
    "pronoun",
    "name",
    "expression",
)
#: Follows the headword of an expression that is often meant literally, too (``kick the
#: bucket``).
OR_LITERALLY = " (or literally)"
#: Precedes sentences in which the words of an expression are meant literally.
LITERAL = "literally"
#: Follows the headword of an expression whose words keep a usual meaning (``traffic jam``).
WORDS_AS_USUAL = " (words as usual)"
_SENSE_LINE = re.compile(r"([^,:]+),\s*([a-z]+(?: [a-z]+)*)\s*:\s*(.+)")
_MARKED = re.compile(r"\[[^\[\]]+\]")
_MAX_GLOSS = 200  # characters
_MAX_SENTENCE = 2_000  # characters


@dataclass(frozen=True)
class Sense:
    """One meaning of a word."""

    key: str  #: short name, unique in its entry
    part_of_speech: str  #: one of :data:`PARTS_OF_SPEECH`; empty for a user's meaning without one
    gloss: str
    sentences: tuple[str, ...]  #: examples with the word in ``[brackets]``

    @property
    def examples(self) -> tuple[str, ...]:
        """Sentences that represent the meaning: all but the test sentences."""
        return tuple(s for k, s in enumerate(self.sentences, 1) if k % TEST_EVERY)

    @property
    def training_examples(self) -> tuple[str, ...]:
        """Examples that train layers: all but the development sentences, which calibrate."""
        return tuple(s for k, s in enumerate(self.examples) if not is_development(k))

    @property
    def test_sentences(self) -> tuple[str, ...]:
        """Sentences used only for measurement."""
        return self.sentences[TEST_EVERY - 1 :: TEST_EVERY]


@dataclass(frozen=True)
class Entry:
    """A word and its meanings, the most familiar first."""

    word: str  #: or a phrase; see :class:`elmo_tasks.text.phrases.Pattern`
    senses: tuple[Sense, ...]
    also_literal: bool = False  #: whether it is an expression that is often meant literally, too
    is_transparent: bool = False  #: whether it is an expression whose words keep a usual meaning
    literal: Sense | None = None  #: sentences in which such words are meant literally

    @property
    def all_senses(self) -> tuple[Sense, ...]:
        """Its meanings, and the literal one of an expression last."""
        return self.senses if self.literal is None else (*self.senses, self.literal)

    @property
    def is_expression(self) -> bool:
        """True for a fixed expression or a phrasal verb."""
        return self.senses[0].part_of_speech == "expression"

    @cached_property
    def pattern(self) -> Pattern:
        """The pattern of the word or phrase; it may be split if an example splits it."""
        whole = Pattern.of(self.word)
        if len(whole.words) == 1:
            return whole
        marks = (_MARKED.search(sentence) for sense in self.senses for sentence in sense.sentences)
        forms = ([folded(t.text) for t in tokenize(mark.group()[1:-1])] for mark in marks if mark)
        return Pattern(
            whole.words, splits=any(whole.end_at(form, 0) != len(form) for form in forms)
        )

    @property
    def is_held_out(self) -> bool:
        """True if nothing may be fitted or trained on this word."""
        return is_held_out(self.word)

    @property
    def is_compared(self) -> bool:
        """True if it has a comparative: an adjective or an adverb."""
        return any(sense.part_of_speech in ("adjective", "adverb") for sense in self.senses)

    def sense(self, key: str) -> Sense:
        """Return the meaning with that key. Raise KeyError if there is none."""
        for sense in self.senses:
            if sense.key == key:
                return sense
        raise KeyError(
            f"{self.word}: no meaning {key!r}; it has {', '.join(s.key for s in self.senses)}"
        )


def is_development(number: int) -> bool:
    """Return True if the example with this number, from 0, is a development sentence."""
    return number % DEVELOPMENT_EVERY == DEVELOPMENT_EVERY - 3


def is_held_out(word: str) -> bool:
    """Return True if the hash of a word selects it for the held-out tenth."""
    return int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % HELD_OUT_EVERY == 0


def read_entries(path: Path) -> list[Entry]:
    """Read a dictionary file.

    Raises:
        DataError: it cannot be read, or a line breaks the format; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: expected a dictionary, a text file in UTF-8 ({error})") from None
    return parse_entries(text, str(path))


def parse_entries(text: str, name: str = "dictionary") -> list[Entry]:
    """Parse a dictionary in the format that this module describes.

    Raises:
        DataError: a line breaks the format, a word has two entries, or a meaning has no example.
    """
    reading = _Reading(name)
    for number, raw in enumerate([*text.splitlines(), ""], 1):
        line = raw.expandtabs(4).rstrip()
        content = line.strip()
        reading.number = number
        if content and not content.startswith("#"):
            reading.read_line(content, depth=len(line) - len(content))
    reading.close_entry()
    return list(reading.entries.values())


@dataclass
class _Head:
    """First line of a meaning."""

    key: str
    part_of_speech: str
    gloss: str


class _Reading:
    """A dictionary while it is read, line by line."""

    def __init__(self, name: str) -> None:
        self.entries: dict[str, Entry] = {}
        self.number = 0
        self._name = name
        self._start_entry("")

    @property
    def _where(self) -> str:
        return f"{self._name}, line {self.number}"

    def _start_entry(self, head: str) -> None:
        word = head.removesuffix(OR_LITERALLY)
        self._also_literal = word != head
        self._is_transparent = word.endswith(WORDS_AS_USUAL)
        self._word = word.removesuffix(WORDS_AS_USUAL)
        self._senses: list[Sense] = []
        self._literal: Sense | None = None
        self._head: _Head | None = None
        self._sentences: list[str] = []

    def read_line(self, content: str, depth: int) -> None:
        """Read a line that is not empty, without its ``depth`` leading spaces."""
        if depth == 0:
            self.close_entry()
            self._start_entry(content)
            if folded(self._word) in self.entries:
                raise DataError(
                    f"{self._where}: {quoted(self._word)} stands in this dictionary twice; join"
                    " the two entries"
                )
        elif depth < 4:
            self._close_sense()
            self._head = self._read_head(content)
        elif self._head is None:
            raise DataError(
                f"{self._where}: an example sentence without a meaning above it: {content!r:.80}"
            )
        else:
            self._sentences.append(_checked_sentence(content, self._where))

    def _read_head(self, content: str) -> _Head:
        if not self._word:
            raise DataError(f"{self._where}: a meaning without a word above it: {content!r:.80}")
        if content == f"{LITERAL}:" and self._also_literal:
            return _Head(LITERAL, "", "")
        line = _SENSE_LINE.fullmatch(content)
        if line is None or line[2] not in PARTS_OF_SPEECH or len(line[3]) > _MAX_GLOSS:
            raise DataError(
                f"{self._where}: expected a meaning as “key, part of speech: gloss”"
                f" ({', '.join(PARTS_OF_SPEECH)}; at most {_MAX_GLOSS} characters), found"
                f" {content!r:.80}"
            )
        key = line[1].strip()
        if any(sense.key == key for sense in self._senses):
            raise DataError(
                f"{self._where}: {quoted(self._word)} has two meanings called {quoted(key)}; give"
                " one another name"
            )
        return _Head(key, line[2], line[3].strip())

    def _close_sense(self) -> None:
        head = self._head
        if head is None:
            return
        if not self._sentences:
            raise DataError(
                f"{self._where}: the meaning {quoted(head.key)} of {quoted(self._word)} has no"
                " example sentence above this line"
            )
        sense = Sense(head.key, head.part_of_speech, head.gloss, tuple(self._sentences))
        if head.gloss:
            self._senses.append(sense)
        else:
            self._literal = sense
        self._head, self._sentences = None, []

    def close_entry(self) -> None:
        """Keep the entry that ends here."""
        self._close_sense()
        if not self._word:
            return
        if not self._senses:
            raise DataError(
                f"{self._where}: {quoted(self._word)} has no meaning; write one below it, indented"
                " by two spaces"
            )
        self.entries[folded(self._word)] = Entry(
            word=self._word,
            senses=tuple(self._senses),
            also_literal=self._also_literal,
            is_transparent=self._is_transparent,
            literal=self._literal,
        )


def _checked_sentence(content: str, where: str) -> str:
    if len(_MARKED.findall(content)) != 1 or content.count("[") != 1 or content.count("]") != 1:
        raise DataError(
            f"{where}: expected an example with the word in one pair of [brackets], found"
            f" {content!r:.80}"
        )
    if len(content) > _MAX_SENTENCE:
        raise DataError(
            f"{where}: an example of {len(content):,} characters; the most is {_MAX_SENTENCE:,}"
        )
    return content


def check_marks(entries: Iterable[Entry], name: str) -> None:
    """Check that the brackets of every example hold one word.

    Raises:
        DataError: they do not; the message quotes the example.
    """
    for entry in entries:
        for sense in entry.all_senses:
            for sentence in sense.sentences:
                try:
                    find_mention(entry.word, sentence)
                except InputError as error:
                    raise DataError(
                        f"{name}, {quoted(entry.word)}, {sentence!r:.80}: {error}"
                    ) from None


def format_entries(entries: Iterable[Entry]) -> str:
    """Format entries as the text that :func:`parse_entries` reads."""
    lines: list[str] = []
    for entry in entries:
        marks = WORDS_AS_USUAL * entry.is_transparent + OR_LITERALLY * entry.also_literal
        lines.append(entry.word + marks)
        for sense in entry.senses:
            lines.append(f"  {sense.key}, {sense.part_of_speech or 'noun'}: {sense.gloss}")
            lines += [f"    {sentence}" for sentence in sense.sentences]
        if entry.literal is not None:
            lines += [f"  {LITERAL}:", *(f"    {s}" for s in entry.literal.sentences)]
    return "\n".join(lines) + "\n"

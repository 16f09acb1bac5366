"""Dictionary of word meanings: text files that people can edit, and their entries.

A word stands at the left margin, its meanings below it by two spaces, the example sentences of a
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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from elmo_tasks.errors import DataError, InputError
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.phrases import Pattern, phrase_tokens
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import comparative_bases, folded, lemmas
from elmo_tasks.wording import quoted

#: One in this many sentences of a meaning is a test sentence: the sixth, the twelfth, …
TEST_EVERY = 6
#: One in this many examples of a meaning is a development sentence: the third, the eighth, …
DEVELOPMENT_EVERY = 5
#: One in this many words is held out: nothing is fitted or trained on it.
HELD_OUT_EVERY = 10
PARTS_OF_SPEECH = (
    "noun",
    "verb",
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
#: Behind the head of an expression whose words are often meant literally, too (``kick the
#: bucket``).
OR_LITERALLY = " (or literally)"
#: Behind the head of an expression whose words keep a meaning of their own entry (``traffic jam``).
WORDS_AS_USUAL = " (words as usual)"
#: Forms whose own entry holds all that they can mean, those of the verb included.
_COMPLETE = frozenset(
    """
    bearing bent bit building cooler customs dove dressing felt found founded heading hearing
    inning lighter lining lit means missing recording rugged setting spoke stocking stranger
    tired understanding wicked willing
    """.split()  # noqa: SIM905
)
#: Meanings of which kinds an inflected form may have: *United* is no form of the noun *unit*.
_INFLECTED = {
    "ed": frozenset({"verb"}),
    "ing": frozenset({"verb"}),
    "s": frozenset({"noun", "verb", "name", "pronoun", ""}),
}

_FOLDER = Path(__file__).parent / "lexicon"
_ONE_MEANING = Path(__file__).parent / "one_meaning.txt"
_SPELLINGS = Path(__file__).parent / "spellings.txt"
_SENSE_LINE = re.compile(r"([^,:]+),\s*([a-z]+)\s*:\s*(.+)")
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
    also_literal: bool = False  #: of an expression whose words are often meant literally, too
    is_transparent: bool = False  #: of an expression whose words keep a meaning of their own entry

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


class Lexicon(Mapping[str, Entry]):
    """Entries by word.

    Args:
        entries: in any order; of two with the same word, the later one counts.
        one_meaning: words that are known to have one everyday meaning.
        spellings: the word whose entry counts for another spelling of it (``colour`` for
            ``color``).
    """

    def __init__(
        self,
        entries: Iterable[Entry],
        one_meaning: Iterable[str] = (),
        spellings: Mapping[str, str] | None = None,
    ) -> None:
        self._entries = {folded(entry.word): entry for entry in entries}
        self.spellings = dict(spellings or {})
        self.one_meaning = frozenset(map(folded, one_meaning)) - frozenset(
            word for word, entry in self._entries.items() if len(entry.senses) > 1
        )

    def __getitem__(self, word: str) -> Entry:
        return self._entries[folded(word)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @cached_property
    def ambiguous(self) -> tuple[Entry, ...]:
        """Words with two or more meanings, sorted; expressions aside."""
        several = (e for e in self.values() if len(e.senses) > 1 and not e.is_expression)
        return tuple(sorted(several, key=lambda e: e.word))

    @cached_property
    def expressions(self) -> tuple[Entry, ...]:
        """Fixed expressions and phrasal verbs, with one meaning or more, sorted."""
        return tuple(sorted((e for e in self.values() if e.is_expression), key=lambda e: e.word))

    def find(self, form: str) -> tuple[Entry, ...]:
        """Return the entries that a word or phrase in any inflection may belong to.

        ``rose`` gives rose and rise; its own entry is first. A word with one everyday meaning
        (``evening``) is no form of another one, and ``United`` none of the noun *unit*.
        """
        key = self._spelled(folded(form).strip())
        if " " in key or (key not in self._entries and "-" in key):
            return self._find_phrase(key)
        if key in self.one_meaning and key not in self._entries:
            return ()
        if key in _COMPLETE and key in self._entries:
            return (self._entries[key],)
        words = dict.fromkeys(
            [key, *(self._spelled(word) for word in sorted(lemmas(folded(form)) - {key}))]
        )
        found = (self._entries[word] for word in words if word in self._entries)
        entries = tuple(entry for entry in found if _may_be_form(entry, key))
        if entries:
            return entries
        compared = (
            self._entries[word] for word in sorted(comparative_bases(key)) if word in self._entries
        )
        return tuple(entry for entry in compared if entry.is_compared)

    def _spelled(self, word: str) -> str:
        """Return the spelling that the dictionary uses."""
        return word if word in self._entries else self.spellings.get(word, word)

    def _find_phrase(self, phrase: str) -> tuple[Entry, ...]:
        if phrase in self._entries:
            return (self._entries[phrase],)
        tokens = [folded(token.text) for token in phrase_tokens(phrase)]
        return tuple(
            entry
            for entry, start, end in self.expressions_in(tokens)
            if (start, end) == (0, len(tokens))
        )

    @cached_property
    def _phrases(self) -> dict[str, list[Entry]]:
        """Entries of several words by their first word, the longest first."""
        found: dict[str, list[Entry]] = {}
        for entry in self.values():
            if len(entry.pattern.words) > 1:
                found.setdefault(entry.pattern.words[0], []).append(entry)
        return {
            word: sorted(row, key=lambda e: -len(e.pattern.words)) for word, row in found.items()
        }

    def expressions_in(self, tokens: Sequence[str]) -> list[tuple[Entry, int, int]]:
        """Return the expressions in tokens in lower case, with start and end.

        They are in the order of the text, and do not overlap.
        """
        found: list[tuple[Entry, int, int]] = []
        at = 0
        while at < len(tokens):
            longest = self._expression_at(tokens, at)
            if longest is not None:
                found.append(longest)
            at = (
                longest[2]
                if longest is not None and longest[2] == at + len(longest[0].pattern.words)
                else at + 1
            )
        return found

    def _expression_at(self, tokens: Sequence[str], at: int) -> tuple[Entry, int, int] | None:
        firsts = (first for first in sorted(lemmas(tokens[at])) if first in self._phrases)
        for entry in (entry for first in firsts for entry in self._phrases[first]):
            end = entry.pattern.end_at(tokens, at)
            if end is not None:
                return entry, at, end
        return None

    def has_one_meaning(self, form: str) -> bool:
        """Return True if a word in any inflection has one everyday meaning.

        Such a word is on the list of these words, and in no entry.
        """
        return not any(len(e.senses) > 1 for e in self.find(form)) and any(
            word in self.one_meaning for word in lemmas(folded(form))
        )

    def with_entries(self, entries: Iterable[Entry]) -> Lexicon:
        """Return a dictionary in which these entries replace or extend the existing ones."""
        return Lexicon([*self.values(), *entries], self.one_meaning, self.spellings)


@cache
def bundled_lexicon() -> Lexicon:
    """Return the bundled dictionary."""
    entries = [entry for path in sorted(_FOLDER.glob("*.txt")) for entry in read_entries(path)]
    words = [
        w
        for line in _ONE_MEANING.read_text("utf-8").splitlines()
        if not line.startswith("#")
        for w in line.split()
    ]
    pairs = (
        line.split()
        for line in _SPELLINGS.read_text("utf-8").splitlines()
        if line[:1] not in ("", "#")
    )
    return Lexicon(entries, words, {other: word for word, *others in pairs for other in others})


def _may_be_form(entry: Entry, form: str) -> bool:
    """Check whether a regular form fits a part of speech of the entry."""
    word = folded(entry.word)
    if form == word:
        return True
    kinds = next((kinds for ending, kinds in _INFLECTED.items() if form == word + ending), None)
    if kinds is None or any(sense.part_of_speech in kinds for sense in entry.senses):
        return True
    return any(
        f"[{form}]" in folded(sentence) for sense in entry.senses for sentence in sense.sentences
    )


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
        DataError: a line breaks the format, a word stands twice, or a meaning has no example.
    """
    entries: dict[str, Entry] = {}
    word, number = "", 0
    also_literal = is_transparent = False
    senses: list[Sense] = []
    head: tuple[str, str, str] | None = None
    sentences: list[str] = []

    def close_sense() -> None:
        nonlocal head
        if head is None:
            return
        if not sentences:
            raise DataError(
                f"{name}, line {number}: the meaning {quoted(head[0])} of {quoted(word)} has no"
                " example sentence above this line"
            )
        senses.append(
            Sense(key=head[0], part_of_speech=head[1], gloss=head[2], sentences=tuple(sentences))
        )
        sentences.clear()
        head = None

    def close_entry() -> None:
        close_sense()
        if word and not senses:
            raise DataError(
                f"{name}, line {number}: {quoted(word)} has no meaning; write one below it,"
                " indented by two spaces"
            )
        if word:
            entries[folded(word)] = Entry(
                word=word,
                senses=tuple(senses),
                also_literal=also_literal,
                is_transparent=is_transparent,
            )
        senses.clear()

    for number, raw in enumerate([*text.splitlines(), ""], 1):
        line = raw.expandtabs(4).rstrip()
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        depth = len(line) - len(content)
        if depth == 0:
            close_entry()
            word = content.removesuffix(OR_LITERALLY)
            also_literal = word != content
            is_transparent = word.endswith(WORDS_AS_USUAL)
            word = word.removesuffix(WORDS_AS_USUAL)
            if folded(word) in entries:
                raise DataError(
                    f"{name}, line {number}: {quoted(word)} stands in this dictionary twice; join"
                    " the two entries"
                )
        elif depth < 4:
            close_sense()
            head = _sense_head(content, word, {s.key for s in senses}, f"{name}, line {number}")
        elif head is None:
            raise DataError(
                f"{name}, line {number}: an example sentence without a meaning above it:"
                f" {content!r:.80}"
            )
        else:
            sentences.append(_checked_sentence(content, f"{name}, line {number}"))
    close_entry()
    return list(entries.values())


def _sense_head(content: str, word: str, taken: set[str], where: str) -> tuple[str, str, str]:
    if not word:
        raise DataError(f"{where}: a meaning without a word above it: {content!r:.80}")
    line = _SENSE_LINE.fullmatch(content)
    if line is None or line[2] not in PARTS_OF_SPEECH or len(line[3]) > _MAX_GLOSS:
        raise DataError(
            f"{where}: expected a meaning as “key, part of speech: gloss”"
            f" ({', '.join(PARTS_OF_SPEECH)}; at most {_MAX_GLOSS} characters), found"
            f" {content!r:.80}"
        )
    key = line[1].strip()
    if key in taken:
        raise DataError(
            f"{where}: {quoted(word)} has two meanings called {quoted(key)}; give one another name"
        )
    return key, line[2], line[3].strip()


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
        for sense in entry.senses:
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
    return "\n".join(lines) + "\n"

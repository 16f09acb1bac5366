"""Dictionary of word meanings: entries by word, found in any inflection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path

from elmo_tasks.senses.entries import Entry, read_entries
from elmo_tasks.text.phrases import phrase_tokens
from elmo_tasks.text.word_forms import comparative_bases, folded, lemmas

#: Forms whose own entry holds all that they can mean, those of the verb included.
_COMPLETE_FORMS = frozenset(
    """
    bearing bent bit building cooler customs dove dressing felt found founded heading hearing
    inning lighter lining lit means missing recording rugged setting spoke stocking stranger
    tired understanding wicked willing
    """.split()  # noqa: SIM905
)
#: Share of the letters that a word has in common with its misspelling (difflib's ratio): *banck*
#: and *bank* have .89, *wug* and *wig* .67.
_NEAR_SPELLING = 0.82
#: The kinds of meanings that an inflected form may have: *United* is no form of the noun *unit*.
_INFLECTED = {
    "ed": frozenset({"verb"}),
    "ing": frozenset({"verb"}),
    "s": frozenset({"noun", "verb", "name", "pronoun", ""}),
}

_FOLDER = Path(__file__).parent / "lexicon"
_ONE_MEANING = Path(__file__).parent / "one_meaning.txt"
_SPELLINGS = Path(__file__).parent / "spellings.txt"


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
        if key in _COMPLETE_FORMS and key in self._entries:
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

    def nearest_spelling(self, word: str) -> str:
        """Return the word that a misspelled one may stand for; empty if none is near."""
        key = folded(word)
        words = {*self._entries, *self.one_meaning} - {key}
        for k in range(len(key) - 1):  # two letters in the wrong order: "recieve"
            if (swapped := key[:k] + key[k + 1] + key[k] + key[k + 2 :]) in words:
                return swapped
        same_start = sorted(w for w in words if w[:1] == key[:1] and " " not in w)
        return next(iter(get_close_matches(key, same_start, n=1, cutoff=_NEAR_SPELLING)), "")

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

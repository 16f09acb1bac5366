"""Meanings of uses from the dictionary, from the user, or for unlisted words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from elmo_tasks.api import Certainty, Meaning, Source, UseMeaning
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.messages.text import replace_surrogates
from elmo_tasks.senses.disambiguation import (
    SenseModel,
    SenseProbabilities,
    same_probability,
    senses_of,
)
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.lexicon import Entry, Lexicon, Sense, bundled_lexicon, check_marks, parse_entries
from elmo_tasks.text.use import Use
from elmo_tasks.text.word_forms import folded, lemmas

#: Least probability at which the meaning of a use, or the grouping of all, is stated without reservation. Measured,
#: not tuned, on held-out words and fresh test sets (``elmo-tasks evaluate --senses``).
CONFIDENT_USE, CONFIDENT_SET, TENTATIVE_SET = 0.7, 0.6, 0.35
#: Two uses of a word in no list.
_UNLISTED_CERTAINTY = 0.75
#: A word on the list of words with one everyday meaning.
_ONE_MEANING = 0.97
_VERY_UNLIKE = 0.1
MIN_KNOWN_WORDS = 0.5
#: Name of a meaning that is not listed.
ANOTHER = "another meaning"
#: Words beyond this rank are mostly names, and words of other languages in English texts.
_ENGLISH_RANK = 20_000
_MAX_OWN_CHARACTERS, _MAX_OWN_SENTENCES = 20_000, 60


@dataclass(frozen=True)
class Judged:
    """Meanings of some uses, known or predicted; see :class:`elmo_tasks.api.Comparison`."""

    source: Source
    meanings: tuple[Meaning, ...] = ()
    uses: tuple[UseMeaning, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    certainty: Certainty = Certainty.ABSTAIN
    probability: float = 0.0
    same_meaning: tuple[tuple[float, ...], ...] = ()
    all_same: float = 0.0  #: for an unlisted word: the probability that all uses share a meaning


def entries_for(word: str, forms: Sequence[str], lexicon: Lexicon) -> tuple[Entry, ...]:
    """Return the entries whose meanings the uses of a word may have.

    Args:
        word: as typed; its entries count if all forms are inflections of it.
        forms: the word as it is written in each sentence.
        lexicon: the dictionary.
    """
    key = folded(word.strip())
    if key and all(key in lemmas(folded(form)) or lemmas(key) & lemmas(folded(form)) for form in forms):
        return lexicon.find(key)
    shared = [lexicon.find(form) for form in dict.fromkeys(forms)]
    return tuple(entry for entry in shared[0] if all(entry in others for others in shared[1:])) if shared else ()


def own_entries(text: str) -> list[Entry]:
    """Parse the user's own meanings, in the format of the dictionary.

    Raises:
        InputError: with ``field="own_meanings"``: the text breaks the format, or there is too much of it.
    """
    if not text.strip():
        return []
    if len(text) > _MAX_OWN_CHARACTERS:
        raise InputError(
            f"Own meanings: {len(text):,} characters; the most is {_MAX_OWN_CHARACTERS:,}.", field="own_meanings"
        )
    try:
        entries = parse_entries(replace_surrogates(text), "own meanings")
        check_marks(entries, "own meanings")
    except DataError as error:
        raise InputError(f"{str(error)[:1].upper()}{str(error)[1:].removesuffix('.')}.", field="own_meanings") from None
    n = sum(len(sense.sentences) for entry in entries for sense in entry.senses)
    if n > _MAX_OWN_SENTENCES:
        raise InputError(f"Own meanings: {n} sentences; the most is {_MAX_OWN_SENTENCES}.", field="own_meanings")
    for entry in entries:
        if len(entry.senses) < 2:
            raise InputError(
                f"Own meanings: “{entry.word}” has one meaning; give at least two, each with a sentence or more.",
                field="own_meanings",
            )
    return entries


def known_share(static: StaticVectors, sentences: Sequence[Sequence[str]]) -> float:
    """Return the share of English words in some sentences."""
    words = [token for tokens in sentences for token in tokens if token[:1].isalpha()]
    rows = static.rows_of(words)
    return float((rows < min(_ENGLISH_RANK, len(static))).float().mean()) if words else 1.0


def judge(
    model: SenseModel, uses: Sequence[Use], embedded: Vectors, word: str, lexicon: Lexicon, own: Sequence[Entry] = ()
) -> Judged:
    """Predict the meanings of the uses of one word.

    Args:
        model: compares uses with meanings.
        uses: of the word.
        embedded: ``[n, H]`` the uses.
        word: as typed.
        lexicon: the dictionary.
        own: meanings that a person gave; they count before the dictionary's.
    """
    forms = [use.word for use in uses]
    mine = entries_for(word, forms, Lexicon(own)) if own else ()
    entries = mine or entries_for(word, forms, lexicon)
    senses = senses_of(entries)
    if len(senses) > 1:
        source = Source.OWN if mine else Source.DICTIONARY
        return _by_meanings(source, senses_as_meanings(entries), model.classify(uses, embedded, senses))
    if senses or any(lexicon.has_one_meaning(form) for form in (word, *forms[:1]) if form.strip()):
        return _one_meaning(model, embedded)
    return _unlisted(model, embedded)


def senses_as_meanings(entries: Sequence[Entry]) -> tuple[Meaning, ...]:
    """Return every meaning of the entries, in the order of ``senses_of``."""
    return tuple(Meaning(word, s.key, s.part_of_speech, s.gloss) for word, s in senses_of(entries))


def use_meaning(found: SenseProbabilities) -> UseMeaning:
    """Convert the probabilities of one use to their form in results."""
    certainty = Certainty.CONFIDENT if found.top >= CONFIDENT_USE else Certainty.TENTATIVE
    probabilities = tuple(round(p, 4) for p in found.probabilities)
    return UseMeaning(probabilities, round(found.other, 4), found.best, certainty)


def _by_meanings(source: Source, meanings: tuple[Meaning, ...], found: Sequence[SenseProbabilities]) -> Judged:
    probability = float(np.prod([p.top for p in found]))
    certainty = (
        Certainty.CONFIDENT
        if probability >= CONFIDENT_SET
        else Certainty.TENTATIVE
        if probability >= TENTATIVE_SET
        else Certainty.ABSTAIN
    )
    groups: dict[int | None, list[int]] = {}
    for use, p in enumerate(found):
        groups.setdefault(p.best, []).append(use)
    same = tuple(
        tuple(1.0 if a == b else round(p.same(q), 4) for b, q in enumerate(found)) for a, p in enumerate(found)
    )
    return Judged(
        source,
        meanings,
        tuple(use_meaning(p) for p in found),
        tuple(map(tuple, groups.values())) if certainty is not Certainty.ABSTAIN else (),
        certainty,
        round(probability, 4),
        same,
    )


def _one_meaning(model: SenseModel, embedded: Vectors) -> Judged:
    """Judge a word with one everyday meaning.

    The answer has no reservation unless two of the sentences are very unlike, which a second meaning would explain.
    """
    n = len(embedded)
    unlike = float(same_probability(model.calibration, embedded).min()) < _VERY_UNLIKE
    certainty = Certainty.TENTATIVE if unlike else Certainty.CONFIDENT
    same = tuple(tuple(1.0 if a == b else _ONE_MEANING for b in range(n)) for a in range(n))
    return Judged(Source.ONE_MEANING, (), (), (tuple(range(n)),), certainty, _ONE_MEANING, same, _ONE_MEANING)


def _unlisted(model: SenseModel, embedded: Vectors) -> Judged:
    """Judge a word in no list: its uses probably share a meaning, or probably do not.

    Between these two, give no answer.
    """
    same = same_probability(model.calibration, embedded)
    n = len(embedded)
    pairs = [float(same[a, b]) for a, b in combinations(range(n), 2)]
    # Uses are chained: n - 1 pairs decide, and the least similar ones decide most.
    all_same = float(np.prod(sorted(pairs)[: n - 1]) ** (1 / max(1, n - 1)))
    sure = max(all_same, 1 - all_same)
    certainty = Certainty.TENTATIVE if sure >= _UNLISTED_CERTAINTY else Certainty.ABSTAIN
    matrix = tuple(tuple(1.0 if a == b else round(float(same[a, b]), 4) for b in range(n)) for a in range(n))
    groups = (tuple(range(n)),) if certainty is Certainty.TENTATIVE and all_same >= 0.5 else ()
    return Judged(Source.UNLISTED, (), (), groups, certainty, round(sure, 4), matrix, round(all_same, 4))


def dictionary() -> Lexicon:
    """Return the dictionary that all answers use."""
    return bundled_lexicon()


def meanings_of_uses(
    model: SenseModel, uses: Sequence[Use], embedded: Vectors, entries: Sequence[Entry]
) -> list[UseMeaning]:
    """Predict the meanings of uses, embedded as ``[n, H]``.

    The candidates are the meanings of the entries, in the order of ``senses_of``.
    """
    return [use_meaning(found) for found in model.classify(uses, embedded, senses_of(entries))]


def known_meaning(sentence: str, start: int) -> tuple[str, Sense] | None:
    """Return the word and the meaning of a use that is an example of the dictionary.

    Args:
        sentence: without brackets.
        start: character offset of the word in it.
    """
    return _known_meanings().get((sentence, start))


@cache
def _known_meanings() -> dict[tuple[str, int], tuple[str, Sense]]:
    return {
        (sentence.replace("[", "").replace("]", ""), sentence.index("[")): (entry.word, sense)
        for entry in dictionary().values()
        for sense in entry.senses
        for sentence in sense.sentences
    }

"""Decide which meaning each use of a word has, and how certain the answer is.

The meanings are those of the dictionary, the user's own, or none of these. Fixed expressions count
as meanings of a use that is inside one: in *We ran out of milk* the word *run* is a part of
*run out*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks import api
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.messages.meanings import UNKNOWN_WORDS
from elmo_tasks.senses.disambiguation import SenseModel, senses_of
from elmo_tasks.senses.entries import LITERAL, Entry, Sense
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.lexicon import Lexicon
from elmo_tasks.senses.scoring import NearMeanings, SenseProbabilities, same_probability
from elmo_tasks.text.language import foreign_language
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Use
from elmo_tasks.text.word_forms import folded, lemmas

#: Least probability at which the meaning of a use, or the grouping of all, is stated without
#: reservation. That of a set was lowered from .7 when the probabilities became more cautious, with
#: the results on labelled sets in view (``elmo-tasks evaluate --senses``).
_CONFIDENT_USE = 0.7
_CONFIDENT_SET = 0.6
_TENTATIVE_SET = 0.35
#: Least probability for an answer about a word in no list: right in nine of ten sets of
#: held-out words (``elmo-tasks evaluate --senses``).
_UNLISTED_CERTAINTY = 0.85
#: Probability that uses of a word on the list of words with one everyday meaning share it, and that
#: two are too unlike.
_ONE_MEANING = 0.97
_VERY_UNLIKE = 0.1
#: Least share of English words at which meanings are predicted.
_MIN_KNOWN_WORDS = 0.5
#: Highest probability in results: nothing is certain.
_MAX_PROBABILITY = 0.9999
#: Name of a meaning that is not listed.
ANOTHER_MEANING = "another meaning"
#: View that meanings are predicted from.
MEANINGS = "meanings"
#: Words beyond this rank are mostly names, and words of other languages in English texts.
_ENGLISH_RANK = 20_000
#: A text is English if all its words are within this rank, whatever its letters suggest. In 40
#: short sentences in ten other languages, each had a word beyond it.
_COMMON_RANK = 11_000
#: Words beside which capitalized words of a higher rank are names.
_ENGLISH = frozenset(
    (
        "the",
        "is",
        "are",
        "was",
        "were",
        "of",
        "and",
        "with",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "his",
        "her",
        "my",
        "their",
        "this",
        "that",
        "they",
        "she",
        "we",
        "you",
    )
)


#: Probability that an expression that is never literal is meant where its words stand.
EXPRESSION_PROBABILITY = 0.88
#: How much oftener an expression is meant than its words: an assumption, not fitted.
EXPRESSION_ODDS = 2.0
_EVERYDAY = Sense(key="everyday", part_of_speech="", gloss="its everyday meaning", sentences=())
_EVERYDAY_ONLY = SenseProbabilities((_ONE_MEANING,), 1 - _ONE_MEANING)
#: Meaning of an expression whose words are meant as usual: *the hot dog lay panting in the shade*.
_LITERAL = Sense(
    key=LITERAL, part_of_speech="", gloss="its words as usual, not the expression", sentences=()
)


@dataclass(frozen=True)
class ExpressionMatch:
    """An expression in a sentence."""

    entry: Entry
    start: int  #: its first token
    end: int  #: after its last token


@dataclass(frozen=True)
class Judged:
    """Meanings of some uses, known or predicted; see :class:`elmo_tasks.api.Comparison`."""

    source: api.MeaningSource
    meanings: tuple[api.Meaning, ...] = ()
    of_uses: tuple[api.UseMeaning, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    certainty: api.Certainty = api.Certainty.ABSTAIN
    probability: float = 0.0
    same_meaning: tuple[tuple[float, ...], ...] = ()


def entries_for(word: str, forms: Sequence[str], lexicon: Lexicon) -> tuple[Entry, ...]:
    """Return the entries whose meanings the uses of a word, written in ``forms``, may have.

    The entries of ``word`` as typed count if all forms are inflections of it.
    """
    key = folded(word.strip())
    if " " in key or "-" in key:
        return lexicon.find(key)
    if key and all(
        key in lemmas(folded(form)) or lemmas(key) & lemmas(folded(form)) for form in forms
    ):
        return lexicon.find(key)
    shared = [lexicon.find(form) for form in dict.fromkeys(forms)]
    return (
        tuple(entry for entry in shared[0] if all(entry in others for others in shared[1:]))
        if shared
        else ()
    )


def not_english(static: StaticVectors, texts: Sequence[str]) -> str:
    """Return why texts are not read; empty for English.

    It is the name of another language, or that the words are unknown. One text in another language
    among English ones counts.
    """
    # A few letters can look like any language: "Use fine sand." like Danish.
    languages = {
        text: language
        for text in texts
        if (language := foreign_language(text)) and not _is_plainly_english(static, text)
    }
    if languages:
        # All texts together distinguish similar languages, such as Spanish and Italian, better.
        return foreign_language(" ".join(languages)) or next(iter(languages.values()))
    words = [token.text for text in texts for token in tokenize(text) if token.text[:1].isalpha()]
    is_known = static.rows_of(words) < min(_ENGLISH_RANK, len(static))
    return UNKNOWN_WORDS if words and float(is_known.float().mean()) < _MIN_KNOWN_WORDS else ""


def likely_spelling(static: StaticVectors, lexicon: Lexicon, word: str) -> str:
    """Return the word that a rare word in lower case may be a misspelling of; else empty."""
    is_rare = bool(static.rows_of([word])[0] >= min(_ENGLISH_RANK, len(static)))
    return lexicon.nearest_spelling(word) if is_rare and word.islower() else ""


def _is_plainly_english(static: StaticVectors, text: str) -> bool:
    """Return True if all words are common English ones; beside such words a name may stand."""
    words = [token.text for token in tokenize(text) if token.text[:1].isalpha()]
    is_common = (static.rows_of(words) < min(_COMMON_RANK, len(static))).tolist()
    others = [word for word, common in zip(words, is_common, strict=True) if not common]
    if not others:
        return bool(words)
    return all(word[:1].isupper() for word in others) and not _ENGLISH.isdisjoint(words)


def judge(
    model: SenseModel,
    uses: Sequence[Use],
    embedded: Vectors,
    word: str,
    lexicon: Lexicon,
    own: Sequence[Entry] = (),
) -> Judged:
    """Predict the meanings of uses embedded as ``[n, H]``; the user's ``own`` come first.

    The uses of a word in no list share a meaning (one group), or not, or there is no answer.
    """
    forms = [use.word for use in uses]
    own_entries = entries_for(word, forms, Lexicon(own)) if own else ()
    entries = own_entries or entries_for(word, forms, lexicon)
    has_one = len(senses_of(entries)) == 1 or (
        not entries
        and any(lexicon.has_one_meaning(form) for form in (word, *forms[:1]) if form.strip())
    )
    inside = [None if own_entries else expression_of(use, lexicon) for use in uses]
    if has_one and any(inside):
        entries = entries if len(senses_of(entries)) == 1 else (Entry(word.strip(), (_EVERYDAY,)),)
    if has_one and entries and entries[0].also_literal and not any(inside):
        return _expression_or_literal(model, uses, embedded, entries[0])
    if len(senses_of(entries)) > 1 or (entries and any(inside)):
        source = api.MeaningSource.OWN if own_entries else api.MeaningSource.DICTIONARY
        return _by_meanings(model, uses, embedded, entries, inside, source)
    same = same_probability(model.calibration, embedded)
    return _one_meaning(same, entries) if has_one else _unlisted(same, forms)


def _one_meaning(same: NDArray[np.float64], entries: Sequence[Entry]) -> Judged:
    """Say that uses ``[n, n]`` of a word with one everyday meaning share it."""
    n = len(same)
    is_unlike = same.min() < _VERY_UNLIKE
    return Judged(
        source=api.MeaningSource.ONE_MEANING,
        meanings=senses_as_meanings(entries),
        groups=(tuple(range(n)),),
        certainty=api.Certainty.TENTATIVE if is_unlike else api.Certainty.CONFIDENT,
        probability=_ONE_MEANING,
        same_meaning=_matrix(np.full((n, n), _ONE_MEANING)),
    )


def _unlisted(same: NDArray[np.float64], forms: Sequence[str]) -> Judged:
    """Say whether uses ``[n, n]`` of a word in no list share a meaning, if that is clear.

    Never states that all uses of a name mean the same: a city and a person of one name occur in
    much the same contexts.
    """
    n = len(same)
    # Uses are chained: n - 1 pairs decide, and the least similar ones decide most.
    pairs = np.sort(same[np.triu_indices(n, 1)])[: n - 1]
    all_same = float(np.prod(pairs) ** (1 / max(1, n - 1)))
    sure = max(all_same, 1 - all_same)
    is_same = all_same >= _UNLISTED_CERTAINTY
    is_name = all(form[:1].isupper() for form in forms)
    is_clear = sure >= _UNLISTED_CERTAINTY and not (is_same and is_name)
    return Judged(
        source=api.MeaningSource.UNLISTED,
        groups=(tuple(range(n)),) if is_clear and is_same else (),
        certainty=api.Certainty.TENTATIVE if is_clear else api.Certainty.ABSTAIN,
        probability=min(round(sure, 4), _MAX_PROBABILITY),
        same_meaning=_matrix(same),
    )


def expression_of(use: Use, lexicon: Lexicon) -> ExpressionMatch | None:
    """Return the expression that replaces the usual meaning of a use, and its position.

    The object inside a split expression keeps its meaning: *driver* in *took the driver out*.
    """
    for entry, start, end in lexicon.expressions_in([folded(token) for token in use.tokens]):
        is_part = start <= use.token_start and use.token_end <= end
        is_opaque = entry.is_expression and not entry.is_transparent
        words = map(folded, use.tokens[use.token_start : use.token_end])
        is_object = not all(map(entry.pattern.has, words))
        is_longer = (start, end) != (use.token_start, use.token_end)
        if is_opaque and is_part and is_longer and not is_object:
            return ExpressionMatch(entry, start, end)
    return None


def _by_meanings(
    model: SenseModel,
    uses: Sequence[Use],
    embedded: Vectors,
    entries: Sequence[Entry],
    inside: Sequence[ExpressionMatch | None],
    source: api.MeaningSource,
) -> Judged:
    """Choose among the meanings of the entries and those of the expressions that uses are in."""
    senses = senses_of(entries)
    predicted = (
        model.classify(uses, embedded, senses) if len(senses) > 1 else [_EVERYDAY_ONLY] * len(uses)
    )
    found = {place.entry.word: place.entry for place in inside if place is not None}
    if found:
        predicted = _with_expressions(model, uses, predicted, inside, list(found.values()))
    return _judged(uses, predicted, senses_as_meanings([*entries, *found.values()]), source)


def _expression_or_literal(
    model: SenseModel, uses: Sequence[Use], embedded: Vectors, entry: Entry
) -> Judged:
    """Choose between an expression's single meaning and the literal sense of its words."""
    predicted = [
        SenseProbabilities((*p.probabilities, p.other), 0.0)
        for p in classify_expression(model, uses, embedded, entry)
    ]
    meanings = senses_as_meanings([Entry(entry.word, (*entry.senses, _LITERAL))])
    return _judged(uses, predicted, meanings, api.MeaningSource.DICTIONARY)


def _judged(
    uses: Sequence[Use],
    predicted: Sequence[SenseProbabilities],
    meanings: tuple[api.Meaning, ...],
    source: api.MeaningSource,
) -> Judged:
    """Group uses by their likeliest meanings, and state the certainty of the grouping."""
    # A repeated sentence is right each time or wrong each time.
    distinct = {
        (use.tokens, use.token_start): p.top for use, p in zip(uses, predicted, strict=True)
    }
    probability = float(np.prod(list(distinct.values())))
    certainty = api.Certainty.TENTATIVE if probability >= _TENTATIVE_SET else api.Certainty.ABSTAIN
    if probability >= _CONFIDENT_SET:
        certainty = api.Certainty.CONFIDENT
    groups = tuple(api.group_by(p.best for p in predicted).values())
    return Judged(
        source=source,
        meanings=meanings,
        of_uses=tuple(map(use_meaning, predicted)),
        groups=() if certainty is api.Certainty.ABSTAIN else groups,
        certainty=certainty,
        probability=min(round(probability, 4), _MAX_PROBABILITY),
        same_meaning=_matrix(np.array([[a.same(b) for b in predicted] for a in predicted])),
    )


def _with_expressions(
    model: SenseModel,
    uses: Sequence[Use],
    predicted: Sequence[SenseProbabilities],
    inside: Sequence[ExpressionMatch | None],
    expressions: Sequence[Entry],
) -> list[SenseProbabilities]:
    """Append the meanings of expressions to those of the word."""
    combined = []
    for use, meant, place in zip(uses, predicted, inside, strict=True):
        shares = [0.0] * sum(len(entry.senses) for entry in expressions)
        if place is None:
            combined.append(SenseProbabilities((*meant.probabilities, *shares), meant.other))
            continue
        whole = Use.of_tokens(use.tokens, place.start, place.end)
        (of_expression,) = classify_expression(model, [whole], model.embed([whole]), place.entry)
        first = sum(len(entry.senses) for entry in expressions[: expressions.index(place.entry)])
        shares[first : first + len(place.entry.senses)] = of_expression.probabilities
        literal = of_expression.other
        rest = tuple(literal * p for p in meant.probabilities)
        combined.append(SenseProbabilities((*rest, *shares), literal * meant.other))
    return combined


def classify_expression(
    model: SenseModel,
    uses: Sequence[Use],
    embedded: Vectors,
    entry: Entry,
    near: NearMeanings | None = None,
) -> list[SenseProbabilities]:
    """Classify uses of an expression.

    ``other`` is the probability that its words are meant literally.
    """
    predicted = model.classify(
        uses, embedded, [(entry.word, sense) for sense in entry.all_senses], near=near
    )
    if entry.literal is not None:
        return [_expression_before_literal(p) for p in predicted]
    if entry.also_literal:
        return predicted
    shares = [EXPRESSION_PROBABILITY / max(1e-9, sum(p.probabilities)) for p in predicted]
    return [
        SenseProbabilities(tuple(share * p for p in one.probabilities), 1 - EXPRESSION_PROBABILITY)
        for share, one in zip(shares, predicted, strict=True)
    ]


def _expression_before_literal(predicted: SenseProbabilities) -> SenseProbabilities:
    """Move the last probability, that of the literal meaning, to ``other``.

    An expression is meant :data:`EXPRESSION_ODDS` times as often as its words.
    """
    *meant, literal = predicted.probabilities
    weighted = [EXPRESSION_ODDS * p for p in meant]
    total = max(1e-9, sum(weighted) + literal)
    return SenseProbabilities(tuple(p / total for p in weighted), literal / total)


def meaning_of(word: str, sense: Sense) -> api.Meaning:
    """Convert a meaning of the dictionary to its form in results."""
    return api.Meaning(
        word=word, key=sense.key, part_of_speech=sense.part_of_speech, gloss=sense.gloss
    )


def senses_as_meanings(entries: Sequence[Entry]) -> tuple[api.Meaning, ...]:
    """Return every meaning of the entries, in the order of ``senses_of``."""
    return tuple(meaning_of(word, sense) for word, sense in senses_of(entries))


def use_meaning(predicted: SenseProbabilities) -> api.UseMeaning:
    """Convert the probabilities of one use to their form in results."""
    probabilities = tuple(min(round(p, 4), _MAX_PROBABILITY) for p in predicted.probabilities)
    certainty = (
        api.Certainty.CONFIDENT if predicted.top >= _CONFIDENT_USE else api.Certainty.TENTATIVE
    )
    other = min(round(predicted.other, 4), _MAX_PROBABILITY)
    return api.UseMeaning(
        probabilities=probabilities, other=other, best=predicted.best, certainty=certainty
    )


def _matrix(probabilities: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    """Return ``[n][n]`` rounded probabilities, with 1 on the diagonal."""
    rounded = probabilities.round(4).clip(max=_MAX_PROBABILITY)
    np.fill_diagonal(rounded, 1.0)
    return tuple(map(tuple, rounded.tolist()))


def meanings_of_uses(
    model: SenseModel, uses: Sequence[Use], embedded: Vectors, entries: Sequence[Entry]
) -> list[api.UseMeaning]:
    """Choose for uses embedded as ``[n, H]`` among the meanings of the entries."""
    return list(map(use_meaning, model.classify(uses, embedded, senses_of(entries))))

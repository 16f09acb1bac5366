"""Meanings of uses and of texts, by the dictionary, the user's own, or none of these."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from elmo_tasks import api
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.uses import Use
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.messages.meanings import not_english_answer, text_answer, uncalibrated_answer
from elmo_tasks.messages.text import first_capital, replace_surrogates
from elmo_tasks.senses.disambiguation import SenseModel, SenseProbabilities, same_probability, senses_of
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.lexicon import Entry, Lexicon, Sense, bundled_lexicon, check_marks, parse_entries
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.validation import check_size
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.tokens import split_sentences, tokenize
from elmo_tasks.text.word_forms import folded, lemmas

#: Least probability at which the meaning of a use, or the grouping of all, is stated without reservation. Measured,
#: not tuned, on held-out words and fresh test sets (``elmo-tasks evaluate --senses``).
_CONFIDENT_USE, _CONFIDENT_SET, _TENTATIVE_SET = 0.7, 0.6, 0.35
#: Least probability at which something is said of a word in no list.
_UNLISTED_CERTAINTY = 0.75
#: Probability that uses of a word on the list of words with one everyday meaning share it, and that two are too unlike.
_ONE_MEANING, _VERY_UNLIKE = 0.97, 0.1
#: Least share of English words at which meanings are predicted.
MIN_KNOWN_WORDS = 0.5
#: Words of a sentence from which its language shows.
_MIN_WORDS = 3
#: Highest probability in results: nothing is certain.
_SUREST = 0.9999
#: Name of a meaning that is not listed.
ANOTHER = "another meaning"
#: View that meanings are predicted from.
MEANINGS = "meanings"
#: Words beyond this rank are mostly names, and words of other languages in English texts.
_ENGLISH_RANK = 20_000
_CUT_SHORT, _NOT = ("ca", "wo", "sha"), re.compile("n['’]t", re.IGNORECASE)  # can't, won't, shan't
_MAX_CHARACTERS, _MAX_OWN_SENTENCES, _MAX_TEXT_TOKENS, _MAX_SENTENCE_TOKENS = 20_000, 60, 2_000, 200
#: Each word is read together with all words before it: the work grows with the square of this number.
_MAX_WORDS = 40
_READY_MEANINGS, _MISTAKES = 4, 3
#: Number of test sentences that take about a second.
_TESTED = 120


@dataclass(frozen=True)
class Judged:
    """Meanings of some uses, known or predicted; see :class:`elmo_tasks.api.Comparison`."""

    source: api.Source
    meanings: tuple[api.Meaning, ...] = ()
    uses: tuple[api.UseMeaning, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    certainty: api.Certainty = api.Certainty.ABSTAIN
    probability: float = 0.0
    same_meaning: tuple[tuple[float, ...], ...] = ()


def entries_for(word: str, forms: Sequence[str], lexicon: Lexicon) -> tuple[Entry, ...]:
    """Return the entries whose meanings the uses of a word, written in ``forms``, may have.

    The entries of ``word`` as typed count if all forms are inflections of it.
    """
    key = folded(word.strip())
    if key and all(key in lemmas(folded(form)) or lemmas(key) & lemmas(folded(form)) for form in forms):
        return lexicon.find(key)
    shared = [lexicon.find(form) for form in dict.fromkeys(forms)]
    return tuple(entry for entry in shared[0] if all(entry in others for others in shared[1:])) if shared else ()


def own_entries(text: str) -> list[Entry]:
    """Parse the user's own meanings; an :class:`InputError` names what breaks the format."""
    if not text.strip():
        return []
    check_size(text, "own_meanings", "Own meanings: the text", _MAX_CHARACTERS)
    try:
        entries = parse_entries(replace_surrogates(text), "own meanings")
        check_marks(entries, "own meanings")
    except DataError as error:
        raise InputError(f"{first_capital(str(error)).removesuffix('.')}.", field="own_meanings") from None
    n = sum(len(sense.sentences) for entry in entries for sense in entry.senses)
    if n > _MAX_OWN_SENTENCES:
        raise InputError(f"Own meanings: {n} sentences; the most is {_MAX_OWN_SENTENCES}.", field="own_meanings")
    if one := next((entry.word for entry in entries if len(entry.senses) < 2), None):
        message = f"Own meanings: “{one}” has one meaning; give at least two, each with a sentence or more."
        raise InputError(message, field="own_meanings")
    return entries


def least_known_share(static: StaticVectors, sentences: Sequence[Sequence[str]]) -> float:
    """Return :func:`known_share` of the least English sentence, very short ones aside."""
    long = [[tokens] for tokens in sentences if sum(token[:1].isalpha() for token in tokens) >= _MIN_WORDS]
    return min(known_share(static, part) for part in (sentences, *long))


def known_share(static: StaticVectors, sentences: Sequence[Sequence[str]]) -> float:
    """Return the share of English words in some sentences."""
    words = [token for tokens in sentences for token in tokens if token[:1].isalpha()]
    is_english = static.rows_of(words) < min(_ENGLISH_RANK, len(static))
    return float(is_english.float().mean()) if words else 1.0


def judge(
    model: SenseModel, uses: Sequence[Use], embedded: Vectors, word: str, lexicon: Lexicon, own: Sequence[Entry] = ()
) -> Judged:
    """Predict the meanings of uses embedded as ``[n, H]``; the user's ``own`` come first.

    The uses of a word in no list share a meaning (one group), or not, or there is no answer.
    """
    forms = [use.word for use in uses]
    own_entries = entries_for(word, forms, Lexicon(own)) if own else ()
    entries = own_entries or entries_for(word, forms, lexicon)
    senses = senses_of(entries)
    if len(senses) > 1:
        source = api.Source.OWN if own_entries else api.Source.DICTIONARY
        predicted = model.classify(uses, embedded, senses)
        # A sentence that stands twice is right twice, or wrong twice.
        distinct = {(use.tokens, use.token_start): p.top for use, p in zip(uses, predicted, strict=True)}
        probability = float(np.prod(list(distinct.values())))
        certainty = api.Certainty.TENTATIVE if probability >= _TENTATIVE_SET else api.Certainty.ABSTAIN
        if probability >= _CONFIDENT_SET:
            certainty = api.Certainty.CONFIDENT
        groups = tuple(api.group_by(p.best for p in predicted).values())
        return Judged(
            source,
            senses_as_meanings(entries),
            tuple(map(use_meaning, predicted)),
            () if certainty is api.Certainty.ABSTAIN else groups,
            certainty,
            min(round(probability, 4), _SUREST),
            _matrix(np.array([[a.same(b) for b in predicted] for a in predicted])),
        )
    same, n = same_probability(model.calibration, embedded), len(uses)
    everything = (tuple(range(n)),)
    if senses or any(lexicon.has_one_meaning(form) for form in (word, *forms[:1]) if form.strip()):
        certainty = api.Certainty.TENTATIVE if same.min() < _VERY_UNLIKE else api.Certainty.CONFIDENT
        matrix = _matrix(np.full((n, n), _ONE_MEANING))
        return Judged(api.Source.ONE_MEANING, (), (), everything, certainty, _ONE_MEANING, matrix)
    # Uses are chained: n - 1 pairs decide, and the least similar ones decide most.
    pairs = np.sort(same[np.triu_indices(n, 1)])[: n - 1]
    all_same = float(np.prod(pairs) ** (1 / max(1, n - 1)))
    sure = max(all_same, 1 - all_same)
    certainty = api.Certainty.TENTATIVE if sure >= _UNLISTED_CERTAINTY else api.Certainty.ABSTAIN
    groups = everything if all_same >= _UNLISTED_CERTAINTY else ()
    return Judged(api.Source.UNLISTED, (), (), groups, certainty, min(round(sure, 4), _SUREST), _matrix(same))


def senses_as_meanings(entries: Sequence[Entry]) -> tuple[api.Meaning, ...]:
    """Return every meaning of the entries, in the order of ``senses_of``."""
    return tuple(api.Meaning(word, s.key, s.part_of_speech, s.gloss) for word, s in senses_of(entries))


def use_meaning(predicted: SenseProbabilities) -> api.UseMeaning:
    """Convert the probabilities of one use to their form in results."""
    probabilities = tuple(min(round(p, 4), _SUREST) for p in predicted.probabilities)
    certainty = api.Certainty.CONFIDENT if predicted.top >= _CONFIDENT_USE else api.Certainty.TENTATIVE
    other = min(round(predicted.other, 4), _SUREST)
    return api.UseMeaning(probabilities, other, predicted.best, certainty)


def _matrix(probabilities: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    """Return ``[n][n]`` rounded probabilities, with 1 on the diagonal."""
    rounded = probabilities.round(4).clip(max=_SUREST)
    np.fill_diagonal(rounded, 1.0)
    return tuple(map(tuple, rounded.tolist()))


def meanings_of_uses(
    model: SenseModel, uses: Sequence[Use], embedded: Vectors, entries: Sequence[Entry]
) -> list[api.UseMeaning]:
    """Choose for uses embedded as ``[n, H]`` among the meanings of the entries."""
    return list(map(use_meaning, model.classify(uses, embedded, senses_of(entries))))


@cache
def known_meanings() -> dict[tuple[str, int], tuple[str, Sense]]:
    """Return the word and meaning of each dictionary example, by sentence and place."""
    return {
        (sentence.replace("[", "").replace("]", ""), sentence.index("[")): (entry.word, sense)
        for entry in bundled_lexicon().values()
        for sense in entry.senses
        for sentence in sense.sentences
    }


def text_senses(text: str, loaded: LoadedModel, own: Sequence[Entry] = ()) -> api.TextSenses:
    """Implement :meth:`elmo_tasks.api.Service.senses`."""
    text = replace_surrogates(text)
    if not text.strip():
        raise InputError("Type a text.", field="text")
    check_size(text, "text", "The text", _MAX_CHARACTERS)
    lexicon = bundled_lexicon().with_entries(own) if own else bundled_lexicon()
    sentences = split_sentences(text, _MAX_SENTENCE_TOKENS)
    tokens = [tokenize(sentence) for sentence in sentences]
    words = [token.text for row in tokens for token in row]
    check_size(words, "text", "The text", _MAX_TEXT_TOKENS)

    def answer(message: api.Message, senses: tuple[api.TextWord, ...] = ()) -> api.TextSenses:
        return api.TextSenses(loaded.encoder.name, " ".join(sentences), senses, len(words), message)

    if loaded.senses is None:
        return answer(uncalibrated_answer(loaded.encoder.name))
    english = known_share(loaded.static, [words])
    if english < MIN_KNOWN_WORDS:
        return answer(not_english_answer(english))
    rows: list[tuple[Use, tuple[Entry, ...], int]] = []  # each with its entries and the offset of its sentence
    offset = 0
    for sentence, row in zip(sentences, tokens, strict=True):
        for k, token in enumerate(row):
            entries = lexicon.find(token.text) if token.text[:1].isalpha() else ()
            if len(senses_of(entries)) > 1:
                rows.append((Use.in_sentence(sentence, row, k), entries, offset))
        offset += len(sentence) + 1
    embedded = loaded.senses.embed([use for use, _, _ in rows]) if rows else ()
    joined, senses = " ".join(sentences), []
    for (use, entries, offset), vector in zip(rows, embedded, strict=True):
        (meant,) = meanings_of_uses(loaded.senses, [use], vector[None], entries)
        start, end, shown = offset + use.char_start, offset + use.char_end, use.word
        if _NOT.match(joined, end) and use.word.lower() in _CUT_SHORT:
            shown, end = joined[start : end + 3], end + 3  # two tokens, but one word of the text
        senses.append(api.TextWord(shown, start, end, senses_as_meanings(entries), meant))
    unsure = sum(not word.meant.is_sure for word in senses)
    return answer(text_answer(len(senses), unsure, len(lexicon.ambiguous)), tuple(senses))


def ready_sentences(word: str) -> api.ReadyWord | None:
    """Implement :meth:`elmo_tasks.api.Service.ready_sentences`."""
    entry = next((e for e in bundled_lexicon().find(word.strip()) if len(e.senses) > 1), None)
    if entry is None:
        return None
    senses = entry.senses[:_READY_MEANINGS]
    sentences = tuple(sentence for sense in senses for sentence in sense.test_sentences)
    meant = tuple(sense.key for sense in senses for _ in sense.test_sentences)
    return api.ReadyWord(entry.word, sentences, meant) if len(sentences) > 1 else None


def incremental_reading(
    word: str, sentence: str, senses: Sequence[str] | None, loaded: LoadedModel
) -> api.IncrementalReading:
    """Implement :meth:`elmo_tasks.api.Service.incremental_reading`."""
    check_size(sentence, "sentence 1")
    mention = find_mention(word, sentence, field="sentence 1")
    tokens, start = mention.tokens, mention.token_start
    check_size(tokens, "sentence 1", maximum=_MAX_WORDS)
    check_word(word)
    entries = bundled_lexicon().find(word.strip())
    meanings = senses_as_meanings(entries)
    if len(meanings) < 2:
        raise InputError(f"“{word.strip()[:40]}” has no two meanings in the dictionary.", field="word")
    available = [meaning.key for meaning in meanings]
    names = list(senses) if senses else available[:2]
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(available):
        raise InputError(f"Choose two different meanings of “{word.strip()}”: {', '.join(available)}.", field="senses")
    first, second = map(available.index, names)
    lengths = range(start + 1, len(tokens) + 1)
    uses = [Use.of_tokens(tokens[:n], start) for n in lengths]
    embedded = loaded.sense_model.embed(uses)
    steps = []
    for n, meant in zip(lengths, meanings_of_uses(loaded.sense_model, uses, embedded, entries), strict=True):
        best = (ANOTHER if meant.best is None else meanings[meant.best].key) if meant.is_sure else None
        steps.append(api.ReadingStep(n, (meant.probabilities[first], meant.probabilities[second]), best))
    return api.IncrementalReading(
        word=word.strip(),
        model=loaded.encoder.name,
        sentence=mention.sentence,
        tokens=tokens,
        offsets=tuple((token.start, token.end) for token in tokenize(mention.sentence)),
        index=start,
        senses=(meanings[first], meanings[second]),
        steps=tuple(steps),
    )


def dictionary_test(model: SenseModel) -> api.DictionaryTest:
    """Classify a test sentence for each meaning of held-out words, in an arbitrary order."""
    held_out = [entry for entry in bundled_lexicon().ambiguous if entry.is_held_out]
    held_out.sort(key=lambda entry: hashlib.sha256(entry.word.encode()).digest())
    rows = [(e, sense, s) for e in held_out for sense in e.senses for s in sense.test_sentences[:1]][:_TESTED]
    uses = [find_mention(entry.word, sentence) for entry, _, sentence in rows]
    mistakes = []
    for (entry, sense, _), use, vector in zip(rows, uses, model.embed(uses), strict=True):
        (meant,) = meanings_of_uses(model, [use], vector[None], [entry])
        best = None if meant.best is None else senses_of([entry])[meant.best][1]
        if best is None or best.key != sense.key:
            glosses = (sense.gloss, ANOTHER if best is None else best.gloss)
            place = (use.sentence, use.char_start, use.char_end)
            mistakes.append(api.Mistake(*place, entry.word, *glosses, meant.probability))
    mistakes.sort(key=lambda mistake: -mistake.probability)
    return api.DictionaryTest(len(rows), len(rows) - len(mistakes), tuple(mistakes[:_MISTAKES]))

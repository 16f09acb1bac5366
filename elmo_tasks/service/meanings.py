"""Meanings of uses and of texts, by the dictionary, the user's own, or none of these."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from elmo_tasks import api
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.uses import Use
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.messages.meanings import not_english_answer, text_answer, uncalibrated_answer
from elmo_tasks.messages.text import replace_surrogates
from elmo_tasks.senses.disambiguation import SenseModel, SenseProbabilities, same_probability, senses_of
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.lexicon import Entry, Lexicon, Sense, bundled_lexicon, check_marks, parse_entries
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.validation import check_length, check_words
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.tokens import split_sentences, tokenize
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
#: View that meanings are predicted from.
MEANINGS = "meanings"
#: Words beyond this rank are mostly names, and words of other languages in English texts.
_ENGLISH_RANK = 20_000
_MAX_CHARACTERS, _MAX_OWN_SENTENCES, _MAX_TEXT_TOKENS, _MAX_SENTENCE_TOKENS = 20_000, 60, 2_000, 200
#: Each word is read together with all words before it: the work grows with the square of this number.
MAX_WORDS = 40
_READY_MEANINGS = 4
#: Number of test sentences that take about a second.
_TESTED = 120
_MISTAKES = 3


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
    all_same: float = 0.0  #: for an unlisted word: the probability that all uses share a meaning


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
    check_length(text, "own_meanings", "Own meanings: the text", _MAX_CHARACTERS, "")
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
    """Predict the meanings of uses embedded as ``[n, H]``; the user's ``own`` come first."""
    forms = [use.word for use in uses]
    own_entries = entries_for(word, forms, Lexicon(own)) if own else ()
    entries = own_entries or entries_for(word, forms, lexicon)
    senses = senses_of(entries)
    if len(senses) > 1:
        source = api.Source.OWN if own_entries else api.Source.DICTIONARY
        return _by_meanings(source, senses_as_meanings(entries), model.classify(uses, embedded, senses))
    if senses or any(lexicon.has_one_meaning(form) for form in (word, *forms[:1]) if form.strip()):
        return _one_meaning(model, embedded)
    return _unlisted(model, embedded)


def senses_as_meanings(entries: Sequence[Entry]) -> tuple[api.Meaning, ...]:
    """Return every meaning of the entries, in the order of ``senses_of``."""
    return tuple(api.Meaning(word, s.key, s.part_of_speech, s.gloss) for word, s in senses_of(entries))


def use_meaning(predicted: SenseProbabilities) -> api.UseMeaning:
    """Convert the probabilities of one use to their form in results."""
    certainty = api.Certainty.CONFIDENT if predicted.top >= CONFIDENT_USE else api.Certainty.TENTATIVE
    probabilities = tuple(round(p, 4) for p in predicted.probabilities)
    return api.UseMeaning(probabilities, round(predicted.other, 4), predicted.best, certainty)


def _by_meanings(
    source: api.Source, meanings: tuple[api.Meaning, ...], predicted: Sequence[SenseProbabilities]
) -> Judged:
    probability = float(np.prod([p.top for p in predicted]))
    if probability >= CONFIDENT_SET:
        certainty = api.Certainty.CONFIDENT
    else:
        certainty = api.Certainty.TENTATIVE if probability >= TENTATIVE_SET else api.Certainty.ABSTAIN
    groups = tuple(api.group_by(p.best for p in predicted).values())
    return Judged(
        source,
        meanings,
        tuple(map(use_meaning, predicted)),
        groups if certainty is not api.Certainty.ABSTAIN else (),
        certainty,
        round(probability, 4),
        _matrix(len(predicted), lambda a, b: predicted[a].same(predicted[b])),
    )


def _one_meaning(model: SenseModel, embedded: Vectors) -> Judged:
    """Judge a word with one everyday meaning; very unlike sentences may hide a second one."""
    n = len(embedded)
    unlike = float(same_probability(model.calibration, embedded).min()) < _VERY_UNLIKE
    certainty = api.Certainty.TENTATIVE if unlike else api.Certainty.CONFIDENT
    same = _matrix(n, lambda a, b: _ONE_MEANING)
    return Judged(api.Source.ONE_MEANING, (), (), (tuple(range(n)),), certainty, _ONE_MEANING, same, _ONE_MEANING)


def _unlisted(model: SenseModel, embedded: Vectors) -> Judged:
    """Judge a word in no list: its uses share a meaning, or not, or there is no answer."""
    same = same_probability(model.calibration, embedded)
    n = len(embedded)
    pairs = [float(same[a, b]) for a, b in combinations(range(n), 2)]
    # Uses are chained: n - 1 pairs decide, and the least similar ones decide most.
    all_same = float(np.prod(sorted(pairs)[: n - 1]) ** (1 / max(1, n - 1)))
    sure = max(all_same, 1 - all_same)
    certainty = api.Certainty.TENTATIVE if sure >= _UNLISTED_CERTAINTY else api.Certainty.ABSTAIN
    matrix = _matrix(n, lambda a, b: same[a, b])
    groups = (tuple(range(n)),) if certainty is api.Certainty.TENTATIVE and all_same >= 0.5 else ()
    return Judged(api.Source.UNLISTED, (), (), groups, certainty, round(sure, 4), matrix, round(all_same, 4))


def _matrix(n: int, probability: Callable[[int, int], float]) -> tuple[tuple[float, ...], ...]:
    """Return ``[n][n]`` rounded probabilities, with 1 on the diagonal."""
    return tuple(tuple(1.0 if a == b else round(float(probability(a, b)), 4) for b in range(n)) for a in range(n))


def meanings_of_uses(
    model: SenseModel, uses: Sequence[Use], embedded: Vectors, entries: Sequence[Entry]
) -> list[api.UseMeaning]:
    """Choose for uses embedded as ``[n, H]`` among the meanings of the entries."""
    return list(map(use_meaning, model.classify(uses, embedded, senses_of(entries))))


def known_meaning(sentence: str, start: int) -> tuple[str, Sense] | None:
    """Return the word and meaning of a use that begins at ``start``, if it is an example."""
    return _known_meanings().get((sentence, start))


@cache
def _known_meanings() -> dict[tuple[str, int], tuple[str, Sense]]:
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
    check_length(text, "text", "The text", _MAX_CHARACTERS, "")
    lexicon = bundled_lexicon().with_entries(own) if own else bundled_lexicon()
    sentences = split_sentences(text, _MAX_SENTENCE_TOKENS)
    tokens = [tokenize(sentence) for sentence in sentences]
    words = [token.text for row in tokens for token in row]
    check_words(words, "text", "The text", _MAX_TEXT_TOKENS, "")

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
    senses = []
    for (use, entries, offset), vector in zip(rows, embedded, strict=True):
        (meant,) = meanings_of_uses(loaded.senses, [use], vector[None], entries)
        start, end = offset + use.char_start, offset + use.char_end
        senses.append(api.TextWord(use.word, start, end, senses_as_meanings(entries), meant))
    unsure = sum(not word.meant.is_sure for word in senses)
    return answer(text_answer(len(senses), unsure, len(lexicon.ambiguous)), tuple(senses))


def ready_sentences(word: str) -> api.ReadyWord | None:
    """Implement :meth:`elmo_tasks.api.Service.ready_sentences`."""
    entry = next((e for e in bundled_lexicon().find(word.strip()) if len(e.senses) > 1), None)
    if entry is None:
        return None
    rows = [(s, sense.key) for sense in entry.senses[:_READY_MEANINGS] for s in sense.test_sentences]
    return (
        api.ReadyWord(entry.word, tuple(s for s, _ in rows), tuple(key for _, key in rows)) if len(rows) > 1 else None
    )


def incremental_reading(
    word: str, sentence: str, senses: Sequence[str] | None, loaded: LoadedModel
) -> api.IncrementalReading:
    """Implement :meth:`elmo_tasks.api.Service.incremental_reading`."""
    check_length(sentence, "sentence 1")
    mention = find_mention(word, sentence, field="sentence 1")
    tokens, start = mention.tokens, mention.token_start
    if len(tokens) > MAX_WORDS:
        raise InputError(
            f"The sentence has {len(tokens)} words; the most is {MAX_WORDS} here. Shorten it.", field="sentence 1"
        )
    entries = bundled_lexicon().find(word.strip())
    meanings = senses_as_meanings(entries)
    check_word(word)
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
            gloss = ANOTHER if best is None else best.gloss
            mistakes.append(
                api.Mistake(
                    use.sentence, use.char_start, use.char_end, entry.word, sense.gloss, gloss, meant.probability
                )
            )
    mistakes.sort(key=lambda mistake: -mistake.probability)
    return api.DictionaryTest(len(rows), len(rows) - len(mistakes), tuple(mistakes[:_MISTAKES]))

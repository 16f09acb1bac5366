"""Meanings of uses and of texts, by the dictionary, the user's own, or none of these."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

from elmo_tasks import api
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.disambiguation import SenseModel
from elmo_tasks.senses.judging import ANOTHER, meaning_of, meanings_of_uses, senses_as_meanings
from elmo_tasks.senses.lexicon import Entry, Sense, bundled_lexicon, check_marks, parse_entries
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.validation import check_size
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Use
from elmo_tasks.wording import first_capital, replace_surrogates

_MAX_CHARACTERS = 20_000
_MAX_OWN_SENTENCES = 60
#: Each word is read together with all words before it: the work grows with the square of this
#: number.
_MAX_WORDS = 40
_READY_MEANINGS = 4
_MISTAKES = 3
#: Number of test sentences that take about a second.
_TESTED = 120


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
    if n > _MAX_OWN_SENTENCES:
        raise InputError(
            f"Own meanings: {n} sentences; the most is {_MAX_OWN_SENTENCES}.", field="own_meanings"
        )
    if one := next((entry.word for entry in entries if len(entry.senses) < 2), None):
        message = (
            f"Own meanings: “{one}” has one meaning; give at least two, each with a sentence or"
            " more."
        )
        raise InputError(message, field="own_meanings")
    return entries


@cache
def known_meanings() -> dict[tuple[str, int], tuple[str, Sense]]:
    """Return the word and meaning of each dictionary example, by sentence and place."""
    return {
        (sentence.replace("[", "").replace("]", ""), sentence.index("[")): (entry.word, sense)
        for entry in bundled_lexicon().values()
        for sense in entry.senses
        for sentence in sense.sentences
    }


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
        raise InputError(
            f"“{word.strip()[:40]}” has no two meanings in the dictionary.", field="word"
        )
    available = [meaning.key for meaning in meanings]
    names = list(senses) if senses else available[:2]
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(available):
        raise InputError(
            f"Choose two different meanings of “{word.strip()}”: {', '.join(available)}.",
            field="senses",
        )
    first, second = map(available.index, names)
    lengths = range(start + 1, len(tokens) + 1)
    uses = [Use.of_tokens(tokens[:n], start) for n in lengths]
    embedded = loaded.sense_model.embed(uses)
    steps = []
    for n, meant in zip(
        lengths, meanings_of_uses(loaded.sense_model, uses, embedded, entries), strict=True
    ):
        best = (
            (ANOTHER if meant.best is None else meanings[meant.best].key) if meant.is_sure else None
        )
        steps.append(
            api.ReadingStep(n, (meant.probabilities[first], meant.probabilities[second]), best)
        )
    return api.IncrementalReading(
        word=word.strip(),
        model=loaded.encoder.name,
        use=mention,
        offsets=tuple((token.start, token.end) for token in tokenize(mention.sentence)),
        senses=(meanings[first], meanings[second]),
        steps=tuple(steps),
    )


def dictionary_test(model: SenseModel) -> api.DictionaryTest:
    """Classify a test sentence for each meaning of held-out words, in an arbitrary order."""
    held_out = [entry for entry in bundled_lexicon().ambiguous if entry.is_held_out]
    held_out.sort(key=lambda entry: hashlib.sha256(entry.word.encode()).digest())
    rows = [
        (e, sense, s) for e in held_out for sense in e.senses for s in sense.test_sentences[:1]
    ][:_TESTED]
    uses = [find_mention(entry.word, sentence) for entry, _, sentence in rows]
    mistakes = []
    for (entry, sense, _), use, vector in zip(rows, uses, model.embed(uses), strict=True):
        (meant,) = meanings_of_uses(model, [use], vector[None], [entry])
        judged = api.JudgedUse(
            use=use,
            meanings=senses_as_meanings([entry]),
            meant=meant,
            known=meaning_of(entry.word, sense),
        )
        if judged.meaning != judged.known:
            mistakes.append(judged)
    mistakes.sort(key=lambda mistake: -mistake.meant.probability)
    return api.DictionaryTest(len(rows), len(rows) - len(mistakes), tuple(mistakes[:_MISTAKES]))

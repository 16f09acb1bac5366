"""Ready sentences, static neighbours, errors and incremental readings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from elmo_tasks import api
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.uses import Use
from elmo_tasks.errors import InputError
from elmo_tasks.senses.disambiguation import SenseModel, senses_of
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.meanings import ANOTHER, meanings_of_uses, senses_as_meanings
from elmo_tasks.service.validation import check_count, check_length
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.tokens import tokenize

#: Each word is read together with all words before it: the work grows with the square of this number.
MAX_WORDS = 40
MAX_NEIGHBOURS = 50
_READY_MEANINGS = 4
#: Number of test sentences that take about a second.
_TESTED = 120
_MISTAKES = 3


def ready_sentences(word: str) -> api.ReadyWord | None:
    """Implement :meth:`elmo_tasks.api.Service.ready_sentences`."""
    entry = next((e for e in bundled_lexicon().find(word.strip()) if len(e.senses) > 1), None)
    if entry is None:
        return None
    rows = [(s, sense.key) for sense in entry.senses[:_READY_MEANINGS] for s in sense.test_sentences]
    return (
        api.ReadyWord(entry.word, tuple(s for s, _ in rows), tuple(key for _, key in rows)) if len(rows) > 1 else None
    )


def static_neighbours(word: str, n: int, vectors: StaticVectors) -> api.StaticNeighbours:
    """Implement :meth:`elmo_tasks.api.Service.static_neighbours`."""
    check_word(word)
    check_count(n, MAX_NEIGHBOURS, "n", "neighbours")
    word = word.strip()
    if word not in vectors:
        raise InputError(
            f"“{word[:40]}” is not among the {len(vectors):,} words that have a static vector here.", field="word"
        )
    return api.StaticNeighbours(word, vectors.name, len(vectors), neighbours_of(word, n, vectors))


def neighbours_of(word: str, n: int, vectors: StaticVectors) -> tuple[api.StaticNeighbour, ...]:
    """Return the ``n`` words nearest to a known word."""
    return tuple(api.StaticNeighbour(other, round(value, 6)) for other, value in vectors.nearest(word, n))


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
    first, second = _two(word, meanings, senses)
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


def _two(word: str, meanings: Sequence[api.Meaning], keys: Sequence[str] | None) -> tuple[int, int]:
    """Return the positions of the two requested meanings, or of the first two."""
    check_word(word)
    if len(meanings) < 2:
        raise InputError(f"“{word.strip()[:40]}” has no two meanings in the dictionary.", field="word")
    available = [meaning.key for meaning in meanings]
    names = list(keys) if keys else available[:2]
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(available):
        raise InputError(f"Choose two different meanings of “{word.strip()}”: {', '.join(available)}.", field="senses")
    return available.index(names[0]), available.index(names[1])


def dictionary_test(model: SenseModel) -> api.DictionaryTest:
    """Classify one test sentence for each meaning of held-out words.

    Only the spelling of the words decides their order.
    """
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

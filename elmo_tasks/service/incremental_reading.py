"""Meanings of a word while its sentence is read word by word."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks import api
from elmo_tasks.errors import InputError
from elmo_tasks.senses.judging import ANOTHER_MEANING, meanings_of_uses, senses_as_meanings
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.validation import check_size
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.uses import Use

#: Each word is read together with all words before it: the work grows with the square of this
#: number.
_MAX_WORDS = 40


def incremental_reading(
    word: str, sentence: str, senses: Sequence[str] | None, loaded: LoadedModel
) -> api.IncrementalReading:
    """Implement :meth:`elmo_tasks.api.Service.incremental_reading`."""
    check_size(sentence, "sentence 1")
    mention = find_mention(word, sentence, field="sentence 1")
    tokens = mention.tokens
    start = mention.token_start
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
    predicted = meanings_of_uses(loaded.sense_model, uses, embedded, entries)
    steps = []
    for n, meant in zip(lengths, predicted, strict=True):
        best = ANOTHER_MEANING if meant.best is None else meanings[meant.best].key
        step = api.ReadingStep(
            words=n,
            probabilities=(meant.probabilities[first], meant.probabilities[second]),
            found=best if meant.is_sure else None,
        )
        steps.append(step)
    return api.IncrementalReading(
        word=word.strip(),
        model=loaded.encoder.name,
        use=mention,
        offsets=tuple((token.start, token.end) for token in tokenize(mention.sentence)),
        senses=(meanings[first], meanings[second]),
        steps=tuple(steps),
    )

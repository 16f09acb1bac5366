"""Example and test sentences of the dictionary, and a test of the model on them."""

from __future__ import annotations

import hashlib
from functools import cache

from elmo_tasks import api
from elmo_tasks.senses.disambiguation import SenseModel
from elmo_tasks.senses.entries import Sense
from elmo_tasks.senses.judging import meaning_of, meanings_of_uses, senses_as_meanings
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.text.mentions import find_mention

_READY_MEANINGS = 4
_MAX_MISTAKES = 3
#: Number of test sentences that take about a second.
_SENTENCES_A_SECOND = 120


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
    found = bundled_lexicon().find(word.strip())
    entry = next((entry for entry in found if len(entry.senses) > 1), None)
    if entry is None:
        return None
    senses = entry.senses[:_READY_MEANINGS]
    sentences = tuple(sentence for sense in senses for sentence in sense.test_sentences)
    meant = tuple(sense.key for sense in senses for _ in sense.test_sentences)
    return api.ReadyWord(entry.word, sentences, meant) if len(sentences) > 1 else None


def dictionary_test(model: SenseModel) -> api.DictionaryTest:
    """Classify a test sentence for each meaning of held-out words, in an arbitrary order."""
    held_out = [entry for entry in bundled_lexicon().ambiguous if entry.is_held_out]
    held_out.sort(key=lambda entry: hashlib.sha256(entry.word.encode()).digest())
    rows = [
        (entry, sense, sentence)
        for entry in held_out
        for sense in entry.senses
        for sentence in sense.test_sentences[:1]
    ][:_SENTENCES_A_SECOND]
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
    return api.DictionaryTest(
        n_sentences=len(rows),
        n_right=len(rows) - len(mistakes),
        mistakes=tuple(mistakes[:_MAX_MISTAKES]),
    )

"""Ready sentences, static neighbours, errors and incremental readings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from elmo_tasks.api import (
    DictionaryTest,
    IncrementalReading,
    Meaning,
    Mistake,
    ReadingStep,
    ReadyWord,
    StaticNeighbour,
    StaticNeighbours,
)
from elmo_tasks.errors import InputError
from elmo_tasks.senses.disambiguation import SenseModel, senses_of
from elmo_tasks.service.asked_uses import check_length
from elmo_tasks.service.loaded_models import LoadModel, LoadStatic
from elmo_tasks.service.meanings import ANOTHER, dictionary, meanings_of_uses, senses_as_meanings
from elmo_tasks.text.mentions import check_word, find_mention
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.uses import Use

#: Each word is read together with all words before it: the work grows with the square of this number.
MAX_WORDS = 40
MAX_NEIGHBOURS = 50
_READY_MEANINGS = 4
#: Number of test sentences that take about a second.
_TESTED = 120
_MISTAKES = 3


class Presentation:
    """Implements :class:`elmo_tasks.api.PresentService`; loads nothing before first use."""

    def __init__(self, load: LoadModel, static: LoadStatic) -> None:
        self._load, self._static = load, static
        self._tested: dict[str, DictionaryTest] = {}

    def ready(self, word: str) -> ReadyWord | None:
        """Implement :meth:`elmo_tasks.api.PresentService.ready`."""
        entry = next((e for e in dictionary().find(word.strip()) if len(e.senses) > 1), None)
        if entry is None:
            return None
        rows = [(s, sense.key) for sense in entry.senses[:_READY_MEANINGS] for s in sense.test_sentences]
        if len(rows) < 2:
            return None
        return ReadyWord(entry.word, tuple(s for s, _ in rows), tuple(key for _, key in rows))

    def neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        """Implement :meth:`elmo_tasks.api.PresentService.neighbours`."""
        check_word(word)
        if not 1 <= n <= MAX_NEIGHBOURS:
            raise InputError(f"Between 1 and {MAX_NEIGHBOURS} neighbours can be shown, not {n}.", field="n")
        vectors = self._static()
        if word.strip() not in vectors:
            raise InputError(
                f"“{word.strip()[:40]}” is not among the {len(vectors):,} words that have a static vector here.",
                field="word",
            )
        near = tuple(StaticNeighbour(other, round(value, 6)) for other, value in vectors.nearest(word.strip(), n))
        return StaticNeighbours(word.strip(), vectors.name, len(vectors), near)

    def tested(self, model: str | None = None) -> DictionaryTest:
        """Implement :meth:`elmo_tasks.api.PresentService.tested`."""
        senses = self._senses(model)
        name = senses.encoder.name
        if name not in self._tested:
            self._tested[name] = _test(senses)
        return self._tested[name]

    def forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> IncrementalReading:
        """Implement :meth:`elmo_tasks.api.PresentService.forms`."""
        check_length(sentence, "sentence 1")
        mention = find_mention(word, sentence, field="sentence 1")
        tokens = mention.tokens
        if len(tokens) > MAX_WORDS:
            raise InputError(
                f"The sentence has {len(tokens)} words; the most is {MAX_WORDS} here. Shorten it.", field="sentence 1"
            )
        entries = dictionary().find(word.strip())
        meanings = senses_as_meanings(entries)
        first, second = _two(word, meanings, senses)
        sense_model = self._senses(model)
        read = range(mention.token_start + 1, len(tokens) + 1)
        uses = [Use.of_tokens(tokens[:n], mention.token_start) for n in read]
        found_meanings = meanings_of_uses(sense_model, uses, sense_model.embed(uses), entries)
        steps = []
        for n, found in zip(read, found_meanings, strict=True):
            best = (ANOTHER if found.best is None else meanings[found.best].key) if found.is_sure else None
            steps.append(ReadingStep(n, (found.probabilities[first], found.probabilities[second]), best))
        return IncrementalReading(
            word=word.strip(),
            model=sense_model.encoder.name,
            sentence=mention.sentence,
            tokens=tokens,
            offsets=tuple((token.start, token.end) for token in tokenize(mention.sentence)),
            index=mention.token_start,
            senses=(meanings[first], meanings[second]),
            steps=tuple(steps),
        )

    def _senses(self, model: str | None) -> SenseModel:
        loaded = self._load(model)
        if loaded.senses is None:
            raise InputError(
                f"“{loaded.encoder.name}” says nothing of meanings: it was not calibrated, or it reads no sentences.",
                field="model",
            )
        return loaded.senses


def _two(word: str, meanings: Sequence[Meaning], keys: Sequence[str] | None) -> tuple[int, int]:
    """Return the positions of the two requested meanings, or of the first two."""
    check_word(word)
    if len(meanings) < 2:
        raise InputError(f"“{word.strip()[:40]}” has no two meanings in the dictionary.", field="word")
    known = [meaning.key for meaning in meanings]
    names = list(keys) if keys else known[:2]
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(known):
        raise InputError(f"Choose two different meanings of “{word.strip()}”: {', '.join(known)}.", field="senses")
    return known.index(names[0]), known.index(names[1])


def _test(model: SenseModel) -> DictionaryTest:
    """Classify one test sentence for each meaning of held-out words.

    Only the spelling of the words decides their order.
    """
    held_out = [entry for entry in dictionary().ambiguous if entry.is_held_out]
    held_out.sort(key=lambda entry: hashlib.sha256(entry.word.encode()).digest())
    rows = [(e, sense, s) for e in held_out for sense in e.senses for s in sense.test_sentences[:1]][:_TESTED]
    uses = [find_mention(entry.word, sentence) for entry, _, sentence in rows]
    mistakes = []
    for (entry, sense, _), use, vector in zip(rows, uses, model.embed(uses), strict=True):
        found = meanings_of_uses(model, [use], vector[None], [entry])[0]
        best = None if found.best is None else senses_of([entry])[found.best][1]
        if best is None or best.key != sense.key:
            gloss = ANOTHER if best is None else best.gloss
            mistakes.append(
                Mistake(use.sentence, use.char_start, use.char_end, entry.word, sense.gloss, gloss, found.probability)
            )
    mistakes.sort(key=lambda mistake: -mistake.probability)
    return DictionaryTest(len(rows), len(rows) - len(mistakes), tuple(mistakes[:_MISTAKES]))

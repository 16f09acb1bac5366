"""Senses, static neighbours and forming meanings without a model, so that every answer can be checked by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from elmo_tasks.ui.present_examples import FORMING_CANDIDATES

from elmo_tasks.api import GallerySense, IncrementalReading, ReadingStep, StaticNeighbour, StaticNeighbours
from elmo_tasks.errors import InputError

SENSES = {
    "bank": {
        "money": ("a firm that lends money", ("The [bank] gave a loan.", "My savings are in the [bank].")),
        "river": ("the land beside a river", ("Reeds grew on the [bank].", "Boats lay along the [bank].")),
    },
    "case": {
        "legal": ("a matter for a court", ("The [case] was lost.", "A judge heard the [case].")),
        "illness": ("one instance of a disease", ("A [case] of flu.", "The worst [case] of measles.")),
    },
    "bucket": {
        "container": ("an open container", ("A [bucket] of paint.", "The [bucket] leaks.")),
        "wishes": ("things to do in one's life", ("My [bucket] list.", "It is on her [bucket] list.")),
    },
    "run": {
        "jog": ("moving on foot", ("A [run] in the park.", "We went for a [run].")),
        "panic": ("a rush for money", ("A [run] on the bank.", "There was a [run] on flour.")),
    },
}
# Whatever pairs are chosen, the fake knows their senses.
for _pair in FORMING_CANDIDATES:
    for _sense in _pair.senses:
        SENSES.setdefault(_pair.word, {}).setdefault(
            _sense, (f"{_sense} of it", (f"A [{_pair.word}] is one.", f"The [{_pair.word}] is two."))
        )


class FakePresent:
    """The word is nearer to neither sense until the word that decides comes."""

    def senses(self, word: str) -> tuple[GallerySense, ...]:
        base = word.strip().lower()
        base = base if base in SENSES else base.removesuffix("s")
        known = SENSES.get(base, {})
        return tuple(GallerySense(base, name, *rest) for name, rest in known.items())

    def neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        if not word.isalpha():
            raise InputError(f"“{word}” is not among the words here.", field="word")
        near = tuple(StaticNeighbour(f"{word}-{k}", 0.9 - k / 100) for k in range(n))
        return StaticNeighbours(word, "fake-static", 1234, near)

    def forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> IncrementalReading:
        found = {sense.name: sense for sense in self.senses(word)}
        names = list(senses or list(found)[:2])
        if len(names) != 2 or not set(names) <= set(found):
            raise InputError(f"Choose two different senses of “{word}”: {', '.join(found)}.", field="senses")
        spans = [(m[0], m.start(), m.end()) for m in re.finditer(r"\w+|[^\w\s]", sentence)]
        tokens = tuple(token for token, _, _ in spans)
        lower = [token.lower() for token in tokens]
        if word not in lower:
            raise InputError(f"“{word}” is not in the sentence.", field="sentence 1")
        index = lower.index(word)
        steps = []
        deciding = [pair.deciding for pair in FORMING_CANDIDATES if sentence in pair.sentences]
        for n in range(index + 1, len(tokens) + 1):
            read = set(tokens[:n])
            side = next((k for pair in deciding for k in (0, 1) if pair[k] in read), None)
            cosines = (0.7, 0.7) if side is None else (0.6, 0.8) if side else (0.8, 0.6)
            steps.append(ReadingStep(n, cosines, None if side is None else names[side]))
        return IncrementalReading(
            word=word,
            model="fake-small",
            layer="2",
            sentence=sentence,
            tokens=tokens,
            offsets=tuple((start, end) for _, start, end in spans),
            index=index,
            senses=(found[names[0]], found[names[1]]),
            steps=tuple(steps),
            known=((0.3, 0.1), (-0.3, -0.1)),
            middle=0.0,
            right=4,
            right_by_spelling=0,
            can_tell=True,
            read_from=("2", "words"),
            right_by_layer=3,
        )

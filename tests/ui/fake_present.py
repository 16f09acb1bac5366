"""Senses, static neighbours and forming meanings without a model, so that every answer can be checked by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from elmo_tasks.api import FormingStep, GallerySense, MeaningForms, StaticNeighbour, StaticNeighbours
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


class FakePresent:
    """The word starts at the first sense; ``flu``, ``list`` and ``reeds`` take it to the second."""

    def senses(self, word: str) -> tuple[GallerySense, ...]:
        known = SENSES.get(word.strip().lower(), {})
        return tuple(GallerySense(word.strip().lower(), name, *rest) for name, rest in known.items())

    def neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        if not word.isalpha():
            raise InputError(f"“{word}” is not among the words here.", field="word")
        near = tuple(StaticNeighbour(f"{word}-{k}", 0.9 - k / 100) for k in range(n))
        return StaticNeighbours(word, "fake-static", 1234, near)

    def forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> MeaningForms:
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
        for n in range(index + 1, len(tokens) + 1):
            turned = bool({"flu", "list", "reeds"} & set(lower[:n]))
            steps.append(FormingStep(n, (0.6, 0.8) if turned else (0.8, 0.6), names[turned]))
        return MeaningForms(
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
        )

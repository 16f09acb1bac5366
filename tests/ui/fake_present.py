"""Ready sentences, static neighbours and forming meanings without a model, so that every answer can
be checked by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from elmo_tasks import api
from elmo_tasks.errors import InputError
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use
from elmo_tasks.ui.present_tab import FORMINGS

READY = {
    "bank": (
        ("The [bank] gave a loan.", "money"),
        ("Reeds grew on the [bank] by the river.", "river"),
    ),
    "bucket": (("A [bucket] of paint.", "container"), ("My [bucket] list.", "wishes")),
}
SENSES = {"bank": ("money", "river")} | {turning.word: turning.senses for turning in FORMINGS}


class FakePresent:
    """The word has neither meaning until the word that decides comes."""

    def ready_sentences(self, word: str) -> api.ReadyWord | None:
        base = word.strip().lower()
        base = base if base in READY else base.removesuffix("s")
        rows = READY.get(base)
        return (
            api.ReadyWord(base, tuple(s for s, _ in rows), tuple(key for _, key in rows))
            if rows
            else None
        )

    def static_neighbours(self, word: str, n: int = 12) -> api.StaticNeighbours:
        if not word.isalpha():
            raise InputError(f"“{word}” is not among the words here.", field="word")
        near = tuple(api.StaticNeighbour(f"{word}-{k}", 0.9 - k / 100) for k in range(n))
        return api.StaticNeighbours(word, "fake-static", 1234, near)

    def dictionary_test(self, model: str | None = None) -> api.DictionaryTest:
        state, cover = (
            api.Meaning("case", gloss, "noun", gloss)
            for gloss in ("a state of things", "a cover or box")
        )
        mistake = api.JudgedUse(
            use=find_mention("case", "A strange case."),
            meanings=(state, cover),
            meant=api.UseMeaning((0.1, 0.8), 0.1, 1, api.Certainty.CONFIDENT),
            known=state,
        )
        return api.DictionaryTest(100, 99, (mistake,))

    def incremental_reading(
        self,
        word: str,
        sentence: str,
        senses: Sequence[str] | None = None,
        model: str | None = None,
    ) -> api.IncrementalReading:
        known = SENSES.get(word, ())
        names = tuple(senses or known)
        if len(names) != 2 or not set(names) <= set(known):
            raise InputError(
                f"Choose two different meanings of “{word}”: {', '.join(known)}.", field="senses"
            )
        spans = [(m[0], m.start(), m.end()) for m in re.finditer(r"\w+|[^\w\s]", sentence)]
        tokens = tuple(token for token, _, _ in spans)
        lower = [token.lower() for token in tokens]
        if word not in lower:
            find_mention(word, sentence, field="sentence 1")
        index = lower.index(word)
        deciding = [turning.deciding for turning in FORMINGS if sentence in turning.sentences]
        steps = []
        for n in range(index + 1, len(tokens) + 1):
            side = next((k for pair in deciding for k in (0, 1) if pair[k] in tokens[:n]), None)
            shares = (0.4, 0.4) if side is None else (0.1, 0.9) if side else (0.9, 0.1)
            steps.append(api.ReadingStep(n, shares, None if side is None else names[side]))
        one, other = (api.Meaning(word, name, "noun", f"{name} of it") for name in names)
        offsets = tuple((start, end) for _, start, end in spans)
        start, end = offsets[index]
        return api.IncrementalReading(
            word=word,
            model="fake-small",
            use=Use(
                tokens=tokens,
                token_start=index,
                token_end=index + 1,
                sentence=sentence,
                char_start=start,
                char_end=end,
            ),
            offsets=offsets,
            senses=(one, other),
            steps=tuple(steps),
        )

"""Explanations without a model: topic words set uses apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from elmo_tasks.api import Comparison, DirectionSimilarity, Explanation, HiddenWord
from elmo_tasks.errors import InputError

WAYS = ("", "something", "the")
TOPIC_WORDS = {"loan", "river", "cash", "muddy", "loans"}


class FakeWhy:
    """Explains what ``compare`` gives."""

    def explain(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
    ) -> Explanation:
        comparison = self.compare(word, sentences, model)
        if any("breakwhy" in sentence for sentence in sentences):
            raise RuntimeError("a secret detail")
        a, b = pair or (0, len(comparison.items) - 1)
        if not 0 <= a < b < len(comparison.items):
            raise InputError(f"Choose two different uses, counted from 0 to {len(comparison.items) - 1}.", field="pair")
        asked = next((found for found in comparison.layers[1:] if found.name == (layer or "2")), None)
        if asked is None:
            raise InputError("There is no such layer; choose one of 1, 2, mean.", field="layer")
        words = tuple(_word(comparison, use, at, m) for use in (a, b) for at, m in _others(comparison, use))
        named = next((found for found in words if found.token in TOPIC_WORDS), None)
        answer = (
            f"Mostly because of “{named.token}” in sentence {named.use + 1}." if named else "No single word decides it."
        )
        sides = (DirectionSimilarity("1", 0.5, 0.8, 0.2, 0.2), DirectionSimilarity("2", 0.4, 0.7, 0.1, 0.1))
        return Explanation(
            comparison,
            (a, b),
            asked.name,
            asked.cosine[a][b],
            asked.random_pair_cosine,
            True,
            answer,
            named,
            WAYS,
            words,
            0,
            sides,
            "before",
            "The words before it tell the two apart more than the words after it.",
        )


def _others(comparison: Comparison, use: int) -> list[tuple[int, re.Match[str]]]:
    item = comparison.items[use]
    found = enumerate(re.finditer(r"\w+|[^\w\s]", item.sentence))
    return [(at, match) for at, match in found if at != item.index]


def _word(comparison: Comparison, use: int, at: int, match: re.Match[str]) -> HiddenWord:
    change = 0.2 if match[0] in TOPIC_WORDS else -0.05 if at == 0 else 0.0
    return HiddenWord(use, at, match[0], match.start(), match.end(), (change,) * len(WAYS), change)

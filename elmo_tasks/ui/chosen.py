"""Which of the candidates the screen offers: those of which the bundled model says what they are to show.

``chosen.json`` is written by ``python -m benchmarks.choose_examples``, by the rules that stand there, and is to be written anew
whenever the bundled model changes. What the screen says of an example comes from the answer all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from elmo_tasks.ui.page import FOLDER

FILE = FOLDER / "chosen.json"
Candidate = TypeVar("Candidate")


CONTENT: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


def chosen(kind: str, candidates: Sequence[Candidate], name: Callable[[Candidate], str]) -> tuple[Candidate, ...]:
    """The candidates of a kind that are offered, in the order of the file; ``name`` is what that calls each."""
    known = {name(candidate): candidate for candidate in candidates}
    return tuple(known[title] for title in CONTENT[kind])


def ready_uses(word: str) -> tuple[tuple[str, int], ...]:
    """The ready sentences of a word as ``(sense, number of its sentence in the gallery)``; none for a word that has none."""
    return tuple((str(sense), int(number)) for sense, number in CONTENT["ready"].get(word.strip().lower(), ()))


def words(kind: str) -> tuple[str, ...]:
    """Words of a kind that are offered: ``"map"`` or ``"own"``."""
    return tuple(CONTENT[kind])


@dataclass(frozen=True)
class QuizPair:
    """Two uses of a word, and what it means in each; ``[brackets]`` mark the word."""

    word: str
    sentences: tuple[str, str]
    senses: tuple[str, str]


@cache
def quiz_pairs() -> tuple[QuizPair, ...]:
    """The pairs of the quiz, those first of which the model is surest, rightly or wrongly."""
    return tuple(QuizPair(word, tuple(sentences), tuple(senses)) for word, sentences, senses in CONTENT["quiz"])

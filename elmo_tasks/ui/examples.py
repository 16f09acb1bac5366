"""Example texts of the pages, and their outcome where the meanings are known.

The texts are in ``examples.json``, in the order of the page, and were written for this project. The sentences of one
comparison differ in syntax and topic and are rich in context words: parallel sentences ("I ate an apple", "I ate a
carrot") look alike to a language model whatever the word is. A page states the answer of the model, never the expected one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elmo_tasks.api import Certainty, Comparison
from elmo_tasks.ui.page import FOLDER

CONTENT: Mapping[str, Any] = json.loads((FOLDER / "examples.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Example:
    """Comparison that runs on click, or a pair of the quiz."""

    title: str  # label of its button
    word: str
    uses: tuple[
        tuple[str, str], ...
    ]  # a sentence, ``[brackets]`` marking another word, and the meaning of the word in it
    is_one_word: bool = True

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences of the uses."""
        return tuple(sentence for sentence, _ in self.uses)

    @property
    def meant(self) -> tuple[str, ...]:
        """Meaning of the word in each sentence; of several words, the closest two share it."""
        return tuple(meaning for _, meaning in self.uses)


@dataclass(frozen=True)
class TryExample:
    """Text that runs on click in the Try tab."""

    title: str  # label of its button
    task: str  # a mode of the tab
    lines: tuple[str, ...]


def _example(title: str, word: str, uses: Sequence[Sequence[str]], is_one_word: bool = True) -> Example:
    return Example(title, word, tuple((sentence, meaning) for sentence, meaning in uses), is_one_word)


#: Comparisons; the first is what the page opens with.
EXAMPLES = tuple(_example(**entry) for entry in CONTENT["compare"])
QUIZ = tuple(_example(entry["word"], **entry) for entry in CONTENT["quiz"])
#: Texts of the Try tab; the first is what its form opens with.
TRY_EXAMPLES = tuple(TryExample(entry["title"], entry["task"], tuple(entry["lines"])) for entry in CONTENT["try"])


def known_senses(word: str, sentences: Sequence[str]) -> tuple[str, ...]:
    """Return the meaning of the word in each sentence, if all are of one example."""
    for example in EXAMPLES:
        meanings = dict(example.uses) if example.is_one_word else {}
        if example.word == word and sentences and all(sentence in meanings for sentence in sentences):
            return tuple(meanings[sentence] for sentence in sentences)
    return ()


def groups_of(meant: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the uses of each meaning, in order of first appearance."""
    return {name: tuple(at for at, other in enumerate(meant) if other == name) for name in dict.fromkeys(meant)}


def outcome(comparison: Comparison, meant: Sequence[str]) -> str:
    """Describe the model's result on uses whose meanings are known."""
    if comparison.spellings_differ:
        return "The spellings differ, so meanings are not compared."
    if not comparison.groups:
        return "The model cannot tell how these group, and says so."
    is_right = set(comparison.groups) == set(groups_of(meant).values())
    how = "as they were meant" if is_right else "otherwise than they were meant"
    sure = "and is sure of it" if comparison.certainty is Certainty.CONFIDENT else "without being sure"
    return f"The model sorts them {how}, {sure}."

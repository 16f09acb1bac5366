"""Examples of Compare and pairs of the quiz, with their known meanings.

They were written for this project, and stand in ``examples.json``. The sentences of one example differ in syntax and
topic and are rich in context words: parallel sentences ("I ate an apple", "I ate a carrot") look alike to a language
model whatever the word is. What the screen says of an example comes from the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from elmo_tasks.api import Certainty, Comparison
from elmo_tasks.ui.page import FOLDER

Candidate = TypeVar("Candidate")
CONTENT: Mapping[str, Any] = json.loads((FOLDER / "examples.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Example:
    """Comparison that runs on click, or a pair of the quiz."""

    title: str  # what the button says
    word: str
    uses: tuple[tuple[str, str], ...]  # sentences, ``[brackets]`` marking another word, and what the word means in each
    is_one_word: bool = True

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences of the uses."""
        return tuple(sentence for sentence, _ in self.uses)

    @property
    def meant(self) -> tuple[str, ...]:
        """Meaning of the word in each sentence; of several words, the closest two share it."""
        return tuple(meaning for _, meaning in self.uses)


#: What the page offers; the first is what it opens with.
EXAMPLES = tuple(
    Example(e["title"], e["word"], tuple(map(tuple, e["uses"])), e["is_one_word"]) for e in CONTENT["compare"]
)
QUIZ = tuple(Example(word, word, tuple(map(tuple, uses))) for word, uses in CONTENT["quiz"])


def chosen(kind: str, candidates: Sequence[Candidate], name: Callable[[Candidate], str]) -> tuple[Candidate, ...]:
    """Return the offered candidates of a kind, in file order.

    ``name`` is the key of that kind in the file.
    """
    by_name = {name(candidate): candidate for candidate in candidates}
    return tuple(by_name[title] for title in CONTENT[kind])


def known_senses(word: str, sentences: Sequence[str]) -> tuple[str, ...]:
    """Return the meaning of the word in each sentence, if all are of one example."""
    for example in EXAMPLES:
        known = dict(example.uses) if example.is_one_word else {}
        if example.word == word and sentences and all(sentence in known for sentence in sentences):
            return tuple(known[sentence] for sentence in sentences)
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

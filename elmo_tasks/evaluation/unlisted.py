"""Answers about words on no list: held-out words, judged as if they had no entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.api import Certainty
from elmo_tasks.senses.disambiguation import SenseModel
from elmo_tasks.senses.entries import Entry
from elmo_tasks.senses.judging import judge
from elmo_tasks.senses.lexicon import Lexicon
from elmo_tasks.text.mentions import find_mention

_SETS_OF_A_MEANING = 2  # sets in one meaning, and the same number in several meanings


@dataclass(frozen=True)
class UnlistedScores:
    """Pairs of sentences of words without an entry, half of them in two meanings."""

    pairs: int
    answered: float  #: share with an answer, "probably the same" or "probably several"
    right: float  #: share of those that are right
    same_right: float  #: of the answers "probably the same"
    several_right: float  #: of the answers "probably several"


def score_unlisted(model: SenseModel, lexicon: Lexicon) -> UnlistedScores:
    """Judge pairs of sentences of every held-out word with an empty dictionary."""
    empty = Lexicon([])
    pairs = [
        (entry.word, is_same, sentences)
        for entry in lexicon.ambiguous
        if entry.is_held_out
        for is_same, sentences in _pairs(entry)
    ]
    uses = [find_mention(word, sentence) for word, _, pair in pairs for sentence in pair]
    embedded = model.embed(uses)
    rows: list[tuple[bool, bool, bool]] = []  # has one meaning, is answered, answer is "one"
    for number, (word, is_same, _) in enumerate(pairs):
        pair = slice(2 * number, 2 * number + 2)
        judged = judge(model, uses[pair], embedded[pair], word, empty)
        answered = judged.certainty is not Certainty.ABSTAIN
        rows.append((is_same, answered, bool(judged.groups)))
    gold, answered, answered_same = np.array(rows, bool).reshape(-1, 3).T
    right = gold == answered_same

    def share_right(chosen: NDArray[np.bool_]) -> float:
        return float(right[chosen].mean()) if chosen.any() else 0.0

    return UnlistedScores(
        pairs=len(rows),
        answered=float(answered.mean()) if len(rows) else 0.0,
        right=share_right(answered),
        same_right=share_right(answered & answered_same),
        several_right=share_right(answered & ~answered_same),
    )


def _pairs(entry: Entry) -> list[tuple[bool, Sequence[str]]]:
    """Return pairs of sentences in one meaning, and as many in two; short and long ones."""
    found: list[tuple[bool, Sequence[str]]] = []
    for number, sense in enumerate(entry.senses):
        other = entry.senses[(number + 1) % len(entry.senses)]
        for k in range(_SETS_OF_A_MEANING):
            found.append((True, (sense.sentences[2 * k], sense.sentences[2 * k + 1])))
            found.append((False, (sense.sentences[2 * k], other.sentences[2 * k + 1])))
    return found


def unlisted_line(scores: UnlistedScores) -> str:
    """Describe the scores in one line."""
    return (
        f"held-out words as if on no list: {scores.pairs:,} pairs of sentences; answered"
        f" {100 * scores.answered:.1f} %, right {100 * scores.right:.1f} % (“the same”"
        f" {100 * scores.same_right:.1f} %, “several” {100 * scores.several_right:.1f} %)"
    )

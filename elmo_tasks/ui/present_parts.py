"""The live parts of the Present tab; their markup is in ``templates/present/answers.html``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from elmo_tasks.api import Comparison, IncrementalReading, LayerComparison, ReadingStep
from elmo_tasks.ui import format
from elmo_tasks.ui.examples import Example, groups_of, told
from elmo_tasks.ui.heat import cosine_style
from elmo_tasks.ui.page import fill

#: A live part, by its name.
part = partial(fill, "present/answers.html")
#: What is said of ready sentences (:mod:`elmo_tasks.senses.typical_uses`): an answer that is right shows little then.
EASIEST = (
    "Of all meanings and sentences that our gallery has of this word, these are the ones that the model that comes with this "
    "program keeps apart best. Others are harder."
)


def own(comparison: Comparison, query: str, meant: Sequence[str] = (), typed: str = "", by_rule: bool = False) -> str:
    """The answer to the presenter's own word, which ``query`` opens in Compare.

    Where the sentences are ours, ``meant`` has what each means, ``typed`` the form of the word that was typed if they are of
    another one, and ``by_rule`` whether they were chosen as those that the bundled model keeps apart best.
    """
    found = told(comparison, meant) if meant else ""
    easiest = EASIEST if by_rule and not comparison.spellings_differ else ""
    return part("own", comparison, query, meant_uses(meant), found, typed, easiest)


def layers(comparison: Comparison) -> str:
    """One picture per layer; the page's script shows one of them."""

    def shown(layer: LayerComparison) -> tuple[Any, ...]:
        return (
            layer,
            format.layer_sentence(comparison, layer),
            lambda cosine: cosine_style(cosine, layer.random_pair_cosine),
        )

    return part(
        "layers",
        comparison,
        [shown(layer) for layer in comparison.layers],
        format.display_order(comparison),
        format.group_of(comparison),
        [format.snippet(item) for item in comparison.items],
    )


def failure(comparison: Comparison, example: Example) -> str:
    """What was meant, and behind the reveal what the model says."""
    return part("failure", comparison, example, meant_uses(example.meant), told(comparison, example.meant))


def meant_uses(meant: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the uses of each meaning, from 1."""
    return {name: [use + 1 for use in uses] for name, uses in groups_of(meant).items()}


def forming(answers: tuple[IncrementalReading, IncrementalReading]) -> str:
    """Two sentences that are read word by word, and a dot for each between two poles."""
    first = answers[0]
    moves = [[a - b for a, b in (step.cosines for step in answer.steps)] for answer in answers]
    shown = [*first.known[0], *first.known[1], *moves[0], *moves[1]]
    low, high = min(shown), max(shown)
    room = max(high - low, 1e-6) * 0.06

    def at(difference: float) -> float:
        """In percent from the left, where the first sense is."""
        return 100 * (high + room - difference) / (high - low + 2 * room)

    steps = [
        {
            "words": pair[0].words,
            "read": n_words(first.tokens[: pair[0].words]),
            "at": [round(at(step.cosines[0] - step.cosines[1]), 2) for step in pair],
            "said": [_step_said(step) for step in pair],
        }
        for pair in zip(*(answer.steps for answer in answers), strict=True)
    ]
    return part(
        "forming",
        answers,
        steps,
        [_texts(answer) for answer in answers],
        deciding_word(answers),
        [(pole, at(value)) for pole, part in enumerate(first.known) for value in part],
        at(first.middle),
        forming_said(answers),
    )


def n_words(tokens: Sequence[str]) -> int:
    """How many of the tokens are words, as people count them, not punctuation."""
    return sum(any(letter.isalnum() for letter in token) for token in tokens)


def deciding_word(answers: tuple[IncrementalReading, IncrementalReading]) -> int:
    """Where the two sentences part: the first token that differs."""
    return next(k for k, (one, other) in enumerate(zip(*(a.tokens for a in answers), strict=True)) if one != other)


def _texts(answer: IncrementalReading) -> list[tuple[str, str]]:
    """The words of a sentence as typed, each with the space behind it."""
    edges = [0, *(start for start, _ in answer.offsets[1:]), len(answer.sentence)]
    texts = [answer.sentence[start:end] for start, end in pairwise(edges)]
    return [(text.rstrip(), " " if text.endswith(" ") else "") for text in texts]


def _step_said(step: ReadingStep) -> str:
    return f"nearer to “{step.nearer}”" if step.nearer else "cannot tell"


def forming_said(answers: tuple[IncrementalReading, IncrementalReading]) -> str:
    """What the two movements amount to, and how far they can be trusted."""
    first, at = answers[0], deciding_word(answers)
    total = len(first.known[0]) + len(first.known[1])
    trust = f"The small marks are {total} known uses: {first.right} of them lie on their own side of the dashed middle"
    if not first.can_tell:
        return f"{trust}. That is too few to name a side: with this word the model cannot tell these two senses apart."
    trust += (
        ", but the spelling alone (capitals, endings) puts as many there, so do not read this as meaning."
        if first.right_by_spelling >= first.right
        else "."
    )
    ends = [_end_said(number, answer, at) for number, answer in enumerate(answers, 1)]
    return f"Up to “{first.tokens[at - 1]}” the two sentences are the same, and so are their dots. {' '.join(ends)} {trust}"


def _end_said(number: int, answer: IncrementalReading, at: int) -> str:
    """What became of one sentence from the deciding word on."""
    names = [step.nearer for step in answer.steps if step.words > at]
    word = answer.tokens[at]
    if names[0] is not None and set(names) == {names[0]}:
        return f"From “{word}” on, {number} is nearer to “{names[0]}”."
    if names[-1] is None:
        return f"With “{word}” in {number} it cannot be told in the end."
    return f"With “{word}” {number} ends nearer to “{names[-1]}”, but not at every word from there on."

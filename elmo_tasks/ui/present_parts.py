"""The live parts of the Present tab; their markup is in ``templates/present/answers.html``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from elmo_tasks.api import Comparison, FormingStep, GallerySense, LayerComparison, MeaningForms, StaticNeighbours
from elmo_tasks.ui import format
from elmo_tasks.ui.heat import cell_style, share_of
from elmo_tasks.ui.page import fill
from elmo_tasks.ui.present_examples import Story
from elmo_tasks.ui.uses import group_of
from elmo_tasks.wording.text import headline, number

ANSWERS = "present/answers.html"


def problem(message: str) -> str:
    """What stands in the place of a part that cannot be answered."""
    return fill(ANSWERS, "problem", message)


def neighbours(answers: Sequence[StaticNeighbours]) -> str:
    """The nearest words of a few words, side by side."""
    return fill(ANSWERS, "neighbours", answers)


def senses(found: Sequence[GallerySense]) -> str:
    """How many senses of a word the gallery has, and which."""
    return fill(ANSWERS, "senses", found)


def story(comparison: Comparison) -> str:
    """The sentences to guess on, and behind the reveal the groups that the model finds."""
    return fill(ANSWERS, "story", comparison, *headline(comparison.verdict))


def own(comparison: Comparison, query: str) -> str:
    """The answer to the presenter's own word."""
    return fill(ANSWERS, "own", comparison, *headline(comparison.verdict), query)


def layers(comparison: Comparison) -> str:
    """One picture per layer; the page's script shows one of them."""

    def shown(layer: LayerComparison) -> tuple[Any, ...]:
        return (
            layer,
            format.layer_sentence(comparison, layer),
            lambda cosine: cell_style(share_of(cosine, layer.random_pair_cosine)),
        )

    return fill(
        ANSWERS,
        "layers",
        comparison,
        [shown(layer) for layer in comparison.layers],
        format.display_order(comparison),
        group_of(comparison),
        [format.snippet(item) for item in comparison.items],
    )


def failure(comparison: Comparison, example: Story) -> str:
    """What was meant, and behind the reveal what the model says."""
    meant: dict[str, list[int]] = {}
    for use, sense in enumerate(example.meant, 1):
        meant.setdefault(sense, []).append(use)
    if not comparison.groups:
        verdict = "The model cannot tell these apart, and says so."
    elif {tuple(use + 1 for use in group) for group in comparison.groups} == {tuple(uses) for uses in meant.values()}:
        verdict = "This model gets it right."
    else:
        verdict = "The model is sure here, and wrong."
    return fill(ANSWERS, "failure", comparison, example, meant, verdict, headline(comparison.verdict)[0])


def forming(answer: MeaningForms) -> str:
    """A sentence that is read word by word, and a dot between two poles."""
    shown = [*answer.known[0], *answer.known[1], *(a - b for a, b in (step.cosines for step in answer.steps))]
    low, high = min(shown), max(shown)
    room = max(high - low, 1e-6) * 0.06

    def at(difference: float) -> float:
        """In percent from the left, where the first sense is."""
        return 100 * (high + room - difference) / (high - low + 2 * room)

    steps = [
        {
            "words": step.words,
            "at": round(at(step.cosines[0] - step.cosines[1]), 2),
            "cosines": [number(value) for value in step.cosines],
            "said": _step_said(step),
        }
        for step in answer.steps
    ]
    edges = [0, *(start for start, _ in answer.offsets[1:]), len(answer.sentence)]
    texts = [answer.sentence[start:end] for start, end in pairwise(edges)]
    return fill(
        ANSWERS,
        "forming",
        answer,
        steps,
        [(text.rstrip(), " " if text.endswith(" ") else "") for text in texts],
        [(pole, at(value)) for pole, part in enumerate(answer.known) for value in part],
        at(answer.middle),
        _forming_said(answer),
    )


def _step_said(step: FormingStep) -> str:
    return f"nearer to “{step.nearer}”" if step.nearer else "cannot tell"


def _forming_said(answer: MeaningForms) -> str:
    """What the whole movement amounts to, and how far it can be trusted."""
    total = len(answer.known[0]) + len(answer.known[1])
    trust = f"The small marks are {total} known uses: {answer.right} of them lie on their own side of the dashed middle"
    if not answer.can_tell:
        return f"{trust}. That is too few to name a side: with this word the model cannot tell these two senses apart."
    trust += (
        ", but the spelling alone (capitals, endings) puts as many there, so do not read this as meaning."
        if answer.right_by_spelling >= answer.right
        else "."
    )
    names = [step.nearer for step in answer.steps]
    known = [name for name in names if name]
    if not known:
        return f"{trust} Here it stays where it cannot be told."
    turned = max((k + 1 for k, name in enumerate(names) if name != names[-1]), default=0)
    if names[-1] is None:
        return f"{trust} In the end it cannot be told."
    if not turned:
        return f"{trust} The first reading stays: “{names[-1]}” from the word itself to the end of the sentence."
    word = answer.tokens[answer.steps[turned].words - 1]
    return f"{trust} It is “{names[-1]}” from the word “{word}” on."

"""Quiz of the Present tab: the audience against the model on ten pairs of uses."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from elmo_tasks.api import Comparison, Service
from elmo_tasks.errors import InputError
from elmo_tasks.messages.text import percent
from elmo_tasks.ui.examples import QUIZ, Example
from elmo_tasks.ui.page import fill
from elmo_tasks.ui.parts import Question, on_question, revision_of, scripted

#: Below this probability the model's answer counts as none.
LEAST = 0.6
Compare = Callable[[int], Comparison]


def said(same: bool) -> str:
    """State in a word that two uses mean the same, or not."""
    return "the same" if same else "different"


def model_says(comparison: Comparison) -> tuple[bool | None, str]:
    """Return the model's answer and its sentence; ``None`` if undecided or uncalibrated."""
    if not comparison.same_meaning:
        return None, "cannot tell."
    same = comparison.same_meaning[0][1]
    if max(same, 1 - same) < LEAST:
        return None, f"cannot tell: “the same” gets {percent(same)}."
    return same >= 0.5, f"{said(same >= 0.5)}, {percent(max(same, 1 - same))} likely."


def meant(pair: Example) -> str:
    """State the intended answer for a pair."""
    one, other = pair.meant
    return f"Both mean the same: {one}." if one == other else f"They mean different things: {one}, then {other}."


def reveal(at: int, guess: str, compare: Compare) -> dict[str, Any]:
    """Return the markup of a pair's result, and who was right.

    ``guess`` is the answer of the audience, if there is one.
    """
    pair = QUIZ[at]
    is_same = pair.meant[0] == pair.meant[1]
    model, told = model_says(compare(at))
    right = None if model is None else model == is_same
    room: tuple[str, bool] | None = None
    if guess in ("same", "different"):
        room = f"{said(guess == 'same')}.", (guess == "same") == is_same
    shown = fill("quiz.html", "result", meant(pair), (told, right), room)
    return {"at": at, "markup": shown, "model": right, "room": room[1] if room else None}


def respond(question: Question, compare: Compare) -> dict[str, Any]:
    """Answer the quiz: show a ``pair``, or ``reveal`` one."""
    value: dict[str, Any] = {"revision": revision_of(question), "note": ""}
    ask, at = question.get("ask"), question.get("at")
    at = at if isinstance(at, int) and not isinstance(at, bool) and 0 <= at < len(QUIZ) else 0
    try:
        if ask == "reveal":
            value["result"] = reveal(at, str(question.get("guess") or ""), compare)
        else:
            value["pair"] = {"at": at, "markup": fill("quiz.html", "pair", at, len(QUIZ), compare(at))}
    except InputError as error:
        value["note"] = str(error)
    return value


def build(service: Service) -> None:
    """Put the part that runs the quiz into the open container."""

    @cache
    def compare(at: int) -> Comparison:
        pair = QUIZ[at]
        return service.compare(pair.word, pair.sentences)

    part = scripted("quiz", "scripts/quiz.js", classes="unseen", n=len(QUIZ))
    on_question(part, lambda question: respond(question, compare), part)

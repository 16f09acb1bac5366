"""The quiz of the Present tab: ten pairs of uses, the room against the model, with phones or by a show of hands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from typing import Any

from elmo_tasks.api import Comparison, Service, VoteCount, VoteState
from elmo_tasks.errors import InputError
from elmo_tasks.ui.examples import QuizPair, quiz_pairs
from elmo_tasks.ui.page import csv_file, data_link, fill
from elmo_tasks.ui.parts import Question, on_question, revision_of, scripted
from elmo_tasks.wording.text import number, percent

CSV_NAME = "elmo-quiz.csv"
COLUMNS = ("pair", "word", "sentence 1", "sentence 2", "meant", "model", "same: votes", "different: votes")
#: Below this the model's answer is near enough to a coin toss to count as none.
LEAST = 0.6
Compare = Callable[[int], Comparison]


def said(same: bool) -> str:
    """Whether two uses mean the same, in a word."""
    return "the same" if same else "different"


def model_says(comparison: Comparison) -> tuple[bool | None, str]:
    """What is likelier of two uses, and that in words; ``None`` where neither is clearly so, or no calibration can tell."""
    if not comparison.same_meaning:
        return None, "cannot tell."
    same = comparison.same_meaning[0][1]
    told = f"{said(same >= 0.5)}, {percent(max(same, 1 - same))} likely"
    if max(same, 1 - same) < LEAST:
        return None, f"cannot tell: “the same” gets {percent(same)}."
    return same >= 0.5, f"{told}."


def votes_say(count: VoteCount) -> str:
    """The votes on a pair, in words."""
    if count.majority is None:
        return f"undecided, {count.same} to {count.different}."
    return f"{said(count.majority)}, {max(count.same, count.different)} of {count.same + count.different} votes."


def meant(pair: QuizPair) -> str:
    """What the writer of a pair meant."""
    one, other = pair.senses
    return f"Both mean the same: {one}." if one == other else f"They mean different things: {one}, then {other}."


def agreement_says(state: VoteState) -> str:
    """How far the people of a room agree."""
    several = [count for count in state.counts.values() if count.same + count.different > 1]
    if state.agreement is None or len(several) < 2:  # of one pair it is 0 at most
        return ""
    alpha = number(state.agreement)
    return f"How far the room agrees: Krippendorff’s alpha {alpha}; 1 is everybody, 0 is no more than chance."


def reveal(at: int, guess: str, state: VoteState | None, compare: Compare) -> dict[str, Any]:
    """What came out of a pair: its markup, and who was right; the room is asked for its ``guess`` where nobody votes by phone."""
    pair = quiz_pairs()[at]
    is_same = pair.senses[0] == pair.senses[1]
    model, told = model_says(compare(at))
    count = state.counts.get(at) if state else None
    room: tuple[str, bool | None] | None = None
    if count is not None:
        room = votes_say(count), None if count.majority is None else count.majority == is_same
    elif guess in ("same", "different"):
        room = f"{said(guess == 'same')}.", (guess == "same") == is_same
    right = None if model is None else model == is_same
    link = (CSV_NAME, data_link(results(state, compare))) if state is not None and state.counts else None
    agree = agreement_says(state) if state is not None else ""
    shown = fill("quiz.html", "result", meant(pair), (told, right), room, agree, link)
    return {
        "at": at,
        "markup": shown,
        "model": right,
        "room": room[1] if room else None,
        "voted": count is not None,
        "told": f"{meant(pair)} The model: {told}",
    }


def results(state: VoteState, compare: Compare) -> str:
    """The votes on every pair that was shown, as a spreadsheet."""
    rows = []
    for at, count in sorted(state.counts.items()):
        pair = quiz_pairs()[at]
        model, _ = model_says(compare(at))
        sentences = [item.sentence for item in compare(at).items]
        says = None if model is None else said(model)
        is_same = pair.senses[0] == pair.senses[1]
        rows.append((at + 1, pair.word, *sentences, said(is_same), says, count.same, count.different))
    return csv_file(COLUMNS, rows)


def respond(service: Service, question: Question, compare: Compare) -> dict[str, Any]:
    """Answer the quiz: ``pair``, ``reveal`` (a pair, by its number), ``open``, ``look`` or ``close`` (the vote).

    A page that is loaded again reveals the pair ``again`` that it had revealed, and is sent the pair with it.
    """
    value: dict[str, Any] = {"revision": revision_of(question), "note": ""}
    ask, at = question.get("ask"), question.get("at")
    at = at if isinstance(at, int) and not isinstance(at, bool) and 0 <= at < len(quiz_pairs()) else 0
    pair, over = quiz_pairs()[at], "This pair is over."
    code, key = (str(question.get(name) or "") for name in ("room", "key"))
    try:
        if ask == "open":
            value["room"] = asdict(room := service.votes.open(str(question.get("page") or "")))
            code, key = room.code, room.key
        elif ask == "close":
            service.votes.close(code, key)
            return value
        elif ask == "pair" or (ask == "reveal" and question.get("again") is True):
            value["pair"] = {"at": at, "markup": fill("quiz.html", "pair", at, len(quiz_pairs()), compare(at))}
        told = None
        if ask == "reveal":
            if code:  # first, so that no vote comes after the count
                service.votes.show(code, key, at, pair.word, pair.sentences, over)
            state = service.votes.state(code, key) if code else None
            value["result"] = reveal(at, str(question.get("guess") or ""), state, compare)
            told = value["result"].pop("told")
        if code and ask != "look":
            # A vote that is opened after a pair was told of takes no votes on that one.
            is_over = ask == "open" and question.get("revealed") is True
            service.votes.show(code, key, at, pair.word, pair.sentences, over if is_over else told)
        if code:
            state = service.votes.state(code, key)
            value["votes"] = {"people": state.people, "of": asdict(state.counts.get(at, VoteCount()))}
    except InputError as error:
        value["note"] = str(error)
    return value


def build(service: Service) -> None:
    """Put the part that runs the quiz into the open container."""

    @cache
    def compare(at: int) -> Comparison:
        pair = quiz_pairs()[at]
        return service.compare(pair.word, pair.sentences)

    part = scripted("quiz", "scripts/quiz.js", classes="unseen", n=len(quiz_pairs()))
    on_question(part, lambda question: respond(service, question, compare), part)

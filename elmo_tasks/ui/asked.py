"""Folds below a comparison, computed when opened: explanation and expected words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import gradio as gr

from elmo_tasks.api import Service, Substitutes
from elmo_tasks.errors import InputError
from elmo_tasks.ui import format, why_card
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.page import render
from elmo_tasks.ui.parts import Question, on_question, revision_of, scripted

#: Title of each fold, and what it offers.
FOLDS = {
    "why": (why_card.TITLE, why_card.LEAD),
    "substitutes": ("Expected words", "Take the word out: which words does the model expect in its place?"),
}


def closed(query: str = "", groups: Sequence[int | None] = ()) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the closed folds below a new comparison, from its query.

    Nothing is computed yet. Without a comparison there are no folds.

    The page sends the ``groups`` of the uses along, so that what was compared need not be compared again.
    """
    state = {"revision": 0, "query": query, "groups": list(groups), "state": "closed"}
    why, substitutes = ({**state, "markup": _fold(kind, "closed") if query else ""} for kind in FOLDS)
    return why, substitutes


def groups_of(question: Question, n: int) -> list[int | None]:
    """Parse the group of each of ``n`` uses sent by the page; empty if invalid."""
    sent = question.get("groups")
    known = sent if isinstance(sent, list) and len(sent) == n else [None] * n
    return [at if type(at) is int and 0 <= at < n else None for at in known]


def _fold(kind: str, state: str, body: str = "", refused: str = "") -> str:
    title, lead = FOLDS[kind]
    return render("fold.html", title=title, lead=lead, state=state, body=body, refused=refused)


def pair_of(value: Any) -> tuple[int, int] | None:
    """Parse the chosen pair ``"0,2"`` sent by the page; ``None`` is the least similar."""
    parts = str(value or "").split(",")
    if len(parts) == 2 and all(part.isdecimal() and len(part) < 4 for part in parts):
        return int(parts[0]), int(parts[1])
    return None


def respond(service: Service, kind: str, question: Question) -> dict[str, Any]:
    """Render the fold with the answer for the comparison that the page sent."""
    query, markup = str(question.get("query") or ""), ""
    try:
        form = format.form_from_query(query, service.limits)
        if form is not None:
            answer = _why if kind == "why" else _substitutes
            markup = _fold(kind, "done", answer(service, form, question))
    except InputError as error:
        markup = _fold(kind, "done", refused=str(error))
    return {"revision": revision_of(question), "query": query, "groups": [], "state": "done", "markup": markup}


def _why(service: Service, form: format.Form, question: Question) -> str:
    pair, layer = pair_of(question.get("pair")), str(question.get("layer") or "") or None
    return why_card.body(service.explain(form.word, form.sentences, pair, layer, form.model))


def _substitutes(service: Service, form: format.Form, question: Question) -> str:
    found = service.substitutes(form.word, form.sentences, form.model)
    return expected_words(found, groups_of(question, len(found.items)))


def expected_words(found: Substitutes, groups: Sequence[int | None]) -> str:
    """Render the expected words of each use; ``groups`` holds the group of each."""
    return render("expected_words.html", found=found, groups=groups, chance=chance)


def chance(probability: float) -> str:
    """Format a probability in percent, with a decimal if small and no line break."""
    share = 100 * probability
    if 0 < share < 0.1:
        return "<\u00a00.1\u00a0%"
    return f"{share:.0f}\u00a0%" if share >= 9.95 else f"{share:.1f}\u00a0%"


def build(service: Service) -> tuple[gr.HTML, gr.HTML]:
    """Add the two folds to the open container, with their events and endpoints.

    They are empty until there is an answer.
    """
    why, substitutes = (
        scripted(kind, "scripts/word_tips.js", "scripts/asked.js", template="${value.markup}", value=fold)
        for kind, fold in zip(FOLDS, closed(), strict=True)
    )
    on_question(why, partial(respond, service, "why"), why)
    on_question(substitutes, partial(respond, service, "substitutes"), substitutes)
    _endpoints(service)
    return why, substitutes


def _endpoints(service: Service) -> None:
    expected = "a word (a string) and sentences (a list of strings)"
    of_pair = "pair as a list of two whole numbers, counted from 0"

    def why(
        word: str,
        sentences: list[str],
        pair: list[int] | None = None,
        layer: str | None = None,
        model: str | None = None,
    ) -> dict[str, Any]:
        """Say what the cosine of two uses of a word hangs on: hide the words around them one at a time.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank of the river."], api_name="/why")``.

        Args:
            word: the word.
            sentences: 2 to 12 sentences; [brackets] in a sentence mark another word there.
            pair: two positions in sentences, counted from 0; the most different two uses if it is not given.
            layer: "1", "2", ..., "mean", "words" or "verdict"; the verdict, where there is one, if it is not given.
            model: name of a model; the default one if it is not given.

        Returns:
            word, model, pair, sentences (of the pair), layer, cosine, random_pair_cosine, asked ("apart" or "together"), answer
            (one sentence), decisive (the word it names, or null), ways (of hiding: "" is leaving out), words (use, index,
            token, start, end, changes of the cosine for each way, change: their mean), skipped (words not hidden), sides (layer,
            before, after, random_before, random_after: cosines of the half-views), side ("before", "after", "both", "unclear"),
            side_answer.
        """
        if pair is not None and len(pair) != 2:
            raise InputError(f"Expected {of_pair}.")
        chosen = None if pair is None else (pair[0], pair[1])
        return service.explain(word, sentences, chosen, layer or None, model or None).to_dict()

    def substitutes(word: str, sentences: list[str], model: str | None = None) -> dict[str, Any]:
        """Return the eight words that the model expects in the place of a word, in each sentence.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank."], api_name="/substitutes")``.

        Args:
            word: the word.
            sentences: 2 to 12 sentences; [brackets] in a sentence mark another word there.
            model: name of a model that came with its output layer; the default one if it is not given.

        Returns:
            word, model, and uses, for each sentence: sentence, token, index, candidates (word, probability).
        """
        return service.substitutes(word, sentences, model or None).to_dict()

    endpoint(why, expected, pair=of_pair)
    endpoint(substitutes, expected)

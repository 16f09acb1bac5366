"""What stands folded below a comparison and is only computed when a person opens it: why, and what the model would have written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from html import escape, unescape
from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import format, substitutes_card, why_card
from elmo_tasks.ui.events import QUIET, SHARED
from elmo_tasks.ui.page_files import joined

_QUERY = re.compile(r'^<div class="answer"[^>]* data-query="([^"]*)"')
FAILED = "The program failed on this; its log says why."


def closed(kind: str, query: str) -> str:
    """The fold as it stands below a new comparison; nothing is computed yet."""
    return _fold(kind, query, "closed", '<p class="hint" role="status">Reading…</p>')


def below(answer: str) -> tuple[str, str]:
    """The two folds below the markup of an answer; nothing where there is none."""
    found = _QUERY.search(answer)
    if found is None:
        return "", ""
    query = unescape(found[1])
    return closed("why", query), closed("substitutes", query)


def _fold(kind: str, query: str, state: str, content: str) -> str:
    card = why_card if kind == "why" else substitutes_card
    return (
        f'<details class="card asked" data-state="{state}" data-query="{escape(query)}"{"" if state == "closed" else " open"}>'
        f"<summary><b>{escape(card.TITLE)}</b> <span>{escape(card.LEAD)}</span></summary>"
        f'<div class="asked-body">{content}</div></details>'
    )


def _refused(kind: str, query: str, message: str, state: str = "done") -> str:
    return _fold(kind, query, state, f'<div role="status"><h2>{escape(message)}</h2></div>')


def pair_of(value: Any) -> tuple[int, int] | None:
    """The chosen pair as the page sends it: ``"0,2"``; ``None`` for the most different one."""
    parts = str(value or "").split(",")
    if len(parts) == 2 and all(part.isdecimal() and len(part) < 4 for part in parts):
        return int(parts[0]), int(parts[1])
    return None


def respond_why(service: Service, data: Mapping[str, Any]) -> str:
    """The fold with the answer for the comparison, the pair and the layer that the page sent."""
    query = str(data.get("query") or "")

    def content(form: format.Form) -> str:
        layer = str(data["layer"]) if data.get("layer") else None
        found = service.why.explain(form.word, form.sentences, pair_of(data.get("pair")), layer, form.model)
        return why_card.body(found)

    return _respond(service, "why", query, content)


def respond_substitutes(service: Service, data: Mapping[str, Any]) -> str:
    """The fold with the answer for the comparison that the page sent."""

    def content(form: format.Form) -> str:
        return substitutes_card.body(service.substitutes.written(form.word, form.sentences, form.model))

    return _respond(service, "substitutes", str(data.get("query") or ""), content)


def _respond(service: Service, kind: str, query: str, content: Callable[[format.Form], str]) -> str:
    try:
        form = format.form_from_query(query, service.limits)
        if form is None:
            return ""
        return _fold(kind, query, "done", content(form))
    except InputError as error:
        return _refused(kind, query, str(error))


def build(service: Service) -> tuple[gr.HTML, gr.HTML]:
    """Put the two folds into the open container, wire their events and add their endpoints; empty until there is an answer."""
    code = joined("word_tips.js", "asked.js")
    folds = tuple(gr.HTML("", js_on_load=code, apply_default_css=False) for _ in range(2))

    def on_why(event: gr.EventData) -> str:
        return respond_why(service, dict(event._data))

    def on_substitutes(event: gr.EventData) -> str:
        return respond_substitutes(service, dict(event._data))

    for kind, fold, answer in (("why", folds[0], on_why), ("substitutes", folds[1], on_substitutes)):
        asked = fold.submit(answer, None, fold, trigger_mode="multiple", **QUIET)
        asked.failure(partial(_refused, kind, "", FAILED, "failed"), None, fold, **QUIET)
    _endpoints(service)
    return folds[0], folds[1]


def _endpoints(service: Service) -> None:
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
            layer: "1", "2", ... or "mean"; the layer of the verdict if it is not given.
            model: name of a model; the default one if it is not given.

        Returns:
            word, model, pair, sentences (of the pair), layer, cosine, random_pair_cosine, asked ("apart" or "together"), answer
            (one sentence), decisive (the word it names, or null), ways (of hiding: "" is leaving out), words (use, index,
            token, start, end, changes of the cosine for each way, change: their mean), skipped (words not hidden), sides (layer,
            before, after, random_before, random_after: cosines of the half-views), side ("before", "after", "both", "unclear"),
            side_answer.
        """
        _check(word, sentences, layer, model)
        if pair is not None and not (
            isinstance(pair, list) and len(pair) == 2 and all(type(use) is int for use in pair)
        ):
            raise gr.Error("Expected pair as a list of two whole numbers, counted from 0.", print_exception=False)
        try:
            chosen = None if pair is None else (pair[0], pair[1])
            return service.why.explain(word, sentences, chosen, layer or None, model or None).to_dict()
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    def substitutes(word: str, sentences: list[str], model: str | None = None) -> dict[str, Any]:
        """Say what the model would have written in the place of a word, told by either side and by both.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank."], api_name="/substitutes")``.

        Args:
            word: the word.
            sentences: 2 to 12 sentences; [brackets] in a sentence mark another word there.
            model: name of a model that came with its output layer; the default one if it is not given.

        Returns:
            word, model, vocabulary (number of words), answer (in words), uses: for each sentence sentence, token, index, before,
            after, both (the 8 likeliest words each: word, probability, is_form), rank and probability of the word itself.
        """
        _check(word, sentences, None, model)
        try:
            return service.substitutes.written(word, sentences, model or None).to_dict()
        except InputError as error:
            raise gr.Error(str(error), print_exception=False) from None

    gr.api(why, api_name="why", **SHARED)
    gr.api(substitutes, api_name="substitutes", **SHARED)


def _check(word: Any, sentences: Any, layer: Any, model: Any) -> None:
    # Gradio does not check the types of a request; a string would be taken for a list of letters.
    if not isinstance(sentences, list) or not all(
        isinstance(text, str) for text in (word, *sentences, layer or "", model or "")
    ):
        raise gr.Error("Expected a word (a string) and sentences (a list of strings).", print_exception=False)

"""Folds below a comparison, computed when opened: the explanation and the expected words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import gradio as gr

from elmo_tasks.api import Explanation, MeaningSource, Service, WordEffect
from elmo_tasks.errors import InputError
from elmo_tasks.messages.views import view_place
from elmo_tasks.ui.colours import tint
from elmo_tasks.ui.compare_answer import group_of
from elmo_tasks.ui.compare_form import form_from_query
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.parts import FormEvent, custom_form, on_submit
from elmo_tasks.ui.rendering import pieces, render
from elmo_tasks.wording import first_capital, number, percent

#: Title of each fold, and what it offers.
FOLDS = {
    "why": (
        "Why?",
        (
            "Which words make the difference between two of the uses: hide the words around them,"
            " one at a time."
        ),
    ),
    "substitutes": (
        "Expected words",
        "Take the word out: which words does the model expect in its place?",
    ),
}
# Shares of the way from two random words to identical; half of all words of the examples stay below
# the first step.
EFFECT_STEPS = (0.01, 0.03, 0.08, 0.16)
# Shares of the evidence.
EVIDENCE_STEPS = (0.03, 0.08, 0.15, 0.25)


def closed(
    query: str = "", groups: Sequence[int | None] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the closed folds below the comparison of a query; without one there are none.

    The page sends the ``groups`` of the uses along, so that they need not be computed again.
    """
    state = {"revision": 0, "query": query, "groups": list(groups), "state": "closed"}
    why, substitutes = (
        {**state, "markup": _fold(kind, "closed") if query else ""} for kind in FOLDS
    )
    return why, substitutes


def groups_of(event: FormEvent, n: int) -> list[int | None]:
    """Parse the group of each of ``n`` uses sent by the page; empty if invalid."""
    sent = event.get("groups")
    groups = sent if isinstance(sent, list) and len(sent) == n else [None] * n
    return [at if type(at) is int and 0 <= at < n else None for at in groups]


def pair_of(value: Any) -> tuple[int, int] | None:
    """Parse the chosen pair ``"0,2"`` sent by the page; ``None`` is the least similar."""
    parts = str(value or "").split(",")
    if len(parts) == 2 and all(part.isdecimal() and len(part) < 4 for part in parts):
        return int(parts[0]), int(parts[1])
    return None


def _fold(kind: str, state: str, body: str = "", refused: str = "") -> str:
    title, lead = FOLDS[kind]
    return render("fold.html", title=title, lead=lead, state=state, body=body, refused=refused)


def respond(service: Service, kind: str, event: FormEvent) -> dict[str, Any]:
    """Render the fold with the answer for the comparison that the page sent."""
    query, markup = str(event.get("query") or ""), ""
    try:
        form = form_from_query(query)
        if form is not None and kind == "why":
            pair, layer = pair_of(event.get("pair")), str(event.get("layer") or "") or None
            explanation = service.explain(form.word, form.sentences, pair, layer, form.model)
            markup = _fold(kind, "done", why_body(explanation))
        elif form is not None:
            found = service.substitutes(form.word, form.sentences, form.model)
            groups = groups_of(event, len(found.uses))
            markup = _fold(
                kind,
                "done",
                render("expected_words.html", found=found, groups=groups, chance=chance),
            )
    except InputError as error:
        markup = _fold(kind, "done", refused=str(error))
    return {
        "revision": event.get("revision"),
        "query": query,
        "groups": [],
        "state": "done",
        "markup": markup,
    }


def chance(probability: float) -> str:
    """Format a probability in percent, with a decimal if small and no line break."""
    share = 100 * probability
    if 0 < share < 0.1:
        return "<\u00a00.1\u00a0%"
    return f"{share:.0f}\u00a0%" if share >= 9.95 else f"{share:.1f}\u00a0%"


# --- Why ---


def reason(explanation: Explanation) -> str:
    """Describe the numbers behind the answer, and any reason for naming no word."""
    if explanation.layer == "verdict":
        if not explanation.words:
            return ""
        return (
            "The share of a word: how much of what speaks for this answer is lost when the word is"
            " hidden."
        )
    now = number(explanation.cosine)
    now_is = f"their cosine {view_place(explanation.layer)} is {now}"
    stick = f" Two random words have {number(explanation.random_pair_cosine)}."
    if not explanation.words:
        return f"{first_capital(now_is)}.{stick}"
    sign = 1 if explanation.apart else -1  # of the changes that count
    top = explanation.decisive or max(explanation.words, key=lambda word: sign * word.change)
    then = number(explanation.cosine + top.change)
    if explanation.decisive is not None:
        return f"With it, {now_is}; with it hidden, {then}.{stick}"
    if sign * top.change <= 0 or now == then:
        return f"{first_capital(now_is)}, and hiding no single word changes that much.{stick}"
    ways = range(len(explanation.ways))
    agree = all(
        sign * top.changes[way] == max(sign * word.changes[way] for word in explanation.words)
        for way in ways
    )
    if not any(c.isalnum() for c in top.use.token):
        but = ", but it is no word"
    elif agree:
        but = ", less than all other words together"
    else:
        but = ", but the three ways of hiding do not agree on the word"
    return (
        f"Hiding “{top.use.token}” in sentence {top.number + 1} moves it most: {now_is}, with it"
        f" hidden {then}{but}.{stick}"
    )


def words(explanation: Explanation, use: int) -> list[tuple[str, WordEffect | str | None]]:
    """Split a sentence: hidden words with their effect, the compared one as ``"word"``."""
    compared = explanation.comparison.uses[use].use
    spans: list[tuple[int, int, WordEffect | str]] = [
        (compared.char_start, compared.shown_end, "word")
    ]
    spans += [
        (word.use.char_start, word.use.char_end, word)
        for word in explanation.words
        if word.number == use
    ]
    return pieces(compared.sentence, spans)


def tip(explanation: Explanation, word: WordEffect) -> str:
    """Describe what happens if the word is hidden."""
    if explanation.layer == "verdict":
        if word.share >= 0.005:
            return f"“{word.use.token}”: {percent(word.share)} of what speaks for the answer."
        against = word.share <= -0.005
        does = "speaks against the answer" if against else "changes next to nothing"
        return f"“{word.use.token}” {does}."
    now, then = number(explanation.cosine), number(explanation.cosine + word.change)
    return (
        f"With “{word.use.token}” hidden: cosine"
        f" {f'still {now}' if now == then else f'{then} instead of {now}'}."
    )


def _tint_of(explanation: Explanation, word: WordEffect) -> str:
    if explanation.layer == "verdict":
        return tint(word.share if explanation.apart else -word.share, EVIDENCE_STEPS)
    return tint(word.change / max(1 - explanation.random_pair_cosine, 1e-6), EFFECT_STEPS)


def way_words(way: str) -> str:
    """Name a way of hiding."""
    return f"as “{way}”" if way else "left out"


def why_body(explanation: Explanation) -> str:
    """Render the whole answer, below the fold's title."""
    comparison = explanation.comparison
    known = comparison.source is MeaningSource.ONE_MEANING
    has_words = comparison.same_meaning or explanation.layer == "words"
    views = [("verdict", comparison.same_meaning and not known), ("words", has_words)]
    return render(
        "why.html",
        explanation=explanation,
        groups=group_of(comparison),
        pairs=list(combinations(range(len(comparison.uses)), 2)),
        layers=[
            *(name for name, is_available in views if is_available),
            *(layer.name for layer in comparison.layers[1:]),
        ],
        reason=reason(explanation),
        words=lambda use: words(explanation, use),
        step=lambda word: _tint_of(explanation, word),
        tip=lambda word: tip(explanation, word),
        ways=[(way_words(way), True) for way in explanation.ways],
        csv=why_csv(explanation),
        data=explanation.to_dict(),
    )


def why_csv(explanation: Explanation) -> str:
    """Return one row per hidden word, then one per half of each layer."""
    ways = [first_capital(way_words(way)) for way in explanation.ways]
    measure = "probability of one meaning" if explanation.layer == "verdict" else "cosine"
    header = [
        "use",
        "word",
        "position",
        "layer",
        measure,
        "share of the evidence",
        "change when hidden",
        *ways,
        "sentence",
    ]
    rows: list[tuple[object, ...]] = []
    for word in explanation.words:
        first = (
            word.number + 1,
            word.use.token,
            word.use.token_start + 1,
            explanation.layer,
            explanation.cosine,
        )
        sentence = word.use.sentence
        share = word.share if explanation.layer == "verdict" else ""
        rows.append((*first, share, word.change, *word.changes, sentence))
    blank = ("",) * len(ways)
    pair = " and ".join(str(use + 1) for use in explanation.pair)
    for layer in explanation.sides:
        for name, cosine in (("before the word", layer.before), ("after the word", layer.after)):
            rows.append((pair, f"half-view {name}", "", layer.layer, cosine, "", "", *blank, ""))
    return csv_file(header, rows)


# --- Components and endpoints ---


def build(service: Service) -> tuple[gr.HTML, gr.HTML]:
    """Add the two folds, empty until there is an answer, with their events and endpoints."""
    why, substitutes = (
        custom_form(
            kind,
            "scripts/word_tips.js",
            "scripts/details.js",
            template="${value.markup}",
            value=fold,
        )
        for kind, fold in zip(FOLDS, closed(), strict=True)
    )
    on_submit(why, partial(respond, service, "why"), why)
    on_submit(substitutes, partial(respond, service, "substitutes"), substitutes)
    return why, substitutes

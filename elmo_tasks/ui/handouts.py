"""Files to hand out, made of what a tab shows: a page that needs no server, and a worksheet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from elmo_tasks.api import Comparison, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import asked, format, offline_page, report, worksheet
from elmo_tasks.ui.landing import request_from
from elmo_tasks.ui.parts import Question, on_question, revision_of, scripted
from elmo_tasks.wording.map_words import forms

#: A file's name and its text.
Handout = tuple[str, str]


def of_map(service: Service, question: Question) -> Handout:
    """A page or a worksheet of the map that the tab shows, which is drawn again: nothing a person sends is kept here.

    Raises:
        InputError: there is no such map.
    """
    drawn = request_from(question.get("map"))
    found = service.maps.sense_map(drawn)
    if question.get("what") == "worksheet":
        return of_sheet(service, worksheet.of_map(found))
    sentences = offline_page.story_of(found)
    comparison = service.compare(forms(found)[0], sentences, drawn.model) if len(sentences) > 1 else None
    text = offline_page.page(found, comparison, service.models(), date.today())
    return offline_page.file_name(found.word), text


def of_comparison(service: Service, question: Question) -> Handout:
    """A worksheet of the comparison that the tab shows, computed again from its link.

    Raises:
        InputError: there is no such comparison.
    """
    return of_sheet(service, worksheet.of_comparison(_comparison(service, question)[1]))


def report_of_comparison(service: Service, question: Question) -> Handout:
    """The report of the comparison that the tab shows, computed again from its link, with what was asked beside it.

    Raises:
        InputError: there is no such comparison.
    """
    form, comparison = _comparison(service, question)
    explanation = substitutes = None
    if question.get("pair"):
        pair, layer = asked.pair_of(question["pair"]), str(question.get("layer") or "") or None
        explanation = service.why.explain(form.word, form.sentences, pair, layer, form.model, comparison)
    if question.get("substitutes"):
        substitutes = service.substitutes.written(form.word, form.sentences, form.model)
    link = str(question.get("link") or "")
    text = report.page(comparison, service.models(), date.today(), link, explanation, substitutes)
    return f"{format.file_stem(comparison)}.html", text


def _comparison(service: Service, question: Question) -> tuple[format.Form, Comparison]:
    form = format.form_from_query(str(question.get("query") or ""), service.limits)
    if form is None:
        raise InputError("Compare some sentences first.")
    return form, service.compare(form.word, form.sentences, form.model)


def of_sheet(service: Service, sheet: worksheet.Sheet) -> Handout:
    """A worksheet as a file."""
    return worksheet.file_name(sheet), worksheet.page(sheet, service.models(), date.today())


def respond(service: Service, question: Question, make: Callable[[Service, Question], Handout]) -> dict[str, Any]:
    """The file that a part saves; an empty one where there is none."""
    try:
        name, text = make(service, question)
    except InputError:  # the page shows an answer, so this is a request that somebody wrote by hand
        name = text = ""
    return {"revision": revision_of(question), "name": name, "text": text}


def build(
    service: Service,
    part: str,
    make: Callable[[Service, Question], Handout],
    script: str = "scripts/handouts.js",
) -> None:
    """Put the part that saves what the buttons of its tab ask for into the open container."""
    slot = scripted(part, script, value={"name": "", "text": ""}, classes="download-slot")
    on_question(slot, lambda question: respond(service, question, make), slot)

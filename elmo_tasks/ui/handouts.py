"""Files to hand out, made of what a tab shows: a page that needs no server, and a worksheet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from elmo_tasks.api import Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import format, offline_page, worksheet
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
    asked = request_from(question.get("map"))
    found = service.maps.sense_map(asked)
    if question.get("what") == "worksheet":
        return of_sheet(service, worksheet.of_map(found))
    sentences = offline_page.story_of(found)
    comparison = service.compare(forms(found)[0], sentences, asked.model) if len(sentences) > 1 else None
    text = offline_page.page(found, comparison, service.models(), date.today())
    return offline_page.file_name(found.word), text


def of_comparison(service: Service, question: Question) -> Handout:
    """A worksheet of the comparison that the tab shows, computed again from its link.

    Raises:
        InputError: there is no such comparison.
    """
    form = format.form_from_query(str(question.get("query") or ""), service.limits)
    if form is None:
        raise InputError("Compare some sentences first.")
    return of_sheet(service, worksheet.of_comparison(service.compare(form.word, form.sentences, form.model)))


def of_sheet(service: Service, sheet: worksheet.Sheet) -> Handout:
    """A worksheet as a file."""
    return worksheet.file_name(sheet), worksheet.page(sheet, service.models(), date.today())


def build(service: Service, name: str, make: Callable[[Service, Question], Handout]) -> None:
    """Put the part that saves what the buttons ``data-handout`` of its tab ask for into the open container."""
    part = scripted(name, "scripts/handouts.js", value={"name": "", "text": ""}, classes="download-slot")

    def respond(question: Question) -> dict[str, Any]:
        made: dict[str, Any] = {"revision": revision_of(question), "name": "", "text": ""}
        try:
            title, text = make(service, question)
        except InputError:  # the page shows an answer, so this is a request that somebody wrote by hand
            return made
        return {**made, "name": title, "text": text}

    on_question(part, respond, part)

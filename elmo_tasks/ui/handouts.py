"""Files to keep or hand out, made of what a tab shows: a page that needs no server, a worksheet, a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from markupsafe import Markup

from elmo_tasks.api import Comparison, Explanation, ModelInfo, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import answer, asked, format, offline_page, why_card, worksheet
from elmo_tasks.ui.maps import request_from
from elmo_tasks.ui.page import joined, render
from elmo_tasks.ui.parts import Question, on_question, revision_of, scripted
from elmo_tasks.wording.links import who_can_open
from elmo_tasks.wording.map_words import forms
from elmo_tasks.wording.models import title_of
from elmo_tasks.wording.text import slug
from elmo_tasks.wording.views import read_where


def report_page(
    comparison: Comparison,
    models: Sequence[ModelInfo],
    made: date,
    link: str = "",
    explanation: Explanation | None = None,
) -> str:
    """A comparison as one file that opens without a network and without scripts, and prints on A4, with what else was asked for.

    A ``link`` that opens the comparison again is left out if it is not a web address.
    """
    return render(
        "report.html",
        comparison=comparison,
        style=Markup(joined("styles/groups.css", "styles/report.css")),  # ours alone
        verdict=answer.verdict_section(comparison, models, in_report=True),
        layers=[answer.layer_panel(comparison, layer, in_report=True) for layer in comparison.layers],
        why=why_card.body(explanation, in_report=True) if explanation else "",
        model=title_of(comparison.model, models),
        read_where=read_where(comparison.read_from),
        made=made.isoformat(),
        link=link if link.startswith(("http://", "https://")) else "",
        reach=who_can_open(link),
    )


#: A file's name and its text; where a page shows no such map or comparison, an InputError says so.
Handout = tuple[str, str]


def of_map(service: Service, question: Question) -> Handout:
    """A page or a worksheet of the map that the tab shows, which is drawn again: nothing a person sends is kept here."""
    drawn = request_from(question.get("map"))
    found = service.maps.sense_map(drawn)
    if question.get("what") == "worksheet":
        return of_sheet(service, worksheet.of_map(found))
    sentences = offline_page.story_of(found)
    comparison = service.compare(forms(found)[0], sentences, drawn.model) if len(sentences) > 1 else None
    text = offline_page.page(found, comparison, service.models(), date.today())
    return f"sense-map-{slug(found.word)}.html", text


def of_comparison(service: Service, question: Question) -> Handout:
    """A worksheet of the comparison that the tab shows, computed again from its link."""
    return of_sheet(service, worksheet.of_comparison(_comparison(service, question)[1]))


def report_of_comparison(service: Service, question: Question) -> Handout:
    """The report of the comparison that the tab shows, computed again from its link, with what was asked beside it."""
    form, comparison = _comparison(service, question)
    explanation = None
    if question.get("pair"):
        pair, layer = asked.pair_of(question["pair"]), str(question.get("layer") or "") or None
        explanation = service.why.explain(form.word, form.sentences, pair, layer, form.model, comparison)
    link = str(question.get("link") or "")
    text = report_page(comparison, service.models(), date.today(), link, explanation)
    return f"{format.file_stem(comparison)}.html", text


def _comparison(service: Service, question: Question) -> tuple[format.Form, Comparison]:
    form = format.form_from_query(str(question.get("query") or ""), service.limits)
    if form is None:
        raise InputError("Compare some sentences first.")
    return form, service.compare(form.word, form.sentences, form.model)


def of_sheet(service: Service, sheet: worksheet.Sheet) -> Handout:
    """A worksheet as a file."""
    return f"worksheet-{slug(sheet.word)}.html", worksheet.page(sheet, service.models(), date.today())


def respond(service: Service, question: Question, make: Callable[[Service, Question], Handout]) -> dict[str, Any]:
    """The file that a part saves; an empty one where there is none."""
    try:
        name, text = make(service, question)
    except InputError:  # the page shows an answer, so this is a request that somebody wrote by hand
        name = text = ""
    return {"revision": revision_of(question), "name": name, "text": text}


def build(service: Service, part: str, make: Callable[[Service, Question], Handout]) -> None:
    """Put the part that saves what the buttons of its tab ask for into the open container."""
    slot = scripted(part, "scripts/handouts.js", value={"name": "", "text": ""}, classes="download-slot")
    on_question(slot, lambda question: respond(service, question, make), slot)

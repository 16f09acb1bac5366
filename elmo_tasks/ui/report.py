"""A comparison as one HTML file to keep: it opens without a network and without scripts, and prints on A4."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from markupsafe import Markup

from elmo_tasks.api import Comparison, Explanation, ModelInfo, Substitutes
from elmo_tasks.ui import answer, substitutes_card, why_card
from elmo_tasks.ui.format import group_of
from elmo_tasks.ui.page import joined, render
from elmo_tasks.wording.links import who_can_open
from elmo_tasks.wording.models import title_of
from elmo_tasks.wording.verdicts import read_where


def page(
    comparison: Comparison,
    models: Sequence[ModelInfo],
    made: date,
    link: str = "",
    explanation: Explanation | None = None,
    substitutes: Substitutes | None = None,
) -> str:
    """The file, with what else was asked for; a ``link`` that opens the comparison again is left out if it is not a web address."""
    return render(
        "report.html",
        comparison=comparison,
        style=Markup(joined("styles/groups.css", "styles/report.css")),  # ours alone
        verdict=answer.verdict_section(comparison, models, in_report=True),
        layers=[answer.layer_panel(comparison, layer, in_report=True) for layer in comparison.layers],
        why=why_card.body(explanation, in_report=True) if explanation else "",
        at_once=bool(substitutes and substitutes.at_once),
        substitutes=substitutes_card.body(substitutes, group_of(comparison), in_report=True) if substitutes else "",
        model=title_of(comparison.model, models),
        read_where=read_where(comparison.read_from),
        made=made.isoformat(),
        link=link if link.startswith(("http://", "https://")) else "",
        reach=who_can_open(link),
    )

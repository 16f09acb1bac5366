"""The templates, scripts and styles of the page, and what templates can call.

Templates escape what is put into them; :class:`Markup` stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from elmo_tasks import wording
from elmo_tasks.messages import heads, layer_weights, meanings, training, views
from elmo_tasks.ui import colours
from elmo_tasks.ui.downloads import data_link

FOLDER = Path(__file__).parent
#: Examples to try (:mod:`elmo_tasks.ui.compare_form` states the rules for them), steps of the talk,
#: probing tests.
CONTENT: Mapping[str, Any] = json.loads((FOLDER / "content.json").read_text(encoding="utf-8"))
GROUP_LETTERS = "ABCDEFGHIJKL"
Mark = TypeVar("Mark")
_templates = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
#: What templates call, also as filters: ``{{ share|percent }}``.
_HELPERS: tuple[Callable[..., Any], ...] = (
    wording.likely_cell,
    views.first_terms,
    wording.listed,
    wording.number,
    wording.percent,
    wording.score_text,
    wording.short_percent,
    wording.signed,
    heads.class_words,
    heads.type_note,
    meanings.heading,
    meanings.hesitation,
    views.map_title,
    views.mapped_by,
    views.sentence_layer_title,
    views.title_of,
    views.view_place,
    views.view_title,
    colours.cell_style,
    colours.cosine_style,
    colours.legend_style,
    colours.share_of,
    data_link,
    zip,
)
_templates.filters.update({helper.__name__: helper for helper in _HELPERS})
_templates.filters.update(
    capital=wording.first_capital,
    thousands="{:,}".format,
    hundredths="{:.2f}".format,
    # Titles of a table's columns of numbers.
    number_column=lambda title: (title, True),
    layer_columns=lambda layers: [(f"Layer {name}", True) for name in layers],
)
_templates.globals.update({helper.__name__: helper for helper in _HELPERS})
_templates.globals.update(
    heads=heads, layer_weights=layer_weights, meanings=meanings, training=training
)
_templates.globals.update(
    CHANCES=colours.PROBABILITY_COLOURS, COSINES=colours.COSINE_COLOURS, GROUP_LETTERS=GROUP_LETTERS
)
# Macros of other templates.
_templates.globals["m"] = _templates.get_template("macros.html").module
_templates.globals["maps"] = _templates.get_template("heat_map.html").module


def render(template: str, **values: Any) -> Markup:
    """Render a template of this folder; the result may be used in another template."""
    return Markup(_templates.get_template(template).render(**values))


def fill(template: str, macro: str, *values: Any) -> Markup:
    """Render one macro of a template."""
    return Markup(getattr(_templates.get_template(template).module, macro)(*values))


def joined(*names: str) -> str:
    """Join scripts or styles; gradio runs scripts as one function that shares names."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


#: For each answer that may be missing: its class, and the text shown until it arrives.
_WAITING = {
    "compare": ("answer", "Comparing…"),
    "map": ("map-answer", "Drawing the map…"),
    "nearest": ("near-answer", "Reading the example sentences…"),
    "try": (
        "try-answer",
        "Loading the models and reading…",
    ),  # the first request has to load them
    "train": ("train-answer", "Looking for earlier runs…"),
    "weights": ("weights-answer", "Reading the weights…"),
    "probes": ("weights-answer probes-answer", "Reading what was measured…"),
}


def nothing(kind: str, reason: str = "") -> str:
    """Render the placeholder without an answer, with the reason if there is one."""
    classes, waits = _WAITING[kind]
    return render("nothing.html", classes=classes, waits=waits, reason=reason)


def pieces(text: str, spans: Iterable[tuple[int, int, Mark]]) -> list[tuple[str, Mark | None]]:
    """Split a text into pieces with their marks; empty or overlapping marks are ignored."""
    found: list[tuple[str, Mark | None]] = []
    at = 0
    for start, end, mark in sorted(spans, key=lambda span: span[:2]):
        if start < at or end <= start:
            continue
        if start > at:
            found.append((text[at:start], None))
        found.append((text[start:end], mark))
        at = end
    return [*found, (text[at:], None)] if at < len(text) else found

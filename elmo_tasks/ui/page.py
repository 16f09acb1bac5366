"""The scripts, styles, templates and colours of the page, and the files that it saves.

Templates escape what is put into them; :class:`Markup` stays as it is. A file is in its link, so
nothing goes to a server.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from elmo_tasks.messages import heads, layer_weights, meanings, training
from elmo_tasks.messages import text as texts

FOLDER = Path(__file__).parent
#: Examples to try (:mod:`elmo_tasks.ui.compare_form` states the rules for them), steps of the talk,
#: probing tests.
CONTENT: Mapping[str, Any] = json.loads((FOLDER / "content.json").read_text(encoding="utf-8"))
GROUP_LETTERS = "ABCDEFGHIJKL"
Mark = TypeVar("Mark")


# --- Colours of the heat maps ---


#: How likely two uses mean the same: colours from zero to one, in the light and the dark theme.
CHANCES = (
    ("#f1f5f2", "#bfdfd7", "#6fbdb5", "#1d7480", "#0b3f52"),
    ("#1f272e", "#1f4752", "#257a80", "#5fbdb2", "#c9f2e2"),
)
#: Cosines, in other colours to avoid confusion.
COSINES = (
    ("#f4f3f7", "#d5d3ea", "#a19fd3", "#5a57a6", "#2c2a66"),
    ("#23232f", "#363663", "#57559c", "#9794d6", "#dddbfa"),
)


def _cell_colours(colours: Sequence[str], share: float) -> tuple[str, str]:
    """Return the background of a cell and its legible text colour, white or black."""
    channels = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in colours])
    places = np.linspace(0, 1, len(colours))
    background = np.array([round(np.interp(share, places, channel)) for channel in channels.T])
    v = background / 255
    luminance = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4) @ [
        0.2126,
        0.7152,
        0.0722,
    ]
    # White has a contrast of 4.5 (WCAG) up to this luminance; beyond it black has more.
    return "#" + bytes(
        background.astype(np.uint8)
    ).hex(), "#ffffff" if luminance <= 1.05 / 4.5 - 0.05 else "#000000"


def share_of(cosine: float, floor: float) -> float:
    """Scale a cosine to 0..1 between ``floor`` and 1, clipped."""
    return min(1.0, max(0.0, (cosine - floor) / max(1.0 - floor, 1e-6)))


def cell_style(share: float, scale: Sequence[Sequence[str]] = CHANCES) -> str:
    """Return the colours of a cell as CSS variables."""
    (background, text), (dark_background, dark_text) = (
        _cell_colours(colours, share) for colours in scale
    )
    return f"--b:light-dark({background},{dark_background});--t:light-dark({text},{dark_text})"


def legend_style(scale: Sequence[Sequence[str]]) -> str:
    """Return the colours of a legend as a CSS variable."""
    return "--l:" + ",".join(
        f"light-dark({light},{dark})" for light, dark in zip(*scale, strict=True)
    )


def cosine_style(cosine: float, floor: float) -> str:
    """Return the colours of a cosine as CSS variables; unrelated items have the ``floor``."""
    return cell_style(share_of(cosine, floor), COSINES)


def tint(push: float, steps: Sequence[float]) -> str:
    """Return the CSS class of a word's tint by the steps that its effect reaches; else empty."""
    reached = sum(abs(push) >= least for least in steps)
    return f"{'for' if push > 0 else 'against'}{reached}" if reached else ""


# --- Templates ---


def data_link(content: Any) -> str:
    """Return a data link of a file: a spreadsheet if it is text, else JSON."""
    if isinstance(content, str):
        # The byte order mark tells spreadsheets that the file is UTF-8.
        return f"data:text/csv;charset=utf-8,{quote(chr(0xFEFF) + content)}"
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return f"data:application/json;charset=utf-8,{quote(text)}"


_templates = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
#: What templates call, also as filters: ``{{ share|percent }}``.
_HELPERS: tuple[Callable[..., Any], ...] = (
    *(
        texts.likely_cell,
        texts.first_terms,
        texts.listed,
        texts.number,
        texts.percent,
        texts.score_text,
    ),
    *(
        texts.short_percent,
        texts.signed,
        heads.class_words,
        heads.type_note,
        meanings.heading,
        meanings.hesitation,
    ),
    *(
        texts.map_title,
        texts.mapped_by,
        texts.sentence_layer_title,
        texts.title_of,
        texts.view_place,
    ),
    *(texts.view_title, cell_style, cosine_style, legend_style, share_of, data_link, zip),
)
_templates.filters.update({helper.__name__: helper for helper in _HELPERS})
_templates.filters.update(
    capital=texts.first_capital,
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
_templates.globals.update(CHANCES=CHANCES, COSINES=COSINES, GROUP_LETTERS=GROUP_LETTERS)
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


def saved_page(title: str, answer: str) -> str:
    """Return an answer as a page of its own, with the styles and scripts that it needs."""
    styles = joined(
        *(f"styles/{name}.css" for name in ("style", "map", "compare", "saved_page", "worksheet"))
    )
    shared = joined(*(f"scripts/{name}.js" for name in ("form", "terms", "worksheet")))
    # Each script of a tab is called with what gradio gives it. It works on the answer that it
    # knows, and finds no other.
    calls = [
        "((element, watch) =>"
        f" {{\n{joined(f'scripts/{name}.js')}\n}})(document.querySelector('main'), () => {{}});"
        for name in ("answer", "map_answer")
    ]
    script = "\n".join(("", shared, *calls, ""))
    return render(
        "saved_page.html",
        title=title,
        answer=Markup(answer),  # from our templates, which escape what people typed
        made=date.today().isoformat(),
        style=Markup(styles),  # ours alone, as is the script
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


#: Of each answer that may be missing: its class, and what is shown until it comes.
_WAITING = {
    "compare": ("answer", "Comparing…"),
    "map": ("map-answer", "Drawing the map…"),
    "nearest": ("near-answer", "Reading the example sentences…"),
    "try": (
        "try-answer",
        "Loading the models and reading…",
    ),  # which the first question of all has to
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


def csv_cell(value: object) -> str:
    """Format a cell; text that a spreadsheet would run as a formula gets an apostrophe."""
    if isinstance(value, float):
        return f"{value:.6f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = "" if value is None else str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def csv_file(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format rows as a spreadsheet in which no cell is run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([csv_cell(name) for name in header])
    writer.writerows([csv_cell(cell) for cell in row] for row in rows)
    return out.getvalue()

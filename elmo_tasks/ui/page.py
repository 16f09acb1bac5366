"""The scripts, styles, templates and examples of the page, and the files that it saves.

Templates escape what is put into them; :class:`Markup` stays as it is. A file is in its link, so nothing goes to a server.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from elmo_tasks.messages import heads, layer_weights, training
from elmo_tasks.messages.heads import class_words, type_note
from elmo_tasks.messages.meanings import heading, hesitation
from elmo_tasks.messages.text import (
    cell_percent,
    first_capital,
    first_terms,
    listed,
    number,
    percent,
    score_text,
    short_percent,
    signed,
)
from elmo_tasks.messages.views import layer_title, map_title, mapped_by, view_place, view_title

FOLDER = Path(__file__).parent
#: Texts of ours to try, in the order of the page; what belongs in them is said in :mod:`elmo_tasks.ui.compare_form`.
EXAMPLES: Mapping[str, Any] = json.loads((FOLDER / "examples.json").read_text(encoding="utf-8"))
GROUP_LETTERS = "ABCDEFGHIJKL"
Mark = TypeVar("Mark")
_templates = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)


def unbroken(text: str) -> Markup:
    """Keep the parenthesis at the end of a sentence, its probability, on one line."""
    before, _, rest = text.rpartition("(")
    inside, closing, after = rest.partition(")")
    if not closing or not before:
        return Markup.escape(text)
    return Markup('{}<span class="unbroken">({})</span>{}').format(before, inside, after)


def data_link(content: Any) -> str:
    """Return a data link of a file: a spreadsheet if it is text, else JSON."""
    if isinstance(content, str):
        # The byte order mark tells spreadsheets that the file is UTF-8.
        return f"data:text/csv;charset=utf-8,{quote(chr(0xFEFF) + content)}"
    return f"data:application/json;charset=utf-8,{quote(json.dumps(content, ensure_ascii=False, indent=1))}"


_templates.filters.update(
    first_terms=first_terms,
    unbroken=unbroken,
    number=number,
    signed=signed,
    percent=percent,
    listed=listed,
    capital=first_capital,
    class_words=class_words,
    type_note=type_note,
    heading=heading,
    hesitation=hesitation,
    view_title=view_title,
    layer_title=lambda layer: layer_title(layer.name, getattr(layer, "sees", "")),
    view_place=view_place,
    map_title=map_title,
    mapped_by=mapped_by,
    data_link=data_link,
    thousands="{:,}".format,
    hundredths="{:.2f}".format,
    # Titles of a table's columns of numbers.
    layer_columns=lambda layers: [(f"Layer {name}", True) for name in layers],
)
# With the sentences that a template asks for by itself.
_templates.globals.update(
    heads=heads, layer_weights=layer_weights, training=training, GROUP_LETTERS=GROUP_LETTERS, zip=zip
)
_templates.globals.update(number=number, cell_percent=cell_percent, short_percent=short_percent, score_text=score_text)


def render(template: str, **values: Any) -> Markup:
    """Render a template of this folder; the result may be used in another template."""
    return Markup(_templates.get_template(template).render(**values))


def fill(template: str, macro: str, *values: Any) -> Markup:
    """Render one macro of a template."""
    made: Markup = getattr(_templates.get_template(template).module, macro)(*values)
    return made


def joined(*names: str) -> str:
    """Join scripts or styles; gradio runs scripts as one function that shares names."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


def saved_page(title: str, answer: str) -> str:
    """Return an answer as a page of its own, with the styles and scripts that it needs."""
    styles = joined(*(f"styles/{name}.css" for name in ("style", "map", "compare", "saved_page")))
    shared = joined(*(f"scripts/{name}.js" for name in ("saved_page", "form", "terms")))
    # Each script of a tab is called with what gradio gives it. It works on the answer that it knows, and finds no other.
    calls = [
        f"((element, watch) => {{\n{joined(f'scripts/{name}.js')}\n}})(document.querySelector('main'), () => {{}});"
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


#: Of the tabs whose answer may be missing: its class, and what is shown until it comes.
_WAITING = {
    "compare": ("answer", "Comparing…"),
    "map": ("map-answer", "Drawing the map…"),
    "nearest": ("near-answer", "Reading the example sentences…"),
}


def nothing(tab: str, reason: str = "") -> str:
    """Render the placeholder without an answer, with the reason if there is one."""
    classes, waits = _WAITING[tab]
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

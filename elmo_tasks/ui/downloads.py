"""Links that save what the page shows; the file is in the link, so nothing goes to a server."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from elmo_tasks.ui.format import csv_cell


def csv_file(header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Rows as a spreadsheet in which no cell is run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([csv_cell(name) for name in header])
    writer.writerows([csv_cell(cell) for cell in row] for row in rows)
    return out.getvalue()


def actions(name: str, csv_text: str, data: Any, query: str = "", left_out: str = "") -> str:
    """The buttons at the foot of a card; ``keep.js`` copies the link and draws the picture.

    The picture is what is marked ``data-picture`` in the card, or in the view around it.

    Args:
        name: of the files, without the ending.
        csv_text: the spreadsheet.
        data: what the JSON file holds.
        query: query string that opens the view again; without one there is no link to copy.
        left_out: what the link does not hold, as it is said once it is copied.
    """
    # The byte order mark tells spreadsheets that the file is UTF-8.
    table = quote("\ufeff" + csv_text)
    text = quote(json.dumps(data, ensure_ascii=False, indent=1))
    return (
        f'<div class="actions">{copy_link(query, left_out) if query else ""}{png(name)}'
        f'<a class="plain" download="{escape(name)}.csv" href="data:text/csv;charset=utf-8,{table}">Download CSV</a>'
        f'<a class="plain" download="{escape(name)}.json" '
        f'href="data:application/json;charset=utf-8,{text}">Download JSON</a><span class="said" role="status"></span></div>'
    )


def copy_link(query: str, left_out: str = "") -> str:
    """The button that copies a link; see :func:`actions`."""
    short = f' data-short="{escape(left_out)}"' if left_out else ""
    return f'<button type="button" class="plain" data-link="{escape(query)}"{short}>Copy link</button>'


def png(name: str) -> str:
    """The button that saves the picture beside it under a name without the ending; see :func:`actions`."""
    return f'<button type="button" class="plain" data-png="{escape(name)}">Download PNG</button>'


def only_png(name: str) -> str:
    """A foot with the picture alone, for a card whose numbers another one saves."""
    return f'<div class="actions">{png(name)}<span class="said" role="status"></span></div>'

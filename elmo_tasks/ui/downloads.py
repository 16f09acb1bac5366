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


def actions(name: str, csv_text: str, data: Any) -> str:
    """The two links at the foot of a card.

    Args:
        name: of the files, without the ending.
        csv_text: the spreadsheet.
        data: what the JSON file holds.
    """
    # The byte order mark tells spreadsheets that the file is UTF-8.
    table = quote("\ufeff" + csv_text)
    text = quote(json.dumps(data, ensure_ascii=False, indent=1))
    return (
        f'<div class="actions"><a class="plain" download="{escape(name)}.csv" '
        f'href="data:text/csv;charset=utf-8,{table}">Download CSV</a>'
        f'<a class="plain" download="{escape(name)}.json" '
        f'href="data:application/json;charset=utf-8,{text}">Download JSON</a></div>'
    )

"""Files to download: spreadsheets, JSON and saved pages.

A file is in its link, so nothing goes to a server.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote


def data_link(content: Any) -> str:
    """Return a data link of a file: a spreadsheet if it is text, else JSON."""
    if isinstance(content, str):
        # The byte order mark tells spreadsheets that the file is UTF-8.
        return f"data:text/csv;charset=utf-8,{quote(chr(0xFEFF) + content)}"
    text = json.dumps(content, ensure_ascii=False, indent=1)
    return f"data:application/json;charset=utf-8,{quote(text)}"


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

"""Readable numbers, lists, quotations and durations."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MAX_QUOTE = 40
_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six")
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


def number(value: float) -> str:
    """Format two decimals, with a true minus sign and never a negative zero."""
    text = f"{value:.2f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def signed(value: float) -> str:
    """Format a change, with an arrow that shows its direction beside the sign."""
    text = number(value)
    if text == "0.00":
        return text
    return f"▼ {text}" if value < 0 else f"▲ +{text}"


def percent(share: float) -> str:
    """Format a share in whole percent, never rounded to certainty, with a fixed space."""
    if 0 < share < 0.005:
        return "under 1\u00a0%"
    if 0.995 <= share < 1:
        return "over 99\u00a0%"
    return f"{int(100 * share + 0.5)}\u00a0%"


def cell_percent(share: float) -> str:
    """Format as :func:`percent` for a cell: ``<1 %``, ``50 %``, ``>99 %``."""
    return percent(share).replace("under ", "<").replace("over ", ">")


def likely_cell(share: float) -> str:
    """Format as :func:`cell_percent`, but an estimate is never exactly zero."""
    return cell_percent(max(share, 1e-4))


def short_percent(share: float) -> str:
    """Format as :func:`likely_cell` for a narrow cell: ``<1``, ``50``, ``>99``."""
    return likely_cell(share).removesuffix("\u00a0%")


def score_line(metric: str, value: float, data: str) -> str:
    """Format ``F1 0.87 on CoNLL-2003 test``."""
    return f"{metric} {value:.2f} on {data}"


def score_text(metric: str, value: float) -> str:
    """Format a score: accuracy in percent, F1 as it is."""
    return percent(value) if metric == "accuracy" else number(value)


def duration(seconds: float) -> str:
    """Format ``about 40 seconds`` or ``about 2.5 hours``, no finer than an estimate is."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"about {round(seconds / 10) * 10} seconds"
    if seconds < 5400:
        return f"about {round(seconds / 60)} minutes"
    return f"about {round(seconds / 1800) / 2:g} hours"


def ordinal(place: int) -> str:
    """Format ``1st``, ``2nd``, ``3rd``, ``11th``, ``1,001st``."""
    return f"{place:,}{'th' if 10 <= place % 100 <= 20 else _ORDINALS.get(place % 10, 'th')}"


def number_word(n: int) -> str:
    """Write a small number as a word: ``two``."""
    return _NUMBER_WORDS[n] if n < len(_NUMBER_WORDS) else str(n)


def listed(parts: Sequence[object]) -> str:
    """Format ``a``, ``a and b``, ``a, b and c``."""
    words = [str(part) for part in parts]
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def first_capital(text: str) -> str:
    """Capitalize the first letter and keep the rest."""
    return text[:1].upper() + text[1:]


def shortened(text: str) -> str:
    """Shorten the text for a message: on one line, without control characters."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= _MAX_QUOTE else line[: _MAX_QUOTE - 1].rstrip() + "…"


def quoted(text: str) -> str:
    """Quote the text for a message; see :func:`shortened`."""
    return f"“{shortened(text)}”"


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoding can write; join pairs of them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def slug(text: str, default: str = "word") -> str:
    """Return a file name that is valid on every system."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or default

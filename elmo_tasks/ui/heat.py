"""Colours of the heat maps, for the light and the dark theme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Scale(NamedTuple):
    """Colours from zero to one, in the light and the dark theme."""

    light: tuple[str, ...]
    dark: tuple[str, ...]

    def style(self) -> str:
        """CSS variables of a legend."""
        return f"--l:{','.join(self.light)};--d:{','.join(self.dark)}"


#: How likely two uses mean the same.
CHANCES = Scale(
    ("#f1f5f2", "#bfdfd7", "#6fbdb5", "#1d7480", "#0b3f52"), ("#1f272e", "#1f4752", "#257a80", "#5fbdb2", "#c9f2e2")
)
#: Cosines, in other colours to avoid confusion.
COSINES = Scale(
    ("#f4f3f7", "#d5d3ea", "#a19fd3", "#5a57a6", "#2c2a66"), ("#23232f", "#363663", "#57559c", "#9794d6", "#dddbfa")
)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Compute the WCAG contrast ratio of two colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _mix(stops: tuple[str, ...], share: float) -> str:
    position = share * (len(stops) - 1)
    index = min(int(position), len(stops) - 2)
    weight = position - index
    pairs = zip(_channels(stops[index]), _channels(stops[index + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * weight):02x}" for a, b in pairs)


def _text_on(background: str) -> str:
    # White reads better on a saturated middle tone; where it lacks contrast, black has more than enough.
    return "#ffffff" if contrast(background, "#ffffff") >= 4.5 else "#000000"


def share_of(cosine: float, floor: float) -> float:
    """Scale a cosine to 0..1 between ``floor`` and 1, clipped."""
    return min(1.0, max(0.0, (cosine - floor) / max(1.0 - floor, 1e-6)))


def cell_colours(share: float, scale: Scale = CHANCES) -> list[tuple[str, str]]:
    """Return the background and text colours of a cell, in both themes.

    ``share`` runs from zero (0) to one (1).
    """
    return [(background, _text_on(background)) for background in (_mix(stops, share) for stops in scale)]


def cell_style(share: float, scale: Scale = CHANCES) -> str:
    """Return the colours of a cell as CSS variables."""
    (background, text), (background_dark, text_dark) = cell_colours(share, scale)
    return f"--b:{background};--t:{text};--bd:{background_dark};--td:{text_dark}"


def cosine_style(cosine: float, floor: float) -> str:
    """Return the colours of a cosine as CSS variables.

    ``floor`` is the cosine of two unrelated items.
    """
    return cell_style(share_of(cosine, floor), COSINES)


def tint(push: float, steps: Sequence[float]) -> str:
    """Return the CSS class of a word's tint, or an empty string.

    The classes are ``for1`` to ``for4`` and ``against1`` to ``against4``, by the steps that the effect reaches.
    """
    reached = sum(abs(push) >= least for least in steps)
    return f"{'for' if push > 0 else 'against'}{reached}" if reached else ""

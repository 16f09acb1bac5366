"""Colours of heat maps, legends and tinted words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: How likely two uses mean the same: colours from zero to one, in the light and the dark theme.
PROBABILITY_COLOURS = (
    ("#f1f5f2", "#bfdfd7", "#6fbdb5", "#1d7480", "#0b3f52"),
    ("#1f272e", "#1f4752", "#257a80", "#5fbdb2", "#c9f2e2"),
)
#: Cosines, in other colours to avoid confusion.
COSINE_COLOURS = (
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


def cell_style(share: float, scale: Sequence[Sequence[str]] = PROBABILITY_COLOURS) -> str:
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
    return cell_style(share_of(cosine, floor), COSINE_COLOURS)


def tint(push: float, steps: Sequence[float]) -> str:
    """Return the CSS class of a word's tint by the steps that its effect reaches; else empty."""
    reached = sum(abs(push) >= least for least in steps)
    return f"{'for' if push > 0 else 'against'}{reached}" if reached else ""

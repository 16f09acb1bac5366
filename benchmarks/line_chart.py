"""A line chart of measurements as an SVG file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elmo_tasks import charts


def line_chart(
    path: Path, title: str, x_name: str, x: Sequence[float], y_name: str, y: Sequence[float]
) -> None:
    """Draw ``y`` over ``x``, with axes from zero."""
    axes = charts.Axes(
        across=[(share * max(x), f"{share * max(x):,.0f}") for share in (0, 0.25, 0.5, 0.75, 1)],
        up=[(share * max(y), f"{share * max(y):.2g}") for share in (0, 0.25, 0.5, 0.75, 1)],
        across_name=x_name,
        up_name=y_name,
    )
    line = charts.Line(list(zip(x, y, strict=True)))
    path.write_text(charts.line_chart(title, [line], axes), encoding="utf-8")

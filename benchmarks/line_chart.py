"""A line chart as an SVG file, without a plotting library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 480, 300, 64, 48, 36, 20


def line_chart(
    path: Path, title: str, x_name: str, x: Sequence[float], y_name: str, y: Sequence[float]
) -> None:
    """Draw ``y`` over ``x`` with axes from zero and labelled points."""
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    points = [
        (_LEFT + wide * a / max(x), _HEIGHT - _BOTTOM - high * b / max(y))
        for a, b in zip(x, y, strict=True)
    ]
    zero = f"{_LEFT},{_HEIGHT - _BOTTOM}"
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
            ' font-family="sans-serif" font-size="12">'
        ),
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        (
            f'<text x="{_WIDTH / 2}" y="20" text-anchor="middle" font-size="14">{escape(title)}:'
            f" {escape(y_name)}</text>"
        ),
        f'<path d="M{_LEFT},{_TOP} L{zero} H{_WIDTH - _RIGHT}" fill="none" stroke="#666"/>',
        (
            f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}" fill="none"'
            ' stroke="#2563eb" stroke-width="2"/>'
        ),
    ]
    for (a, b), value in zip(points, y, strict=True):
        parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="#2563eb"/>')
        parts.append(f'<text x="{a - 6:.1f}" y="{b - 6:.1f}" text-anchor="end">{value:.2g}</text>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        at = _LEFT + wide * share
        parts.append(
            f'<text x="{at:.1f}" y="{_HEIGHT - 30}"'
            f' text-anchor="middle">{max(x) * share:,.0f}</text>'
        )
    parts.append(
        f'<text x="{_LEFT + wide / 2}" y="{_HEIGHT - 10}"'
        f' text-anchor="middle">{escape(x_name)}</text>'
    )
    path.write_text("\n".join([*parts, "</svg>"]) + "\n", encoding="utf-8")

"""Bar and line charts as SVG, for dark and light pages, without a library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

_WIDTH = 720
_NAMES = 300
_ROW = 22
_EDGE = 16
_LONGEST_NAME = 80
_STYLE = """
text{font:13px sans-serif;fill:#1c2530}
.t{font-weight:700;font-size:15px}
.s{fill:#535d69}
.a{fill:#0d6e76}
.f{fill:#9aa5b1}
.m,.g{stroke:#535d69;stroke-dasharray:4 3;fill:none}
.g{stroke:#ddd8cb;stroke-dasharray:none}
.p{fill:#fffefb}
.l0{stroke:#0d6e76}
.l1{stroke:#a84b06;stroke-dasharray:8 4}
.l2{stroke:#6230c4;stroke-dasharray:3 4}
.l3{stroke:#b0175a;stroke-dasharray:12 4 2 4}
.l4{stroke:#3f6212;stroke-dasharray:14 5}
.l5{stroke:#1d4fc4;stroke-dasharray:5 3}
polyline{fill:none;stroke-width:2.5}
circle{fill:none;stroke-width:2.5}
@media(prefers-color-scheme:dark){
  text{fill:#ece8df}
  .s{fill:#a9b2bc}
  .a{fill:#62cfc7}
  .f{fill:#5b6470}
  .p{fill:#1a2128}
  .g{stroke:#313b45}
  .l0{stroke:#62cfc7}
  .l1{stroke:#f4a852}
  .l2{stroke:#bba2ff}
  .l3{stroke:#ff92bf}
  .l4{stroke:#aed45c}
  .l5{stroke:#8fb7ff}
}
"""


class Bar(NamedTuple):
    """A bar from 0 to ``value``, which is at most 1."""

    name: str  # before it
    value: float
    text: str  # behind it
    is_faint: bool = False  # a reference


class Panel(NamedTuple):
    """Bars under one title, with the value and the name of a baseline."""

    title: str
    bars: Sequence[Bar]
    mark: tuple[float, str] | None = None


def bar_chart(title: str, panels: Sequence[Panel]) -> str:
    """Panels of horizontal bars on a scale from 0 to 1, one below the other."""
    parts, y = [_text(_EDGE, 28, title, "t")], 50
    wide = _WIDTH - _NAMES - 90

    def x(value: float) -> float:
        return _NAMES + wide * min(1.0, max(0.0, value))

    for panel in panels:
        parts.append(_text(_EDGE, y + 14, panel.title, "t"))
        y += 24
        for bar in panel.bars:
            parts.append(_text(_NAMES - 8, y + 14, bar.name, "s", "end"))
            style, width = "f" if bar.is_faint else "a", x(bar.value) - _NAMES
            parts.append(
                f'<rect class="{style}" x="{_NAMES}" y="{y + 2}" width="{width:.1f}"'
                f' height="{_ROW - 6}"/>'
            )
            parts.append(_text(x(bar.value) + 6, y + 14, bar.text))
            y += _ROW
        if panel.mark is not None:
            at, name = x(panel.mark[0]), panel.mark[1]
            parts.append(f'<path class="m" d="M{at:.1f},{y - _ROW * len(panel.bars)} V{y + 2}"/>')
            parts.append(_text(_NAMES, y + 14, f"dashed: {name}", "s"))
            y += _ROW
        y += 10
    return _svg(y, parts)


def share_chart(title: str, y_name: str, lines: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Scores from 0 to 1 over shares of the training data, on a log scale."""
    shares = sorted({share for points in lines.values() for share, _ in points})
    scores = [score for points in lines.values() for _, score in points]
    low = math.floor(10 * min(scores)) / 10
    high = max(math.ceil(10 * max(scores)) / 10, low + 0.1)
    left = 70
    right = _WIDTH - 40
    top = 60
    bottom = 360

    def x(share: float) -> float:
        if len(shares) == 1:
            return (left + right) / 2
        return left + (right - left) * math.log(share / shares[0]) / math.log(
            shares[-1] / shares[0]
        )

    def y(score: float) -> float:
        return bottom - (bottom - top) * (score - low) / (high - low)

    parts = [_text(_EDGE, 28, title, "t"), _text(left, 48, y_name, "s")]
    for k in range(round(10 * low), round(10 * high) + 1):
        parts.append(f'<path class="g" d="M{left},{y(k / 10):.1f} H{right}"/>')
        parts.append(_text(left - 8, y(k / 10) + 4, str(10 * k), "s", "end"))
    parts += [_text(x(share), bottom + 22, f"{100 * share:g} %", "s", "middle") for share in shares]
    parts.append(
        _text((left + right) / 2, bottom + 44, "share of the training data", "s", "middle")
    )
    for k, (name, points) in enumerate(lines.items()):
        places = " ".join(f"{x(share):.1f},{y(score):.1f}" for share, score in points)
        color = f"l{k % 6}"
        parts.append(f'<polyline class="{color}" points="{places}"/>')
        # A line of a single point is invisible without its mark.
        parts += [
            f'<circle class="{color}" cx="{x(share):.1f}" cy="{y(score):.1f}" r="4"/>'
            for share, score in points
        ]
        level = bottom + 72 + _ROW * k  # the legend is below: names have any length
        parts.append(f'<polyline class="{color}" points="{left},{level} {left + 28},{level}"/>')
        parts.append(_text(left + 36, level + 4, _cut(name)))
    return _svg(bottom + 72 + _ROW * len(lines), parts)


def _cut(name: str) -> str:
    """Shorten a name to what fits into the width of a chart."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _text(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{style}"'
        f' text-anchor="{anchor}">{escape(words)}</text>'
    )


def _svg(height: int, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        f' role="img"><style>{_STYLE}</style>'
    )
    return "\n".join([head, '<rect class="p" width="100%" height="100%"/>', *parts, "</svg>\n"])

"""Line and bar charts as SVG: in pages, whose styles they take, and in files of their own.

Pointing at a point or a bar shows its value. The legend is below the chart, one line for each name
that is long, so that nothing is cut.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

#: Points at most that a line marks and explains one by one.
_MAX_MARKS = 60
_WIDTH = 720
_NAME_WIDTH = 300
_ROW_HEIGHT = 22
_EDGE = 16
_LONGEST_NAME = 80
#: Maximum length of names that are side by side in a legend.
_SHORT_NAME = 10
#: Styles of a chart in a file; the page has the same class names in ui/styles/weights.css.
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
.faint{opacity:.35}
polyline,line{fill:none;stroke-width:2.5}
circle{fill:none;stroke-width:2.5;stroke-dasharray:none!important;pointer-events:all}
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

Points = Sequence[tuple[float, float]]
#: A value on an axis, and its words.
Ticks = Sequence[tuple[float, str]]


class Line(NamedTuple):
    """A line of a chart."""

    points: Points
    colour: int = 0  #: number of one of six colours
    name: str = ""  #: in the legend; not there if it is empty
    is_faint: bool = False  #: in the background, without marks


class Bar(NamedTuple):
    """A bar from 0 to ``value``, which is at most 1."""

    name: str  #: before it
    value: float
    text: str  #: behind it
    is_faint: bool = False  #: a reference


class Panel(NamedTuple):
    """Bars under one title, with the value and the name of a baseline."""

    title: str
    bars: Sequence[Bar]
    mark: tuple[float, str] | None = None


class Axes(NamedTuple):
    """The scales of a line chart, from low to high, and its size."""

    across: Ticks
    up: Ticks
    across_name: str = ""
    up_name: str = ""
    is_log: bool = False  #: the scale across
    width: int = 720
    height: int = 300  #: of the plot


def line_chart(title: str, lines: Sequence[Line], axes: Axes, *, in_page: bool = False) -> str:
    """Draw lines; ``in_page`` without a title, paper and styles, which the page has."""
    left, right = 64 if axes.width > 500 else 46, axes.width - 24
    top = 24 if in_page else 60
    bottom = top + axes.height
    across: Callable[[float], float] = math.log if axes.is_log else float
    low, high = (across(axes.across[k][0]) for k in (0, -1))
    floor, ceiling = axes.up[0][0], axes.up[-1][0]

    def x(value: float) -> float:
        share = 0.5 if high == low else (across(value) - low) / (high - low)
        return left + (right - left) * share

    def y(value: float) -> float:
        share = (value - floor) / (ceiling - floor)
        return bottom - (bottom - top) * min(1.0, max(0.0, share))

    parts = [] if in_page else [_text(_EDGE, 28, title, "t")]
    if axes.up_name:
        parts.append(_text(left, top - 12, axes.up_name, "s"))
    for value, words in axes.up:
        parts.append(f'<path class="g" d="M{left},{y(value):.1f} H{right}"/>')
        parts.append(_text(left - 8, y(value) + 4, words, "s", "end"))
    parts += [_text(x(at), bottom + 22, words, "s", "middle") for at, words in axes.across]
    level = bottom + 34
    if axes.across_name:
        parts.append(_text((left + right) / 2, bottom + 42, axes.across_name, "s", "middle"))
        level = bottom + 54
    for line in lines:
        parts += _line(line, x, y)
    named = [line for line in lines if line.name]
    at, is_short = float(right), all(len(line.name) <= _SHORT_NAME for line in named)
    for line in named:
        if not is_short or at + 36 + 7 * len(line.name) > axes.width:
            level, at = level + _ROW_HEIGHT, float(left)
        parts.append(
            f'<line class="l{line.colour % 6}" x1="{at:.1f}" x2="{at + 28:.1f}"'
            f' y1="{level - 4}" y2="{level - 4}"/>'
        )
        parts.append(_text(at + 36, level, _cut(line.name)))
        at += 48 + 7 * len(line.name)
    return _svg(title, axes.width, level + 14, parts, in_page=in_page)


def _line(line: Line, x: Callable[[float], float], y: Callable[[float], float]) -> list[str]:
    """Draw a line, and a mark with its value at each of a few points."""
    style = f"l{line.colour % 6}{' faint' if line.is_faint else ''}"
    places = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in line.points)
    drawn = [f'<polyline class="{style}" points="{places}"/>']
    if line.is_faint or len(line.points) > _MAX_MARKS:
        return drawn
    return drawn + [
        f'<circle class="{style}" cx="{x(at):.1f}" cy="{y(value):.1f}" r="3.5">'
        f"<title>{escape(f'{line.name}: ' if line.name else '')}{value:.3g} at {at:g}</title>"
        "</circle>"
        for at, value in line.points
    ]


def bar_chart(title: str, panels: Sequence[Panel]) -> str:
    """Panels of horizontal bars on a scale from 0 to 1, one below the other."""
    parts, y = [_text(_EDGE, 28, title, "t")], 50
    longest = max((len(bar.name) for panel in panels for bar in panel.bars), default=0)
    names = max(_NAME_WIDTH, min(7 * longest + 2 * _EDGE, _WIDTH - 250))
    wide = _WIDTH - names - 90

    def x(value: float) -> float:
        return names + wide * min(1.0, max(0.0, value))

    for panel in panels:
        parts.append(_text(_EDGE, y + 14, panel.title, "t"))
        y += 24
        for bar in panel.bars:
            parts.append(_text(names - 8, y + 14, _cut(bar.name), "s", "end"))
            style, width = "f" if bar.is_faint else "a", x(bar.value) - names
            parts.append(
                f'<rect class="{style}" x="{names}" y="{y + 2}" width="{width:.1f}"'
                f' height="{_ROW_HEIGHT - 6}">'
                f"<title>{escape(bar.name)}: {escape(bar.text)}</title></rect>"
            )
            parts.append(_text(x(bar.value) + 6, y + 14, bar.text))
            y += _ROW_HEIGHT
        if panel.mark is not None:
            at, name = x(panel.mark[0]), panel.mark[1]
            parts.append(
                f'<path class="m" d="M{at:.1f},{y - _ROW_HEIGHT * len(panel.bars)} V{y + 2}"/>'
            )
            parts.append(_text(names, y + 14, f"dashed: {name}", "s"))
            y += _ROW_HEIGHT
        y += 10
    return _svg(title, _WIDTH, y, parts)


def share_chart(title: str, y_name: str, lines: Mapping[str, Points]) -> str:
    """Scores from 0 to 1 over shares of the training data, on a log scale; bars for one share."""
    shares = sorted({share for points in lines.values() for share, _ in points})
    scores = [score for points in lines.values() for _, score in points]
    if len(shares) == 1:
        bars = [
            Bar(name, score, f"{100 * score:.1f}")
            for name, points in lines.items()
            for _, score in points
        ]
        return bar_chart(title, [Panel(f"{y_name}; {100 * shares[0]:g} % of the data", bars)])
    low = math.floor(10 * min(scores))
    high = max(math.ceil(10 * max(scores)), low + 1)
    axes = Axes(
        across=[(share, f"{100 * share:g} %") for share in shares],
        up=[(k / 10, str(10 * k)) for k in range(low, high + 1)],
        across_name="share of the training data",
        up_name=y_name,
        is_log=True,
    )
    drawn = [Line(points, k, name) for k, (name, points) in enumerate(lines.items())]
    return line_chart(title, drawn, axes)


def _cut(name: str) -> str:
    """Shorten a name to what fits into the width of a chart."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _text(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{style}"'
        f' text-anchor="{anchor}">{escape(words)}</text>'
    )


def _svg(
    title: str, width: int, height: float, parts: Sequence[str], *, in_page: bool = False
) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {width} {height:g}"'
        f' role="img" aria-label="{escape(title)}">'
    )
    if in_page:
        return "\n".join([head, *parts, "</svg>"])
    paper = f'<style>{_STYLE}</style>\n<rect class="p" width="100%" height="100%"/>'
    return "\n".join([head, paper, *parts, "</svg>\n"])

"""Pictures of layer weights as markup: they take their colours from the page, so they follow it into the dark.

Lines are drawn in an SVG that stretches; all text is HTML beside it and keeps its size on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from elmo_tasks.api import LayerWeights, MixWeights
from elmo_tasks.ui.format import number_text
from elmo_tasks.ui.plain_words import percent
from elmo_tasks.ui.weights import ranges


def key(at: int, name: str) -> str:
    """The number of a layer in its shape and colour: colour is never the only sign."""
    return (
        f'<span class="badge g{at % 6}" role="img" aria-label="layer {escape(name)}"><span>{escape(name)}</span></span>'
    )


def layer_words(at: int, name: str) -> str:
    """The name of a layer beside its bar."""
    return f"Layer {name}, without context" if at == 0 else f"Layer {name}"


def bars(entry: LayerWeights) -> str:
    """The weights of the loaded head, with a dot for each run and a line from the smallest to the largest."""
    spans = ranges(entry)
    top = _ceiling(max(high for _, high in spans))
    many = len(entry.runs) > 1
    rows = []
    for at, name in enumerate(entry.layers):
        low, high = spans[at]
        whisker = (
            f'<u style="left:{100 * low / top:.2f}%;width:{100 * (high - low) / top:.2f}%"></u>'
            + "".join(f'<s style="left:{100 * run.weights[at] / top:.2f}%"></s>' for run in entry.runs)
            if many
            else ""
        )
        spread = f"<small>{_range_text(low, high)}</small>" if many else ""
        rows.append(
            f'<li class="g{at % 6}"><span class="name">{key(at, name)} {escape(layer_words(at, name))}</span>'
            f'<span class="value">{percent(entry.final.weights[at])}{spread}</span><i aria-hidden="true">'
            f'<b style="width:{100 * entry.final.weights[at] / top:.2f}%"></b>{whisker}</i></li>'
        )
    even = 1 / len(entry.layers)
    runs = f"Dots: {len(entry.runs)} runs; line: from the smallest to the largest of them. " if many else "One run. "
    return (
        f'<ul class="weights" role="list" style="--even:{100 * even / top:.2f}%">{"".join(rows)}</ul>'
        f'<p class="hint">Bar: the head that is loaded. {runs}'
        f"Dashed: an even mix ({percent(even)} each).</p>"
    )


def _range_text(low: float, high: float) -> str:
    if percent(low) == percent(high):
        return ""
    return f"{round(100 * low)}–{round(100 * high)}\u00a0%"


def _ceiling(value: float) -> float:
    """The next full tenth, so that the scale does not depend on the last digit."""
    return min(1.0, math.ceil(value * 10 + 1e-9) / 10) or 1.0


def spread_out(values: Sequence[float], gap: float) -> list[float]:
    """The values in 0..1, moved apart so that labels there do not cover each other; their order stays."""
    gap = min(gap, 1 / max(1, len(values) - 1)) if len(values) > 1 else gap
    ranked = sorted(range(len(values)), key=lambda at: values[at])
    placed = [min(1.0, max(0.0, values[at])) for at in ranked]
    for at in range(1, len(placed)):
        placed[at] = max(placed[at], placed[at - 1] + gap)
    limit = 1.0
    for at in range(len(placed) - 1, -1, -1):
        placed[at] = min(placed[at], limit)
        limit = placed[at] - gap
    moved = [0.0] * len(values)
    for place, at in enumerate(ranked):
        moved[at] = placed[place]
    return moved


def _line_chart(
    title: str,
    epochs: Sequence[MixWeights],
    lines: Sequence[Sequence[float]],
    ticks: Sequence[tuple[float, str]],
    ends: str,
) -> str:
    """Lines over epochs; ``ticks`` are the values of the scale, bottom and top first and last."""
    low, high = ticks[0][0], ticks[-1][0]
    first, last = epochs[0].epoch, epochs[-1].epoch
    width = max(1, last - first)

    def x(epoch: int) -> float:
        return 100 * (epoch - first) / width

    def y(value: float) -> float:
        return 100 - 100 * (value - low) / (high - low)

    grid = "".join(f'<line class="grid" x1="0" x2="100" y1="{y(v):.2f}" y2="{y(v):.2f}"/>' for v, _ in ticks)
    drawn = "".join(
        f'<polyline class="g{at % 6}" points="'
        + " ".join(f"{x(mix.epoch):.2f},{y(value):.2f}" for mix, value in zip(epochs, line, strict=True))
        + '"/>'
        for at, line in enumerate(lines)
    )
    scale = "".join(f'<span style="top:{y(value):.2f}%">{text}</span>' for value, text in ticks)
    stops = sorted({first, (first + last) // 2, last})
    axis = "".join(f'<span style="left:{x(stop):.2f}%">{stop}</span>' for stop in stops)
    return (
        f'<figure class="lines"><figcaption>{escape(title)}</figcaption><div class="plot" role="img" '
        f'aria-label="{escape(title)}; the numbers are in the table below"><div class="scale">{scale}</div>'
        f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">{grid}{drawn}</svg>'
        f'<div class="ends">{ends}</div><div class="axis">{axis}</div></div>'
        '<p class="hint axis-name">Epoch (one pass over the training texts)</p></figure>'
    )


def weight_lines(entry: LayerWeights) -> str:
    """The weights over the epochs."""
    lines = [[mix.weights[at] for mix in entry.epochs] for at in range(len(entry.layers))]
    top = _ceiling(max(max(line) for line in lines))
    places = spread_out([line[-1] / top for line in lines], 0.16)
    ends = "".join(
        f'<span style="top:{100 - 100 * places[at]:.2f}%">{key(at, name)}</span>'
        for at, name in enumerate(entry.layers)
    )
    ticks = [(0.0, "0\u00a0%"), (top / 2, percent(top / 2)), (top, percent(top))]
    return _line_chart("Share of each layer", entry.epochs, lines, ticks, ends)


def gamma_line(entry: LayerWeights) -> str:
    """Gamma over the epochs, on a scale of its own."""
    values = [mix.gamma for mix in entry.epochs]
    low, high = math.floor(min(values) * 5) / 5, math.ceil(max(values) * 5) / 5
    if high - low < 0.2:
        high = low + 0.2
    ticks = [(low, number_text(low)), ((low + high) / 2, number_text((low + high) / 2)), (high, number_text(high))]
    return _line_chart("Gamma", entry.epochs, [values], ticks, "")


def stacked(entries: Sequence[LayerWeights]) -> str:
    """The final weights of all heads, one bar each."""
    rows = []
    for entry in entries:
        parts = "".join(
            f'<b class="g{at % 6}" style="flex-grow:{weight:.4f}">{_segment_text(entry.layers[at], weight)}</b>'
            for at, weight in enumerate(entry.final.weights)
        )
        said = ", ".join(
            f"layer {name} {percent(weight)}" for name, weight in zip(entry.layers, entry.final.weights, strict=True)
        )
        rows.append(
            f'<li><span class="name">{escape(entry.title)}</span>'
            f'<div class="stack" role="img" aria-label="{escape(said)}">{parts}</div></li>'
        )
    longest = max(entries, key=lambda entry: len(entry.layers))
    keys = "".join(
        f"<span>{key(at, name)} {escape(layer_words(at, name))}</span>" for at, name in enumerate(longest.layers)
    )
    return (
        f'<ul class="stacks" role="list" data-picture="">{"".join(rows)}</ul><p class="key" data-picture="">{keys}</p>'
    )


def _segment_text(name: str, weight: float) -> str:
    if weight >= 0.14:
        return f"<span>{escape(name)}: {percent(weight)}</span>"
    return f"<span>{escape(name)}</span>" if weight >= 0.05 else ""

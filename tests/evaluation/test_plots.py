"""Pictures are valid SVG, say their numbers, and stay in their frame."""

import xml.etree.ElementTree as ElementTree

from elmo_tasks.evaluation.plots import Bar, Panel, bar_chart, share_chart

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg, tag):
    return list(ElementTree.fromstring(svg).iter(SVG + tag))


def test_bars_are_as_long_as_their_values_and_nothing_is_drawn_below_0():
    bars = [Bar("all", 1.0, "100"), Bar("half & half", 0.5, "50"), Bar("less than nothing", -0.3, "-0.3", True)]
    svg = bar_chart("A <title>", [Panel("One", bars, (0.25, "by chance"))])
    widths = [float(rect.get("width")) for rect in drawn(svg, "rect")[1:]]
    assert widths == [2 * widths[1], widths[1], 0.0]
    words = [text.text for text in drawn(svg, "text")]
    assert {"A <title>", "half & half", "100", "dashed: by chance"} <= set(words)
    assert drawn(svg, "path")[0].get("d").startswith(f"M{300 + widths[0] / 4:.1f},")


def test_shares_stand_on_a_logarithmic_scale_and_labels_apart():
    lines = {"mix": [(0.01, 0.62), (0.1, 0.71), (1.0, 0.8)], "layer 0": [(0.01, 0.5), (0.1, 0.7), (1.0, 0.8)]}
    svg = share_chart("Few examples", "F1", lines)
    x = [float(point.split(",")[0]) for point in drawn(svg, "polyline")[0].get("points").split()]
    assert x[1] - x[0] == x[2] - x[1]
    ends = [float(text.get("y")) for text in drawn(svg, "text") if text.text in lines]
    assert abs(ends[0] - ends[1]) >= 18
    assert {"1 %", "10 %", "100 %", "50", "80"} <= {text.text for text in drawn(svg, "text")}


def test_one_share_alone_can_be_drawn():
    assert "polyline" in share_chart("One", "accuracy", {"mix": [(0.1, 0.5)]})

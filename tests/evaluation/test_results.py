"""The table of an evaluation, its JSON, and its pictures: valid SVG with its numbers, inside its
frame."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from elmo_tasks.charts import Axes, Bar, Line, Panel, bar_chart, line_chart, share_chart
from elmo_tasks.evaluation.results import Evaluation, ResultRow

ROWS = (
    ResultRow(
        "wic",
        "WiC",
        {"0": 0.525, "1": 0.561, "2": 0.55, "mean": 0.56},
        "percent",
        0.5,
        "one answer",
        note="How.",
    ),
    ResultRow("pos", "Tags", {"0": 0.95, "1": 0.93, "2": 0.9, "mean": 0.94}, note="How."),
    ResultRow(
        "geometry",
        "Cosine",
        {"0": 0.9, "1": 0.1, "2": 0.2, "mean": 0.3},
        "index",
        high_is_good=False,
    ),
    ResultRow("perplexity", "Perplexity", {"2": 110.35}, "plain", high_is_good=False),
)
FOUND = Evaluation(
    "toy",
    "abc",
    ("0", "1", "2", "mean", "layer 1 and words"),
    ROWS,
    {"ner": "x.conll is not here"},
    {"wic": 90.0},
)


def lines():
    return FOUND.to_markdown().splitlines()


def test_every_line_has_a_cell_for_every_view():
    table = [line for line in lines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {len(FOUND.views) + 3}
    assert (
        table[0]
        == "| toy | layer 0 | layer 1 | layer 2 | mean | layer 1 and words | without a model |"
    )


def test_the_best_is_bold_and_undefined_values_are_dashes():
    assert "| WiC | 52.5 | **56.1** | 55.0 | 56.0 | - | 50.0 (one answer) |" in lines()
    assert "| Cosine | 0.900 | 0.100 | 0.200 | 0.300 | - | - |" in lines()
    assert "| Perplexity | - | - | 110.3 | - | - | - |" in lines()


def test_missing_data_have_a_line_and_remarks_come_once():
    assert any(line.startswith("| ner | not measured: x.conll is not here |") for line in lines())
    assert lines().count("- How.") == 1
    assert "1.5 minutes" in lines()[-1]
    assert (
        "- The best layer that reads the sentence is above layer 0 in 1 of 2 lines; not in Tags."
        in lines()
    )


def test_layer_0_is_compared_with_single_layers_only():
    assert [row.is_above_layer_0 for row in ROWS] == [True, False, None, None]


def test_an_evaluation_survives_json():
    assert Evaluation.of_dict(json.loads(json.dumps(FOUND.to_dict()))) == FOUND


SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg, tag):
    return list(ElementTree.fromstring(svg).iter(SVG + tag))


def test_bars_are_as_long_as_their_values_and_nothing_is_drawn_below_0():
    bars = [
        Bar("all", 1.0, "100"),
        Bar("half & half", 0.5, "50"),
        Bar("less than nothing", -0.3, "-0.3", True),
    ]
    svg = bar_chart("A <title>", [Panel("One", bars, (0.25, "by chance"))])
    widths = [float(rect.get("width")) for rect in drawn(svg, "rect")[1:]]
    assert widths == [2 * widths[1], widths[1], 0.0]
    words = [text.text for text in drawn(svg, "text")]
    assert {"A <title>", "half & half", "100", "dashed: by chance"} <= set(words)
    assert drawn(svg, "path")[0].get("d").startswith(f"M{300 + widths[0] / 4:.1f},")


def test_shares_stand_on_a_logarithmic_scale_and_labels_apart():
    lines = {
        "mix": [(0.01, 0.62), (0.1, 0.71), (1.0, 0.8)],
        "layer 0": [(0.01, 0.5), (0.1, 0.7), (1.0, 0.8)],
    }
    svg = share_chart("Few examples", "F1", lines)
    x = [float(point.split(",")[0]) for point in drawn(svg, "polyline")[0].get("points").split()]
    assert x[1] - x[0] == x[2] - x[1]
    at = [float(text.get("x")) for text in drawn(svg, "text") if text.text in lines]
    assert abs(at[0] - at[1]) >= 8 * len("layer 0") / 2
    assert {"1 %", "10 %", "100 %", "50", "80"} <= {text.text for text in drawn(svg, "text")}


def test_a_single_share_is_drawn_as_bars_with_whole_names():
    name = "a name of some length " * 3
    svg = share_chart("One", "accuracy", {name: [(1.0, 0.5)], "mix": [(1.0, 0.7)]})
    assert "polyline class" not in svg
    bars = drawn(svg, "rect")[1:]
    assert [float(bar.get("x")) for bar in bars] == [470, 470]
    assert float(bars[0].get("width")) / float(bars[1].get("width")) == pytest.approx(
        5 / 7, abs=0.01
    )
    assert 7 * len(name) < 470
    assert {name, "50.0", "70.0", "accuracy; 100 % of the data"} <= {
        text.text for text in drawn(svg, "text")
    }


def test_a_point_shows_its_value_and_the_legend_its_line():
    lines = {"mix": [(0.1, 0.5), (1.0, 0.7)], "layer 0": [(0.1, 0.4), (1.0, 0.6)]}
    svg = share_chart("Two", "accuracy", lines)
    titles = [title.text for title in drawn(svg, "title")]
    assert titles[:2] == ["mix: 0.5 at 0.1", "mix: 0.7 at 1"]
    assert len(drawn(svg, "line")) == len(lines)
    height = float(svg.split('viewBox="0 0 720 ')[1].split('"')[0])
    assert all(float(text.get("y")) < height for text in drawn(svg, "text"))


def test_a_chart_in_a_page_takes_the_styles_of_the_page():
    axes = Axes([(0, "0"), (2, "2")], [(0.0, "0"), (1.0, "1")], width=360)
    svg = line_chart("Losses", [Line([(0, 0.5), (2, 0.25)])], axes, in_page=True)
    assert "<style>" not in svg
    assert 'aria-label="Losses"' in svg
    many = Line([(k / 100, 0.5) for k in range(200)], is_faint=True)
    assert line_chart("Losses", [many], axes, in_page=True).count("<circle") == 0

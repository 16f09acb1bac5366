"""The table of an evaluation and its JSON."""

import json

from elmo_tasks.evaluation.rows import Evaluation, Row

ROWS = (
    Row("wic", "WiC", {"0": 0.525, "1": 0.561, "2": 0.55, "mean": 0.56}, "percent", 0.5, "one answer", note="How."),
    Row("pos", "Tags", {"0": 0.95, "1": 0.93, "2": 0.9, "mean": 0.94}, note="How."),
    Row("geometry", "Cosine", {"0": 0.9, "1": 0.1, "2": 0.2, "mean": 0.3}, "index", high_is_good=False),
    Row("perplexity", "Perplexity", {"2": 110.35}, "plain", high_is_good=False),
)
FOUND = Evaluation(
    "toy", "abc", ("0", "1", "2", "mean", "layer 1 and words"), ROWS, {"ner": "x.conll is not here"}, {"wic": 90.0}
)


def lines():
    return FOUND.to_markdown().splitlines()


def test_every_line_has_a_cell_for_every_view():
    table = [line for line in lines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {len(FOUND.views) + 3}
    assert table[0] == "| toy | layer 0 | layer 1 | layer 2 | mean | layer 1 and words | without a model |"


def test_the_best_is_bold_and_what_is_undefined_is_a_dash():
    assert "| WiC | 52.5 | **56.1** | 55.0 | 56.0 | - | 50.0 (one answer) |" in lines()
    assert "| Cosine | 0.900 | 0.100 | 0.200 | 0.300 | - | - |" in lines()
    assert "| Perplexity | - | - | 110.3 | - | - | - |" in lines()


def test_what_is_missing_has_its_line_and_remarks_come_once():
    assert any(line.startswith("| ner | not measured: x.conll is not here |") for line in lines())
    assert lines().count("- How.") == 1
    assert "1.5 minutes" in lines()[-1]
    assert "- The best layer that reads the sentence is above layer 0 in 1 of 2 lines; not in Tags." in lines()


def test_layer_0_is_compared_with_single_layers_only():
    assert [row.is_above_layer_0 for row in ROWS] == [True, False, None, None]


def test_an_evaluation_survives_json():
    assert Evaluation.of_dict(json.loads(json.dumps(FOUND.to_dict()))) == FOUND

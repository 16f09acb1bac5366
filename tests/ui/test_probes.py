"""Results of probes: bars are as long as their numbers, and sentences claim only what these
support."""

import csv
import io
import re
from dataclasses import replace

import pytest

from elmo_tasks.evaluation.results import PROBES
from elmo_tasks.ui.layers_tab import TESTS, headline, probes_csv, probes_page, reading
from tests.ui.fake_heads import LIKENESS, POS, STATIC, FakeHeads, scores
from tests.ui.reader import parsed

MODELS = FakeHeads().probes()


def test_every_test_has_plain_words():
    assert set(TESTS) == set(PROBES)


@pytest.mark.parametrize(
    ("model", "result", "message"),
    [
        (
            0,
            POS,
            (
                "Fake-small: layers 1 and 2 best, with 93.6 and 93.4 of 100 words; layer 0, 87.9. "
                "Without a model: 86.1 (by rote)."
            ),
        ),
        (2, STATIC, "Fake-static: 85.0 of 100 words. Without a model: 86.1 (by rote)."),
        (
            0,
            LIKENESS,
            (
                "Fake-small: layer 1 best, with 0.42, where 1 is full agreement with people; layer"
                " 0, −0.10."
            ),
        ),
        (
            0,
            replace(POS, scores=scores(0.9, 0.9, 0.9), without=None),
            "Fake-small: layers 0, 1 and 2 best, with 90.0",
        ),
    ],
)
def test_a_sentence_names_the_best_layers_without_ranking_equals(model, result, message):
    assert reading(MODELS[model], result).startswith(message)


def test_marks_stand_where_their_numbers_are_and_the_paper_is_in_words():
    shown = probes_page(MODELS, "Layer 2 was also trained on something.")
    places = re.findall(r'class="dot g\d" style="left:([\d.]+)%"', shown)
    assert places == ["87.90", "93.60", "93.40", "0.00", "42.00", "30.00"]
    assert re.findall(r'class="guess" style="left:([\d.]+)%"', shown) == ["86.10"]
    text = parsed(shown).text
    assert (
        "on other sentences (Other Bank), so only the order of its layers compares: layer 1 97.3,"
        " layer 2 96.8." in text
    )
    assert "Fake-static: 85.0 of 100 words." in text
    assert "Layer 2 was also trained on something." in text
    assert "probe --model" not in text


def test_the_headline_counts_the_tests_in_which_each_layer_does_best():
    assert headline(MODELS[0]) == "Layer 1 does best in 1 of 2 tests; in 1 no layer is ahead."
    sure = replace(POS, scores=scores(0.1, 0.2, 0.9))
    one = replace(MODELS[0], results=(sure, sure, LIKENESS))
    assert headline(one) == "Layer 2 does best in 2 of 3 tests, layer 1 in 1."


def test_a_page_without_numbers_reports_it():
    assert parsed(probes_page(MODELS[1:2])).headings == ["Nothing was measured yet."]


def test_the_spreadsheet_has_every_number_and_the_papers():
    rows = list(csv.reader(io.StringIO(probes_csv([MODELS[0], MODELS[2]]))))
    assert rows[0] == ["model", "test", "title", "layer", "score"]
    assert ["fake-small", "pos", "Tags, dev, accuracy", "1", "0.936000"] in rows
    assert ["fake-static", "pos", "Tags, dev, accuracy", "0", "0.850000"] in rows
    assert ["the paper’s ELMo (Paper, table 6)", "pos", "Other Bank", "2", "0.968000"] in rows

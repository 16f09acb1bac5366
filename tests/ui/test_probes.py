"""What each layer knows: bars are as long as their numbers, sentences claim what the numbers carry."""

import csv
import io
import re
from dataclasses import replace

import pytest

from elmo_tasks.evaluation.results import PROBES
from elmo_tasks.ui.layers_tab import TESTS, probes_csv, probes_page, reading
from tests.ui.fake_heads import LIKENESS, POS, STATIC, FakeHeads, scores
from tests.ui.reader import parsed

MODELS = FakeHeads().probes()


def test_every_test_has_plain_words():
    assert set(TESTS) == set(PROBES)


@pytest.mark.parametrize(
    ("model", "result", "said"),
    [
        (
            0,
            POS,
            "Fake-small: layers 1 and 2 best, with 93.6 and 93.4 of 100 words; layer 0, the letters of the word, 87.9. "
            "Without a model: 86.1 (by rote).",
        ),
        (2, STATIC, "Fake-static: 85.0 of 100 words. Without a model: 86.1 (by rote)."),
        (
            0,
            LIKENESS,
            "Fake-small: layer 1 best, with 0.42, where 1 is full agreement with people; layer 0, the letters of the word, −0.10.",
        ),
        (0, replace(POS, scores=scores(0.9, 0.9, 0.9), without=None), "Fake-small: layers 0, 1 and 2 best, with 90.0"),
    ],
)
def test_a_sentence_names_the_best_layers_and_no_order_among_like_ones(model, result, said):
    assert reading(MODELS[model], result).startswith(said)


def test_bars_stand_beside_the_paper_and_say_that_its_data_are_others():
    shown = probes_page(MODELS)
    card = shown[shown.index("<h3>Kinds of words") : shown.index("<h3>Likeness")]
    widths = re.findall(r"width:([\d.]+)%", card)
    assert widths == ["87.90", "93.60", "93.40", "93.00", "85.00", "97.30", "96.80"]
    assert "Other Bank), so only the order of its layers compares" in card
    assert "layer 0: the letters of the word" in card
    assert "--even:86.10%" in card
    below_zero = shown[shown.index("<h3>Likeness") :]
    assert re.findall(r"width:([\d.]+)%", below_zero)[0] == "0.00"


def test_what_was_not_measured_says_so_and_how_it_would_be():
    shown = probes_page(MODELS)
    text = parsed(shown).text
    assert "fake-large: It was not measured yet. probe --model fake-large measures it" in text
    assert "fake-small, measured with probe --model fake-small" in text


def test_a_page_without_numbers_has_no_empty_cards():
    shown = probes_page(MODELS[1:2])
    assert "It was not measured yet." in shown
    assert parsed(shown).headings == ["A probe asks one layer one question."]


def test_the_spreadsheet_has_every_number_and_the_papers():
    rows = list(csv.reader(io.StringIO(probes_csv([MODELS[0], MODELS[2]]))))
    assert rows[0] == ["model", "test", "title", "layer", "score"]
    assert ["fake-small", "pos", "Tags, dev, accuracy", "1", "0.936000"] in rows
    assert ["fake-static", "pos", "Tags, dev, accuracy", "0", "0.850000"] in rows
    assert ["the paper’s ELMo (Paper, table 6)", "pos", "Other Bank", "2", "0.968000"] in rows

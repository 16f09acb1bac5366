import csv
import io
from dataclasses import replace

import pytest

from elmo_tasks.api import LayerWeights, MixWeights
from elmo_tasks.messages import layer_weights
from elmo_tasks.ui import layers_tab
from tests.ui.fake_service import FakeService
from tests.ui.reader import parsed
from tests.ui.try_answers import plain


def entry(final=(0.2, 0.5, 0.3), runs=None, epochs=(), layers=("0", "1", "2"), **rest):
    mixes = tuple(
        MixWeights(tuple(run), 1.0, 0, seed) for seed, run in enumerate(runs or [final], 1)
    )
    return LayerWeights(
        "h", "Names", layers, MixWeights(tuple(final), 1.2, 0, 1), tuple(epochs), mixes, **rest
    )


def test_the_sentence_describes_the_sources_of_the_map():
    message = "The head “Names” draws 50 % from layer 1, 30 % from layer 2 and 20 % from layer 0."
    assert plain(layer_weights.sentence(entry())) == message


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (None, "This head was trained once"),
        (
            [(0.2, 0.5, 0.3), (0.22, 0.48, 0.3)],
            "All 2 runs, which differ only in their random seeds, put the layers in",
        ),
        ([(0.2, 0.5, 0.3), (0.2, 0.3, 0.5)], "The shares of layers 1 and 2 overlap over 2 runs"),
        ([(0.2, 0.5, 0.3), (0.5, 0.3, 0.2)], "so the order of the layers is not clear"),
        ([(0.2, 0.4, 0.4), (0.2, 0.4, 0.4)], "The shares of layers 1 and 2 overlap"),
    ],
)
def test_rankings_need_enough_runs(runs, message):
    assert message in layer_weights.certainty(entry(runs=runs))


def test_two_groups_of_layers_can_be_unclear():
    found = entry(
        (0.05, 0.06, 0.44, 0.45),
        [(0.05, 0.06, 0.44, 0.45), (0.06, 0.05, 0.45, 0.44)],
        layers=tuple("0123"),
    )
    assert layer_weights.unclear(found) == [[2, 3], [0, 1]]
    assert "layers 2 and 3 and layers 0 and 1" in layer_weights.certainty(found)


def test_several_runs_have_a_mean_and_a_spread():
    found = entry(runs=[(0.2, 0.5, 0.3), (0.4, 0.3, 0.3)])
    assert "mean ± sd0.30 ± 0.140.40 ± 0.140.30 ± 0.00" in parsed(layers_tab.panel(found)).rows
    assert "mean ± sd" not in layers_tab.panel(entry())


def test_the_course_is_summarized_by_its_ends():
    mixes = [
        MixWeights((1 / 3, 1 / 3, 1 / 3), 1.0, 0),
        MixWeights((0.3, 0.4, 0.3), 1.1, 1),
        MixWeights((0.2, 0.5, 0.3), 1.2, 2),
    ]
    message = (
        "Layer 1 moved most: from 33 % at the start to 50 % after epoch 2; gamma went from 1.00 to"
        " 1.20."
    )
    assert plain(layer_weights.course(entry(epochs=mixes))) == message
    assert "after epoch 1 to" in layer_weights.course(entry(epochs=mixes[1:]))
    assert layer_weights.course(entry(epochs=mixes[:1])) == ""
    still = [MixWeights((0.2, 0.5, 0.3), 1.0, epoch) for epoch in (1, 2)]
    assert layer_weights.course(entry(epochs=still)).startswith(
        "The shares hardly moved from epoch 1 to epoch 2;"
    )


def test_the_overview_counts():
    message, doubt = (
        layer_weights.overview_sentence,
        "this may be chance: the runs overlap there, or there is one run only.",
    )
    one, other, even = entry(), entry((0.6, 0.3, 0.1)), entry((0.34, 0.33, 0.33))
    sure, unsure = (
        entry(runs=[(0.2, 0.5, 0.3), run]) for run in ((0.3, 0.5, 0.2), (0.2, 0.3, 0.5))
    )
    assert message([one, one]) == f"Both heads draw most from layer 1. For 2 of them {doubt}"
    assert message([sure] * 3) == "All 3 heads draw most from layer 1."
    two_and_one = "Of 3 heads, 2 draw most from layer 1 and 1 from layer 0."
    assert message([sure, sure, other]) == f"{two_and_one} For one of them {doubt}"
    assert "For 2 of them" in message([sure, unsure, unsure])
    assert message([sure, even, even]) == (
        "Of 3 heads, 1 draws most from layer 1 and in 2 no layer is ahead of the others."
    )
    assert message([even, even]) == "In none of the 2 heads is one layer ahead of the others."


def test_equal_shares_have_no_order():
    message = "The head “Names” draws about equally from all 3 layers, 33 % from each."
    even = (0.34, 0.33, 0.33)
    assert plain(layer_weights.sentence(entry(even))) == message
    assert "this order" not in layer_weights.certainty(entry(even, [even, (0.341, 0.329, 0.33)]))


def test_learned_mixes_of_several_layers_are_shown_with_distinct_titles():
    others = [entry(learned=False), entry((1.0,), layers=("0",))]
    shown = layers_tab.learned([*others, entry(), replace(entry(), head="h-2")])
    assert [e.title for e in shown] == ["Names: h", "Names: h-2"]
    assert layers_tab.learned([*others, entry()]) == (entry(),)
    assert "make train-ner" in layers_tab.weights_page(others, FakeService().tasks())


@pytest.mark.parametrize("layers", [2, 3, 13])
@pytest.mark.parametrize("gamma", [1.0, 1e-9, 250.0])
def test_charts_of_any_number_of_layers(layers, gamma):
    final = tuple(1 / layers for _ in range(layers))
    epochs = [MixWeights(final, gamma, epoch) for epoch in range(3)]
    found = entry(final, epochs=epochs, layers=tuple(str(n) for n in range(layers)))
    page = layers_tab.weights_page([found, found], {})
    assert page.count("<polyline") == layers + 1
    assert page.count("<line ") == layers  # the legend
    assert page.count('class="stack"') == 2
    assert "nan" not in page.lower()


def test_one_run_has_no_error_bars_and_three_have(service):
    for page, counts in (
        (layers_tab.panel(entry()), (0, 0)),
        (layers_tab.panel(service.layer_weights()[0]), (3, 9)),
    ):
        assert (page.count("<u "), page.count("<s ")) == counts
        assert ("One run" in page) == (counts == (0, 0))


def test_every_plot_has_its_table(service):
    for head, title in (("fake-ner", "Names in the news"), ("gone", "Film and hotel reviews")):
        text = parsed(layers_tab.weights_page(service.layer_weights(), {}, head)).text
        assert f"The head “{title} (fake)” draws" in text
        assert all(
            text.count(table) == 1
            for table in ("Every run", "Every epoch", "All heads side by side")
        )


def test_the_spreadsheet_holds_all_and_no_formula(service):
    found = replace(service.layer_weights()[1], head="=cmd()")
    rows = list(csv.DictReader(io.StringIO(layers_tab.weights_csv(found))))
    assert [row["what"] for row in rows].count("run") == 3
    assert [row["what"] for row in rows].count("epoch") == 11
    assert rows[0]["head"] == "'=cmd()"
    assert float(rows[0]["weight of layer 1"]) == 0.52
    assert rows[4]["epoch"] == "0"

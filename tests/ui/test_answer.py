import re
from dataclasses import replace
from itertools import product

import pytest

from elmo_tasks.api import Certainty, Meaning, Message, Source
from elmo_tasks.ui import compare_answer, compare_form, page
from tests.ui.reader import parsed

HOSTILE = (
    "<img src=x onerror=alert(1)> \"quoted\" 'single' ${alert(1)} {{x}} `tick` $x^2$ & bank "
    "</div><script>alert(2)</script>"
)


def page_of(service, word="bank", sentences=("The bank lent cash.", "The muddy river bank."), layer=None):
    form = compare_form.Form(word, tuple(sentences), None, layer)
    return compare_answer.page(service.compare(word, sentences), form, service.models())


def test_how_a_model_was_trained_is_told_and_is_not_markup(service):
    shown = parsed(page.render("compare_how.html", models=service.models()[:1])).text
    assert "fake-small. It has read <b>two</b> words." in shown


def test_the_verdict_comes_first_and_the_word_is_marked(service):
    page = parsed(page_of(service))
    order = ("fall into 2 groups", "the money kind", "The bank lent cash.", "the water kind", "The muddy river bank.")
    places = [page.text.index(said) for said in order]
    assert places == sorted(places)
    assert set(page.marked) == {"bank"}
    assert "Fake small (for tests)" in page.text


@pytest.mark.parametrize(("layer", "shown"), [(None, "2"), ("0", "0"), ("mean", "mean"), ("<b>", "2"), ("9", "2")])
def test_the_layer_shown_first(service, layer, shown):
    page = parsed(page_of(service, layer=layer))
    assert page.carried["layer"] == [shown]
    assert set(page.carried["panel"]) == {"0", "1", "2", "mean"}
    titles = {"0": "Spelling only", "1": "Layer 1", "2": "Layer 2", "mean": "Mean of layers"}
    seen = {name for name, title in titles.items() if f"Cosine of every two uses, {title}" in page.visible}
    assert seen == {shown}


def test_no_groups_looks_unsure(service):
    page = page_of(service, "muddle", ["A muddle here.", "A muddle there."])
    assert 'class="card verdict unsure" data-certainty="abstain"' in page
    assert page.count('class="sureness unsure"') == 2
    assert "verdict unsure" not in page_of(service)


def test_a_use_of_another_meaning_is_still_listed(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    known, other = comparison.uses
    comparison = replace(comparison, uses=(known, replace(other, best=None)))
    shown = parsed(compare_answer.page(comparison, compare_form.Form("bank", ()), service.models()))
    assert "another meaning, not in the dictionary" in shown.headings
    assert shown.text.index("another meaning") < shown.text.index("The muddy river bank.")


def test_a_use_between_two_meanings_names_both(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    sure, other = comparison.uses
    unsure = replace(other, certainty=Certainty.TENTATIVE)
    shown = parsed(compare_answer.verdict_section(replace(comparison, uses=(sure, unsure)), ()))
    assert shown.text.count("between “the water kind” and “the money kind”") == 1


def test_where_no_meanings_are_known_all_uses_stand_in_one_list(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    comparison = replace(comparison, source=Source.NONE, meanings=(), uses=(), groups=(), same_meaning=())
    shown = compare_answer.verdict_section(comparison, ())
    assert shown.count('<section class="group gnone"') == 1
    assert all(item.sentence in parsed(shown).text for item in comparison.items)
    assert "dictionary" not in parsed(shown).text


def test_other_meanings_of_the_dictionary_are_folded_away(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    tilt = Meaning("bank", "tilt", "verb", "tilt <b>sideways</b>")
    page = compare_answer.verdict_section(replace(comparison, meanings=(*comparison.meanings, tilt)), ())
    before, _, folded = page.partition("<details")
    assert "1 other meaning of “bank” in the dictionary" in folded
    assert "tilt &lt;b&gt;sideways" in folded
    assert "tilt" not in before
    assert "other meaning" not in compare_answer.verdict_section(comparison, ())


@pytest.mark.parametrize("rests_on_more", [True, False])
def test_cosines_are_said_not_to_be_the_answer_where_they_are_not(service, rests_on_more):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    if not rests_on_more:
        comparison = replace(comparison, same_meaning=())
    shown = parsed(compare_answer.page(comparison, compare_form.Form("bank", ()), service.models()))
    assert ("This is not the answer. It shows the raw numbers of one layer" in shown.visible) == rests_on_more


def test_without_a_word_the_marked_ones_are_named(service):
    comparison = replace(service.compare("bank", ["The [loan].", "The [river]."]), word="")
    assert "The marked words in 2 sentences" in compare_answer.page(
        comparison, compare_form.Form("", ()), service.models()
    )


@pytest.mark.parametrize("count", [2, 12])
def test_any_number_of_sentences(service, count):
    page = page_of(service, sentences=[f"The bank number {i}." for i in range(count)])
    sure = page.count('aria-label="How likely two uses mean the same"')  # of two, the headline says it
    assert sure == (count > 2)
    assert page.count('scope="row"') == 4 * (count + count + count * (count - 1) // 2) + sure * count


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_numbers_are_legible_on_every_colour():
    for share, scale in product((k / 200 for k in range(201)), (page.CHANCES, page.COSINES)):
        style = page.cell_style(share, scale)
        light, dark, on_light, on_dark = re.findall("#[0-9a-f]{6}", style)
        for pair in ((light, on_light), (dark, on_dark)):
            low, high = sorted(map(luminance, pair))
            assert (high + 0.05) / (low + 0.05) >= 4.5, share


@pytest.mark.parametrize(
    ("cosine", "floor", "share"), [(1, 0.2, 1), (0.2, 0.2, 0), (-1, 0.2, 0), (0.6, 0.2, 0.5), (1, 1, 0)]
)
def test_share(cosine, floor, share):
    assert page.share_of(cosine, floor) == pytest.approx(share)


def test_terms_are_explained_on_the_page(service):
    comparison = replace(
        service.compare("bank", ["A bank.", "The bank."]), message=Message("So.", "A cosine at layer 2 is 0.30.")
    )
    page = compare_answer.verdict_section(comparison, service.models())
    assert page.count('data-explains="How alike two vectors are') == 1
    assert parsed(page).text.count("A cosine at layer 2 is 0.30.") == 1


def test_the_small_print_says_what_is_known_and_what_is_computed(service):
    comparison = service.compare("bank", ["A bank.", "The bank."])
    shown = parsed(compare_answer.verdict_section(comparison, service.models())).text
    assert "Meanings come from this project’s dictionary (1,200 words); which one is meant is computed." in shown
    assert "Model: Fake small (for tests)." in shown
    own = parsed(compare_answer.verdict_section(replace(comparison, source=Source.OWN), ())).text
    assert "Meanings come from you; which one is meant is computed." in own


def test_the_lengths_of_vectors_are_folded_away_on_the_page(service):
    comparison = service.compare("bank", ["A bank.", "The bank."])
    shown = compare_answer.layer_panel(comparison, comparison.layers[1])
    assert shown.index("<summary>Pairs and vector lengths</summary>") < shown.index("Vector lengths")
    assert shown.count('class="token-lengths"') == 2
    assert [line.count("<b>") for line in shown.splitlines() if "token" in line and "<span" in line][-2:] == [3, 3]

from dataclasses import replace
from itertools import product

import pytest

from elmo_tasks.api import Said
from elmo_tasks.ui import answer, format, heat, page
from tests.ui.reader import parsed

HOSTILE = (
    "<img src=x onerror=alert(1)> \"quoted\" 'single' ${alert(1)} {{x}} `tick` $x^2$ & bank "
    "</div><script>alert(2)</script>"
)


def page_of(service, word="bank", sentences=("The bank lent cash.", "The muddy river bank."), layer=None):
    form = format.Form(word, tuple(sentences), None, layer)
    return answer.page(service.compare(word, sentences), form, service.models())


def test_nothing_typed_is_markup(service):
    comparison = replace(
        service.compare("bank", [HOSTILE, "The bank."]), said=Said(HOSTILE, HOSTILE), model=HOSTILE, word=HOSTILE
    )
    form = format.Form(HOSTILE, (HOSTILE,))
    tags = parsed(answer.page(comparison, form, service.models()))
    assert not tags.seen & {"img", "script"}
    assert "onerror" not in tags.attributes
    assert HOSTILE in tags.text


def test_how_a_model_was_trained_is_told_and_is_not_markup(service):
    page = parsed(answer.how(service.models())).text
    assert "fake-small. It has read <b>two</b> words." in page
    assert "fake-large" not in page  # its card says nothing


def test_reason_is_not_markup():
    tags = parsed(page.nothing("compare", HOSTILE))
    assert not tags.seen & {"img", "script"}
    assert HOSTILE in tags.text


def test_the_verdict_comes_first_and_the_word_is_marked(service):
    page = parsed(page_of(service))
    order = ("fall into 2 groups", "Group A", "The muddy river bank.", "How likely the two uses mean the same")
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
    assert "Not sorted: the model is too unsure of the groups" in page
    assert "verdict unsure" in page
    assert "Group A" not in page


def test_a_use_in_no_group_is_still_listed(service):
    comparison = replace(service.compare("bank", ["The bank lent cash.", "The muddy river bank."]), groups=((0,),))
    assert "In no group" in answer.page(comparison, format.Form("bank", ()), service.models())


@pytest.mark.parametrize(("voice", "title"), [("named", "One meaning"), ("leaning", "Perhaps one meaning")])
def test_a_lone_group_is_one_meaning_as_surely_as_it_is_told(service, voice, title):
    comparison = service.compare("bank", ["The bank lent cash.", "The bank paid."])
    comparison = replace(comparison, groups=((0, 1),), voice=voice)
    headings = parsed(answer.page(comparison, format.Form("bank", ()), service.models())).headings
    assert title in headings
    assert not any(heading.startswith("Group") for heading in headings)


@pytest.mark.parametrize("rests_on_more", [True, False])
def test_cosines_are_said_not_to_be_the_answer_where_they_are_not(service, rests_on_more):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    if not rests_on_more:
        comparison = replace(comparison, read_from=(comparison.verdict_layer,))
    shown = parsed(answer.page(comparison, format.Form("bank", ()), service.models()))
    assert ("This is not the answer. It shows the raw numbers of one layer" in shown.visible) == rests_on_more


@pytest.mark.parametrize(
    ("text", "kept"),
    [("They differ (71 %).", ">(71 %)<"), ("A (b) and (62 %); no", ">(62 %)<"), ("None.", ""), ("<b> (open", "")],
)
def test_how_likely_stands_on_one_line(text, kept):
    markup = page.unbroken(text)
    assert parsed(markup).text == text
    assert (kept in markup) if kept else "<" not in markup


def test_without_a_word_the_marked_ones_are_named(service):
    comparison = replace(service.compare("bank", ["The [loan].", "The [river]."]), word="")
    assert "The marked words in 2 sentences" in answer.page(comparison, format.Form("", ()), service.models())


@pytest.mark.parametrize("count", [2, 12])
def test_any_number_of_sentences(service, count):
    page = page_of(service, sentences=[f"The bank number {i}." for i in range(count)])
    sure = page.count('aria-label="How likely two uses mean the same"')  # where that is known
    assert page.count('scope="row"') == 4 * (count + count + count * (count - 1) // 2) + sure * count


def test_numbers_are_legible_on_every_colour():
    for share, scale in product((k / 200 for k in range(201)), (heat.CHANCES, heat.COSINES)):
        for background, text in heat.cell_colours(share, scale):
            assert heat.contrast(background, text) >= 4.5, share


@pytest.mark.parametrize(
    ("cosine", "floor", "share"), [(1, 0.2, 1), (0.2, 0.2, 0), (-1, 0.2, 0), (0.6, 0.2, 0.5), (1, 1, 0)]
)
def test_share(cosine, floor, share):
    assert heat.share_of(cosine, floor) == pytest.approx(share)


def test_terms_are_explained_on_the_page(service):
    comparison = replace(
        service.compare("bank", ["A bank.", "The bank."]), said=Said("So.", "A cosine at layer 2 is 0.30.")
    )
    page = answer.verdict_section(comparison, service.models())
    assert page.count('data-explains="How alike two vectors are') == 1
    assert parsed(page).text.count("A cosine at layer 2 is 0.30.") == 1


def test_the_matrix_says_why_an_answer_about_all_has_another_percentage(service):
    comparison = replace(
        service.compare("bank", ["A bank.", "The bank.", "My bank."]), groups=((0, 1, 2),), probability=0.8
    )
    page = parsed(answer.verdict_section(comparison, ()))
    assert "the model is surer of any single pair than of the whole" in page.text
    assert "A low percentage" not in page.text
    assert "Each pair on its own" not in page.text
    apart = answer.verdict_section(replace(comparison, groups=((0, 1), (2,)), probability=0.5), ())
    assert "than of the whole. A low percentage can be a sure one: it says that the two differ." in apart
    as_sure = replace(comparison, probability=comparison.same_meaning[0][1])
    assert "any single pair" not in answer.verdict_section(as_sure, ())  # as a reader sees them, they are the same
    two = answer.verdict_section(service.compare("bank", ["A bank.", "The bank."]), ())
    assert "any single pair" not in two  # there is one pair


def test_where_nothing_is_sorted_the_pairs_are_folded_away(service):
    """They would be read as the answer that the headline refuses."""
    unsorted = replace(service.compare("bank", ["A bank.", "The bank.", "My bank."]), groups=())
    page = answer.verdict_section(unsorted, ())
    before, _, folded = page.partition("<details")
    assert "How likely two uses mean the same" not in before
    assert "Each pair on its own" in folded
    assert "The model is not sure enough of all pairs at once to name groups." in folded


def test_the_small_print_is_in_plain_words_and_the_layer_in_a_tip(service):
    comparison = service.compare("bank", ["A bank.", "The bank."])
    page = answer.verdict_section(comparison, service.models())
    assert "The program looked at each use in its sentence and at the words beside it." in parsed(page).text
    assert "layer 2" not in parsed(page).text
    assert parsed(page).carried["explains"] == ["Read at layer 2 and from the words around it."]


def test_uses_of_several_spellings_are_not_said_to_have_been_sorted(service):
    comparison = replace(service.compare("muddle", ["A muddle.", "The muddle."]), spellings_differ=True)
    page = answer.verdict_section(comparison, service.models())
    assert "Not sorted: the model is too unsure of the groups" in page


def test_the_lengths_of_vectors_are_folded_away_on_the_page(service):
    comparison = service.compare("bank", ["A bank.", "The bank."])
    shown = answer.layer_panel(comparison, comparison.layers[1])
    assert shown.index("<summary>Show the numbers</summary>") < shown.index("Vector lengths")

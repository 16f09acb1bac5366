import re
from dataclasses import replace
from itertools import product

import pytest

from elmo_tasks.api import Certainty, Meaning, MeaningSource, Message
from elmo_tasks.ui import colours, compare_answer, compare_form
from tests.ui.fake_service import unjudged
from tests.ui.reader import parsed

HOSTILE = (
    "<img src=x onerror=alert(1)> \"quoted\" 'single' ${alert(1)} {{x}} `tick` $x^2$ & bank "
    "</div><script>alert(2)</script>"
)


def page_of(
    service, word="bank", sentences=("The bank lent cash.", "The muddy river bank."), layer=None
):
    form = compare_form.Form(word, tuple(sentences), None, layer)
    return compare_answer.page(service.compare(word, sentences), form, service.models())


def test_the_verdict_comes_first_and_the_word_is_marked(service):
    page = parsed(page_of(service))
    places = [
        page.text.index(part)
        for part in (
            "has two meanings here",
            "the money kind",
            "the water kind",
            "Two random words",
        )
    ]
    assert places == sorted(places)  # the meanings, in short, stand above the picture
    assert set(page.marked) == {"bank"}
    assert "Fake small (for tests)" in page.text


VIEWS = ("static", "mix-tagging", "mix-classification", "own-mix", "meanings")


@pytest.mark.parametrize(
    ("layer", "shown"),
    [
        (None, "2"),
        ("0", "0"),
        ("mean", "mean"),
        ("<b>", "2"),
        ("9", "2"),
        *zip(VIEWS, VIEWS, strict=True),
    ],
)
def test_the_layer_shown_first(service, layer, shown):
    page = parsed(page_of(service, layer=layer))
    assert page.carried["layer"] == [shown]
    assert set(page.carried["panel"]) == {"0", "1", "2", "mean", *VIEWS}
    titles = {
        "0": "Layer 0: the word alone",
        "1": "Layer 1",
        "2": "Layer 2",
        "mean": "Mean of layers",
    }
    seen = {
        name
        for name, title in titles.items()
        if f"Cosine of every two uses, {title}" in page.visible
    }
    assert seen == {shown} & titles.keys()


def test_one_vector_per_word_is_beside_the_model_that_reads(service):
    shown = parsed(page_of(service))
    assert {"One vector per word (word2vec)", "fake-small"} <= set(shown.buttons)
    assert (
        "“bank” has one vector, whatever the sentence: any two uses have a cosine of 1.00."
        in shown.text
    )
    comparison = service.compare("bank", ["A bank.", "The bank."])
    without = replace(comparison, views=replace(comparison.views, one_vector=None))
    page = compare_answer.page(without, compare_form.Form("bank", ()), service.models())
    assert "word2vec" not in page


def test_the_mixes_of_the_heads_name_their_weights(service):
    shown = parsed(page_of(service))
    assert {
        "as the entity head mixes them",
        "as the sentiment head mixes them",
        "my own mix",
    } <= set(shown.buttons)
    assert "20\u00a0% of layer 0, 30\u00a0% of layer 1 and 50\u00a0% of layer 2" in shown.text


def test_other_training_of_a_layer_is_stated_where_it_is_shown(service):
    comparison = service.compare("bank", ["A bank.", "The bank."])
    note = "Layer 2 was also trained on the dictionary’s sentences."
    panels = {
        layer.name: compare_answer.layer_panel(comparison, layer, service.models())
        for layer in comparison.layers
    }
    assert {name for name, panel in panels.items() if note in parsed(panel).text} == {"2"}


def remeant(judged, **changes):
    """Change how the meaning of a use is judged."""
    return replace(judged, meant=replace(judged.meant, **changes))


def test_no_groups_looks_unsure(service):
    page = page_of(service, "muddle", ["A muddle here.", "A muddle there."])
    assert 'class="card verdict unsure" data-certainty="abstain"' in page
    assert page.count('class="sureness unsure"') == 2
    assert "verdict unsure" not in page_of(service)


def test_a_use_of_another_meaning_is_still_listed(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    known, other = comparison.uses
    comparison = replace(comparison, uses=(known, remeant(other, best=None)))
    shown = parsed(compare_answer.page(comparison, compare_form.Form("bank", ()), service.models()))
    assert "another meaning, not in the dictionary" in shown.headings
    card = parsed(compare_answer.meanings_card(comparison, ())).text
    assert card.index("another meaning") < card.index("The muddy river bank.")


def test_an_unsure_use_names_its_second_meaning(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    sure, other = comparison.uses
    unsure = remeant(other, certainty=Certainty.TENTATIVE)
    shown = parsed(compare_answer.meanings_card(replace(comparison, uses=(sure, unsure)), ()))
    assert shown.text.count("perhaps “the money kind”") == 1
    assert "between" not in shown.text


@pytest.mark.parametrize("saved", [False, True])
def test_there_is_no_work_sheet_where_no_meanings_are_told(service, saved):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    form = compare_form.Form("bank", ())
    untold = replace(unjudged(comparison), groups=(), same_meaning=())
    pages = [compare_answer.page(one, form, saved=saved) for one in (comparison, untold)]
    assert ["Print work sheet" in parsed(page).buttons for page in pages] == [True, False]
    assert ['class="named"' in page for page in pages] == [True, False]


def test_without_known_meanings_all_uses_are_in_one_list(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    comparison = replace(
        unjudged(comparison), source=MeaningSource.NONE, meanings=(), groups=(), same_meaning=()
    )
    shown = compare_answer.meanings_card(comparison, ())
    assert shown.count('<section class="group gnone"') == 1
    assert all(judged.use.sentence in parsed(shown).text for judged in comparison.uses)
    assert "dictionary" not in parsed(shown).text


def test_a_wrong_answer_leads_to_own_meanings(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    assert compare_answer.meanings_card(comparison, ()).count("data-wrong") == 1
    assert "data-wrong" not in compare_answer.meanings_card(comparison, (), saved=True)
    source = compare_answer.meanings_card(comparison, ()).split('<p class="meta">')[1]
    assert "wrong" not in source.split("</p>")[0]  # it is the line below a picture
    own = replace(
        comparison,
        source=MeaningSource.OWN,
        uses=(remeant(comparison.uses[0], best=None), comparison.uses[1]),
    )
    shown = compare_answer.meanings_card(own, ())
    assert "data-wrong" not in shown
    assert "another meaning, not among yours" in shown


def test_other_meanings_of_the_dictionary_are_folded_away(service):
    comparison = service.compare("bank", ["The bank lent cash.", "The muddy river bank."])
    tilt = Meaning("bank", "tilt", "verb", "tilt <b>sideways</b>")
    page = compare_answer.meanings_card(
        replace(comparison, meanings=(*comparison.meanings, tilt)), ()
    )
    before, _, folded = page.partition("<details")
    assert "1 other meaning of “bank” in the dictionary" in folded
    assert "tilt &lt;b&gt;sideways" in folded
    assert "tilt" not in before
    assert "other meaning" not in compare_answer.meanings_card(comparison, ())


def test_other_meanings_are_those_of_the_entries_of_the_dictionary(service):
    comparison = service.compare("Rose", ["The Rose lent cash.", "The muddy river Rose."])
    others = [
        Meaning("rose", "flower", "noun", "a flower"),
        Meaning("rise", "up", "verb", "to go up"),
    ]
    page = compare_answer.meanings_card(
        replace(comparison, meanings=(*comparison.meanings, *others)), ()
    )
    assert "2 other meanings of “rose” and “rise” in the dictionary" in page


def test_a_card_names_the_expression_that_its_meaning_is_that_of(service):
    sentences = ["The bank lent cash.", "The muddy river bank."]
    comparison = service.compare("bank", sentences)
    to_die = Meaning("break the bank", "cost", "expression", "to cost too much")
    doubtful = remeant(comparison.uses[0], certainty=Certainty.TENTATIVE)
    comparison = replace(
        comparison,
        meanings=(to_die, comparison.meanings[1]),
        uses=(replace(doubtful, meanings=(to_die,)), comparison.uses[1]),
    )
    page = compare_answer.page(comparison, compare_form.Form("bank", ()), service.models())
    assert page.count(">break the bank: to cost too much<") == 2  # in short, and as a card
    assert "break the bank: to cost too much" in compare_answer.csv_text(comparison)
    whole = compare_answer.meanings_card(replace(comparison, word="break the bank"), ())
    assert "bank: to cost" not in whole


def test_without_a_word_the_marked_words_are_named(service):
    comparison = replace(service.compare("bank", ["The [loan].", "The [river]."]), word="")
    assert "The marked words in 2 sentences" in compare_answer.page(
        comparison, compare_form.Form("", ()), service.models()
    )


@pytest.mark.parametrize("count", [2, 12])
def test_any_number_of_sentences(service, count):
    page = page_of(service, sentences=[f"The bank number {i}." for i in range(count)])
    # for two, the headline names it
    sure = page.count('aria-label="How likely two uses mean the same"')
    assert sure == (count > 2)
    pairs = count * (count - 1) // 2
    # A custom mix has only a picture, and the features of meanings have no lengths.
    assert page.count('scope="row"') == 9 * count + 8 * pairs + 7 * count + sure * count


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_numbers_are_legible_on_every_colour():
    for share, scale in product(
        (k / 200 for k in range(201)), (colours.PROBABILITY_COLOURS, colours.COSINE_COLOURS)
    ):
        style = colours.cell_style(share, scale)
        light, dark, on_light, on_dark = re.findall("#[0-9a-f]{6}", style)
        for pair in ((light, on_light), (dark, on_dark)):
            low, high = sorted(map(luminance, pair))
            assert (high + 0.05) / (low + 0.05) >= 4.5, share


@pytest.mark.parametrize(
    ("cosine", "floor", "share"),
    [(1, 0.2, 1), (0.2, 0.2, 0), (-1, 0.2, 0), (0.6, 0.2, 0.5), (1, 1, 0)],
)
def test_share(cosine, floor, share):
    assert colours.share_of(cosine, floor) == pytest.approx(share)


def test_terms_are_explained_on_the_page(service):
    comparison = replace(
        service.compare("bank", ["A bank.", "The bank."]),
        message=Message("So.", "A cosine at layer 2 is 0.30."),
    )
    page = compare_answer.render("comparison_summary.html", comparison=comparison, saved=False)
    assert page.count('data-explains="How alike two vectors are') == 1
    assert parsed(page).text.count("A cosine at layer 2 is 0.30.") == 1


def test_the_small_print_separates_known_from_computed(service):
    comparison = service.compare("bank", ["A bank.", "The bank."])
    shown = parsed(compare_answer.meanings_card(comparison, service.models())).text
    assert (
        "Meanings come from this project’s dictionary (1,200 words); which one is meant is"
        " computed." in shown
    )
    assert "Model: Fake small (for tests)." in shown
    own = parsed(
        compare_answer.meanings_card(replace(comparison, source=MeaningSource.OWN), ())
    ).text
    assert "You gave the meanings; which one is meant is computed." in own


def test_the_lengths_of_vectors_are_folded_away_on_the_page(service):
    comparison = service.compare("bank", ["A bank.", "The bank."])
    shown = compare_answer.layer_panel(comparison, comparison.layers[1])
    assert shown.index("<summary>Pairs and vector lengths</summary>") < shown.index(
        "Vector lengths"
    )
    assert shown.count('class="token-lengths"') == 2
    assert [
        line.count("<b>") for line in shown.splitlines() if "token" in line and "<span" in line
    ][-2:] == [3, 3]

from dataclasses import replace

import pytest

from elmo_tasks.ui import compare_details, compare_form, compare_tab
from tests.ui.reader import parsed

SENTENCES = ("The bank refused our loan.", "We sat on the bank of the river.")
QUERY = compare_form.query_of(compare_form.Form("bank", SENTENCES), "fake-small")


def test_below_an_answer_stand_two_closed_folds_and_nothing_is_computed(service):
    service.explain = service.substitutes = None
    *_, why, substitutes = compare_tab.respond(service, compare_form.Form("bank", SENTENCES), 1)
    for fold in (why, substitutes):
        assert (fold["state"], fold["query"], fold["groups"]) == ("closed", QUERY, [0, 1])
        assert 'data-state="closed"' in fold["markup"]
        assert " open" not in fold["markup"]


def test_below_no_answer_stands_nothing(service):
    *_, why, substitutes = compare_tab.respond(service, compare_form.Form("", SENTENCES), 1)
    assert why["markup"] == substitutes["markup"] == ""


@pytest.mark.parametrize("groups", [None, "x", [0], [0, 99], [True, {}], [-1, 1.5]])
def test_invalid_groups_are_ignored(groups):
    assert set(compare_details.groups_of({"groups": groups}, 2)) <= {None, 0}


def test_the_answer_comes_before_the_picture_the_numbers_and_the_explanation(service):
    page = compare_details.respond(service, "why", {"query": QUERY})["markup"]
    order = [
        "What sets 1 and 2 apart?",
        "Mostly because of “loan” in sentence 1.",
        'class="occlusion"',
        "Show the numbers",
    ]
    places = [
        page.index(part) for part in [*order, "Before or after", "Download CSV", "How this works"]
    ]
    assert places == sorted(places)


def test_the_chosen_pair_and_layer_are_requested(service):
    query = compare_form.query_of(
        compare_form.Form("bank", (*SENTENCES, "The bank has cash.")), "fake-small"
    )
    page = compare_details.respond(service, "why", {"query": query, "pair": "1,2", "layer": "1"})[
        "markup"
    ]
    assert "What sets 2 and 3 apart?" in page
    assert parsed(page).chosen == ["2 and 3", "Layer 1"]


def test_the_view_of_the_answer_is_among_the_views_to_choose_from(service):
    explanation = service.explain("bank", SENTENCES)
    apart = replace(explanation.comparison, same_meaning=())
    by_words = replace(explanation, comparison=apart, layer="words")
    assert parsed(compare_details.why_body(by_words)).chosen == ["1 and 2", "The words around it"]


@pytest.mark.parametrize("pair", ["", "x", "1", "0,1,2", "-1,2", "9999999999,1", None])
def test_an_invalid_pair_falls_back_to_the_default(pair):
    assert compare_details.pair_of(pair) is None


def test_unanswerable_requests_are_reported_in_the_fold(service):
    assert (
        "Choose two different uses"
        in compare_details.respond(service, "why", {"query": QUERY, "pair": "1,1"})["markup"]
    )
    large = compare_form.query_of(compare_form.Form("bank", SENTENCES), "fake-large")
    assert (
        "does not predict words"
        in compare_details.respond(service, "substitutes", {"query": large})["markup"]
    )


def test_words_are_tinted_by_what_hiding_them_does(service):
    page = compare_details.why_body(service.explain("bank", SENTENCES))
    seen = parsed(page)
    assert any(tip.startswith("With “loan” hidden: cosine") for tip in seen.tips)
    assert page.count('tabindex="0" data-tip') == 2  # one key goes to the words of each sentence
    assert set(seen.marked) == {"bank"}


def test_the_verdict_is_explained_with_shares_not_cosines(service):
    explanation = replace(
        service.explain("bank", SENTENCES), layer="verdict", cosine=0.08, random_pair_cosine=0.0
    )
    words = tuple(
        replace(word, share=0.4 if word == explanation.decisive else -0.1)
        for word in explanation.words
    )
    explanation = replace(explanation, words=words)
    page = compare_details.why_body(explanation).replace("\xa0", " ")
    assert (
        "The share of a word: how much of what speaks for this answer is lost when the word is"
        " hidden." in page
    )
    assert f"“{explanation.decisive.use.token}”: 40 % of what speaks for the answer." in page
    assert "speaks against the answer" in page
    assert 'class="word for4"' in page
    assert "more of the evidence hangs on the word" in page
    assert "cosine moves" not in page
    header = compare_details.why_csv(explanation).splitlines()[0]
    assert header.startswith(
        "use,word,position,layer,probability of one meaning,share of the evidence"
    )
    together = replace(explanation, apart=False)
    assert 'class="word against4"' in compare_details.why_body(together)
    assert compare_details.reason(replace(explanation, words=(), decisive=None)) == ""


def test_the_picture_holds_the_whole_sentence(service):
    tags = parsed(compare_details.why_body(service.explain("bank", SENTENCES)))
    assert all(sentence in tags.text for sentence in SENTENCES)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([(0.1, 0.1, 0.1), (0.09, 0.09, 0.09)], "less than all other words together"),
        (
            [(0.3, 0.0, 0.1), (0.0, 0.1, 0.2)],
            "but the three ways of hiding do not agree on the word",
        ),
        ([(-0.1, -0.1, -0.1), (0.0, 0.0, 0.0)], "and hiding no single word changes that much"),
        ([(0.001, 0.001, 0.001), (0.0, 0.0, 0.0)], "and hiding no single word changes that much"),
    ],
)
def test_why_no_word_is_named(service, changes, message):
    explanation = service.explain("bank", SENTENCES)
    words = [
        replace(word, changes=each, change=sum(each) / 3)
        for word, each in zip(explanation.words, [*changes, *[(0.0,) * 3] * 20], strict=False)
    ]
    assert message in compare_details.reason(
        replace(explanation, words=tuple(words), decisive=None)
    )


@pytest.mark.parametrize(
    ("probability", "text"),
    [(0.0, "0.0\u00a0%"), (0.0004, "<\u00a00.1\u00a0%"), (0.013, "1.3\u00a0%"), (0.5, "50\u00a0%")],
)
def test_chances(probability, text):
    assert compare_details.chance(probability) == text

from dataclasses import replace

import pytest

from elmo_tasks.api import WordEffect
from elmo_tasks.messages import heads
from elmo_tasks.ui import cards
from elmo_tasks.ui.colours import tint
from tests.ui.fake_map import use_at
from tests.ui.reader import parsed
from tests.ui.try_answers import NOT_BAD, plain, sentiment, tab_of


@pytest.mark.parametrize(
    ("texts", "headline"),
    [
        ((NOT_BAD,), "Positive, 86 % sure"),
        (("It is good.", "It is great."), "Both texts are positive"),
        (("It is bad.",) * 3, "All 3 texts are negative"),
        (("It is good.", "It is great.", "It is bad."), "3 texts: 2 positive and 1 negative"),
    ],
)
def test_the_label_comes_first_and_several_texts_are_counted(service, texts, headline):
    option, results, _ = sentiment(service, *texts)
    assert plain(heads.class_headline(results)) == headline
    assert parsed(cards.sentiment_card(option, results)).headings[0] == heads.class_headline(
        results
    )


def test_a_tentative_answer_reports_uncertainty(service):
    option, results, without = sentiment(service, NOT_BAD)
    unsure = [replace(results[0], is_sure=False)]
    assert plain(heads.class_headline(unsure)) == "Unsure: perhaps positive (86 %)"
    assert heads.class_difference(unsure, without).startswith(
        f"{heads.ON_LAYER_0_ALONE}, it says: negative"
    )
    assert (
        heads.class_difference(unsure, [replace(without[0], is_sure=False)])
        == f"{heads.ON_LAYER_0_ALONE}, it says the same."
    )
    assert heads.class_headline([*unsure, *results]) == "2 texts: 1 unsure and 1 positive"
    assert heads.class_headline([*unsure, *unsure]) == "The model is unsure of both texts"
    many = replace(unsure[0], label="a", probabilities={"a": 0.4, "b": 0.3, "c": 0.3})
    assert plain(heads.class_headline([many])) == "Unsure: perhaps a (40 %)"
    even = replace(results[0], probabilities={"negative": 0.49, "positive": 0.51})
    assert plain(heads.class_headline([even])) == "Unsure: perhaps positive (51 %)"
    # Its bars are quiet; those of the side on layer 0 alone, which is sure, are not.
    card = cards.sentiment_card(option, unsure, without)
    assert [card.count(text) for text in ('class="chosen"', 'class="bars undecided"')] == [1, 1]


def test_a_label_that_is_little_more_probable_is_not_stated_plainly(service):
    _, results, _ = sentiment(service, NOT_BAD)
    close = replace(results[0], probabilities={"negative": 0.44, "positive": 0.56})
    assert plain(heads.class_headline([close])) == "Probably positive (56 %)"
    assert heads.class_headline([close, *results]) == "Both texts are probably positive"
    firm = replace(close, probabilities={"negative": 0.3, "positive": 0.7})
    assert plain(heads.class_headline([firm])) == "Positive, 70 % sure"


def test_neutral_is_reported_only_if_the_head_predicts_it(service):
    _, results, _ = sentiment(service, NOT_BAD)
    three = {"negative": 0.05, "neutral": 0.9, "positive": 0.05}
    neutral = replace(results[0], label="neutral", probabilities=three)
    assert plain(heads.class_headline([neutral])) == "Neutral, 90 % sure"
    assert (
        plain(heads.class_headline([replace(neutral, is_sure=False)]))
        == "Unsure: perhaps neutral (90 %)"
    )


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((NOT_BAD,), ", it says: negative, 80 % sure."),
        (("It is good.", NOT_BAD), ": text 2 negative."),
        ((NOT_BAD, NOT_BAD), ": texts 1 and 2 negative."),
        (("Good.", "Bad.", NOT_BAD), ": text 3 negative; the rest the same."),
        (("It is good.",), ", it says the same."),
    ],
)
def test_the_gain_from_context_in_one_sentence(service, texts, message):
    _, results, without = sentiment(service, *texts)
    assert (
        plain(heads.class_difference(results, without))
        == f"On layer 0 alone, where a word has one vector{message}"
    )


@pytest.mark.parametrize(
    ("push", "kind"),
    [
        (0.0, ""),
        (0.019, ""),
        (0.03, "for1"),
        (-0.03, "against1"),
        (0.5, "for4"),
        (-0.25, "against3"),
    ],
)
def test_steps_of_the_tint(push, kind):
    assert tint(push, cards.DIFFERENCE_STEPS) == kind


def test_the_tip_describes_the_answer_without_the_word(service):
    (result,) = service.classify([NOT_BAD])
    tips = [plain(heads.tip(result, word)) for word in result.occlusion]
    assert tips[0] == "Without “The”: still positive 86 %."
    assert tips[3] == "Without “not”: positive 20 % instead of 86 %."
    impossible = WordEffect(use_at("x", 0, 1), -0.9)
    assert "100 %" in plain(heads.tip(result, impossible))


def test_words_keep_the_text_as_typed(service):
    text = "  Not…  bad,\tnot — good 🙂 " + "x" * 300
    option, (result,), _ = sentiment(service, text)
    page = cards.sentiment_card(option, [result])
    assert text in parsed(page).text
    assert page.count('class="word ') - 2 == len(result.occlusion)  # two are in the legend
    assert page.count('tabindex="0" data-tip') == 1
    odd = (
        *result.occlusion[:2],
        WordEffect(use_at(text, 0, 3), 0.5),
        WordEffect(use_at(text, 9, 9), 0.1),
    )
    assert text in parsed(cards.sentiment_card(option, [replace(result, occlusion=odd)])).text


def test_without_pushes_there_is_no_legend(service):
    option, results, without = sentiment(service, NOT_BAD)
    bare = [replace(result, occlusion=()) for result in results]
    card = cards.sentiment_card(option, bare, [replace(result, occlusion=()) for result in without])
    assert "speaks for" not in card
    assert "Point at a word" not in card


def test_a_wrong_answer_is_corrected_and_kept_where_training_is_on(service):
    tab = tab_of(service)
    answer = tab.answer("A <b>good</b> day.\nA dull one.", "sentiment", ["fake-sentiment"], None)
    labels, entities = tab.corrections
    assert (answer[labels.fold]["visible"], answer[entities.fold]["visible"]) == (True, False)
    assert [value for _, value in answer[labels.text]["choices"]] == [
        "A <b>good</b> day.",
        "A dull one.",
    ]
    assert [value for _, value in answer[labels.draft]["choices"]] == [
        "negative",
        "positive",
    ]  # all of them
    assert answer[labels.draft]["value"] == "positive"
    assert "1 example kept" in labels.store("A <b>good</b> day.", "negative")[labels.kept]
    assert (
        tab.answer("Oslo is far.", "entities", None, None)[entities.draft] == "[Oslo](LOC) is far."
    )
    entities.store("Oslo is far.", "[Oslo](ORG) is far.")
    kept = [("classification", "negative: A <b>good</b> day."), ("tagging", "[Oslo](ORG) is far.")]
    assert service.training.kept == kept
    service.training.allowed = False
    assert tab_of(service).corrections == []


def test_custom_labels_appear_under_the_title_of_their_head(service):
    option, results, _ = sentiment(service, NOT_BAD)
    own = replace(
        option, head=replace(option.head, title="Kitchen or garden", labels=("kitchen", "garden"))
    )
    assert "Kitchen or garden: which label fits?" in cards.sentiment_card(own, results)
    assert "Sentiment: how does it sound?" in cards.sentiment_card(option, results)


def test_the_side_without_context_is_shown_where_it_differs(service):
    option, results, without = sentiment(service, NOT_BAD, "It is good.")
    card = cards.sentiment_card(option, results, without)
    assert card.count("On layer 0 alone: negative") == 1
    assert card.count("Point at a word") == 1  # once for all texts
    alone = cards.sentiment_card(replace(option, baseline=None), results)
    assert "without context" not in alone.lower()
    assert alone.count('class="side"') == 2


def test_texts_whose_words_are_not_weighed_are_named(service):
    option, results, without = sentiment(service, "A good day.", "A bad day.", "Yes", "A dull one.")
    assert heads.unweighed(results) == ""
    bare = [results[0], *(replace(result, occlusion=()) for result in results[1:])]
    assert "test each one in texts 2 and 4; try fewer or shorter" in cards.sentiment_card(
        option, bare, without
    )
    assert "in this text;" in heads.unweighed(bare[1:2])

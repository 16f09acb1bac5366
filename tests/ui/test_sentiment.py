from dataclasses import replace

import pytest

from elmo_tasks.api import WordOcclusion
from elmo_tasks.messages import classified
from elmo_tasks.ui import cards
from elmo_tasks.ui.heat import tint
from tests.ui.try_answers import NOT_BAD, sentiment, tab_of


def test_the_label_comes_first_in_plain_words(service):
    option, results, _ = sentiment(service, NOT_BAD)
    assert classified.headline(results) == "Positive, 86\u00a0% sure"
    assert cards.sentiment_card(option, results).index("Positive, 86") < cards.sentiment_card(option, results).index(
        "fake)"
    )


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("It is good.", "It is great."), "Both texts are positive"),
        (("It is bad.",) * 3, "All 3 texts are negative"),
        (("It is good.", "It is great.", "It is bad."), "Of 3 texts, 2 positive and 1 negative"),
    ],
)
def test_several_texts_are_counted(service, texts, said):
    assert classified.headline(service.classify(texts)) == said


def test_a_text_of_neither_class_is_said_to_be_of_neither(service):
    option, results, without = sentiment(service, NOT_BAD)
    unsure = [replace(results[0], is_sure=False)]
    assert classified.headline(unsure) == "Neither clearly negative nor positive"
    assert classified.difference(unsure, without).startswith("Without context, the model says negative")
    assert classified.difference(unsure, [replace(without[0], is_sure=False)]) == ""
    assert classified.headline([*unsure, *results]) == "Of 2 texts, 1 neither and 1 positive"
    assert classified.headline([*unsure, *unsure]) == "Both texts are neither clearly negative nor positive"
    assert "Neither clearly negative nor positive" in cards.sentiment_card(option, unsure, without)
    many = replace(unsure[0], probabilities={"a": 0.4, "b": 0.3, "c": 0.3})
    assert classified.headline([many]) == "Not clearly any of them"
    assert unsure[0].to_dict()["is_sure"] is False


def test_the_bars_of_a_text_of_neither_class_are_quiet(service):
    option, results, without = sentiment(service, NOT_BAD)
    loud, quiet = 'class="chosen"', "below what counts as sure."
    sure = cards.sentiment_card(option, results, without)
    assert (sure.count(loud), sure.count(quiet)) == (2, 0)
    card = cards.sentiment_card(option, [replace(results[0], is_sure=False)], without)
    # The side without context is sure.
    assert [card.count(text) for text in (loud, quiet, 'class="bars unsaid"')] == [1, 1, 1]
    assert "Positive 86\u00a0%: below what counts as sure." in card


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((NOT_BAD,), "Without context, the model says negative, 80 % sure."),
        (("It is good.", NOT_BAD), "Without context, the model says that text 2 is negative."),
        ((NOT_BAD, NOT_BAD), "Without context, the model says that texts 1 and 2 are negative."),
        (
            ("Good.", "Bad.", NOT_BAD),
            "Without context, the model says that text 3 is negative; it says the same of the rest.",
        ),
        (("It is good.",), ""),
    ],
)
def test_what_context_buys_in_one_sentence(service, texts, said):
    _, results, without = sentiment(service, *texts)
    assert classified.difference(results, without).replace("\u00a0", " ") == said


@pytest.mark.parametrize(
    ("push", "kind"), [(0.0, ""), (0.019, ""), (0.03, "for1"), (-0.03, "against1"), (0.5, "for4"), (-0.25, "against3")]
)
def test_steps_of_the_tint(push, kind):
    assert tint(push, cards.STEPS) == kind


def test_the_tip_says_what_would_be(service):
    (result,) = service.classify([NOT_BAD])
    tips = [classified.tip(result, word).replace("\u00a0", " ") for word in result.occlusion]
    assert tips[0] == "Without “The”: still positive 86 %."
    assert tips[3] == "Without “not”: positive 20 % instead of 86 %."
    impossible = WordOcclusion("x", 0, 1, -0.9)
    assert "100\u00a0%" in classified.tip(result, impossible)


def test_words_keep_the_text_as_typed(service):
    text = "  Not…  bad,\tnot — good 🙂 " + "x" * 300
    (result,) = service.classify([text])
    assert "".join(piece for piece, _ in cards.weighed_words(result)) == text
    broken = replace(
        result, occlusion=(*result.occlusion[:2], WordOcclusion("x", 0, 3, 0.5), WordOcclusion("y", 9, 9, 0.1))
    )
    assert "".join(piece for piece, _ in cards.weighed_words(broken)) == text
    page = cards.sentiment_card(sentiment(service, text)[0], [result])
    assert page.count('class="word ') - 2 == len(result.occlusion)  # two are in the legend
    assert page.count('tabindex="0" data-tip') == 1


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
    assert answer[labels.fold]["visible"] is True
    assert answer[entities.fold]["visible"] is False
    assert [value for _, value in answer[labels.text]["choices"]] == ["A <b>good</b> day.", "A dull one."]
    assert [value for _, value in answer[labels.label]["choices"]] == ["negative", "positive"]  # all of them
    assert answer[labels.label]["value"] == "positive"
    shown = labels.store("A <b>good</b> day.", "negative", "")
    assert "1 example kept" in shown[labels.kept]
    assert service.training.kept == [("classification", "negative: A <b>good</b> day.")]
    service.training.allowed = False
    assert tab_of(service).corrections == []


def test_corrected_entities_are_kept_as_they_are_marked(service):
    tab = tab_of(service)
    answer = tab.answer("Oslo is far.", "entities", None, None)
    entities = tab.corrections[1]
    assert answer[entities.line] == "[Oslo](LOC) is far."
    entities.store("Oslo is far.", None, "[Oslo](ORG) is far.")
    assert service.training.kept == [("tagging", "[Oslo](ORG) is far.")]


def test_labels_of_ones_own_stand_under_the_title_of_their_head(service):
    option, results, _ = sentiment(service, NOT_BAD)
    own = replace(option, head=replace(option.head, title="Kitchen or garden", labels=("kitchen", "garden")))
    assert "Kitchen or garden: which label fits?" in cards.sentiment_card(own, results)
    assert "Sentiment: how does it sound?" in cards.sentiment_card(option, results)


def test_an_even_chance_is_no_answer(service):
    (result,) = service.classify([NOT_BAD])
    even = replace(result, label="positive", probabilities={"negative": 0.49, "positive": 0.51})
    assert classified.headline([even]) == "Neither clearly negative nor positive"
    assert classified.headline([replace(even, probabilities={"negative": 0.44, "positive": 0.56})]).startswith(
        "Positive"
    )


def test_the_side_without_context_is_shown_where_it_differs(service):
    option, results, without = sentiment(service, NOT_BAD, "It is good.")
    card = cards.sentiment_card(option, results, without)
    assert (card.count("Without context: negative"), card.count("Without context the model says the same")) == (1, 1)


def test_texts_whose_words_are_not_weighed_are_named(service):
    option, results, without = sentiment(service, "A good day.", "A bad day.", "Yes", "A dull one.")
    assert classified.unweighed(results) == ""
    bare = [results[0], *(replace(result, occlusion=()) for result in results[1:])]
    assert "weigh each of them in texts 2 and 4; ask about fewer or shorter" in cards.sentiment_card(
        option, bare, without
    )
    assert "in this text;" in classified.unweighed(bare[1:2])


def test_without_a_baseline_there_is_one_side(service):
    option, results, _ = sentiment(service, NOT_BAD)
    card = cards.sentiment_card(replace(option, baseline=None), results)
    assert "context" not in card.replace("Show the numbers", "").lower()
    assert card.count('class="side"') == 1

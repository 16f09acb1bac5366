from dataclasses import replace

import pytest

from elmo_tasks.api import TrainingPlan, WordOcclusion
from elmo_tasks.ui import cards, try_tab
from elmo_tasks.ui.heat import tint
from elmo_tasks.wording import classified
from tests.ui.reader import parsed
from tests.ui.try_answers import NOT_BAD, ask, feeling


def test_the_label_comes_first_in_plain_words(service):
    offer, results, _ = feeling(service, NOT_BAD)
    assert classified.headline(results) == "Positive, 86\u00a0% sure"
    assert cards.feeling_card(offer, results).index("Positive, 86") < cards.feeling_card(offer, results).index("fake)")


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("It is good.", "It is great."), "Both texts are positive"),
        (("It is bad.",) * 3, "All 3 texts are negative"),
        (("It is good.", "It is great.", "It is bad."), "Of 3 texts, 2 positive and 1 negative"),
    ],
)
def test_several_texts_are_counted(service, texts, said):
    assert classified.headline(service.heads.classify(texts)) == said


def test_a_text_of_neither_class_is_said_to_be_of_neither(service):
    offer, results, without = feeling(service, NOT_BAD)
    unsure = [replace(results[0], is_sure=False)]
    assert classified.headline(unsure) == "Neither clearly negative nor positive"
    assert classified.difference(unsure, without).startswith("Without context, the model says negative")
    assert classified.difference(unsure, [replace(without[0], is_sure=False)]) == ""
    assert classified.headline([*unsure, *results]) == "Of 2 texts, 1 neither and 1 positive"
    assert classified.headline([*unsure, *unsure]) == "Both texts are neither clearly negative nor positive"
    assert "Neither clearly negative nor positive" in cards.feeling_card(offer, unsure, without)
    many = replace(unsure[0], probabilities={"a": 0.4, "b": 0.3, "c": 0.3})
    assert classified.headline([many]) == "Not clearly any of them"
    assert unsure[0].to_dict()["is_sure"] is False


def test_the_bars_of_a_text_of_neither_class_are_quiet(service):
    offer, results, without = feeling(service, NOT_BAD)
    loud, quiet = 'class="chosen"', "below what counts as sure."
    sure = cards.feeling_card(offer, results, without)
    assert (sure.count(loud), sure.count(quiet)) == (2, 0)
    card = cards.feeling_card(offer, [replace(results[0], is_sure=False)], without)
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
    _, results, without = feeling(service, *texts)
    assert classified.difference(results, without).replace("\u00a0", " ") == said


@pytest.mark.parametrize(
    ("push", "kind"), [(0.0, ""), (0.019, ""), (0.03, "for1"), (-0.03, "against1"), (0.5, "for4"), (-0.25, "against3")]
)
def test_steps_of_the_tint(push, kind):
    assert tint(push, cards.STEPS) == kind


def test_the_tip_says_what_would_be(service):
    (result,) = service.heads.classify([NOT_BAD])
    tips = [classified.tip(result, word).replace("\u00a0", " ") for word in result.occlusion]
    assert tips[0] == "Without “The”: still positive 86 %."
    assert tips[3] == "Without “not”: positive 20 % instead of 86 %."
    impossible = WordOcclusion("x", 0, 1, -0.9)
    assert "100\u00a0%" in classified.tip(result, impossible)


def test_words_keep_the_text_as_typed(service):
    text = "  Not…  bad,\tnot — good 🙂 " + "x" * 300
    (result,) = service.heads.classify([text])
    assert "".join(piece for piece, _ in cards.weighed_words(result)) == text
    broken = replace(
        result, occlusion=(*result.occlusion[:2], WordOcclusion("x", 0, 3, 0.5), WordOcclusion("y", 9, 9, 0.1))
    )
    assert "".join(piece for piece, _ in cards.weighed_words(broken)) == text
    page = cards.feeling_card(feeling(service, text)[0], [result])
    assert page.count('class="word ') - 2 == len(result.occlusion)  # two are in the legend
    assert page.count('tabindex="0" data-tip') == 1


def test_without_pushes_there_is_no_legend(service):
    offer, results, without = feeling(service, NOT_BAD)
    bare = [replace(result, occlusion=()) for result in results]
    card = cards.feeling_card(offer, bare, [replace(result, occlusion=()) for result in without])
    assert "speaks for" not in card
    assert "Point at a word" not in card


def test_a_wrong_answer_can_be_put_right_where_training_is_on(service):
    page = ask(service, text="A <b>good</b> day.", task="feeling")[1]
    carried = parsed(page).carried
    assert [carried[name][0] for name in ("kind", "text", "base")] == ["classification", "A <b>good</b> day.", "sample"]
    assert "Negative" in parsed(page).text
    service.training.allowed = False
    assert "Keep as an example" not in ask(service, text="A good day.", task="feeling")[1]


def test_what_is_put_right_is_added_to_the_rows_of_an_own_head(service):
    offer, results, without = feeling(service, "A good day.")
    service.training.start(TrainingPlan("classification", name="mine"))
    service.training.runs["mine"] = 98
    assert try_tab._base(service, offer) == "sample"  # it came with the program, and the sample has its labels
    other = replace(offer.head, labels=("dull", "lively"))
    assert try_tab._base(service, replace(offer, head=other)) == ""
    assert try_tab._base(service, replace(offer, head=replace(offer.head, own=True))) == "mine"
    assert 'data-base="mine"' in cards.feeling_card(offer, results, without, "mine")


def test_texts_whose_words_are_not_weighed_are_named(service):
    offer, results, without = feeling(service, "A good day.", "A bad day.", "Yes", "A dull one.")
    assert classified.unweighed(results) == ""
    bare = [results[0], *(replace(result, occlusion=()) for result in results[1:])]
    assert "weigh each of them in texts 2 and 4; ask about fewer or shorter" in cards.feeling_card(offer, bare, without)
    assert "in this text;" in classified.unweighed(bare[1:2])


def test_without_a_baseline_there_is_one_side(service):
    offer, results, _ = feeling(service, NOT_BAD)
    card = cards.feeling_card(replace(offer, baseline=None), results)
    assert "context" not in card.replace("Show the numbers", "").lower()
    assert card.count('class="side"') == 1

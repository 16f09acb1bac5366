"""One sentence on several models: agreement, correct models, undecided models."""

from types import SimpleNamespace

import pytest

from elmo_tasks import api
from elmo_tasks.api import Certainty, UseMeaning
from elmo_tasks.messages import heads, meanings
from elmo_tasks.messages.answers import agreement_answer, nearest_answer
from elmo_tasks.messages.meanings import meanings_answer

ALIKE, OTHER = frozenset({frozenset({0, 2}), frozenset({1})}), frozenset({frozenset({0, 1, 2})})


@pytest.mark.parametrize(
    ("rights", "sentence"),
    [
        ([("a", ALIKE), ("b", ALIKE)], "“a” and “b” both group these uses alike."),
        (
            [("a", ALIKE), ("b", ALIKE), ("c", ALIKE)],
            "“a”, “b” and “c” all three group these uses alike.",
        ),
        ([("a", ALIKE), ("b", OTHER)], "“a” and “b” each group these uses in another way."),
        (
            [("a", OTHER), ("b", ALIKE), ("c", ALIKE)],
            "“b” and “c” group these uses alike, “a” in another way.",
        ),
        ([("a", ALIKE), ("b", None)], "Only “a” groups these uses; “b” does not say."),
        (
            [("a", ALIKE), ("b", None), ("c", None)],
            "Only “a” groups these uses; “b” and “c” do not say.",
        ),
        ([("a", None), ("b", None)], "Neither of the two groups these uses."),
    ],
)
def test_the_agreement_of_models(rights, sentence):
    assert agreement_answer(dict(rights)).headline == sentence


@pytest.mark.parametrize(
    ("right", "sentence"),
    [
        ((True, False, None), "“a” is right, “b” is not; “c” does not say."),
        ((True, True, False), "“a” and “b” are right, “c” is not."),
        ((False, None, None), "“a” is not right; “b” and “c” do not say."),
        (
            (None, None, None),
            "None of the three groups these uses; the right groups are known here.",
        ),
    ],
)
def test_the_correct_models(right, sentence):
    rights = dict(zip("abc", right, strict=True))
    groupings = {model: None if one is None else ALIKE for model, one in rights.items()}
    answer = agreement_answer(groupings, [model for model, one in rights.items() if one])
    assert answer.headline == sentence


@pytest.mark.parametrize(
    ("best", "p", "headline"),
    [
        ([0] * 12, 0.82, "“bank” mostly means the same here."),
        ([0] * 6 + [1] * 6, 0.82, "“bank” mostly has two meanings here."),
        ([0] * 12, 0.6, "The model cannot tell all meanings of “bank” here."),
    ],
)
def test_many_likely_sentences_are_not_certain_together(best, p, headline):
    certainty = Certainty.CONFIDENT if p > 0.7 else Certainty.TENTATIVE
    uses = [UseMeaning((p, 1 - p) if k == 0 else (1 - p, p), 0.0, k, certainty) for k in best]
    message = meanings_answer("bank", uses, p**12, Certainty.ABSTAIN)
    assert message.headline == headline
    assert ("at least 82\xa0% sure of each" in message.details) == (p > 0.7)


def test_different_words_are_compared_with_one_another_and_with_each_words_own_uses():
    cosine = ((1.0, 0.62, 0.31), (0.62, 1.0, 0.2), (0.31, 0.2, 1.0))
    sentence = meanings.different_words_answer(("bank", "shore", "bank"), cosine, 0.08)
    assert (
        sentence.headline
        == "Nearest are “bank” in sentence 1 and “shore” in sentence 2: cosine 0.62."
    )
    assert sentence.details.startswith(
        "“bank” in 1 and “bank” in 3 have 0.31, two random words 0.08."
    )
    alone = meanings.different_words_answer(("nurse", "lawyer"), ((1.0, 0.4), (0.4, 1.0)), 0.08)
    assert alone.headline == "“nurse” and “lawyer” have a cosine of 0.40 here."
    assert alone.details.startswith("Two random words have 0.08.")


def test_another_meaning_is_not_counted_as_one_of_the_dictionary():
    use = api.UseMeaning((0.9, 0.05), 0.05, 0, api.Certainty.CONFIDENT)
    other = api.UseMeaning((0.05, 0.05), 0.9, None, api.Certainty.CONFIDENT)
    sentence = meanings.meanings_answer(
        "table", [use, other, use], 0.8, api.Certainty.CONFIDENT
    ).headline
    assert sentence == "“table” has one meaning here, and another that is not in the dictionary."


def test_a_word_within_an_expression_is_used_in_ways_instead_of_having_meanings():
    uses = [api.UseMeaning((0.9, 0.1), 0.0, k, api.Certainty.CONFIDENT) for k in (0, 1)]
    for in_expression, headline in [
        (False, "“dog” has two meanings here."),
        (True, "“dog” is used in two ways here."),
    ]:
        answer = meanings.meanings_answer(
            "dog", uses, 0.9, api.Certainty.CONFIDENT, in_expression=in_expression
        )
        assert answer.headline == headline


def test_the_fold_of_other_meanings_writes_names_with_a_capital():
    city = api.Meaning("new york", "city", "name", "a city")
    card = api.Meaning("trump", "card", "noun", "a card")
    title = meanings.others_title([city, card], api.MeaningSource.DICTIONARY)
    assert title == "2 other meanings of “New York” and “trump” in the dictionary"


def test_of_an_expression_the_answer_adds_that_its_words_may_be_meant():
    happy = api.Meaning("over the moon", "happy", "expression", "extremely happy")
    answer = meanings.one_meaning_answer("over the moon", 2, api.Certainty.CONFIDENT, happy)
    assert answer.headline == "“over the moon” has one meaning in the dictionary: extremely happy."
    assert answer.details == (
        "Whether its words are meant literally in one of the sentences was not checked."
    )
    sentence = meanings.one_meaning_answer("giraffe", 2, api.Certainty.CONFIDENT).details
    assert sentence.endswith("This was known before the sentences were read.")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            "texts of this project (elmo_tasks/data/x), twice, and SST, test part",
            "the test part of texts of this project and SST",
        ),
        ("CoNLL-2003 English", "CoNLL-2003 English"),
    ],
)
def test_the_data_of_a_score_are_named_without_their_folder(data, sentence):
    assert heads.measured_on(data) == sentence


def test_an_uninformative_sentence_is_not_called_another_meaning():
    use = api.UseMeaning((0.9, 0.05), 0.05, 0, api.Certainty.CONFIDENT)
    short = api.UseMeaning((0.35, 0.2), 0.45, None, api.Certainty.TENTATIVE)
    sentence = meanings.meanings_answer(
        "table", [use, short], 0.4, api.Certainty.TENTATIVE
    ).headline
    assert sentence == "“table” perhaps has one meaning here; in sentence 2 it is unclear."
    alone = meanings.meanings_answer("table", [short, short], 0.4, api.Certainty.TENTATIVE).headline
    assert alone == "The meaning of “table” is unclear here."
    unclear = "unclear, perhaps another meaning, not in the dictionary"
    assert meanings.heading(None, uses=[short]) == unclear
    assert meanings.heading(None, uses=[short, short]) == unclear
    sure = api.UseMeaning((0.05, 0.05), 0.9, None, api.Certainty.CONFIDENT)
    assert meanings.heading(None, uses=[sure, short]) == "another meaning, not in the dictionary"


@pytest.mark.parametrize(
    ("senses", "only", "headline"),
    [
        (
            ("river", "river", None),
            "all",
            "2 of the 3 nearest uses are of “bank”, all with the meaning it has here (river).",
        ),
        (
            ("river", "money", None),
            "all",
            "2 of the 3 nearest uses are of “bank”, 1 of them with the meaning it has here (river).",
        ),
        ((None, None), "all", "None of the 2 nearest uses is of “bank”."),
        (("", ""), "all", "All 2 nearest uses are of “bank”."),
        (
            ("river", "money"),
            "same",
            "1 of the 2 nearest uses has the meaning it has here (river).",
        ),
        (("", ""), "same", ""),
        ((None,), "other", ""),
    ],
)
def test_nearest_uses_are_counted_first(senses, only, headline):
    """A sense of ``None`` is that of another word; without a headline, the nearest use is named."""
    uses = [
        SimpleNamespace(
            use=SimpleNamespace(shown="bank"),
            cosine=0.7,
            same_word=sense is not None,
            sense=sense or "",
        )
        for sense in senses
    ]
    message = nearest_answer("bank", uses, only, 0.08, "river")
    nearest = "The nearest use is of “bank”, with a cosine of 0.70. Two random words have 0.08."
    assert (message.headline, message.details) == (
        (headline, nearest) if headline else (nearest, "")
    )

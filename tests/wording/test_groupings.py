"""What is said follows from the numbers."""

import pytest
from elmo_tasks.wording.groupings import Cosines, Told, grouping_verdict, ranked


def said_of(
    groups,
    voice="named",
    probability=0.91,
    is_grouped=True,
    cosine=(0.62, 0.48),
    layer="1",
    one=0.45,
    is_likely=False,
    several="silent",
    are_apart=True,
    if_several=None,
):
    told = Told(sum(map(len, groups)), voice, groups, probability, one, is_grouped, is_likely, several, if_several)
    within = cosine[0] if any(len(group) > 1 for group in groups) else None
    between = cosine[1] if len(groups) > 1 else None
    return str(grouping_verdict(told, Cosines(within, between, are_apart, layer), "bank"))


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (((0, 1), (2,)), "3 is the odd one out: 1 and 2 go together (91 % sure)."),
        (((0, 2), (1,)), "2 is the odd one out: 1 and 3 go together (91 % sure)."),
        (((0, 2), (1, 3)), "1 and 3 go together, 2 and 4 go together (91 % sure)."),
        (((0, 2), (1, 3, 4)), "1 and 3 go together; 2, 4 and 5 go together (91 % sure)."),
        (((0, 1), (2,), (3,)), "1 and 2 go together, 3 and 4 stand apart (91 % sure)."),
        (
            ((0,), (1,), (2,)),
            "1, 2 and 3 each stand apart: the 3 uses of “bank” all mean different things (91 % sure).",
        ),
        (((0, 1, 2),), "All 3 uses of “bank” mean the same (91 % sure)."),
        (((0, 1),), "Both uses of “bank” mean the same (91 % sure)."),
        (((0,), (1,)), "The two uses of “bank” mean different things (91 % sure)."),
    ],
)
def test_the_groups_come_first_with_how_sure_they_are(groups, said):
    text = said_of(groups)
    assert text.startswith(said)
    compared = (
        len(groups) > 1 and len(groups[0]) > 1
    )  # of all pairs together, or all apart, no two averages can be compared
    assert ("At layer 1 " in text) == compared
    leaning = said_of(groups, "leaning", 0.71)
    assert leaning.startswith("More likely than not, " + said[0].lower() + said[1:].replace("91 % sure", "71 %"))
    assert "That is a leaning, not a firm answer." in leaning
    assert said_of(groups, "leaning", 0.77).startswith("Probably, ")


def test_where_only_a_pair_is_sure_no_group_is_told():
    guess = said_of(((0, 1), (2,)), "leaning", 0.63, is_grouped=False, is_likely=True)
    assert guess.startswith(
        "The model cannot tell whether all 3 uses of “bank” mean the same (45 % yes, 55 % no). A first guess, too unsure to be "
        "an answer: 3 is the odd one out: 1 and 2 go together (63 %). Longer"
    )
    unlikely = said_of(((0, 1), (2,)), "leaning", 0.43, is_grouped=False)
    assert unlikely.startswith(
        "The model cannot tell whether all 3 uses of “bank” mean the same (45 % yes, 55 % no). Longer"
    )
    several = said_of(((0, 1), (2,)), "leaning", 0.43, is_grouped=False, one=0.22, several="leaning")
    assert several.startswith(
        "Probably, these 3 uses of “bank” have more than one meaning (78 %). "
        "Which of them go together, the model cannot tell."
    )
    surely = said_of(((0, 1), (2,)), "leaning", 0.43, is_grouped=False, one=0.08, several="named")
    assert surely.startswith(
        "These 3 uses of “bank” have more than one meaning (92 % sure). "
        "Which of them go together, the model cannot tell."
    )
    assert "go together" not in unlikely


def test_the_word_for_how_likely_follows_the_number_that_is_shown():
    assert said_of(((0, 1, 2),), "leaning", 0.746).startswith("Probably, all 3 uses of “bank” mean the same (75 %).")


def test_whether_all_mean_the_same_is_no_guess_to_be_taken_back():
    text = said_of(((0, 1, 2, 3),), "leaning", 0.61, is_grouped=False, one=0.61, is_likely=True)
    assert text.startswith("The model cannot tell whether all 4 uses of “bank” mean the same (61 % yes, 39 % no).")


def test_how_they_group_if_they_have_several_meanings():
    """It takes the place of the pair, and no more is said of not sorting them."""
    then = (((0, 2), (1, 3)), 0.79)
    pair = {"is_grouped": False, "probability": 0.55}
    assert said_of(((0, 2), (1, 3)), "leaning", one=0.29, several="leaning", if_several=then, **pair) == (
        "More likely than not, these 4 uses of “bank” have more than one meaning (71 %). If so, probably 1 and 3 go together, "
        "2 and 4 go together (79 % in that case). Sentences that say more around the word may help."
    )
    unknown = said_of(((0, 1, 2),), "silent", 0.45, one=0.45, if_several=(((0, 1), (2,)), 0.73))
    assert unknown == (
        "The model cannot tell whether all 3 uses of “bank” mean the same (45 % yes, 55 % no). If "
        "they have more than one meaning, more likely than not 3 is the odd one out: 1 and 2 go together (73 % in that case). "
        "Longer sentences, or more of them, may tell more."
    )


def test_the_headline_is_the_answer_and_the_rest_its_reasons():
    cosines = Cosines(0.62, 0.48, True, "1")
    named = grouping_verdict(Told(3, "named", ((0, 1), (2,)), 0.91, 0.05), cosines, "Vol. 1")
    assert named.headline == "3 is the odd one out: 1 and 2 go together (91 % sure)."
    assert not named.reasons
    assert named.numbers == "At layer 1 the cosines average 0.62 within the groups and 0.48 between them."
    silent = grouping_verdict(Told(2, "silent", ((0, 1),), 0.55, 0.55), cosines, "Vol. 1")
    assert (
        silent.headline == "The model cannot tell whether these two uses of “Vol. 1” mean the same (55 % yes, 45 % no)."
    )
    assert silent.reasons == "Longer sentences, or more of them, may tell more."


def test_nothing_is_certain():
    assert "(over 99 % sure)" in said_of(((0, 1), (2,)), probability=0.9999)


def test_it_says_when_it_cannot_tell():
    text = said_of(((0, 1, 2),), "silent", cosine=(0.5, 0.5), layer="mean")
    assert text.startswith("The model cannot tell whether all 3 uses of “bank” mean the same (45 % yes, 55 % no).")
    two = said_of(((0, 1),), "silent", one=0.55, cosine=(0.5, 0.5))
    assert two.startswith("The model cannot tell whether these two uses of “bank” mean the same (55 % yes, 45 % no).")
    assert "cosine" not in text + two
    several = said_of(((0, 1, 2),), "silent", one=0.35, several="leaning")
    assert several.startswith("More likely than not, these 3 uses of “bank” have more than one meaning (65 %).")


def test_it_says_what_would_help():
    more = "Longer sentences, or more of them, may tell more."
    assert said_of(((0, 1),), "silent").endswith(more)
    assert f"not a firm answer. {more} At layer 1" in said_of(((0, 1), (2,)), "leaning")
    assert more not in said_of(((0, 1), (2,)))
    assert said_of(((0, 1), (2, 3)), "silent").endswith("Sentences that say more around the word may help.")


def test_of_different_spellings_only_the_order_is_said():
    cosine = [[1, 0.7, 0.2], [0.7, 1, 0.4], [0.2, 0.4, 1]]
    text = str(ranked(cosine, 0.1, "1"))
    assert text.startswith(
        "1 and 2 are the closest, 1 and 3 the furthest apart. At layer 1 their cosines are 0.70 and 0.20"
    )
    assert "no groups are named" in text
    assert str(ranked([[1, 0.7], [0.7, 1]], 0.1, "mean")).startswith(
        "The cosine of the two is 0.70. Two random words have 0.10 in the"
    )


def test_cosines_within_and_between_stand_beside():
    text = said_of(((0, 2), (1, 3)), cosine=(0.8, 0.2), layer="2")
    assert text.endswith("At layer 2 the cosines average 0.80 within the groups and 0.20 between them.")


def test_cosines_that_do_not_show_the_groups_are_not_said_to():
    for cosine in ((0.82, 0.84), (0.61, 0.53)):
        assert (
            said_of(((0, 2), (1, 3)), cosine=cosine, are_apart=False)
            == "1 and 3 go together, 2 and 4 go together (91 % sure)."
        )

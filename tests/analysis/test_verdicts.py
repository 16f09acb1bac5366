"""What is said follows from the numbers."""

import pytest

from elmo_tasks.analysis.senses import Grouping
from elmo_tasks.analysis.verdicts import ranked, verdict


def blocks(groups, within, between):
    n = sum(len(group) for group in groups)
    together = {(a, b) for group in groups for a in group for b in group}
    return [[1.0 if a == b else within if (a, b) in together else between for b in range(n)] for a in range(n)]


def said_of(groups, clear=True, same=(0.9, 0.2), cosine=(0.62, 0.48), layer="1"):
    return verdict(Grouping(groups, 1.0, clear), blocks(groups, *same), blocks(groups, *cosine), 0.15, layer, "bank")


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (((0, 1), (2,)), "1 and 2 go together, 3 stands apart."),
        (((0, 2), (1,)), "1 and 3 go together, 2 stands apart."),
        (((0, 2), (1, 3)), "1 and 3 go together, 2 and 4 go together."),
        (((0,), (1,), (2,)), "1, 2 and 3 each stand apart: the model reads every one of them differently."),
        (((0, 1, 2),), "All 3 uses of “bank” go together."),
        (((0, 1),), "Both uses of “bank” go together."),
        (((0,), (1,)), "The two uses of “bank” stand apart."),
    ],
)
def test_the_groups_come_first(groups, said):
    text = said_of(groups)
    assert text.startswith(said)
    assert "0.15" in text
    assert "t layer 1 " in text


@pytest.mark.parametrize(
    ("groups", "sure"),
    [
        (
            ((0, 1), (2,)),
            "It is most sure that 1 and 3 mean different things (80 %) and that 1 and 2 mean the same (90 %).",
        ),
        (((0,), (1,), (2,)), "It is most sure that 1 and 2 mean different things (80 %)."),
        (((0, 1, 2),), "It is most sure that 1 and 2 mean the same (90 %)."),
        (((0, 1),), "It is 90 % sure that they mean the same."),
        (((0,), (1,)), "It is 80 % sure that they mean different things."),
    ],
)
def test_then_how_sure_that_is(groups, sure):
    assert sure in said_of(groups)


def test_the_surest_pairs_are_named_and_nothing_is_certain():
    same = [[1.0, 0.9, 0.3, 0.2], [0.9, 1.0, 0.001, 0.4], [0.3, 0.001, 1.0, 0.9999], [0.2, 0.4, 0.9999, 1.0]]
    text = verdict(Grouping(((0, 1), (2, 3)), 1.0, True), same, same, 0.1, "1", "bank")
    assert "sure that 2 and 3 mean different things (over 99 %) and that 3 and 4 mean the same (over 99 %)." in text


def test_it_says_when_it_cannot_tell():
    text = said_of(((0, 1, 2),), clear=False, same=(0.84, 0.84), cosine=(0.5, 0.5), layer="mean")
    assert text.startswith("The model cannot tell these uses of “bank” apart.")
    assert "In the mean of the layers their cosines average 0.50" in text
    assert "though" not in text
    two = said_of(((0, 1),), clear=False, same=(0.55, 0.55), cosine=(0.5, 0.5))
    assert two.startswith("The model cannot say whether these two uses of “bank” mean the same. It gives 55 % for it")
    assert "At layer 1 their cosine is 0.50" in two


def test_it_says_what_would_help():
    more = "Two sentences for each meaning would tell more."
    assert said_of(((0, 1),), clear=False, same=(0.55, 0.55)).endswith(more)
    assert said_of(((0, 1), (2,)), clear=False).endswith(more)
    assert more not in said_of(((0, 1), (2,)))
    four = said_of(((0, 1), (2, 3)), clear=False)
    assert four.endswith("Sentences that differ more in topic, or say more around the word, may help.")


@pytest.mark.parametrize(("chance", "shown"), [(0.847, "84.7 %"), (0.153, "15.3 %"), (0.84, "84 %"), (0.5, "50 %")])
def test_what_is_not_enough_does_not_read_as_if_it_were(chance, shown):
    text = said_of(((0, 1),), clear=False, same=(chance, chance))
    assert f"It gives {shown} for it; to say yes or no it takes 85 %." in text


def test_what_is_sure_by_itself_is_said_where_the_groups_are_not():
    apart = said_of(((0, 1), (2,)), clear=False, same=(0.7, 0.06))
    assert "It is 94 % sure, though, that 1 and 3 mean different things. At layer 1" in apart
    alike = said_of(((0, 1), (2,)), clear=False, same=(0.9, 0.3))
    assert "It is 90 % sure, though, that 1 and 2 mean the same. At layer 1" in alike


def test_of_different_spellings_only_the_order_is_said():
    cosine = [[1, 0.7, 0.2], [0.7, 1, 0.4], [0.2, 0.4, 1]]
    text = ranked(cosine, 0.1, "1")
    assert text.startswith(
        "1 and 2 are the closest, 1 and 3 the furthest apart. At layer 1 their cosines are 0.70 and 0.20"
    )
    assert "no groups are named" in text
    assert ranked([[1, 0.7], [0.7, 1]], 0.1, "mean").startswith(
        "The cosine of the two is 0.70. Two random words have 0.10 in the"
    )


def test_cosines_within_and_between_stand_beside():
    text = said_of(((0, 2), (1, 3)), cosine=(0.8, 0.2), layer="2")
    assert text.endswith(
        "At layer 2 uses that go together have a cosine of 0.80 on average, uses that do not have 0.20, two random words 0.15."
    )


def test_cosines_that_do_not_show_the_groups_are_not_said_to():
    text = said_of(((0, 2), (1, 3)), cosine=(0.82, 0.84))
    assert (
        "At layer 1 the cosines alone do not show it: uses that go together average 0.82, uses that do not 0.84" in text
    )

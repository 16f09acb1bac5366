"""Agreement among people, against the worked example of Krippendorff's article."""

import pytest

from elmo_tasks.senses.agreement import krippendorff_alpha

# Three people, fifteen things, "*" where one did not answer: Krippendorff (2011) gives .691 for names.
ANSWERS = ("* * * * * 3 4 1 2 1 1 3 3 * 3", "1 * 2 1 3 3 4 3 * * * * * * *", "* * 2 1 3 4 4 * 2 1 1 3 3 * 4")


def units(*people):
    return [[answer for answer in answers if answer != "*"] for answers in zip(*map(str.split, people), strict=True)]


def test_the_published_example():
    assert krippendorff_alpha(units(*ANSWERS)) == pytest.approx(0.691, abs=5e-4)


def test_all_agree_on_different_things():
    assert krippendorff_alpha([[True] * 3, [False] * 2]) == pytest.approx(1)


def test_disagreement_beyond_chance_is_below_zero():
    found = krippendorff_alpha([[True, False]] * 4)
    assert found is not None
    assert found < 0


@pytest.mark.parametrize("answers", [[], [[True]], [[True], [False]], [[True, True], [True, True]]])
def test_nothing_can_be_said(answers):
    assert krippendorff_alpha(answers) is None

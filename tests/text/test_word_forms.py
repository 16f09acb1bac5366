import pytest

from elmo_tasks.text import word_forms
from elmo_tasks.text.word_forms import (
    are_inflections,
    comparative_bases,
    first_letters,
    may_be_forms_of_one_word,
)

# A word, and words that are its inflections.
INFLECTIONS = """
bank banks banked banking, run ran running, play plays, bark barking, beauty beauties, discharge discharged, mouse mice,
leaf leaves, be was, lie lay, lay laid, hope hoping, watch watches, study studies, fast faster fastest, wet wetter wettest,
mean meaner meanest meant means, happy happier happiest, large larger largest, free freer freest, dry drier driest,
far further farthest, dream dreamt dreamed dreams, learn learnt learned, spell spelt, leap leapt, stride strode strides,
crisis crises, agree agreed, free freed, tie tied, use used, t-shirt t-shirts, mother-in-law mothers-in-law,
passer-by passers-by, e-mail e-mailed
"""
# A word, and others that are made of it.
DERIVED = """
bank banker, run runner, play player playful, beauty beautiful, happy happily, culture cultural, decorate decorator,
mother motherhood, organ organic, read reader, dig digest
"""
# A word, and others that only look alike.
OTHERS = """
bank ban shore bankrupt ., can canal, car care, see seed, plan plane, contract contrast, the they, on one, a as, run was
"""
NOT_INFLECTED = """
bank banker, organ organic, see seed, fee feed, hop hoping, not noted, bass bas, read reader,
t-shirt e-shirt, river-bank riverside, for forest, dig digest, earn earnest, numb number, corn corner, flow flower, inter interest, happy unhappy, happier happen
"""


def pairs(families: str) -> list[tuple[str, str]]:
    return [
        (word, other)
        for family in families.split(",")
        for word, *rest in [family.split()]
        for other in rest
    ]


@pytest.mark.parametrize(("one", "other"), pairs(INFLECTIONS))
def test_inflections(one: str, other: str) -> None:
    assert are_inflections(one, other)
    assert are_inflections(other, one)
    assert may_be_forms_of_one_word(one, other)


@pytest.mark.parametrize(("one", "other"), pairs(NOT_INFLECTED))
def test_not_inflections(one: str, other: str) -> None:
    assert not are_inflections(one, other)
    assert not are_inflections(other, one)


@pytest.mark.parametrize(("one", "other"), pairs(DERIVED))
def test_forms(one: str, other: str) -> None:
    assert may_be_forms_of_one_word(one, other)
    assert may_be_forms_of_one_word(other, one)


@pytest.mark.parametrize(("one", "other"), [*pairs(OTHERS), ("", "bank"), ("...", "..")])
def test_not_forms(one: str, other: str) -> None:
    assert not may_be_forms_of_one_word(one, other)
    assert not may_be_forms_of_one_word(other, one)


def test_comparisons_of_any_word() -> None:
    assert "ghostly" in comparative_bases("ghostlier")
    assert comparative_bases("the") == set()


def test_no_inflection_begins_with_another_letter() -> None:
    assert first_letters("go") == {"g", "w"}
    assert first_letters("banks") == {"b"}
    irregular = sorted(word_forms._irregular_bases())
    words = [*irregular[::9], "dies", "happier", "better", "hoping", "3rd", "seed"]
    for word in words:
        missed = [other for other in irregular if other[:1] not in first_letters(word)]
        assert not [other for other in missed if are_inflections(word, other)]

"""Near-duplicate sentences."""

import pytest

from tests.twins import are_twins, content_words, twins

SEATS = "We sat at the [back] of the bus."


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (
            "My [back] hurts after digging the garden.",
            "Her [back] hurt when she dug the garden.",
            True,
        ),
        ("The driver parked by the [bank].", "A driver parks at the [bank].", True),
        ("The [bank] closed early on Friday.", "Ducks slept on the grassy [bank].", False),
        ("Run!", "Run!", False),  # one content word is not enough
        ("[Oslo](LOC) is cold.", "Cold Oslo.", True),
    ],
)
def test_twins_share_two_thirds_of_their_content_words(a: str, b: str, expected: bool):
    assert are_twins(content_words(a), content_words(b)) is expected


def test_the_marked_word_does_not_count():
    assert content_words(SEATS) == {"sat", "bus"}


def test_a_twin_is_paired_with_the_first_of_the_two():
    twin = "Nobody sat in the [back] of that bus."
    assert twins([SEATS, twin, "He came [back]."]) == [(twin, SEATS)]

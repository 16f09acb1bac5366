"""Of words that tutorials show ELMo with little is said that is wrong."""

import pytest

from elmo_tasks.serving.session import Session

WORDS = {
    "bank": (
        ["She deposits her wages at the bank on Friday.", "A bank refused to lend us money for the house."],
        ["Reeds grow along the bank of the stream.", "They fished from the muddy bank of the river."],
    ),
    "run": (
        ["He goes for a run in the park before breakfast.", "Her long run along the beach left her tired."],
        ["The program takes hours to run on my laptop.", "Engineers run the software on a faster computer."],
    ),
    "bark": (
        ["The loud bark of a dog woke the whole street.", "With a short bark the puppy ran after the cat."],
        ["Beetles live under the bark of the pine tree.", "The bark of an old oak is rough and brown."],
    ),
    "bucket": (
        ["He filled a bucket with water to wash the car.", "The farmer carried a bucket of milk from the barn."],
        ["Skydiving has been on my bucket list for years.", "Seeing Venice was at the top of her bucket list."],
    ),
    "play": (
        ["The children play football in the garden.", "The team will play the final on Sunday."],
        ["The new play opened at the theatre.", "Critics praised the actors and the play."],
    ),
    "discharge": (
        ["The nurse prepared him for discharge from hospital.", "Before discharge the doctor gave her some pills."],
        ["Yellow discharge from the wound was a bad sign.", "Thick discharge from the ear is caused by bacteria."],
    ),
    "culture": (
        ["The blood culture grew bacteria after two days.", "A throat culture was sent to the laboratory."],
        ["Music and dance belong to the culture of the island.", "He studies the history and culture of Japan."],
    ),
}
ALL_FOUR = [(word, (0, 0, 1, 1)) for word in WORDS]
THREE = [(word, pattern) for word in WORDS for pattern in ((0, 0, 1), (0, 1, 1))]
TWO = [(word, pattern) for word in WORDS for pattern in ((0, 1), (0, 0), (1, 1))]


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.fixture(scope="module")
def answers(session):
    """The voice of each set of sentences, and whether what it groups is right; ``None`` where it groups nothing."""
    found = {}
    for word, pattern in (*ALL_FOUR, *THREE, *TWO):
        left = [list(sentences) for sentences in WORDS[word]]
        chosen = [left[sense].pop(0) for sense in pattern]
        comparison = session.compare(word, chosen)
        right = comparison.groups == groups(pattern) if comparison.groups else None
        found[word, pattern] = comparison.voice, right
    return found


def groups(pattern):
    return tuple(tuple(k for k, s in enumerate(pattern) if s == sense) for sense in dict.fromkeys(pattern))


@pytest.mark.parametrize(
    ("asked", "named_right", "named_wrong", "leaning_wrong"),
    [(ALL_FOUR, 3, 0, 0), (THREE, 0, 1, 3), (TWO, 11, 0, 1)],
    ids=["four", "three", "two"],
)
def test_of_words_of_tutorials_so_much_is_right_and_wrong(answers, asked, named_right, named_wrong, leaning_wrong):
    given = [answers[case] for case in asked]
    assert given.count(("named", True)) == named_right
    assert given.count(("named", False)) == named_wrong
    assert given.count(("leaning", False)) == leaning_wrong


def test_two_sentences_get_a_verdict_or_a_leaning_mostly(answers):
    assert [answers[case][0] for case in TWO].count("silent") <= 3

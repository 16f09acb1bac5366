import pytest

from elmo_tasks.text.sentences import split_sentences
from elmo_tasks.text.word_forms import are_inflections


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith left. She stayed.", ["Dr. Smith left.", "She stayed."]),
        ('"Stop!" he said. "Why?" Nobody knew.', ['"Stop!" he said.', '"Why?"', "Nobody knew."]),
        ("One line\ngoes on. Next", ["One line goes on.", "Next"]),
        ("A title\n\nThe text.", ["A title", "The text."]),
        ("It cost 3.50 in the U.S. in May.", ["It cost 3.50 in the U.S. in May."]),
        ("… --- !", []),
        ("", []),
    ],
)
def test_sentences(text, sentences):
    assert split_sentences(text) == sentences


def test_what_is_too_long_is_cut():
    assert [len(s.split()) for s in split_sentences("word " * 25, max_tokens=10)] == [10, 10, 5]


@pytest.mark.parametrize("text", ["<b>a</b> & “q”? Yes…", "a.b.c", "()()()", "x" * 5000, "\u200b\u200b", "!!! ??? a"])
def test_no_letter_is_lost(text):
    kept = "".join(split_sentences(text))
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("bank", "banks", True),
        ("bank", "banking", True),
        ("bank", "banker", False),
        ("organ", "organic", False),
        ("run", "ran", True),
        ("run", "running", True),
        ("hope", "hoping", True),
        ("hop", "hoping", False),
        ("watch", "watches", True),
        ("study", "studies", True),
        ("not", "noted", False),
        ("bass", "bas", False),
        ("mouse", "mice", True),
    ],
)
def test_inflections(one, other, same):
    assert are_inflections(one, other) is same
    assert are_inflections(other, one) is same

import pytest

from elmo_tasks.text.sentences import split_sentences


@pytest.mark.parametrize(("text", "sentences"), [
    ("Dr. Smith left. She stayed.", ["Dr. Smith left.", "She stayed."]),
    ('"Stop!" he said. "Why?" Nobody knew.', ['"Stop!" he said.', '"Why?"', "Nobody knew."]),
    ("One line\ngoes on. Next", ["One line goes on.", "Next"]),
    ("A title\n\nThe text.", ["A title", "The text."]),
    ("It cost 3.50 in the U.S. in May.", ["It cost 3.50 in the U.S. in May."]),
    ("… --- !", []),
    ("", []),
])  # fmt: skip
def test_sentences(text, sentences):
    assert split_sentences(text) == sentences


def test_what_is_too_long_is_cut():
    assert [len(s.split()) for s in split_sentences("word " * 25, max_tokens=10)] == [10, 10, 5]


@pytest.mark.parametrize("text", ["<b>a</b> & “q”? Yes…", "a.b.c", "()()()", "x" * 5000, "\u200b\u200b", "!!! ??? a"])
def test_no_letter_is_lost(text):
    kept = "".join(split_sentences(text))
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]

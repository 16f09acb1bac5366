"""Sentences with their tags written into them, read back as they were written."""

import pytest

from elmo_tasks.data.conll import read_tagged
from elmo_tasks.errors import DataError
from elmo_tasks.messages.heads import marked_spans, marked_words
from elmo_tasks.text.tag_schemes import spans_of


def read(tmp_path, text):
    path = tmp_path / "mine.marked"
    path.write_text(text, encoding="utf-8")
    return read_tagged(path)


def test_names_in_brackets(tmp_path):
    first, second = read(tmp_path, "[Mara Lind](PER) left [Lisbon](LOC).\n\n  Nobody (at all) asked [why].\n")
    assert first.tokens == ("Mara", "Lind", "left", "Lisbon", ".")
    assert first.tags == ("B-PER", "I-PER", "O", "B-LOC", "O")
    assert (second.line, set(second.tags)) == (3, {"O"})


def test_a_tag_behind_every_word(tmp_path):
    (sentence,) = read(tmp_path, "and/or/CCONJ 3/4/NUM left/VERB ./PUNCT\n")
    assert sentence.tokens == ("and/or", "3/4", "left", ".")
    assert sentence.tags == ("CCONJ", "NUM", "VERB", "PUNCT")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("[Mara](PER) left.\n[Lisbon](LOC is far.\n", r"line 2: expected names such as \[Ada Marsh\]\(PER\), found"),
        ("Mara/PROPN left/VERB\nLisbon/PROPN is far/ADJ\n", "line 2: expected a tag behind every word.*found 'is'"),
        ("\n\n", "no sentence"),
    ],
)
def test_what_is_not_as_expected_is_named(tmp_path, text, match):
    with pytest.raises(DataError, match=match):
        read(tmp_path, text)


def test_what_is_written_is_read_back(tmp_path):
    text, spans = "Old  Mara Lind (of Lisbon) left.", [(19, 25, "LOC"), (5, 14, "PER")]
    line = marked_spans(text, spans)
    assert line == "Old [Mara Lind](PER) (of [Lisbon](LOC)) left."
    (sentence,) = read(tmp_path, line)
    assert [(span.type, sentence.tokens[span.start : span.end]) for span in spans_of(sentence.tags, "BIO")] == [
        ("PER", ("Mara", "Lind")),
        ("LOC", ("Lisbon",)),
    ]
    tokens, tags = ("Mara", "left", "/"), ("PROPN", "VERB", "SYM")
    (sentence,) = read(tmp_path, marked_words(tokens, tags))
    assert (sentence.tokens, sentence.tags) == (tokens, tags)
